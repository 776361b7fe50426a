//! From source to [`Module`]: compile, run once, and hold the table it returns to its role's shape.
//!
//! Errors here are the pack author's to fix: each names file, line and remedy. Reads no files.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use mlua::chunk::Compiler;
use mlua::{Table, Value};

use super::features::features;
use super::lexer::{Kind, tokens};
use super::limits::Limits;
use super::module::{Declared, Module, OpInfo, Parts, Role, Tier};
use super::rewrite::checked_loops;
use super::vm::{Machine, Outcome};
use crate::base::{Error, Id, Result};
use crate::verdict::Strength;

/// What loads scripts for one pack: its limits and its taxonomy.
#[derive(Debug, Clone)]
pub struct Host {
    limits: Limits,
    taxonomy: Vec<String>,
}

/// The keys of each role's table, with the type each must have.
const ROOT_KEYS: &[(&str, Shape)] = &[("about", Shape::Text), ("check", Shape::Function)];
const ANCHOR_KEYS: &[(&str, Shape)] = &[("about", Shape::Text), ("check", Shape::Function), ("plan", Shape::Function)];
const OP_KEYS: &[(&str, Shape)] = &[
    ("about", Shape::Text),
    ("check", Shape::Function),
    ("detects", Shape::Text),
    ("peers", Shape::Flag),
    ("plan", Shape::Function),
    ("strength", Shape::Text),
    ("tier", Shape::Text),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Flag,
    Function,
}

/// Bytes of `about`: one line of a table.
const ABOUT_BYTES: usize = 200;

impl Host {
    /// A host for a pack whose taxonomy has these classes.
    pub fn new(limits: Limits, taxonomy: Vec<String>) -> Self {
        Self { limits, taxonomy }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Compiles and checks one script. `path` is how messages show it; its stem becomes the name.
    pub fn load(&self, role: Role, path: &str, source: &str) -> Result<Module> {
        let draft = Draft { path, source, part: 0..source.len() };
        if source.len() > self.limits.source {
            let message = format!("the script has {} bytes, more than {}", source.len(), self.limits.source);
            return Err(draft.error(message, None).help("Split it into several ops."));
        }
        let name = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let id = Id::of("script", [role.word().as_bytes(), name.as_bytes(), source.as_bytes()]);
        let bytecode = draft.compile()?;
        let parts = Parts {
            role,
            name,
            path: path.to_owned(),
            source: source.to_owned(),
            id,
            bytecode,
            declared: Declared::default(),
        };
        let unchecked = Module(Arc::new(parts));
        let declared = self.inspect(&unchecked, &draft)?;
        let parts = Arc::into_inner(unchecked.0).map(|parts| Parts { declared, ..parts });
        // The machine that ran the module is gone, and with it every other reference.
        Ok(Module(Arc::new(parts.expect("a module that was only inspected has one owner"))))
    }

    /// Runs the module's body in a machine of its own and reads what it declares.
    fn inspect(&self, module: &Module, draft: &Draft<'_>) -> Result<Declared> {
        let mut machine =
            Machine::new(&self.limits, &Arc::default()).map_err(|error| Error::failure(super::trace::words(&error)))?;
        let values = match machine.call(module, |_, _| Ok(None)) {
            Outcome::Returned(values) => values,
            Outcome::Failed(fault) => return Err(draft.fault(&fault.message, module.role())),
        };
        let [Value::Table(table)] = values.as_slices().0 else {
            return Err(draft.error("returns more than its table", None).help("End the script with `return { … }`."));
        };
        let keys = match module.role() {
            Role::Root => ROOT_KEYS,
            Role::Anchor => ANCHOR_KEYS,
            Role::Op => OP_KEYS,
            Role::Features => {
                let features = features(table, draft, &self.taxonomy)?;
                return Ok(Declared { features: Some(features), ..Declared::default() });
            }
        };
        draft.hold_to(table, keys)?;
        draft.required(table, "check")?;
        let plans = table.raw_get::<Value>("plan").is_ok_and(|plan| plan.is_function());
        let op = match module.role() {
            Role::Op => Some(self.op(table, draft, plans)?),
            _ => None,
        };
        Ok(Declared { plans, op, features: None })
    }

    fn op(&self, table: &Table, draft: &Draft<'_>, plans: bool) -> Result<OpInfo> {
        let detects = draft.class(table, &self.taxonomy)?;
        let about = draft.about(table)?;
        let tier = draft.one_of(table, "tier", &Tier::ALL)?;
        let strength = draft.one_of(table, "strength", &Strength::ALL)?;
        let peers = table.raw_get::<Option<bool>>("peers").ok().flatten().unwrap_or(false);
        match (tier, plans) {
            (Tier::Static, true) => Err(draft
                .error("a static op has no plan", draft.line_of("plan"))
                .help("Say tier = \"execution\", or leave the plan out.")),
            (Tier::Execution | Tier::Judge, false) => Err(draft
                .error(format!("an op of tier \"{}\" needs a plan", tier.word()), draft.line_of("tier"))
                .help("Add plan = function(task, artifact, seen) … end, or say tier = \"static\".")),
            (Tier::Static, false) if peers => Err(draft
                .error("a static op sees no peers", draft.line_of("peers"))
                .help("Peers are observed through a plan: say tier = \"execution\".")),
            _ => Ok(OpInfo { detects, about, tier, strength, peers }),
        }
    }
}

/// A script on its way to being a module: what its errors need.
pub(super) struct Draft<'s> {
    pub path: &'s str,
    pub source: &'s str,
    /// The part of the source in which keys are looked for.
    pub part: Range<usize>,
}

impl Draft<'_> {
    pub fn error(&self, message: impl Into<String>, line: Option<usize>) -> Error {
        Error::failure(message).at(self.path, line)
    }

    fn compile(&self) -> Result<Vec<u8>> {
        let checked = checked_loops(self.source).map_err(|refusal| self.error(refusal.message, Some(refusal.line)))?;
        let compiler = Compiler::new().set_optimization_level(1).set_debug_level(1);
        compiler.compile(checked).map_err(|error| match error {
            mlua::Error::SyntaxError { message, .. } => {
                let message = format!(":{message}");
                let (line, words) = placed(&message);
                self.error(words, line).help("The script must be plain Lua that ends with `return { … }`.")
            }
            other => self.error(super::trace::words(&other), None),
        })
    }

    /// The error of a script whose body cannot be run.
    fn fault(&self, message: &str, role: Role) -> Error {
        let words = message.strip_prefix(self.path).unwrap_or(message);
        let (line, words) = placed(words);
        let help = match role {
            Role::Root => "A root ends with `return { check = function(task, text) … end }`.",
            Role::Op => "An op ends with `return { detects = …, about = …, tier = …, strength = …, check = … }`.",
            Role::Anchor => "An anchor ends with `return { check = function(task, artifact, seen) … end }`.",
            Role::Features => "A features file ends with `return { name = { about = …, detects = …, measure = … } }`.",
        };
        self.error(words, line).help(help)
    }

    /// Every key is known and of its type.
    pub fn hold_to(&self, table: &Table, keys: &[(&str, Shape)]) -> Result<()> {
        let mut found: Vec<(String, Value)> = Vec::new();
        for pair in table.pairs::<Value, Value>() {
            let (key, value) = pair.map_err(|error| self.error(super::trace::words(&error), None))?;
            let Value::String(key) = &key else {
                let message =
                    format!("the returned table has {} as a key", super::trace::with_article(key.type_name()));
                return Err(self.error(message, None).help("Its keys are names."));
            };
            found.push((super::trace::clean(&key.as_bytes(), 80), value));
        }
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (key, value) in found {
            let Some((_, shape)) = keys.iter().find(|(known, _)| *known == key) else {
                let known: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
                let error = self.error(format!("unknown key `{key}`"), self.line_of(&key));
                return Err(error.help(suggestion(&key, &known, "The keys are")));
            };
            let (fits, wanted) = match shape {
                Shape::Text => (value.is_string(), "a string"),
                Shape::Flag => (value.is_boolean(), "true or false"),
                Shape::Function => (value.is_function(), "a function"),
            };
            if !fits {
                let got = super::trace::with_article(value.type_name());
                return Err(self.error(format!("`{key}` must be {wanted}, not {got}"), self.line_of(&key)));
            }
        }
        Ok(())
    }

    /// The key's text; for a function, its presence is what counts.
    pub fn required(&self, table: &Table, key: &str) -> Result<String> {
        match table.raw_get::<Value>(key) {
            Ok(Value::String(text)) => Ok(super::trace::clean(&text.as_bytes(), 4 * ABOUT_BYTES)),
            Ok(Value::Nil) | Err(_) => {
                let last = self.source[..self.part.end].lines().count();
                Err(self.error(format!("`{key}` is missing from the returned table"), Some(last)))
            }
            Ok(_) => Ok(String::new()),
        }
    }

    /// The class that the table detects.
    pub fn class(&self, table: &Table, taxonomy: &[String]) -> Result<String> {
        let detects = self.required(table, "detects")?;
        if taxonomy.contains(&detects) {
            return Ok(detects);
        }
        let known: Vec<&str> = taxonomy.iter().map(String::as_str).collect();
        let error = self.error(format!("`{detects}` is not a class of the taxonomy"), self.line_of("detects"));
        Err(error.help(suggestion(&detects, &known, "The classes are")))
    }

    /// One line for a person.
    pub fn about(&self, table: &Table) -> Result<String> {
        let about = self.required(table, "about")?;
        if about.len() <= ABOUT_BYTES && !about.contains('\n') {
            return Ok(about);
        }
        let error = self.error("`about` is longer than one line", self.line_of("about"));
        Err(error.help(format!("Keep it within {ABOUT_BYTES} bytes.")))
    }

    fn one_of<T: Copy>(&self, table: &Table, key: &str, words: &[(&str, T)]) -> Result<T> {
        let given = self.required(table, key)?;
        words.iter().find(|(word, _)| *word == given).map(|(_, value)| *value).ok_or_else(|| {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let error = self.error(format!("`{given}` is no {key}"), self.line_of(key));
            error.help(suggestion(&given, &known, "Say one of"))
        })
    }

    /// The line on which the key is given: its last `key =` in the source.
    pub fn line_of(&self, key: &str) -> Option<usize> {
        let tokens: Vec<_> = tokens(self.source).into_iter().filter(|token| self.part.contains(&token.start)).collect();
        let given =
            tokens.windows(2).rfind(|pair| pair[0].kind == Kind::Word && pair[0].text == key && pair[1].text == "=");
        given.map(|pair| pair[0].line)
    }
}

/// Splits `…:12: words` into line and words.
fn placed(message: &str) -> (Option<usize>, &str) {
    for (at, _) in message.match_indices(':') {
        let rest = &message[at + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if let (Ok(line), Some(words)) = (rest[..digits].parse(), rest[digits..].strip_prefix(": ")) {
            return (Some(line), words);
        }
    }
    (None, message.trim_start_matches([':', ' ']))
}

/// `Did you mean …?`, or all there is.
fn suggestion(given: &str, known: &[&str], list: &str) -> String {
    let near = known.iter().map(|word| (strsim::damerau_levenshtein(given, word), word)).min();
    match near {
        Some((distance, word)) if distance <= 2.max(word.len() / 4) => format!("Did you mean `{word}`?"),
        _ => format!("{list}: {}.", known.join(", ")),
    }
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
