//! Neighbours of texts: characters and words dropped, repeated, exchanged, or replaced by others of their kind.

use super::super::value::Value;
use super::style::Style;
use super::{chance, pick};
use crate::base::rng::Stream;

/// Longest text that grows.
const MAX_GROWING: usize = 60;

impl Style {
    pub(super) fn vary_text(&self, text: &str, rng: &mut Stream) -> String {
        if let Some(number) = as_integer(text)
            && chance(rng, 0.8)
        {
            let Value::Int(varied) = self.vary_number_text(&number, rng) else { return text.to_owned() };
            return varied.to_string();
        }
        let mut chars: Vec<char> = text.chars().collect();
        match chars.len() {
            0 => self.other_char('a', rng).to_string(),
            1 => self.other_char(chars[0], rng).to_string(),
            _ if text.split(' ').count() > 1 && chance(rng, 0.3) => vary_words(text, rng),
            _ => {
                self.vary_chars(&mut chars, rng);
                chars.into_iter().collect()
            }
        }
    }

    fn vary_number_text(&self, number: &num_bigint::BigInt, rng: &mut Stream) -> Value {
        // The argument's own bound counts numbers, not texts of numbers.
        let learned = Style::learn(&[Value::Int(number.clone())], 0);
        Value::Int(learned.vary_int(number, rng))
    }

    fn vary_chars(&self, chars: &mut Vec<char>, rng: &mut Stream) {
        let at = rng.below(chars.len());
        let other = rng.below(chars.len());
        let grows = chars.len() <= MAX_GROWING;
        match rng.below(20) {
            0..2 => {
                chars.remove(at);
            }
            2 => {
                let (from, to) = (at.min(other), at.max(other));
                chars.drain(from..to);
            }
            3..5 if grows => chars.insert(at, chars[at]),
            5 if grows => chars.insert(at, chars[other]),
            6 => chars.swap(at, other),
            7 if at > 0 => chars.swap(at, at - 1),
            8..11 => chars[at] = self.other_char(chars[at], rng),
            11 => chars[at] = chars[other],
            12..14 if grows => {
                let new = self.other_char(chars[other], rng);
                chars.insert(at, new);
            }
            14 => chars[at] = flip_case(chars[at]),
            15 => {
                let upper = chance(rng, 0.5);
                chars.iter_mut().for_each(|char| *char = if upper { to_upper(*char) } else { to_lower(*char) });
            }
            16 => chars.reverse(),
            17 if grows => chars.extend_from_within(..),
            18 => chars.truncate(at + 1),
            _ => {
                let new = self.other_char(chars[0], rng);
                chars[0] = new;
            }
        }
    }

    /// Another character of the same kind: one that occurs in the example, or any of its alphabet.
    fn other_char(&self, char: char, rng: &mut Stream) -> char {
        if chance(rng, 0.5) {
            let seen: Vec<char> =
                self.texts().flat_map(str::chars).filter(|seen| alike(*seen, char)).take(500).collect();
            if !seen.is_empty() {
                return *pick(rng, &seen);
            }
        }
        let drawn = |first: u8, count: usize, rng: &mut Stream| char::from(first + rng.below(count) as u8);
        match char {
            'a'..='z' => drawn(b'a', 26, rng),
            'A'..='Z' => drawn(b'A', 26, rng),
            '0'..='9' => drawn(b'0', 10, rng),
            _ if char.is_ascii_punctuation() || char == ' ' => *pick(rng, &[' ', '.', ',', '-', '_', '!', '?', ':']),
            _ => flip_case(char),
        }
    }
}

pub(super) fn vary_bytes(bytes: &[u8], rng: &mut Stream) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = rng.below(bytes.len().max(1));
    match rng.below(4) {
        _ if bytes.is_empty() => bytes.push(rng.below(256) as u8),
        0 => {
            bytes.remove(at);
        }
        1 if bytes.len() <= MAX_GROWING => bytes.insert(at, bytes[at]),
        2 => bytes.reverse(),
        _ => bytes[at] = rng.below(256) as u8,
    }
    bytes
}

/// The number where the text is one as Python writes it.
fn as_integer(text: &str) -> Option<num_bigint::BigInt> {
    let number: num_bigint::BigInt = if text.len() <= 40 { text.parse().ok()? } else { return None };
    (number.to_string() == text).then_some(number)
}

fn vary_words(text: &str, rng: &mut Stream) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    let at = rng.below(words.len());
    let other = rng.below(words.len());
    match rng.below(6) {
        0..2 => {
            words.remove(at);
        }
        2 if words.len() <= MAX_GROWING => words.insert(at, words[other]),
        3 => words.reverse(),
        4 if words.len() <= MAX_GROWING => words.insert(at, ""),
        _ => words.swap(at, other),
    }
    words.join(" ")
}

fn alike(a: char, b: char) -> bool {
    let kind = |char: char| match char {
        _ if char.is_lowercase() => 0,
        _ if char.is_uppercase() => 1,
        _ if char.is_numeric() => 2,
        _ if char.is_alphabetic() => 3,
        _ => 4,
    };
    kind(a) == kind(b)
}

fn to_upper(char: char) -> char {
    let mut mapped = char.to_uppercase();
    mapped.next().filter(|_| mapped.next().is_none()).unwrap_or(char)
}

fn to_lower(char: char) -> char {
    let mut mapped = char.to_lowercase();
    mapped.next().filter(|_| mapped.next().is_none()).unwrap_or(char)
}

fn flip_case(char: char) -> char {
    if char.is_uppercase() { to_lower(char) } else { to_upper(char) }
}
