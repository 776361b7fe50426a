//! `drawback`, `clean`, `abstain` and the places a drawback may point at.

use std::sync::Arc;

use mlua::{AnyUserData, Lua, Table, UserData, UserDataFields, UserDataMethods, Value};

use super::super::limits::Limits;
use super::super::trace::{clean, with_article};
use super::node::NodeHandle;
use super::{Handle, Services, Whole, closed, error, field, function, method, services};
use crate::base::Span;
use crate::verdict::{Finding, Verdict};

/// A verdict in a script's hands: opaque, so that no table passes for one.
struct VerdictHandle(Verdict);

impl Handle for VerdictHandle {
    const CLASS: &'static str = "Verdict";
}

impl UserData for VerdictHandle {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        closed(methods);
    }
}

/// A place in a text, and the text itself: a span of one text does not pass for a span of another.
#[derive(Clone)]
pub(in super::super) struct SpanHandle {
    pub text: Arc<str>,
    pub span: Span,
}

impl SpanHandle {
    pub fn describe(&self) -> String {
        format!("span {} to {} at line {}", self.span.start + 1, self.span.end, self.span.line(&self.text))
    }
}

impl Handle for SpanHandle {
    const CLASS: &'static str = "Span";
}

impl UserData for SpanHandle {
    fn add_fields<F: UserDataFields<Self>>(fields: &mut F) {
        field(fields, "first", |_, this: &Self| Ok(f64::from(this.span.start) + 1.0));
        field(fields, "last", |_, this: &Self| Ok(f64::from(this.span.end)));
    }

    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        method(methods, "text", |lua, this: &Self, ()| lua.create_string(this.span.of(&this.text)));
        method(methods, "line", |_, this: &Self, ()| Ok(this.span.line(&this.text)));
        closed(methods);
    }
}

/// Puts the verdicts and `span` among the globals.
pub(super) fn install(lua: &Lua, globals: &Table) -> mlua::Result<()> {
    function(lua, globals, "", "drawback", |lua, (message, place): (Value, Value)| {
        let services = services(lua)?;
        let message = words("drawback", &message, &services.limits)?;
        let span = place_of(&place, &services)?;
        Ok(VerdictHandle(Verdict::Drawback(Finding { message, span })))
    })?;
    function(lua, globals, "", "clean", |_, ()| Ok(VerdictHandle(Verdict::Clean)))?;
    function(lua, globals, "", "abstain", |lua, why: Value| {
        let why = words("abstain", &why, &services(lua)?.limits)?;
        Ok(VerdictHandle(Verdict::Abstain(why)))
    })?;
    function(lua, globals, "", "span", |lua, (Whole(first), Whole(last)): (Whole, Whole)| {
        let document = services(lua)?.document().ok_or_else(|| error("span: there is no output yet"))?;
        let text = document.text;
        let end = usize::try_from(last).ok().filter(|end| *end <= text.len() && first >= 1 && last >= first - 1);
        let Some(end) = end else {
            return Err(error(format!("span: {first} to {last} is not within the output's {} bytes", text.len())));
        };
        let span = Span::new(end - (last - first + 1) as usize, end);
        Ok(SpanHandle { span: on_symbols(&text, span), text })
    })
}

/// The verdict in a value that `check` returned, if a host function made it.
pub(in super::super) fn verdict_of(value: &Value) -> Option<Verdict> {
    let handle = value.as_userdata()?.borrow::<VerdictHandle>().ok()?;
    Some(handle.0.clone())
}

/// A message: a string that says something, made fit to be shown and stored.
fn words(function: &str, value: &Value, limits: &Limits) -> mlua::Result<String> {
    let text = match value {
        Value::String(text) => clean(&text.as_bytes(), limits.message),
        other => return Err(error(format!("{function} expects a message, got {}", with_article(other.type_name())))),
    };
    if text.trim().is_empty() {
        Err(error(format!("{function} expects a message, got an empty one")))
    } else {
        Ok(text)
    }
}

fn place_of(value: &Value, services: &Services) -> mlua::Result<Option<Span>> {
    let handle = match value {
        Value::Nil => return Ok(None),
        Value::UserData(data) => span_of(data),
        _ => None,
    };
    let Some(SpanHandle { text, span }) = handle else {
        let got = with_article(value.type_name());
        return Err(error(format!("drawback expects a span or a node as its place, got {got}")));
    };
    match services.document() {
        Some(document) if Arc::ptr_eq(&document.text, &text) => Ok(Some(span)),
        _ => Err(error("the place is in another text than the output's")),
    }
}

/// The place that a handle stands for.
fn span_of(data: &AnyUserData) -> Option<SpanHandle> {
    let span = data.borrow::<SpanHandle>().ok().map(|span| span.clone());
    span.or_else(|| data.borrow::<NodeHandle>().ok().map(|node| node.span()))
}

/// The smallest span of whole symbols around a span of bytes.
fn on_symbols(text: &str, span: Span) -> Span {
    let start = text.floor_char_boundary(span.start as usize);
    Span::new(start, text.ceil_char_boundary(span.end as usize))
}
