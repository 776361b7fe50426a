//! Spider's test suite: is there a permutation of the columns under which two results have the same rows?
//!
//! Two results without rows are the same, however many columns they have, as in the original. Trying every permutation
//! would take 40,320 comparisons at eight columns. Here columns and rows are coloured by what they hold until the colours
//! tell no more apart; only columns of one colour are tried for each other, one at a time, and a choice is given up as
//! soon as the rows differ in the columns chosen so far.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Rows;
use super::columns::{Columns, of_both};

/// Rows looked at while columns are chosen, before the search is given up.
const MOST_VISITS: usize = 20_000_000;
/// Rounds of colouring.
const ROUNDS: usize = 3;

pub(super) fn same(a: &Rows, b: &Rows, ordered: bool) -> Option<bool> {
    if a.rows.is_empty() && b.rows.is_empty() {
        return Some(true);
    }
    if a.rows.len() != b.rows.len() || a.columns.len() != b.columns.len() {
        return Some(false);
    }
    let (mut a, mut b) = of_both(a, b);
    if ordered {
        // In order, each column is matched by one that is equal to it.
        a.sort_unstable();
        b.sort_unstable();
        return Some(a == b);
    }
    same_multiset(&a, &b)
}

fn same_multiset(a: &Columns, b: &Columns) -> Option<bool> {
    let (of_a, of_b) = (Colours::of(a), Colours::of(b));
    if sorted(&of_a.columns) != sorted(&of_b.columns) || sorted(&of_a.rows) != sorted(&of_b.rows) {
        return Some(false);
    }
    let count = |colour: u64| of_b.columns.iter().filter(|other| **other == colour).count();
    let mut order: Vec<usize> = (0..a.len()).collect();
    order.sort_by_key(|column| count(of_a.columns[*column]));
    let rows = a.first().map_or(0, Vec::len);
    let mut search = Search { a, b, of_a: &of_a, of_b: &of_b, order: &order, visits: 0 };
    let groups = Groups { a: vec![0; rows], b: vec![0; rows] };
    search.extend(&groups, &mut vec![false; b.len()], 0)
}

/// What tells columns and rows apart, whatever order they are in.
struct Colours {
    columns: Vec<u64>,
    rows: Vec<u64>,
}

impl Colours {
    fn of(columns: &Columns) -> Self {
        let rows = columns.first().map_or(0, Vec::len);
        let mut colours = Self { columns: vec![0; columns.len()], rows: vec![0; rows] };
        for _ in 0..ROUNDS {
            colours.columns =
                columns.iter().map(|column| mix(column.iter().zip(&colours.rows).map(|(a, b)| (*a, *b)))).collect();
            colours.rows = (0..rows)
                .map(|row| mix(columns.iter().zip(&colours.columns).map(|(column, colour)| (column[row], *colour))))
                .collect();
        }
        colours
    }
}

/// One number for a multiset. `DefaultHasher::new` has fixed keys; a collision only means one more candidate.
fn mix(items: impl Iterator<Item = (u32, u64)>) -> u64 {
    let mut items: Vec<(u32, u64)> = items.collect();
    items.sort_unstable();
    let mut hasher = DefaultHasher::new();
    items.hash(&mut hasher);
    hasher.finish()
}

fn sorted<T: Ord + Clone>(items: &[T]) -> Vec<T> {
    let mut items = items.to_vec();
    items.sort_unstable();
    items
}

/// For each row, the number of its content in the columns chosen so far.
struct Groups {
    a: Vec<u32>,
    b: Vec<u32>,
}

impl Groups {
    /// The groups with one more pair of columns; nothing where the two results then differ.
    fn split(&self, a: &[u32], b: &[u32]) -> Option<Self> {
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        let mut number = |groups: &[u32], column: &[u32]| -> Vec<u32> {
            let pairs = groups.iter().copied().zip(column.iter().copied());
            pairs
                .map(|pair| {
                    let next = known.len() as u32;
                    *known.entry(pair).or_insert(next)
                })
                .collect()
        };
        let (a, b) = (number(&self.a, a), number(&self.b, b));
        let mut balance = vec![0_i64; known.len()];
        a.iter().for_each(|group| balance[*group as usize] += 1);
        b.iter().for_each(|group| balance[*group as usize] -= 1);
        balance.iter().all(|count| *count == 0).then_some(Self { a, b })
    }
}

struct Search<'s> {
    a: &'s Columns,
    b: &'s Columns,
    of_a: &'s Colours,
    of_b: &'s Colours,
    order: &'s [usize],
    visits: usize,
}

impl Search<'_> {
    /// Whether the columns from place `at` of the order on can be matched; nothing once it has taken too long.
    fn extend(&mut self, groups: &Groups, used: &mut [bool], at: usize) -> Option<bool> {
        let Some(&column) = self.order.get(at) else { return Some(true) };
        let mut tried: Vec<usize> = Vec::new();
        for other in 0..self.b.len() {
            let alike = self.of_a.columns[column] == self.of_b.columns[other];
            // Of equal columns it does not matter which is taken.
            if used[other] || !alike || tried.iter().any(|tried| self.b[*tried] == self.b[other]) {
                continue;
            }
            tried.push(other);
            self.visits += groups.a.len() + 1;
            if self.visits > MOST_VISITS {
                return None;
            }
            if let Some(finer) = groups.split(&self.a[column], &self.b[other]) {
                used[other] = true;
                match self.extend(&finer, used, at + 1) {
                    Some(false) => used[other] = false,
                    found => return found,
                }
            }
        }
        Some(false)
    }
}
