//! Lines of a text file, read within bounded memory.
//!
//! A line past the cap is skipped, measured and reported, never held. What a line means is not known here.

use std::io::{self, BufRead};

/// The longest line that is read, in bytes: room for every cap on a field, with its JSON escapes.
pub(super) const MAX_LINE: usize = 16 << 20;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// One line, without its ending (and without the byte order mark, on the first).
pub(super) enum Line<'b> {
    Text(&'b str),
    /// The line has this many bytes, more than `MAX_LINE`.
    TooLong(usize),
    /// The first byte, counted from 1, that is not UTF-8.
    NotUtf8(usize),
}

/// Where a line is: its number, counted from 1, and its first byte's offset from where reading began.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) number: usize,
    pub(super) at: u64,
}

pub(super) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    number: usize,
    read: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, buffer: Vec::new(), number: 0, read: 0 }
    }

    /// How many bytes were read.
    pub(super) fn read(&self) -> u64 {
        self.read
    }

    /// The next line and its place.
    pub(super) fn next(&mut self) -> io::Result<Option<(Place, Line<'_>)>> {
        self.buffer.clear();
        let read = io::Read::take(&mut self.source, MAX_LINE as u64 + 1).read_until(b'\n', &mut self.buffer)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let place = Place { number: self.number, at: self.read };
        self.read += read as u64;
        if read > MAX_LINE && self.buffer.last() != Some(&b'\n') {
            self.buffer = Vec::new();
            let rest = self.source.skip_until(b'\n')?;
            self.read += rest as u64;
            return Ok(Some((place, Line::TooLong(read + rest))));
        }
        let mut line = self.buffer.as_slice();
        line = line.strip_suffix(b"\n").unwrap_or(line);
        line = line.strip_suffix(b"\r").unwrap_or(line);
        if self.number == 1 {
            line = line.strip_prefix(BOM).unwrap_or(line);
        }
        let line = match std::str::from_utf8(line) {
            Ok(text) => Line::Text(text),
            Err(error) => Line::NotUtf8(error.valid_up_to() + 1),
        };
        Ok(Some((place, line)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<(usize, String)> {
        let mut lines = Lines::new(bytes);
        let mut seen = Vec::new();
        while let Some((place, line)) = lines.next().unwrap() {
            let shown = match line {
                Line::Text(text) => text.to_owned(),
                Line::TooLong(bytes) => format!("<{bytes} bytes>"),
                Line::NotUtf8(at) => format!("<byte {at}>"),
            };
            seen.push((place.number, shown));
        }
        seen
    }

    fn line(number: usize, text: &str) -> (usize, String) {
        (number, text.to_owned())
    }

    #[test]
    fn endings_and_the_byte_order_mark_are_no_part_of_a_line() {
        let seen = read(b"\xef\xbb\xbfone\r\n\ntwo\nlast");
        assert_eq!(seen, [line(1, "one"), line(2, ""), line(3, "two"), line(4, "last")]);
        assert_eq!(read(b""), []);
    }

    #[test]
    fn a_bad_line_does_not_hide_the_next() {
        let mut bytes = b"ab\xffc\n".to_vec();
        bytes.extend(vec![b'x'; MAX_LINE + 7]);
        bytes.extend(b"\nfine\n");
        let long = format!("<{} bytes>", MAX_LINE + 8);
        assert_eq!(read(&bytes), [line(1, "<byte 3>"), line(2, &long), line(3, "fine")]);
    }

    #[test]
    fn a_place_counts_every_byte_before_the_line() {
        let mut bytes = b"\xef\xbb\xbfone\r\n\n".to_vec();
        bytes.extend(vec![b'x'; MAX_LINE + 7]);
        bytes.extend(b"\nlast");
        let mut lines = Lines::new(bytes.as_slice());
        let places: Vec<u64> = std::iter::from_fn(|| lines.next().unwrap().map(|(place, _)| place.at)).collect();
        assert_eq!(places, [0, 8, 9, 9 + MAX_LINE as u64 + 8]);
        assert_eq!(lines.read(), bytes.len() as u64);
    }

    #[test]
    fn a_line_of_exactly_the_cap_is_read() {
        let mut bytes = vec![b'x'; MAX_LINE];
        bytes.push(b'\n');
        assert_eq!(read(&bytes)[0].1.len(), MAX_LINE);
    }
}
