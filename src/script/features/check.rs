//! Holds a features file to its shape, both as text and as the table that it returns.
//!
//! What passes here can be composed: names do not collide, and every part is where composition looks for it.

use mlua::{Table, Value};

use super::super::load::{Draft, Shape};
use super::super::vm::is_global;
use super::compose::{MADE, RELIED_ON};
use super::split::{Helper, Pair, Refusal, Source};
use super::{Code, Feature, Features, is_name};
use crate::base::{Error, Result};

const KEYS: &[(&str, Shape)] = &[
    ("about", Shape::Text),
    ("detects", Shape::Text),
    ("measure", Shape::Function),
    ("peers", Shape::Flag),
    ("plan", Shape::Function),
];

/// Bytes of a measurement's name: two of them name an op.
const NAME_BYTES: usize = 40;

/// The measurements of a file that compiled, and returned `table`.
pub(in crate::script) fn features(table: &Table, draft: &Draft<'_>, taxonomy: &[String]) -> Result<Features> {
    let place = |refusal: Refusal| draft.error(refusal.message, Some(refusal.line)).help(refusal.help);
    let source = Source::new(draft.source);
    let (helpers, pairs) = source.split().map_err(place)?;
    let relied_on = |helper: &Helper| helper.names.iter().find(|name| RELIED_ON.contains(&&***name)).cloned();
    if let Some((line, name)) = helpers.iter().find_map(|helper| Some((helper.line, relied_on(helper)?))) {
        return Err(draft
            .error(format!("`{name}` is a function of the host, which composed ops rely on"), Some(line))
            .help("Rename the local."));
    }
    if pairs.is_empty() {
        return Err(draft.error("has no measurement", None).help("Without measurements a pack needs no features.lua."));
    }
    for (at, pair) in pairs.iter().enumerate() {
        check_name(draft, pair, &pairs[..at], &helpers)?;
    }
    let mut features: Vec<Feature> = Vec::with_capacity(pairs.len());
    for pair in &pairs {
        let Ok(Value::Table(fields)) = table.raw_get::<Value>(pair.name.as_str()) else {
            return Err(draft.error(format!("`{}` is no table", pair.name), Some(pair.line)));
        };
        let entry = Entry {
            draft: Draft { path: draft.path, source: draft.source, part: pair.span.clone() },
            table: &fields,
            fields: source.table(pair).map_err(place)?,
            name: &pair.name,
        };
        features.push(entry.feature(&source, &helpers, taxonomy)?);
    }
    Ok(Features { features, helpers })
}

fn check_name(draft: &Draft<'_>, pair: &Pair, earlier: &[Pair], helpers: &[Helper]) -> Result<()> {
    let Pair { name, line, .. } = pair;
    let refuse = |message: String, help: &str| Err::<(), Error>(draft.error(message, Some(*line)).help(help));
    if !is_name(name) || name.len() > NAME_BYTES {
        return refuse(
            format!("`{name}` is not a measurement's name"),
            "Up to 40 lower-case letters, digits and underscores, a letter first.",
        );
    }
    if earlier.iter().any(|other| other.name == *name) {
        return refuse(format!("there are two measurements `{name}`"), "Rename one of them.");
    }
    if helpers.iter().any(|helper| helper.names.contains(name)) {
        return refuse(format!("`{name}` is a measurement and a local"), "Rename one of them.");
    }
    if MADE.contains(&&**name) || is_global(name) {
        return refuse(
            format!("`{name}` has another meaning in ops"),
            "A measurement becomes a function of its own name; give it one that says what is counted.",
        );
    }
    Ok(())
}

/// One measurement on its way.
struct Entry<'e> {
    draft: Draft<'e>,
    table: &'e Table,
    fields: Vec<Pair>,
    name: &'e str,
}

impl Entry<'_> {
    fn feature(&self, source: &Source<'_>, helpers: &[Helper], taxonomy: &[String]) -> Result<Feature> {
        let (draft, table) = (&self.draft, self.table);
        draft.hold_to(table, KEYS)?;
        let is_second = |at: &usize| self.fields[..*at].iter().any(|other| other.name == self.fields[*at].name);
        if let Some(second) = (0..self.fields.len()).find(is_second).map(|at| &self.fields[at]) {
            return Err(draft.error(format!("`{}` is given twice", second.name), Some(second.line)));
        }
        let detects = draft.class(table, taxonomy)?;
        let about = draft.about(table)?;
        draft.required(table, "measure")?;
        let peers = table.raw_get::<Option<bool>>("peers").ok().flatten().unwrap_or(false);
        let plan = self.field("plan").map(|pair| self.plan(source, pair, helpers)).transpose()?;
        if peers && plan.is_none() {
            return Err(draft
                .error("a measurement without a plan sees no peers", draft.line_of("peers"))
                .help("Peers are observed through a plan: add one, or leave `peers` out."));
        }
        let Some(measure) = self.field("measure") else {
            return Err(draft.error("`measure` is not written here", None));
        };
        let given = [Some(measure), self.field("plan")];
        let uses = given.into_iter().flatten().flat_map(|pair| source.uses(pair)).collect();
        Ok(Feature { name: self.name.to_owned(), about, detects, peers, plan, measure: code(source, measure), uses })
    }

    fn field(&self, name: &str) -> Option<&Pair> {
        self.fields.iter().find(|pair| pair.name == name)
    }

    /// A plan asks in one round, so that two of them can share an op: it must not take what was seen.
    fn plan(&self, source: &Source<'_>, pair: &Pair, helpers: &[Helper]) -> Result<Code> {
        let plan = code(source, pair);
        let parameters = match &plan {
            Code::Function(_) => source.parameters(pair),
            Code::Expression(name) => {
                let helper = helpers.iter().rev().find(|helper| helper.names.contains(name));
                helper.and_then(|helper| helper.parameters.as_deref()).filter(|_| !MADE.contains(&name.as_str()))
            }
        };
        let one_round = |parameters: &str| parameters.split(',').count() <= 2 && !parameters.contains("...");
        match parameters {
            None => Err(self
                .draft
                .error("`plan` is neither a function written here nor the name of one above", Some(pair.line))
                .help("Write plan = function(task, artifact) … end, or name a `local function`.")),
            Some(parameters) if !one_round(parameters) => Err(self
                .draft
                .error("a measurement asks in one round", Some(pair.line))
                .help("Its plan takes (task, artifact), and not what was seen.")),
            Some(_) => Ok(plan),
        }
    }
}

fn code(source: &Source<'_>, pair: &Pair) -> Code {
    let text = source.value(pair);
    if source.parameters(pair).is_some() { Code::Function(text) } else { Code::Expression(text) }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
