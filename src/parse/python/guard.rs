//! What is refused before the parser sees it, because the parser would not survive it or take too long.

use super::TEXT_LIMIT;
use crate::base::Span;
use crate::parse::Issue;

/// The grammar's scanner saves its stack of indentations in a buffer of 1024 bytes, two for each, and overruns it by
/// a byte where more are open than fit. A real file has a few dozen widths.
const WIDTH_LIMIT: usize = 256;

/// The reason to leave the text unparsed, if there is one.
pub(super) fn refusal(text: &str) -> Option<Issue> {
    if text.len() > TEXT_LIMIT {
        return Some(whole(text, format!("text of {} bytes is over the limit of {TEXT_LIMIT}", text.len())));
    }
    let widths = indentation_widths(text.as_bytes());
    (widths > WIDTH_LIMIT)
        .then(|| whole(text, format!("{widths} widths of indentation are over the limit of {WIDTH_LIMIT}")))
}

/// An issue about the text as a whole.
pub(super) fn whole(text: &str, message: String) -> Issue {
    Issue { span: Span::new(0, text.len()), line: 1, message }
}

/// 1-based line of a span's start.
pub(super) fn line(text: &str, span: Span) -> u32 {
    u32::try_from(span.line(text)).unwrap_or(u32::MAX)
}

/// How many different widths of leading blanks the scanner can meet: an upper bound of how many it can have open.
fn indentation_widths(text: &[u8]) -> usize {
    let mut seen = vec![false; 1 << 16];
    let mut at = 0;
    while at < text.len() {
        let mut width = 0_u16;
        while let Some(byte) = text.get(at) {
            match byte {
                b' ' => width = width.wrapping_add(1),
                b'\t' => width = width.wrapping_add(8),
                b'\n' | b'\r' | b'\x0c' => width = 0,
                b'\\' => at += joined_line(&text[at + 1..]),
                _ => break,
            }
            at += 1;
        }
        seen[width as usize] = true;
        at += text[at.min(text.len())..]
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r' | b'\x0c'))
            .unwrap_or(text.len());
    }
    seen.into_iter().filter(|seen| *seen).count()
}

/// Bytes of the line end after a backslash.
fn joined_line(rest: &[u8]) -> usize {
    match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => 0,
    }
}
