//! The escapes of Python's string and bytes literals, resolved.
//!
//! Knows the inside of a literal only: no quotes, no prefix.

/// The meaning of a string's inside; none where an escape is malformed, names a character (`\N{…}`, whose table is
/// Python's), or makes a surrogate, which no Rust string holds.
pub(super) fn string(content: &str) -> Option<String> {
    resolve(content, |kind, rest| match kind {
        'u' => hex(rest, 4),
        'U' => hex(rest, 8),
        'N' => Err(()),
        _ => Ok(None),
    })
}

/// The meaning of a bytes literal's inside, one character (U+0000 to U+00FF) for each byte.
pub(super) fn bytes(content: &str) -> Option<String> {
    resolve(content, |_, _| Ok(None))
}

/// Python reads every line end as `\n`.
pub(super) fn with_plain_line_ends(content: &str) -> String {
    content.replace("\r\n", "\n").replace('\r', "\n")
}

/// Characters taken from the text after the escape's letter, and what they mean.
type Taken = Result<Option<(usize, char)>, ()>;

fn resolve(content: &str, special: impl Fn(char, &str) -> Taken) -> Option<String> {
    let content = with_plain_line_ends(content);
    let mut value = String::with_capacity(content.len());
    let mut rest = content.as_str();
    while let Some(at) = rest.find('\\') {
        value.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let kind = rest.chars().next()?;
        let after = &rest[kind.len_utf8()..];
        let taken = match kind {
            '\n' => {
                rest = after;
                continue;
            }
            'x' => hex(after, 2).ok()?,
            '0'..='7' => Some(octal(kind, after)),
            _ => match simple(kind) {
                Some(meaning) => Some((0, meaning)),
                None => special(kind, after).ok()?,
            },
        };
        match taken {
            Some((length, meaning)) => {
                value.push(meaning);
                rest = &after[length..];
            }
            None => value.push('\\'),
        }
    }
    value.push_str(rest);
    Some(value)
}

fn simple(kind: char) -> Option<char> {
    Some(match kind {
        '\\' | '\'' | '"' => kind,
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        _ => return None,
    })
}

fn hex(rest: &str, length: usize) -> Taken {
    let digits = rest.get(..length).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit())).ok_or(())?;
    let code = u32::from_str_radix(digits, 16).map_err(|_| ())?;
    char::from_u32(code).map(|meaning| Some((length, meaning))).ok_or(())
}

/// One to three octal digits, the first of them the escape's letter.
fn octal(first: char, rest: &str) -> (usize, char) {
    let more = rest.bytes().take(2).take_while(|digit| matches!(digit, b'0'..=b'7')).count();
    let digits = std::iter::once(first).chain(rest[..more].chars());
    let code = digits.fold(0, |code, digit| code * 8 + digit.to_digit(8).unwrap_or(0));
    (more, char::from_u32(code).unwrap_or('\0'))
}

#[cfg(test)]
mod tests {
    #[test]
    fn escapes_mean_what_python_means() {
        let cases = [
            (r"a\tb\n\\\'", "a\tb\n\\'"),
            (r"\x41\101\60\0", "AA0\0"),
            (r"\u00e9\U0001F600", "é😀"),
            ("a\\\nb", "ab"),
            ("a\\\r\nb\r\nc", "ab\nc"),
            (r"\d\q", r"\d\q"),
            ("", ""),
        ];
        for (content, value) in cases {
            assert_eq!(super::string(content).as_deref(), Some(value), "{content}");
        }
        assert_eq!(super::bytes(r"\xff\u0041").as_deref(), Some("\u{ff}\\u0041"));
    }

    #[test]
    fn what_does_not_decode_is_none() {
        for content in [r"\x4", r"\u12", r"\ud800", r"\N{DASH}", r"\U00110000", "\\"] {
            assert_eq!(super::string(content), None, "{content}");
        }
    }
}
