//! CPython's marshal format, version 2, for plain data: what a confined process sends back, decoded outside it.
//!
//! The bytes come from untrusted code. Only what version 2 writes for plain values is read (3.8 to 3.13 write the same
//! bytes); code objects, references and every other type are refused, and so are duplicate keys, unhashable keys,
//! non-canonical integers, lengths beyond the input and text that is no str.

use std::fmt;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::ToPrimitive;

use super::value::{MAX_DEPTH, Value};

/// Values in one message.
pub const MAX_NODES: usize = 1 << 20;

const DIGIT_BITS: u32 = 15;

/// Why bytes are not a plain value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Offset of the byte where reading stopped.
    pub at: usize,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.at)
    }
}

impl std::error::Error for Error {}

/// Reads exactly one value from all of the bytes.
pub fn decode(bytes: &[u8]) -> Result<Value, Error> {
    let mut reader = Reader { bytes, at: 0, nodes: 0 };
    let value = reader.value(0)?;
    if reader.at == bytes.len() { Ok(value) } else { Err(reader.error("bytes after the value")) }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    nodes: usize,
}

impl<'b> Reader<'b> {
    fn error(&self, message: impl Into<String>) -> Error {
        Error { at: self.at, message: message.into() }
    }

    fn take(&mut self, count: usize) -> Result<&'b [u8], Error> {
        let taken = self.at.checked_add(count).and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or_else(|| self.error("cut short"))?;
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| self.error("cut short"))
    }

    fn float(&mut self) -> Result<f64, Error> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// A count of things that take at least one byte each.
    fn length(&mut self) -> Result<usize, Error> {
        let length = i32::from_le_bytes(self.array()?);
        let fits = usize::try_from(length).ok().filter(|length| *length <= self.bytes.len() - self.at);
        fits.ok_or_else(|| self.error("a length beyond the message"))
    }

    fn value(&mut self, depth: usize) -> Result<Value, Error> {
        let code = self.take(1)?[0];
        self.value_of(code, depth)
    }

    fn value_of(&mut self, code: u8, depth: usize) -> Result<Value, Error> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(self.error(format!("more than {MAX_NODES} values")));
        }
        if depth > MAX_DEPTH {
            return Err(self.error(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(match code {
            b'N' => Value::None,
            b'T' => Value::Bool(true),
            b'F' => Value::Bool(false),
            b'.' => Value::Ellipsis,
            b'i' => Value::int(i32::from_le_bytes(self.array()?)),
            b'l' => Value::Int(self.long()?),
            b'g' => Value::Float(self.float()?),
            b'y' => Value::Complex(self.float()?, self.float()?),
            b's' => Value::Bytes(self.blob()?.to_vec()),
            b'u' => Value::Str(self.text()?),
            b'(' => Value::Tuple(self.items(depth)?),
            b'[' => Value::List(self.items(depth)?),
            b'<' => self.distinct(depth, Value::set)?,
            b'>' => self.distinct(depth, Value::frozenset)?,
            b'{' => self.dict(depth)?,
            _ => return Err(self.error(format!("type code {code:#04x} is not plain data"))),
        })
    }

    fn blob(&mut self) -> Result<&'b [u8], Error> {
        let length = self.length()?;
        self.take(length)
    }

    fn text(&mut self) -> Result<Vec<u8>, Error> {
        let bytes = self.blob()?;
        if is_surrogate_utf8(bytes) { Ok(bytes.to_vec()) } else { Err(self.error("a str that is not UTF-8")) }
    }

    fn long(&mut self) -> Result<BigInt, Error> {
        let size = i32::from_le_bytes(self.array()?);
        let count = size.unsigned_abs() as usize;
        let digits = self.take(count.saturating_mul(2))?;
        let mut words: Vec<u32> = Vec::with_capacity(count / 2 + 1);
        let (mut pending, mut bits) = (0u64, 0);
        for pair in digits.chunks_exact(2) {
            let digit = u16::from_le_bytes([pair[0], pair[1]]);
            if digit >> DIGIT_BITS != 0 {
                return Err(self.error("an integer digit out of range"));
            }
            pending |= u64::from(digit) << bits;
            bits += DIGIT_BITS;
            if bits >= 32 {
                words.push(pending as u32);
                pending >>= 32;
                bits -= 32;
            }
        }
        words.push(pending as u32);
        if digits.ends_with(&[0, 0]) {
            return Err(self.error("an integer with leading zeros"));
        }
        let sign = if size < 0 { Sign::Minus } else { Sign::Plus };
        Ok(BigInt::from_biguint(sign, BigUint::new(words)))
    }

    fn items(&mut self, depth: usize) -> Result<Vec<Value>, Error> {
        let count = self.length()?;
        let mut items = Vec::with_capacity(count.min(MAX_NODES - self.nodes));
        for _ in 0..count {
            items.push(self.value(depth + 1)?);
        }
        Ok(items)
    }

    fn distinct(&mut self, depth: usize, build: fn(Vec<Value>) -> Option<Value>) -> Result<Value, Error> {
        let items = self.items(depth)?;
        let count = items.len();
        let built = build(items).filter(|set| set.length() == Some(count));
        built.ok_or_else(|| self.error("a set of unhashable or repeated items"))
    }

    fn dict(&mut self, depth: usize) -> Result<Value, Error> {
        let mut pairs = Vec::new();
        loop {
            let code = self.take(1)?[0];
            if code == b'0' {
                break;
            }
            let key = self.value_of(code, depth + 1)?;
            pairs.push((key, self.value(depth + 1)?));
        }
        let count = pairs.len();
        let built = Value::dict(pairs).filter(|dict| dict.length() == Some(count));
        built.ok_or_else(|| self.error("a dict with unhashable or repeated keys"))
    }
}

/// UTF-8 in which the three-byte form of a surrogate is allowed.
fn is_surrogate_utf8(mut bytes: &[u8]) -> bool {
    loop {
        let Err(error) = std::str::from_utf8(bytes) else { return true };
        match &bytes[error.valid_up_to()..] {
            [0xED, 0xA0..=0xBF, 0x80..=0xBF, rest @ ..] => bytes = rest,
            _ => return false,
        }
    }
}

/// The bytes `marshal.dumps(value, 2)` gives, as far as sets and dicts keep their order.
pub fn encode(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::None => out.push(b'N'),
        Value::Bool(true) => out.push(b'T'),
        Value::Bool(false) => out.push(b'F'),
        Value::Ellipsis => out.push(b'.'),
        Value::Int(int) => write_int(int, out),
        Value::Float(x) => {
            out.push(b'g');
            out.extend(x.to_le_bytes());
        }
        Value::Complex(re, im) => {
            out.push(b'y');
            out.extend(re.to_le_bytes());
            out.extend(im.to_le_bytes());
        }
        Value::Bytes(bytes) => write_blob(b's', bytes, out),
        Value::Str(bytes) => write_blob(b'u', bytes, out),
        Value::Tuple(items) => write_items(b'(', items, out),
        Value::List(items) => write_items(b'[', items, out),
        Value::Set(items) => write_items(b'<', items, out),
        Value::FrozenSet(items) => write_items(b'>', items, out),
        Value::Dict(pairs) => {
            out.push(b'{');
            for (key, value) in pairs {
                write(key, out);
                write(value, out);
            }
            out.push(b'0');
        }
    }
}

fn write_length(length: usize, out: &mut Vec<u8>) {
    out.extend((length as u32).to_le_bytes());
}

fn write_blob(code: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(code);
    write_length(bytes.len(), out);
    out.extend(bytes);
}

fn write_items(code: u8, items: &[Value], out: &mut Vec<u8>) {
    out.push(code);
    write_length(items.len(), out);
    for item in items {
        write(item, out);
    }
}

fn write_int(int: &BigInt, out: &mut Vec<u8>) {
    if let Some(small) = int.to_i32() {
        out.push(b'i');
        out.extend(small.to_le_bytes());
        return;
    }
    let mut digits: Vec<u16> = Vec::new();
    let (mut pending, mut bits) = (0u64, 0);
    for word in int.magnitude().iter_u32_digits() {
        pending |= u64::from(word) << bits;
        bits += 32;
        while bits >= DIGIT_BITS {
            digits.push((pending & 0x7FFF) as u16);
            pending >>= DIGIT_BITS;
            bits -= DIGIT_BITS;
        }
    }
    digits.push(pending as u16);
    while digits.last() == Some(&0) {
        digits.pop();
    }
    let count = digits.len() as i32;
    out.push(b'l');
    out.extend((if int.sign() == Sign::Minus { -count } else { count }).to_le_bytes());
    out.extend(digits.iter().flat_map(|digit| digit.to_le_bytes()));
}

#[cfg(test)]
#[path = "marshal_tests.rs"]
mod tests;
