//! Python literals from text: what `ast.literal_eval` reads, plus `Ellipsis`, `float('inf')`, `complex(…)`, `set(…)` and
//! `frozenset(…)` of a literal.
//!
//! Nothing is evaluated. Bare tuples, names, arithmetic, f-strings and `\N{…}` are refused with the byte where reading
//! stopped.

use std::fmt;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::lex::{Kind, Lexer, Token};
use super::strings;
use super::value::{MAX_DEPTH, Value};

/// Python refuses a longer decimal integer in source text.
pub(super) const MAX_DECIMAL_DIGITS: usize = 4300;

/// Why a text is not a literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Byte offset into the text.
    pub at: usize,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.at)
    }
}

impl std::error::Error for Error {}

/// Reads the whole text as one literal; blanks, line ends and comments around it are skipped.
pub fn parse(text: &str) -> Result<Value, Error> {
    let mut reader = Reader::new(text);
    let value = reader.value(0)?;
    reader.skip_newlines();
    match reader.token.kind {
        Kind::End => Ok(value),
        _ => Err(reader.unexpected("after the value")),
    }
}

/// Reads the literal that the text starts with, and says at which byte it ends.
pub fn parse_prefix(text: &str) -> Result<(Value, usize), Error> {
    let mut reader = Reader::new(text);
    let value = reader.value(0)?;
    Ok((value, reader.end))
}

struct Reader<'t> {
    lexer: Lexer<'t>,
    /// The token in hand.
    token: Token<'t>,
    /// Where the token before it ended.
    end: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let mut lexer = Lexer::new(text);
        let token = lexer.next();
        let mut reader = Self { lexer, token, end: 0 };
        reader.skip_newlines();
        reader
    }

    fn advance(&mut self) -> Token<'t> {
        let token = self.token;
        self.end = token.end();
        self.token = self.lexer.next();
        token
    }

    fn skip_newlines(&mut self) {
        while self.token.kind == Kind::Newline {
            self.token = self.lexer.next();
        }
    }

    fn take(&mut self, op: &str) -> bool {
        let found = self.token.is_op(op);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, op: &str) -> Result<(), Error> {
        if self.take(op) { Ok(()) } else { Err(self.unexpected(&format!("where `{op}` should stand"))) }
    }

    fn unexpected(&self, place: &str) -> Error {
        let what = match self.token.kind {
            Kind::End => "the end of the text".into(),
            Kind::Newline => "a line end".into(),
            Kind::Bad if self.token.text.len() > 1 => "a string without an end".into(),
            _ => format!("`{}`", self.token.text.chars().take(20).collect::<String>()),
        };
        Error { at: self.token.at, message: format!("{what} {place}") }
    }

    /// A signed atom, or a real number plus or minus an imaginary one.
    fn value(&mut self, depth: usize) -> Result<Value, Error> {
        if depth > MAX_DEPTH {
            return Err(Error { at: self.token.at, message: format!("nested deeper than {MAX_DEPTH} levels") });
        }
        let at = self.token.at;
        let left = self.signed(depth)?;
        if !(self.token.is_op("+") || self.token.is_op("-")) {
            return Ok(left);
        }
        let minus = self.advance().text == "-";
        let right = self.signed(depth)?;
        match (real(&left), right) {
            (Some(re), Value::Complex(plus_re, im)) => {
                let (plus_re, im) = if minus { (-plus_re, -im) } else { (plus_re, im) };
                // Python adds a complex of the real number, whose imaginary part is zero.
                Ok(Value::Complex(re + plus_re, 0.0 + im))
            }
            _ => Err(Error { at, message: "arithmetic other than a complex number".into() }),
        }
    }

    fn signed(&mut self, depth: usize) -> Result<Value, Error> {
        let at = self.token.at;
        let (mut signs, mut minus) = (0, false);
        while self.token.is_op("+") || self.token.is_op("-") {
            signs += 1;
            minus ^= self.advance().text == "-";
        }
        let value = self.atom(depth)?;
        match value {
            value if signs == 0 => Ok(value),
            Value::Int(int) => Ok(Value::Int(if minus { -int } else { int })),
            Value::Float(x) => Ok(Value::Float(if minus { -x } else { x })),
            Value::Complex(re, im) => Ok(if minus { Value::Complex(-re, -im) } else { Value::Complex(re, im) }),
            _ => Err(Error { at, message: "a sign before something that is not a number".into() }),
        }
    }

    fn atom(&mut self, depth: usize) -> Result<Value, Error> {
        match self.token.kind {
            Kind::Number => {
                let token = self.advance();
                number(token.text).ok_or_else(|| Error { at: token.at, message: "not a number Python reads".into() })
            }
            Kind::Str => self.string(),
            Kind::Name => self.named(depth),
            Kind::Op => match self.token.text {
                "..." => {
                    self.advance();
                    Ok(Value::Ellipsis)
                }
                "[" => {
                    self.advance();
                    Ok(Value::List(self.items("]", depth)?.0))
                }
                "(" => {
                    self.advance();
                    let (mut items, comma) = self.items(")", depth)?;
                    match (items.len(), comma) {
                        (1, false) => Ok(items.remove(0)),
                        _ => Ok(Value::Tuple(items)),
                    }
                }
                "{" => self.braced(depth),
                _ => Err(self.unexpected("where a value should stand")),
            },
            _ => Err(self.unexpected("where a value should stand")),
        }
    }

    /// Values up to `close`, which is consumed, and whether a comma followed one of them.
    fn items(&mut self, close: &str, depth: usize) -> Result<(Vec<Value>, bool), Error> {
        let (mut items, mut comma) = (Vec::new(), false);
        while !self.take(close) {
            items.push(self.value(depth + 1)?);
            if self.take(",") {
                comma = true;
            } else if !self.token.is_op(close) {
                return Err(self.unexpected(&format!("where `,` or `{close}` should stand")));
            }
        }
        Ok((items, comma))
    }

    fn braced(&mut self, depth: usize) -> Result<Value, Error> {
        let at = self.advance().at;
        if self.take("}") {
            return Ok(Value::Dict(Vec::new()));
        }
        let first = self.value(depth + 1)?;
        if !self.take(":") {
            let mut items = vec![first];
            if self.take(",") {
                items.extend(self.items("}", depth)?.0);
            } else {
                self.expect("}")?;
            }
            return Value::set(items).ok_or_else(|| unhashable(at));
        }
        let mut pairs = vec![(first, self.value(depth + 1)?)];
        while !self.take("}") {
            self.expect(",")?;
            if self.take("}") {
                break;
            }
            let name = self.value(depth + 1)?;
            self.expect(":")?;
            pairs.push((name, self.value(depth + 1)?));
        }
        Value::dict(pairs).ok_or_else(|| unhashable(at))
    }

    /// Adjacent string literals are one.
    fn string(&mut self) -> Result<Value, Error> {
        let first = self.advance();
        let mut value = strings::decode(first)?;
        while self.token.kind == Kind::Str {
            let next = self.advance();
            match (&mut value, strings::decode(next)?) {
                (Value::Str(whole), Value::Str(part)) | (Value::Bytes(whole), Value::Bytes(part)) => whole.extend(part),
                _ => return Err(Error { at: next.at, message: "bytes beside a str".into() }),
            }
        }
        Ok(value)
    }

    fn named(&mut self, depth: usize) -> Result<Value, Error> {
        let name = self.advance();
        match name.text {
            "None" => return Ok(Value::None),
            "True" => return Ok(Value::Bool(true)),
            "False" => return Ok(Value::Bool(false)),
            "Ellipsis" => return Ok(Value::Ellipsis),
            "float" | "complex" | "set" | "frozenset" if self.take("(") => {}
            _ => return Err(Error { at: name.at, message: format!("the name `{}`", name.text) }),
        }
        let (arguments, _) = self.items(")", depth)?;
        construct(name.text, &arguments)
            .ok_or_else(|| Error { at: name.at, message: format!("a call of `{}` that is not a literal", name.text) })
    }
}

fn unhashable(at: usize) -> Error {
    Error { at, message: "an item or key that cannot be hashed".into() }
}

/// The calls that Python writes for values without a literal of their own.
fn construct(name: &str, arguments: &[Value]) -> Option<Value> {
    match (name, arguments) {
        ("float", [Value::Str(_)]) => Some(Value::Float(arguments[0].text()?.trim().parse().ok()?)),
        ("float", [number]) => Some(Value::Float(real(number)?)),
        ("complex", [re]) => Some(Value::Complex(real(re)?, 0.0)),
        ("complex", [re, im]) => Some(Value::Complex(real(re)?, real(im)?)),
        ("set", []) => Some(Value::Set(Vec::new())),
        ("frozenset", []) => Some(Value::FrozenSet(Vec::new())),
        ("set", [items]) => Value::set(items.items()?.to_vec()),
        ("frozenset", [items]) => Value::frozenset(items.items()?.to_vec()),
        _ => None,
    }
}

fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Int(int) => int.to_f64().filter(|x| x.is_finite()),
        Value::Float(x) => Some(*x),
        _ => None,
    }
}

fn number(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = lower.strip_prefix(prefix) {
            return integer(digits.strip_prefix('_').unwrap_or(digits), radix);
        }
    }
    if let Some(imaginary) = lower.strip_suffix('j') {
        return Some(Value::Complex(0.0, float(imaginary)?));
    }
    if lower.contains(['.', 'e']) {
        return Some(Value::Float(float(&lower)?));
    }
    let zeros_only = lower.bytes().all(|byte| matches!(byte, b'0' | b'_'));
    if lower.len() > MAX_DECIMAL_DIGITS * 2 || (lower.starts_with('0') && !zeros_only) {
        return None;
    }
    let value = integer(&lower, 10)?;
    let digits = lower.bytes().filter(u8::is_ascii_digit).count();
    (digits <= MAX_DECIMAL_DIGITS).then_some(value)
}

fn integer(digits: &str, radix: u32) -> Option<Value> {
    if !separated(digits, |char| char.is_digit(radix)) {
        return None;
    }
    let plain: Vec<u8> = digits.bytes().filter(|byte| *byte != b'_').collect();
    BigInt::parse_bytes(&plain, radix).map(Value::Int)
}

fn float(text: &str) -> Option<f64> {
    let (mantissa, exponent) =
        text.split_once('e').map_or((text, None), |(mantissa, exponent)| (mantissa, Some(exponent)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| separated(part, |char| char.is_ascii_digit());
    let exponent_fits = exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)));
    let mantissa_fits = (!whole.is_empty() || !fraction.is_empty())
        && (whole.is_empty() || digits(whole))
        && (fraction.is_empty() || digits(fraction));
    if !(mantissa_fits && exponent_fits) {
        return None;
    }
    text.replace('_', "").parse().ok()
}

/// Digits with single underscores between them.
fn separated(text: &str, is_digit: impl Fn(char) -> bool) -> bool {
    text.split('_').all(|part| !part.is_empty() && part.chars().all(&is_digit))
}

#[cfg(test)]
#[path = "literal_tests.rs"]
mod tests;
