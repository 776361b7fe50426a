//! Tables as a person reads them: aligned columns, no frames.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

/// Which side a column hugs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// Lays `rows` out under `head`; a column's side comes from `head`.
pub fn table(head: &[(&str, Side)], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let align = |side: Side| if side == Side::Left { CellAlignment::Left } else { CellAlignment::Right };
    table.set_header(head.iter().map(|(title, side)| Cell::new(title).set_alignment(align(*side))));
    for row in rows {
        table.add_row(row.iter().zip(head).map(|(text, (_, side))| Cell::new(text).set_alignment(align(*side))));
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if index == 0 { 0 } else { 1 }, 1));
    }
    table.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

/// `1,234`.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 output`, `2 outputs`.
pub fn plural(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_lines_have_no_trailing_space() {
        let rows = vec![vec!["a".to_string(), "1".to_string()], vec!["bcd".to_string(), "23".to_string()]];
        assert_eq!(table(&[("op", Side::Left), ("n", Side::Right)], &rows), "op    n\na     1\nbcd  23\n");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([1, 999, 1000, 1234567].map(count), ["1", "999", "1,000", "1,234,567"]);
        assert_eq!([plural(1, "output"), plural(0, "output")], ["1 output", "0 outputs"]);
    }
}
