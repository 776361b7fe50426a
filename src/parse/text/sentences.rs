//! Where sentences end.
//!
//! A sentence keeps its closing quotes, brackets and citations (`… done [1][2].` and `… done. [1]` alike). Abbreviations,
//! initials, decimals, versions and addresses do not end one; blank lines, list items and headings do.

use crate::base::Span;

/// The sentences of a text in order, trimmed of blank space; together they hold every other character.
pub fn sentences(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for (start, end) in blocks(text) {
        split_block(text, start, end, &mut found);
    }
    found
}

/// Runs of lines that belong together: a blank line, or a line that opens a list item, heading or quote, starts anew,
/// and a heading ends with its line.
fn blocks(text: &str) -> Vec<(usize, usize)> {
    let mut blocks: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut open) = (0, false);
    for line in text.split_inclusive(['\n', '\u{2028}', '\u{2029}']) {
        let end = at + line.len();
        let content = line.trim();
        let heading = content.starts_with('#');
        match blocks.last_mut() {
            _ if content.is_empty() => open = false,
            Some(block) if open && !opens_block(content) => block.1 = end,
            _ => {
                blocks.push((at, end));
                open = true;
            }
        }
        open &= !heading;
        at = end;
    }
    blocks
}

fn opens_block(line: &str) -> bool {
    let bullet =
        line.strip_prefix(['-', '*', '+', '•', '–', '>', '|']).is_some_and(|rest| rest.starts_with([' ', '\t']));
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = (1..=3).contains(&digits)
        && line[digits..].strip_prefix(['.', ')']).is_some_and(|rest| rest.starts_with([' ', '\t']));
    bullet || numbered || line.starts_with('#')
}

fn split_block(text: &str, start: usize, end: usize, found: &mut Vec<Span>) {
    let mut from = start + marker(&text[start..end]);
    let mut at = from;
    // The marker of a list item belongs to its first sentence.
    let mut begin = start;
    while let Some(offset) = text[at..end].find(is_terminator) {
        let stop = at + offset;
        let after =
            stop + text[stop..end].chars().take_while(|char| is_terminator(*char)).map(char::len_utf8).sum::<usize>();
        let closed = after + trailing(&text[after..end]);
        if ends_sentence(&text[from..end], stop - from, after - from, closed - from) {
            push(text, begin, closed, found);
            from = closed;
            begin = closed;
        }
        at = closed.max(after);
    }
    push(text, begin, end, found);
}

/// The length of a list item's number, whose point ends no sentence.
fn marker(block: &str) -> usize {
    let blank = block.len() - block.trim_start().len();
    if !opens_block(block.trim_start()) {
        return blank;
    }
    blank + block[blank..].find([' ', '\t']).unwrap_or(0)
}

fn push(text: &str, start: usize, end: usize, found: &mut Vec<Span>) {
    let part = &text[start..end];
    let left = start + part.len() - part.trim_start().len();
    let right = left + part.trim().len();
    if left < right {
        found.push(Span::new(left, right));
    }
}

fn is_terminator(char: char) -> bool {
    matches!(char, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '｡' | '؟' | '।')
}

fn is_full_width(char: char) -> bool {
    matches!(char, '。' | '！' | '？' | '｡' | '।')
}

fn is_closer(char: char) -> bool {
    matches!(char, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '}' | '」' | '』' | '）' | '*' | '_')
}

/// Closing quotes and brackets, and citations with or without a space before them.
fn trailing(rest: &str) -> usize {
    let mut at = 0;
    loop {
        let closers = rest[at..].chars().take_while(|char| is_closer(*char)).map(char::len_utf8).sum::<usize>();
        let blank = rest[at + closers..].chars().take_while(|char| *char == ' ').count();
        match citation(&rest[at + closers + blank..]) {
            Some(length) => at += closers + blank + length,
            None => return at + closers,
        }
    }
}

/// The length of `[1]`, `[E001]`, `[2, 3]`, `[4-6]` at the start.
fn citation(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('[')?;
    let close = inner.bytes().take(40).position(|byte| byte == b']')?;
    let body = &inner[..close];
    let fits = |char: char| char.is_alphanumeric() || matches!(char, ',' | ' ' | '-' | '–' | ';' | '_' | '^');
    let linked = inner[close + 1..].starts_with('(');
    (body.contains(|char: char| char.is_ascii_digit()) && body.chars().all(fits) && !linked).then_some(close + 2)
}

/// Whether the terminator at `stop..after`, with what closes it up to `closed`, ends the sentence.
fn ends_sentence(sentence: &str, stop: usize, after: usize, closed: usize) -> bool {
    let mark = &sentence[stop..after];
    let rest = &sentence[closed..];
    let Some(next) = rest.chars().next() else { return true };
    if mark.chars().any(is_full_width) {
        return true;
    }
    if !next.is_whitespace() {
        return false;
    }
    let following = rest.trim_start().trim_start_matches(['"', '\'', '“', '‘', '«', '(', '[', '*', '_', '¿', '¡']);
    let Some(first) = following.chars().next() else { return true };
    !first.is_lowercase() && (mark != "." || !is_abbreviated(&sentence[..stop], first))
}

/// Whether the word before the point is one that takes it.
fn is_abbreviated(before: &str, next: char) -> bool {
    let opening = |char: char| char.is_whitespace() || matches!(char, '(' | '[' | '"' | '“' | '—' | '/');
    let word = before.rsplit(opening).next().unwrap_or_default();
    let plain = word.trim_start_matches(|char: char| !char.is_alphanumeric());
    let is_letter = |part: &str| part.chars().count() == 1 && part.chars().all(char::is_alphabetic);
    let lower = plain.to_lowercase();
    if plain.contains('.') && plain.split('.').all(is_letter) {
        // `U.S.` may end a sentence, `e.g.` cannot.
        return !next.is_uppercase() || matches!(lower.as_str(), "e.g" | "i.e");
    }
    let initial = is_letter(plain) && plain.chars().all(char::is_uppercase) && plain != "I";
    initial
        || BEFORE_A_NAME.contains(&plain)
        || BEFORE_A_NUMBER.contains(&lower.as_str()) && next.is_numeric()
        || WITHIN.contains(&lower.as_str()) && !next.is_uppercase()
}

const BEFORE_A_NAME: [&str; 22] = [
    "Dr", "Mr", "Mrs", "Ms", "Prof", "St", "Rev", "Hon", "Gen", "Col", "Lt", "Sgt", "Capt", "Gov", "Sen", "Rep", "Mt",
    "Messrs", "vs", "cf", "Cf", "viz",
];
const BEFORE_A_NUMBER: [&str; 14] =
    ["no", "nos", "fig", "figs", "eq", "eqs", "sec", "ch", "vol", "pp", "p", "art", "ref", "refs"];
const WITHIN: [&str; 27] = [
    "etc", "al", "approx", "ca", "inc", "ltd", "co", "corp", "jr", "sr", "dept", "est", "min", "max", "jan", "feb",
    "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "bros",
];

#[cfg(test)]
#[path = "sentences_tests.rs"]
mod tests;
