//! From the list a plan returns to requests: closed keys, exact types, and whose they are to make.

use mlua::{Table, Value};

use super::limits::Limits;
use super::module::Module;
use super::trace::{clean, with_article};
use crate::observe::{On, Request};
use crate::verdict::{Fault, FaultKind};

/// The kinds of request, by the key that makes them, with the other keys each may have.
const KINDS: [(&str, &[&str]); 4] = [
    ("call", &["args", "on", "source", "world"]),
    ("assert", &["on", "world"]),
    ("query", &["copy", "on"]),
    ("ask", &["choices", "samples"]),
];

/// Perturbed copies of a database, and samples of an answer, that may be asked for.
const COPIES: u8 = 6;
const SAMPLES: u8 = 16;
const CHOICES: usize = 32;

/// The requests in what a plan returned; `nil` and an empty list are no requests.
pub(super) fn requests(module: &Module, limits: &Limits, returned: Option<&Value>) -> Result<Vec<Request>, Fault> {
    let malformed = |message: String| Fault::new(FaultKind::Malformed, format!("{}: {message}", module.path()));
    let list = match returned {
        None | Some(Value::Nil) => return Ok(Vec::new()),
        Some(Value::Table(list)) => list,
        Some(other) => {
            return Err(malformed(format!(
                "plan returned {}, not a list of requests",
                with_article(other.type_name())
            )));
        }
    };
    let count = list.raw_len();
    if count > limits.requests {
        return Err(malformed(format!("plan makes {count} requests, more than {}", limits.requests)));
    }
    let mut requests = Vec::with_capacity(count);
    for at in 1..=count {
        let in_request = |message: String| malformed(format!("request {at}: {message}"));
        let Ok(Value::Table(entry)) = list.raw_get::<Value>(at) else {
            return Err(in_request("is not a table such as { assert = text }".to_owned()));
        };
        let request = Entry { table: &entry, limits }.request().map_err(in_request)?;
        if let Some(why) = module.refuses(&request) {
            return Err(in_request(why.to_owned()));
        }
        requests.push(request);
    }
    if list.pairs::<Value, Value>().count() != count {
        return Err(malformed("plan returned more than a list of requests".to_owned()));
    }
    Ok(requests)
}

/// One table of a plan, and the readers of its fields.
struct Entry<'t> {
    table: &'t Table,
    limits: &'t Limits,
}

impl Entry<'_> {
    fn request(&self) -> Result<Request, String> {
        let made = KINDS.iter().filter(|(kind, _)| self.has(kind)).collect::<Vec<_>>();
        let [(kind, others)] = made[..] else {
            return Err("needs exactly one of call, assert, query and ask".to_owned());
        };
        self.closed(kind, others)?;
        match *kind {
            "call" => Ok(Request::Call {
                name: self.text("call")?,
                args: self.text("args")?,
                on: self.on()?,
                world: self.small("world", 0, 0, 1)?,
                source: self.has("source").then(|| self.text("source")).transpose()?,
            }),
            "assert" => {
                Ok(Request::Assert { text: self.text("assert")?, on: self.on()?, world: self.small("world", 0, 0, 1)? })
            }
            "query" => Ok(Request::Query {
                text: if self.get("query").as_boolean() == Some(true) { None } else { Some(self.text("query")?) },
                copy: self.small("copy", 0, 0, COPIES)?,
                on: self.on()?,
            }),
            _ => Ok(Request::Ask {
                question: self.text("ask")?,
                choices: self.choices()?,
                samples: self.small("samples", 1, 1, SAMPLES)?,
            }),
        }
    }

    fn closed(&self, kind: &str, others: &[&str]) -> Result<(), String> {
        let mut unknown = Vec::new();
        for pair in self.table.pairs::<Value, Value>() {
            let (key, _) = pair.map_err(|error| super::trace::words(&error))?;
            match key.as_string().map(|key| clean(&key.as_bytes(), 80)) {
                Some(key) if key == kind || others.contains(&key.as_str()) => {}
                Some(key) => unknown.push(key),
                None => return Err(format!("has {} as a key", with_article(key.type_name()))),
            }
        }
        unknown.sort();
        match unknown.first() {
            None => Ok(()),
            Some(key) => Err(format!("unknown key `{key}`; beside `{kind}` there may be {}", others.join(", "))),
        }
    }

    fn get(&self, key: &str) -> Value {
        self.table.raw_get(key).unwrap_or(Value::Nil)
    }

    fn has(&self, key: &str) -> bool {
        !self.get(key).is_nil()
    }

    fn text(&self, key: &str) -> Result<String, String> {
        let value = self.get(key);
        let Value::String(text) = &value else {
            return Err(format!("`{key}` must be a string, not {}", with_article(value.type_name())));
        };
        let bytes = text.as_bytes();
        if bytes.len() > self.limits.request_text {
            return Err(format!("`{key}` has {} bytes, more than {}", bytes.len(), self.limits.request_text));
        }
        String::from_utf8(bytes.to_vec()).map_err(|_| format!("`{key}` is not UTF-8"))
    }

    fn on(&self) -> Result<On, String> {
        match self.get("on") {
            Value::Nil => Ok(On::Own),
            Value::String(word) if word == "own" => Ok(On::Own),
            Value::String(word) if word == "peers" => Ok(On::Peers),
            Value::String(word) if word == "both" => Ok(On::Both),
            _ => Err("`on` must be \"own\", \"peers\" or \"both\"".to_owned()),
        }
    }

    fn small(&self, key: &str, default: u8, least: u8, most: u8) -> Result<u8, String> {
        let number = match self.get(key) {
            Value::Nil => return Ok(default),
            Value::Integer(number) => number as f64,
            Value::Number(number) => number,
            _ => f64::NAN,
        };
        (least..=most)
            .find(|whole| f64::from(*whole) == number)
            .ok_or_else(|| format!("`{key}` must be a whole number from {least} to {most}"))
    }

    fn choices(&self) -> Result<Vec<String>, String> {
        let Value::Table(list) = self.get("choices") else {
            return Err("`choices` must be a list of strings".to_owned());
        };
        let count = list.raw_len();
        if !(2..=CHOICES).contains(&count) {
            return Err(format!("`choices` must have 2 to {CHOICES} entries, not {count}"));
        }
        (1..=count)
            .map(|at| match list.raw_get::<Value>(at) {
                Ok(Value::String(choice)) => {
                    String::from_utf8(choice.as_bytes().to_vec()).map_err(|_| "a choice is not UTF-8".to_owned())
                }
                _ => Err("`choices` must be a list of strings".to_owned()),
            })
            .collect()
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
