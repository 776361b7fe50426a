//! What is refused before the parser sees it, because the parser would not survive it or take too long.

use super::TEXT_LIMIT;
use crate::base::Span;
use crate::parse::Issue;

/// The grammar's scanner saves its stack of indentations in a buffer of 1024 bytes, two for each, and overruns it by
/// a byte where more are open than fit. A real file has a few dozen widths.
const WIDTH_LIMIT: usize = 256;

/// At each comment and joined line the scanner reads on to the next token, past all the comments and joined lines
/// that follow: bytes it may read so.
const REREAD_LIMIT: usize = 32_000_000;

/// Recovering from an error takes the parser as long as there are joined lines before it.
const JOIN_LIMIT: usize = 1000;

/// The reason to leave the text unparsed, if there is one.
pub(super) fn refusal(text: &str) -> Option<Issue> {
    let over = |what: String, limit: usize| Some(whole(text, format!("{what} are over the limit of {limit}")));
    if text.len() > TEXT_LIMIT {
        return over(format!("{} bytes", text.len()), TEXT_LIMIT);
    }
    let joins = text.as_bytes().windows(2).filter(|pair| matches!(pair, [b'\\', b'\n' | b'\r'])).count();
    if joins > JOIN_LIMIT {
        return over(format!("{joins} lines that end in a backslash"), JOIN_LIMIT);
    }
    let margins = Margins::of(text.as_bytes());
    if margins.widths > WIDTH_LIMIT {
        return over(format!("{} widths of indentation", margins.widths), WIDTH_LIMIT);
    }
    let rereads = margins.rereads > REREAD_LIMIT;
    rereads.then(|| whole(text, "too many lines in a row are comments".to_owned()))
}

/// An issue about the text as a whole.
pub(super) fn whole(text: &str, message: String) -> Issue {
    Issue { span: Span::new(0, text.len()), line: 1, message }
}

/// 1-based line of a span's start.
pub(super) fn line(text: &str, span: Span) -> u32 {
    u32::try_from(span.line(text)).unwrap_or(u32::MAX)
}

/// What the scanner meets between tokens: upper bounds.
#[derive(Default)]
struct Margins {
    /// How many different widths of leading blanks it can have open.
    widths: usize,
    /// Bytes it reads more than once.
    rereads: usize,
}

impl Margins {
    fn of(text: &[u8]) -> Self {
        let mut margins = Self::default();
        let mut seen = [0_u64; 1 << 10];
        let mut at = 0;
        while at < text.len() {
            let start = at;
            let (mut width, mut marks) = (0_u16, 0);
            while let Some(byte) = text.get(at) {
                match byte {
                    b' ' => width = width.wrapping_add(1),
                    b'\t' => width = width.wrapping_add(8),
                    b'\n' | b'\r' | b'\x0c' => width = 0,
                    b'\\' if joined_line(&text[at + 1..]) > 0 => {
                        marks += 1;
                        at += joined_line(&text[at + 1..]);
                    }
                    b'#' => {
                        seen[width as usize / 64] |= 1 << (width % 64);
                        marks += 1;
                        at += line_end(&text[at..]);
                        width = 0;
                        continue;
                    }
                    _ => break,
                }
                at += 1;
            }
            margins.rereads += marks * (at - start);
            seen[width as usize / 64] |= 1 << (width % 64);
            at += line_end(&text[at..]);
        }
        margins.widths = seen.iter().map(|word| word.count_ones() as usize).sum();
        margins
    }
}

/// Bytes up to the end of the line.
fn line_end(rest: &[u8]) -> usize {
    rest.iter().position(|byte| matches!(byte, b'\n' | b'\r' | b'\x0c')).unwrap_or(rest.len())
}

/// Bytes of the line end after a backslash.
fn joined_line(rest: &[u8]) -> usize {
    match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => 0,
    }
}
