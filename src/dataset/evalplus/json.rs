//! JSON as Python writes it, read into Python values: integers of any size, `NaN` and `Infinity` included.

use num_bigint::BigInt;

use crate::observe::Value;

/// Nesting beyond which nothing is read.
const DEEPEST: usize = 200;

/// The value of a whole text; or what is wrong, and at which byte, counted from 0.
pub(super) fn parse(text: &str) -> Result<Value, (String, usize)> {
    let mut parser = Parser { text, at: 0 };
    let read = parser.value(DEEPEST).and_then(|value| {
        parser.blanks();
        if parser.at == text.len() { Ok(value) } else { Err("something follows the value".to_owned()) }
    });
    read.map_err(|what| (what, parser.at))
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth == 0 {
            return Err(format!("nested deeper than {DEEPEST}"));
        }
        self.blanks();
        match self.text.as_bytes().get(self.at) {
            Some(b'[') => self.list(depth),
            Some(b'{') => self.object(depth),
            Some(b'"') => Ok(Value::Str(self.string()?.into_bytes())),
            Some(_) => self.word(),
            None => Err("the text ends where a value belongs".to_owned()),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, String> {
        let mut items = Vec::new();
        self.at += 1;
        if self.takes(']') {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth - 1)?);
            if self.takes(']') {
                return Ok(Value::List(items));
            }
            self.expect(',')?;
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, String> {
        let mut items = Vec::new();
        self.at += 1;
        if self.takes('}') {
            return Ok(Value::Dict(items));
        }
        loop {
            self.blanks();
            let key = Value::Str(self.string()?.into_bytes());
            self.expect(':')?;
            items.push((key, self.value(depth - 1)?));
            if self.takes('}') {
                return Ok(Value::Dict(items));
            }
            self.expect(',')?;
        }
    }

    fn string(&mut self) -> Result<String, String> {
        let mut strings = serde_json::Deserializer::from_str(&self.text[self.at..]).into_iter::<String>();
        let read = strings.next().ok_or("the text ends where a string belongs")?;
        let string = read.map_err(|error| error.to_string().split(" at line").next().unwrap_or("").to_owned())?;
        self.at += strings.byte_offset();
        Ok(string)
    }

    /// A number, or one of the names.
    fn word(&mut self) -> Result<Value, String> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(rest.len());
        let word = &rest[..end];
        let value = match word {
            "null" => Value::None,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "NaN" => Value::Float(f64::NAN),
            "Infinity" => Value::Float(f64::INFINITY),
            "-Infinity" => Value::Float(f64::NEG_INFINITY),
            _ if !word.starts_with(|c: char| c.is_ascii_digit() || c == '-') => return Err(unreadable(rest)),
            _ => match word.parse::<BigInt>() {
                Ok(int) => Value::Int(int),
                Err(_) => Value::Float(word.parse().map_err(|_| unreadable(rest))?),
            },
        };
        self.at += end;
        Ok(value)
    }

    fn blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn takes(&mut self, sign: char) -> bool {
        self.blanks();
        let found = self.text[self.at..].starts_with(sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: char) -> Result<(), String> {
        if self.takes(sign) { Ok(()) } else { Err(format!("expected `{sign}`")) }
    }
}

fn unreadable(rest: &str) -> String {
    format!("no value begins with `{}`", rest.chars().take(12).collect::<String>())
}

/// What an object has under a name.
pub(super) fn get<'v>(object: &'v Value, name: &str) -> Option<&'v Value> {
    let Value::Dict(items) = object else { return None };
    items.iter().rev().find(|(key, _)| text(key) == Some(name)).map(|(_, value)| value)
}

pub(super) fn text(value: &Value) -> Option<&str> {
    let Value::Str(bytes) = value else { return None };
    std::str::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::repr::repr;

    #[test]
    fn values_are_read_as_python_writes_them() {
        let text =
            r#" {"a": [1, -2.5e3, true, null, "é\"\n\ud83d\ude00"], "n": 123456789012345678901234567890, "b": []}"#;
        let value = parse(text).unwrap();
        assert_eq!(
            repr(&value),
            r#"{'a': [1, -2500.0, True, None, 'é"\n😀'], 'n': 123456789012345678901234567890, 'b': []}"#
        );
        assert!(matches!(parse("[NaN]"), Ok(Value::List(items)) if matches!(items[0], Value::Float(f) if f.is_nan())));
        assert!(matches!(parse("-Infinity"), Ok(Value::Float(f)) if f == f64::NEG_INFINITY));
    }

    #[test]
    fn what_is_no_json_is_refused_at_its_place() {
        for (text, at) in [("", 0), ("[1 2]", 3), ("{\"a\" 1}", 5), ("[nope]", 1), ("1 1", 2), ("[\"a", 1), ("[1,]", 3)]
        {
            assert_eq!(parse(text).unwrap_err().1, at, "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
