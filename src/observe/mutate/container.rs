//! Neighbours of lists, tuples, sets and dicts: items dropped, repeated, moved or varied, in the shape the value has.
//!
//! Rows of one length keep one length, a square stays square, and the rows of a table keep their columns' types.

use super::super::value::Value;
use super::chance;
use super::style::Style;
use crate::base::rng::Stream;

/// How often rows of one length may become ragged.
const RAGGED_SHARE: f64 = 0.05;

/// What the items of a sequence have in common.
enum Shape {
    /// Lists of one length, the rows of a matrix.
    Matrix {
        width: usize,
    },
    /// Tuples of one length, the rows of a table.
    Table,
    Free,
}

impl Shape {
    fn of(items: &[Value]) -> Self {
        let width = items.first().and_then(Value::length).filter(|width| *width > 0);
        let Some(width) = width.filter(|width| items.iter().all(|item| item.length() == Some(*width))) else {
            return Shape::Free;
        };
        if items.len() > 1 && items.iter().all(|item| matches!(item, Value::List(_))) {
            Shape::Matrix { width }
        } else if items.iter().all(|item| matches!(item, Value::Tuple(_))) {
            Shape::Table
        } else {
            Shape::Free
        }
    }
}

impl Style {
    pub(super) fn vary_container(&self, value: &Value, rng: &mut Stream) -> Value {
        match value {
            Value::List(items) => Value::List(self.vary_items(items, rng)),
            Value::Tuple(items) => Value::Tuple(self.vary_items(items, rng)),
            Value::Set(items) => Value::set(self.vary_items(items, rng)).unwrap_or_else(|| value.clone()),
            Value::FrozenSet(items) => Value::frozenset(self.vary_items(items, rng)).unwrap_or_else(|| value.clone()),
            Value::Dict(pairs) => Value::dict(self.vary_pairs(pairs, rng)).unwrap_or_else(|| value.clone()),
            _ => value.clone(),
        }
    }

    fn vary_items(&self, items: &[Value], rng: &mut Stream) -> Vec<Value> {
        let mut items = items.to_vec();
        if items.is_empty() {
            return items;
        }
        match Shape::of(&items) {
            Shape::Matrix { width } if !chance(rng, RAGGED_SHARE) => self.vary_matrix(&mut items, width, rng),
            Shape::Table if !chance(rng, RAGGED_SHARE) => self.vary_table(&mut items, rng),
            _ if chance(rng, 0.45) => self.vary_some(&mut items, rng),
            _ => self.rearrange(&mut items, rng),
        }
        items
    }

    /// One item, or about half of them, varied in place.
    fn vary_some(&self, items: &mut [Value], rng: &mut Stream) {
        let at = rng.below(items.len());
        items[at] = self.vary(&items[at], rng);
        if chance(rng, 0.2) {
            for item in items {
                if chance(rng, 0.5) {
                    *item = self.vary(item, rng);
                }
            }
        }
    }

    fn rearrange(&self, items: &mut Vec<Value>, rng: &mut Stream) {
        let at = rng.below(items.len());
        let other = rng.below(items.len());
        match rng.below(18) {
            0..3 => {
                items.remove(at);
            }
            3..6 => items.insert(at, items[other].clone()),
            6..8 => items.swap(at, other),
            8 => items.reverse(),
            9 => sort(items),
            10..13 => {
                let new = self.vary(&items[other], rng);
                let place = if chance(rng, 0.5) { items.len() } else { at };
                items.insert(place, new);
            }
            13 => items[at] = items[other].clone(),
            14 => items.truncate(at + 1),
            15 => {
                items.drain(..at);
            }
            16 => items.rotate_left(at),
            _ => rng.shuffle(items),
        }
    }

    fn vary_matrix(&self, rows: &mut Vec<Value>, width: usize, rng: &mut Stream) {
        let square = rows.len() == width;
        let at = rng.below(rows.len());
        let column = rng.below(width);
        match rng.below(10) {
            0..4 => {
                if let Value::List(row) = &mut rows[at] {
                    row[column] = self.vary(&row[column], rng);
                }
            }
            4 => {
                let other = rng.below(rows.len());
                rows.swap(at, other);
            }
            5 => {
                let other = rng.below(width);
                each_row(rows, |row| row.swap(column, other));
            }
            6 if square => transpose(rows),
            6 | 7 if !square || rows.len() > 1 => {
                rows.remove(at);
                if square {
                    each_row(rows, |row| {
                        row.remove(column);
                    });
                }
            }
            8 if !square && width > 1 => each_row(rows, |row| {
                row.remove(column);
            }),
            8 | 9 if !square => {
                let copy = rows[at].clone();
                rows.insert(at, self.vary_row(&copy, rng));
            }
            _ => rows[at] = self.vary_row(&rows[at], rng),
        }
    }

    fn vary_table(&self, rows: &mut Vec<Value>, rng: &mut Stream) {
        let at = rng.below(rows.len());
        let other = rng.below(rows.len());
        match rng.below(10) {
            0..4 => rows[at] = self.vary_row(&rows[at], rng),
            4 => {
                // Equal fields in different rows are what grouping and ties are about.
                let (Value::Tuple(source), Value::Tuple(row)) = (rows[other].clone(), &mut rows[at]) else { return };
                let field = rng.below(row.len());
                row[field] = source[field].clone();
            }
            5 => {
                let new = self.vary_row(&rows[other], rng);
                rows.insert(at, new);
            }
            _ => self.rearrange_whole(rows, rng),
        }
    }

    /// Moves, drops and repeats rows without varying their length.
    fn rearrange_whole(&self, rows: &mut Vec<Value>, rng: &mut Stream) {
        let at = rng.below(rows.len());
        let other = rng.below(rows.len());
        match rng.below(5) {
            0 => {
                rows.remove(at);
            }
            1 => rows.insert(at, rows[other].clone()),
            2 => rows.reverse(),
            3 => rows.truncate(at + 1),
            _ => rows.swap(at, other),
        }
    }

    /// Fields of one row varied in place, or two of one type exchanged.
    fn vary_row(&self, row: &Value, rng: &mut Stream) -> Value {
        let (Value::List(fields) | Value::Tuple(fields)) = row else { return row.clone() };
        let mut fields = fields.clone();
        if fields.is_empty() {
            return row.clone();
        }
        let (at, other) = (rng.below(fields.len()), rng.below(fields.len()));
        if fields[at].type_name() == fields[other].type_name() && at != other && chance(rng, 0.25) {
            fields.swap(at, other);
        } else {
            fields[at] = self.vary(&fields[at], rng);
        }
        if matches!(row, Value::List(_)) { Value::List(fields) } else { Value::Tuple(fields) }
    }

    fn vary_pairs(&self, pairs: &[(Value, Value)], rng: &mut Stream) -> Vec<(Value, Value)> {
        let mut pairs = pairs.to_vec();
        if pairs.is_empty() {
            return pairs;
        }
        let (at, other) = (rng.below(pairs.len()), rng.below(pairs.len()));
        match rng.below(10) {
            0..2 => {
                pairs.remove(at);
            }
            2..6 => pairs[at].1 = self.vary(&pairs[at].1, rng),
            6 => pairs[at].1 = pairs[other].1.clone(),
            7 => {
                let value = pairs[at].1.clone();
                pairs[at].1 = std::mem::replace(&mut pairs[other].1, value);
            }
            8 => pairs[at].0 = self.vary(&pairs[at].0, rng),
            _ => {
                let new = (self.vary(&pairs[at].0, rng), self.vary(&pairs[other].1, rng));
                pairs.push(new);
            }
        }
        pairs
    }
}

fn each_row(rows: &mut [Value], change: impl Fn(&mut Vec<Value>)) {
    for row in rows {
        if let Value::List(cells) = row {
            change(cells);
        }
    }
}

fn transpose(rows: &mut [Value]) {
    let old: Vec<Value> = rows.to_vec();
    for (i, row) in rows.iter_mut().enumerate() {
        if let Value::List(cells) = row {
            for (cell, source) in cells.iter_mut().zip(&old) {
                cell.clone_from(&source.items().unwrap_or_default()[i]);
            }
        }
    }
}

/// Ascending, where all items are numbers or all are texts.
pub(super) fn sort(items: &mut [Value]) {
    if items.iter().all(|item| matches!(item, Value::Str(_))) {
        items.sort_by(|a, b| a.text().cmp(&b.text()));
    } else if items.iter().all(|item| number(item).is_some()) {
        items.sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap_or(std::cmp::Ordering::Equal));
    }
}

/// The size of a real number, for order.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(int) => num_traits::ToPrimitive::to_f64(int),
        Value::Float(x) if !x.is_nan() => Some(*x),
        _ => None,
    }
}
