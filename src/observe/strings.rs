//! One Python string token to its content: prefixes and escapes.
//!
//! A str becomes UTF-8 in which `\ud800` keeps its three bytes. Line ends inside become `\n`, as Python reads source.

use super::lex::Token;
use super::literal::Error;
use super::value::Value;

/// The value of a string token (prefix, quotes and all).
pub(super) fn decode(token: Token<'_>) -> Result<Value, Error> {
    let quote = token.text.find(['\'', '"']).unwrap_or(0);
    let prefix = token.text[..quote].to_ascii_lowercase();
    if prefix.contains('f') {
        return Err(Error { at: token.at, message: "an f-string is not a literal".into() });
    }
    let body = &token.text[quote..];
    let marks = if body.len() >= 6 && (body.starts_with("'''") || body.starts_with("\"\"\"")) { 3 } else { 1 };
    let body = &body[marks..body.len() - marks];
    let bytes = prefix.contains('b');
    if bytes && !body.is_ascii() {
        return Err(Error { at: token.at, message: "bytes beyond ASCII".into() });
    }
    let mut decoder = Decoder { rest: body, out: Vec::with_capacity(body.len()), bytes };
    match decoder.run(prefix.contains('r')) {
        Ok(()) if bytes => Ok(Value::Bytes(decoder.out)),
        Ok(()) => Ok(Value::Str(decoder.out)),
        Err(message) => {
            let at = token.end() - marks - decoder.rest.len();
            Err(Error { at, message: message.into() })
        }
    }
}

struct Decoder<'t> {
    rest: &'t str,
    out: Vec<u8>,
    bytes: bool,
}

impl Decoder<'_> {
    fn run(&mut self, raw: bool) -> Result<(), &'static str> {
        while let Some(char) = self.rest.chars().next() {
            match char {
                '\r' => self.line_end(),
                '\\' if !raw => self.escape()?,
                _ => {
                    let length = self.rest.find(['\r', '\\']).unwrap_or(self.rest.len()).max(1);
                    self.out.extend(&self.rest.as_bytes()[..length]);
                    self.rest = &self.rest[length..];
                }
            }
        }
        Ok(())
    }

    fn line_end(&mut self) {
        let length = if self.rest.starts_with("\r\n") { 2 } else { 1 };
        self.rest = &self.rest[length..];
        self.out.push(b'\n');
    }

    fn escape(&mut self) -> Result<(), &'static str> {
        let Some(kind) = self.rest[1..].chars().next() else { return Err("a backslash at the end") };
        let simple = match kind {
            '\\' | '\'' | '"' => Some(kind as u8),
            'a' => Some(7),
            'b' => Some(8),
            'f' => Some(12),
            'n' => Some(b'\n'),
            'r' => Some(b'\r'),
            't' => Some(b'\t'),
            'v' => Some(11),
            _ => None,
        };
        if let Some(byte) = simple {
            self.out.push(byte);
            self.rest = &self.rest[2..];
            return Ok(());
        }
        match kind {
            '\n' => self.rest = &self.rest[2..],
            '\r' => self.rest = self.rest[1..].strip_prefix("\r\n").unwrap_or(&self.rest[2..]),
            '0'..='7' => {
                let digits = self.rest[1..].bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                self.numeric(1, digits, 8)?;
            }
            'x' => self.numeric(2, 2, 16)?,
            'u' if !self.bytes => self.numeric(2, 4, 16)?,
            'U' if !self.bytes => self.numeric(2, 8, 16)?,
            'N' if !self.bytes => return Err("a character by name"),
            _ => {
                self.out.push(b'\\');
                self.rest = &self.rest[1..];
            }
        }
        Ok(())
    }

    /// A code point of exactly `digits` digits, `skip` bytes in.
    fn numeric(&mut self, skip: usize, digits: usize, radix: u32) -> Result<(), &'static str> {
        let text = self.rest.get(skip..skip + digits).ok_or("an escape cut short")?;
        if !text.chars().all(|char| char.is_digit(radix)) {
            return Err("an escape cut short");
        }
        let code = u32::from_str_radix(text, radix).map_err(|_| "a character beyond Unicode")?;
        if self.bytes {
            self.out.push(code as u8);
        } else {
            push_code_point(code, &mut self.out).ok_or("a character beyond Unicode")?;
        }
        self.rest = &self.rest[skip + digits..];
        Ok(())
    }
}

/// Appends a code point, surrogates included.
fn push_code_point(code: u32, out: &mut Vec<u8>) -> Option<()> {
    if let 0xD800..=0xDFFF = code {
        out.extend([0xE0 | (code >> 12) as u8, 0x80 | (code >> 6 & 0x3F) as u8, 0x80 | (code & 0x3F) as u8]);
        return Some(());
    }
    let char = char::from_u32(code)?;
    out.extend(char.encode_utf8(&mut [0; 4]).as_bytes());
    Some(())
}
