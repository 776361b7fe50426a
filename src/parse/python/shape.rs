//! How much there is to a query, read off its text before the compiler sees it: the compiler recurses, and the engine
//! takes as long over a step as the square of the matches it has in progress.

/// The longest query, in bytes.
const SOURCE_LIMIT: usize = 4096;
/// The deepest nesting.
const NESTING_LIMIT: usize = 32;
/// Top-level patterns, and choices: both multiply the matches in progress.
const PATTERN_LIMIT: usize = 32;
const CHOICE_LIMIT: usize = 32;

/// How much there is to a query, by its brackets alone.
#[derive(Default)]
pub(super) struct Shape {
    depth: usize,
    patterns: usize,
    /// Quantifiers, and items of alternations.
    pub choices: usize,
}

impl Shape {
    pub fn of(source: &str) -> Self {
        let mut shape = Self::default();
        let mut open = Vec::new();
        let mut bytes = source.bytes();
        let mut before = b' ';
        while let Some(byte) = bytes.next() {
            let starts_item = matches!(byte, b'(' | b'[' | b'"') || byte == b'_' && before.is_ascii_whitespace();
            match open.last() {
                None if starts_item => shape.patterns += 1,
                Some(b'[') if starts_item => shape.choices += 1,
                _ => {}
            }
            match byte {
                b'(' | b'[' => open.push(byte),
                b')' | b']' => drop(open.pop()),
                b'?' | b'*' | b'+' if matches!(before, b')' | b']' | b'"' | b'_' | b' ') => shape.choices += 1,
                b'"' => skip_string(&mut bytes),
                b';' => drop(bytes.by_ref().find(|byte| *byte == b'\n')),
                _ => {}
            }
            shape.depth = shape.depth.max(open.len());
            before = byte;
        }
        shape
    }

    /// What there is too much of, if anything.
    pub fn excess(&self, source: &str) -> Option<String> {
        let measures = [
            ("bytes", source.len(), SOURCE_LIMIT),
            ("levels of nesting", self.depth, NESTING_LIMIT),
            ("patterns", self.patterns, PATTERN_LIMIT),
            ("quantifiers and alternatives", self.choices, CHOICE_LIMIT),
        ];
        let (what, size, limit) = measures.into_iter().find(|(_, size, limit)| size > limit)?;
        Some(format!("{size} {what} are over the limit of {limit}"))
    }
}

/// Reads on past the closing quote.
fn skip_string(bytes: &mut impl Iterator<Item = u8>) {
    while let Some(byte) = bytes.next().filter(|byte| *byte != b'"') {
        if byte == b'\\' {
            bytes.next();
        }
    }
}
