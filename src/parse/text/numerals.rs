//! Numbers as prose writes them.
//!
//! Thousands separators (comma, point, apostrophe, narrow space), decimal point or comma, percent, signs, exponents,
//! full-width digits, and the unit that follows. A range is two numerals. Numbers within words (`COVID19`, `v2`),
//! citations and number words are not numerals.

use crate::base::Span;

/// One number in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Numeral {
    /// The number with its sign, without percent sign or unit.
    pub span: Span,
    /// As written: `12%` is 12.
    pub value: f64,
    /// Whether `%`, `percent`, `per cent` or `pct` follows.
    pub percent: bool,
    /// A currency sign before it, or the word or sign of a unit right after it.
    pub unit: Option<Span>,
}

/// The numerals of a text in order.
pub fn numerals(text: &str) -> Vec<Numeral> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let reader = Reader { text, chars };
    let (mut found, mut at) = (Vec::new(), 0);
    while at < reader.chars.len() {
        if !reader.starts_number(at) {
            at += 1;
            continue;
        }
        let end = reader.number_end(at);
        if reader.is_plain_list(at, end) {
            while at < end {
                let part = reader.digits_end(at);
                found.extend(reader.numeral(at, part));
                at = part + 1;
            }
        } else {
            found.extend(reader.numeral(at, end));
            at = end.max(at + 1);
        }
    }
    found
}

struct Reader<'t> {
    text: &'t str,
    chars: Vec<(usize, char)>,
}

impl Reader<'_> {
    fn char(&self, at: usize) -> char {
        self.chars.get(at).map_or('\0', |(_, char)| *char)
    }

    fn offset(&self, at: usize) -> usize {
        self.chars.get(at).map_or(self.text.len(), |(offset, _)| *offset)
    }

    fn before(&self, at: usize) -> char {
        at.checked_sub(1).map_or('\0', |at| self.char(at))
    }

    /// A digit that continues no word, nor a number already passed over.
    fn starts_number(&self, at: usize) -> bool {
        let before = self.before(at);
        let joined = before.is_alphanumeric() && !is_caseless(before) || before == '_';
        let fraction_only = self.char(at) == '.' && digit(self.char(at + 1)).is_some() && digit(before).is_none();
        !joined && (digit(self.char(at)).is_some() || fraction_only && before != '.')
    }

    fn digits_end(&self, from: usize) -> usize {
        (from..).find(|at| digit(self.char(*at)).is_none()).unwrap_or(from)
    }

    /// Digits, separators between digits, and an exponent.
    fn number_end(&self, start: usize) -> usize {
        let mut end = self.digits_end(start);
        while is_separator(self.char(end)) && digit(self.char(end + 1)).is_some() {
            let next = self.digits_end(end + 1);
            // A space or an apostrophe separates groups of three, or else two numbers.
            if only_groups(self.char(end)) && (next - end != 4 || end - start > 3 && !self.grouped(start, end)) {
                break;
            }
            end = next;
        }
        if matches!(self.char(end), 'e' | 'E') && end > start {
            let signed = end + 1 + usize::from(matches!(self.char(end + 1), '+' | '-' | '−'));
            let exponent_end = self.digits_end(signed);
            if exponent_end > signed && exponent_end - signed <= 3 && !self.char(exponent_end).is_alphabetic() {
                end = exponent_end;
            }
        }
        end
    }

    fn grouped(&self, start: usize, end: usize) -> bool {
        (start..end).any(|at| only_groups(self.char(at)))
    }

    /// Several commas that do not group thousands separate numbers (`1,2,3`).
    fn is_plain_list(&self, start: usize, end: usize) -> bool {
        let plain = self.plain(start, end);
        plain.matches(',').count() > 1 && !plain.contains('.') && !groups_thousands(&plain, ',')
    }

    fn numeral(&self, start: usize, end: usize) -> Option<Numeral> {
        // A word that begins with digits (`3D`, `2nd`, `4x4`) is no number, a unit written on to it is.
        let letters = (end..).take_while(|at| self.char(*at).is_alphabetic()).count();
        let suffix = &self.text[self.offset(end)..self.offset(end + letters)];
        let attached = letters > 0 && !is_caseless(self.char(end));
        if attached && !ATTACHED_UNITS.contains(&suffix) || self.is_citation(start, end) {
            return None;
        }
        let magnitude = value(&self.plain(start, end))?;
        let sign = self.sign(start);
        let first = start - usize::from(sign.is_some());
        let (percent, unit) = self.followed_by(end, attached.then_some(letters));
        let unit = unit.or_else(|| self.currency(first));
        let span = Span::new(self.offset(first), self.offset(end));
        Some(Numeral { span, value: magnitude * sign.unwrap_or(1.0), percent, unit })
    }

    /// The digits in ASCII, separators as they are.
    fn plain(&self, start: usize, end: usize) -> String {
        (start..end)
            .map(|at| digit(self.char(at)).map_or(self.char(at), |digit| char::from(b'0' + digit as u8)))
            .collect()
    }

    /// The factor of a sign before the number; a hyphen of a word or a range is none.
    fn sign(&self, start: usize) -> Option<f64> {
        let factor = match self.before(start) {
            '-' | '−' | '－' => -1.0,
            '+' | '＋' => 1.0,
            _ => return None,
        };
        let before = start.checked_sub(1).map_or('\0', |at| self.before(at));
        let joined = before.is_alphanumeric() || matches!(before, ')' | ']' | '%' | '-' | '+' | '.');
        (!joined).then_some(factor)
    }

    /// `[1]`, `[2, 3]`, `[4-6]`: brackets around numbers alone.
    fn is_citation(&self, start: usize, end: usize) -> bool {
        let part = |char: char| digit(char).is_some() || matches!(char, ',' | ' ' | '-' | '–' | ';');
        let left = (0..start).rev().take(40).find(|at| !part(self.char(*at)));
        let right = (end..).take(40).find(|at| !part(self.char(*at)));
        left.is_some_and(|at| self.char(at) == '[') && right.is_some_and(|at| self.char(at) == ']')
    }

    fn currency(&self, first: usize) -> Option<Span> {
        let at = first.checked_sub(1)?;
        let at = if self.char(at) == ' ' { at.checked_sub(1)? } else { at };
        is_currency(self.char(at)).then(|| Span::new(self.offset(at), self.offset(at + 1)))
    }

    /// Whether percent follows, and the span of the unit otherwise.
    fn followed_by(&self, end: usize, attached: Option<usize>) -> (bool, Option<Span>) {
        if let Some(letters) = attached {
            return (false, Some(Span::new(self.offset(end), self.offset(end + letters))));
        }
        let start = end + usize::from(matches!(self.char(end), ' ' | '\u{a0}' | '\u{202f}' | '-'));
        let rest = &self.text[self.offset(start)..];
        let first = self.char(start);
        if matches!(first, '%' | '％' | '٪')
            || ["percent", "per cent", "pct"].iter().any(|word| starts_with_word(rest, word))
        {
            return (true, None);
        }
        if is_currency(first) || matches!(first, '°' | '‰' | '℃' | '℉') {
            let letters = usize::from(first == '°' && matches!(self.char(start + 1), 'C' | 'F'));
            return (false, Some(Span::new(self.offset(start), self.offset(start + 1 + letters))));
        }
        let length = rest.find(|char: char| !(char.is_alphabetic() || char == '/')).unwrap_or(rest.len());
        let word = rest[..length].trim_end_matches('/');
        // A single letter is a unit in its own case only: `5 A`, not `5 a day`.
        let known = UNITS.contains(&word) || word.len() > 1 && UNITS.contains(&word.to_lowercase().as_str());
        let at = self.offset(start);
        (false, known.then(|| Span::new(at, at + word.len())))
    }
}

/// Decimal digits of the scripts prose uses: ASCII, full-width, Arabic-Indic, Devanagari.
fn digit(char: char) -> Option<u32> {
    [0x30, 0xFF10, 0x660, 0x6F0, 0x966]
        .iter()
        .find_map(|zero| (char as u32).checked_sub(*zero).filter(|digit| *digit < 10))
}

fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

fn only_groups(char: char) -> bool {
    is_space(char) || matches!(char, '\'' | '’')
}

fn is_separator(char: char) -> bool {
    only_groups(char) || matches!(char, '.' | ',' | '，' | '．' | '٫' | '٬')
}

fn is_currency(char: char) -> bool {
    matches!(char, '$' | '€' | '£' | '¥' | '₹' | '₽' | '₩' | '￥')
}

/// Scripts that write no blanks between words and numbers.
fn is_caseless(char: char) -> bool {
    char.is_alphabetic() && !char.is_lowercase() && !char.is_uppercase()
}

fn starts_with_word(text: &str, word: &str) -> bool {
    let begins = text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    begins && !text[word.len()..].starts_with(char::is_alphanumeric)
}

/// The value of digits and separators.
///
/// Of two kinds of separator the last is the decimal one. A single comma or point is decimal unless exactly three
/// digits follow a comma and one to three precede it; a separator that occurs twice groups thousands.
fn value(written: &str) -> Option<f64> {
    let (mantissa, exponent) = match written.find(['e', 'E']) {
        Some(at) => (&written[..at], written[at + 1..].replace('−', "-")),
        None => (written, String::new()),
    };
    let mantissa: String = mantissa.chars().filter_map(normal_separator).collect();
    let (commas, points) = (mantissa.matches(',').count(), mantissa.matches('.').count());
    let decimal = match (commas, points) {
        (0, 0) => None,
        (0, 1) => Some('.'),
        (1, 0) => (!groups_thousands(&mantissa, ',')).then_some(','),
        (_, 0) if groups_thousands(&mantissa, ',') => None,
        (0, _) if groups_thousands(&mantissa, '.') => None,
        (_, 0) | (0, _) => return None,
        _ => Some(if mantissa.rfind(',') > mantissa.rfind('.') { ',' } else { '.' }),
    };
    if decimal.is_some_and(|mark| mantissa.matches(mark).count() > 1) {
        return None;
    }
    let plain: String = mantissa
        .chars()
        .filter_map(|char| match char {
            '.' | ',' => (Some(char) == decimal).then_some('.'),
            digit => Some(digit),
        })
        .collect();
    let exponent = if exponent.is_empty() { "0" } else { &exponent };
    format!("{plain}e{exponent}").parse().ok().filter(|value: &f64| value.is_finite())
}

/// Comma or point, whatever the script; nothing for marks that only group.
fn normal_separator(char: char) -> Option<char> {
    match char {
        '，' | '٬' => Some(','),
        '．' => Some('.'),
        '٫' => Some('.'),
        _ if only_groups(char) => None,
        _ => Some(char),
    }
}

fn groups_thousands(mantissa: &str, mark: char) -> bool {
    let mut groups = mantissa.split(mark);
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && first != "0" && groups.all(|group| group.len() == 3)
}

const ATTACHED_UNITS: [&str; 40] = [
    "k", "K", "m", "M", "bn", "B", "km", "cm", "mm", "nm", "kg", "g", "mg", "µg", "μg", "t", "ms", "h", "min", "Hz",
    "kHz", "MHz", "GHz", "W", "kW", "MW", "GW", "kWh", "MWh", "V", "mV", "A", "mA", "L", "l", "mL", "ml", "GB", "MB",
    "KB",
];

const UNITS: [&str; 75] = [
    "thousand",
    "million",
    "billion",
    "trillion",
    "dozen",
    "k",
    "m",
    "bn",
    "km",
    "cm",
    "mm",
    "nm",
    "kg",
    "g",
    "mg",
    "µg",
    "μg",
    "t",
    "tonnes",
    "tons",
    "ton",
    "lb",
    "lbs",
    "oz",
    "ft",
    "feet",
    "inch",
    "inches",
    "mile",
    "miles",
    "mph",
    "km/h",
    "m/s",
    "metres",
    "meters",
    "kilometres",
    "kilometers",
    "s",
    "ms",
    "h",
    "sec",
    "seconds",
    "min",
    "minutes",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "hz",
    "khz",
    "mhz",
    "ghz",
    "kw",
    "mw",
    "gw",
    "kwh",
    "mwh",
    "V",
    "W",
    "A",
    "l",
    "ml",
    "litres",
    "liters",
    "gb",
    "mb",
    "usd",
    "eur",
    "gbp",
];

#[cfg(test)]
#[path = "numerals_tests.rs"]
mod tests;
