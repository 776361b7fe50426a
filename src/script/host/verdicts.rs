//! `drawback`, `clean`, `abstain` and the places a drawback may point at.

use std::sync::Arc;

use mlua::{AnyUserData, Lua, Table, UserData, UserDataFields, UserDataMethods, Value};

use super::super::trace::{clean, with_article};
use super::super::{limits::Limits, registry};
use super::{Handle, Services, closed, error, field, method};
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
pub(super) fn install(lua: &Lua, globals: &Table, services: &Arc<Services>) -> mlua::Result<()> {
    let shared = Arc::clone(services);
    let drawback = lua.create_function(move |_, (message, place): (Value, Value)| {
        let message = words("drawback", &message, &shared.limits)?;
        let span = place_of(&place, &shared)?;
        Ok(VerdictHandle(Verdict::Drawback(Finding { message, span })))
    })?;
    globals.set(registry::listed("", "drawback").name, drawback)?;

    let clean = lua.create_function(|_, ()| Ok(VerdictHandle(Verdict::Clean)))?;
    globals.set(registry::listed("", "clean").name, clean)?;

    let shared = Arc::clone(services);
    let abstain = lua.create_function(move |_, why: Value| {
        words("abstain", &why, &shared.limits).map(|why| VerdictHandle(Verdict::Abstain(why)))
    })?;
    globals.set(registry::listed("", "abstain").name, abstain)?;

    let shared = Arc::clone(services);
    let span = lua.create_function(move |_, (first, last): (f64, f64)| {
        let Some(document) = shared.document() else { return Err(error("span: there is no output yet")) };
        let text = document.text;
        let whole = first.fract() == 0.0 && last.fract() == 0.0;
        if !whole || first < 1.0 || last < first - 1.0 || last > text.len() as f64 {
            return Err(error(format!("span: {first} to {last} is not within the output's {} bytes", text.len())));
        }
        let span = Span::new(first as usize - 1, last as usize);
        Ok(SpanHandle { span: on_symbols(&text, span), text })
    })?;
    globals.set(registry::listed("", "span").name, span)
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
    data.borrow::<SpanHandle>().ok().map(|span| span.clone())
}

/// The smallest span of whole symbols around a span of bytes.
fn on_symbols(text: &str, span: Span) -> Span {
    let start = text.floor_char_boundary(span.start as usize);
    Span::new(start, text.ceil_char_boundary(span.end as usize))
}
