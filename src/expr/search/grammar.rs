//! Which expressions a search covers: their number, and for small cases the list itself.
//!
//! The list is the plain reading of the grammar in the module's head. It knows no behaviour and prunes nothing, so
//! that what the search claims can be checked against it.

use crate::expr::tree::Expr;

/// A larger expression is no longer readable, and its `K` would no longer sort as text.
pub const MOST_LEAVES: usize = 9;

/// The expressions of up to so many leaf occurrences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grammar {
    leaves: usize,
    nested: bool,
}

impl Grammar {
    /// Single ops, and `any`, `all` and `vote` over two or more different ops.
    ///
    /// # Panics
    /// If `leaves` is not between 1 and `MOST_LEAVES`.
    pub fn flat(leaves: usize) -> Self {
        Self { leaves: checked(leaves), nested: false }
    }

    /// The same over expressions, to any depth.
    ///
    /// # Panics
    /// If `leaves` is not between 1 and `MOST_LEAVES`.
    pub fn nested(leaves: usize) -> Self {
        Self { leaves: checked(leaves), nested: true }
    }

    /// The most leaf occurrences of an expression.
    pub fn leaves(self) -> usize {
        self.leaves
    }

    pub fn is_nested(self) -> bool {
        self.nested
    }

    /// How many expressions there are over so many ops, each counted once; `u128::MAX` if there are more.
    pub fn count(self, ops: usize) -> u128 {
        if self.nested { nested(self.leaves, ops as u128) } else { flat(self.leaves, ops as u128) }
    }

    /// Every expression over columns 0 to `ops`, each once. Their number grows fast: see `count`.
    pub fn expressions(self, ops: usize) -> Vec<Expr<usize>> {
        let mut sizes: Vec<Vec<Expr<usize>>> = vec![Vec::new(), (0..ops).map(Expr::Op).collect()];
        for size in 2..=self.leaves {
            let parts = if self.nested { &sizes[..] } else { &sizes[..2] };
            let mut made = Vec::new();
            let all: Vec<(usize, &Expr<usize>)> =
                parts.iter().enumerate().flat_map(|(size, exprs)| exprs.iter().map(move |expr| (size, expr))).collect();
            tuples(&all, 0, size, self.nested, &mut Vec::new(), &mut |children, repeats| {
                made.extend(self.heads(children, repeats));
            });
            sizes.push(made);
        }
        sizes.into_iter().flatten().collect()
    }

    /// The combinators that these children may have.
    fn heads(self, children: &[&Expr<usize>], repeats: bool) -> Vec<Expr<usize>> {
        let own = || children.iter().map(|child| (*child).clone()).collect::<Vec<_>>();
        let count = children.len() as u32;
        let free = |same: fn(&Expr<usize>) -> bool| !repeats && !children.iter().any(|child| same(child));
        let mut made: Vec<_> = (2..count).map(|least| Expr::Vote(least, own())).collect();
        if free(|child| matches!(child, Expr::Any(_))) {
            made.push(Expr::Any(own()));
        }
        if free(|child| matches!(child, Expr::All(_))) {
            made.push(Expr::All(own()));
        }
        if free(|child| matches!(child, Expr::Vote(least, below) if *least as usize == below.len())) {
            made.push(Expr::Vote(count, own()));
        }
        made
    }
}

fn checked(leaves: usize) -> usize {
    assert!((1..=MOST_LEAVES).contains(&leaves), "an expression has between 1 and {MOST_LEAVES} leaves, not {leaves}");
    leaves
}

/// Every multiset of two or more of `all[from..]` whose sizes sum to `left`; sets only, unless `nested`.
fn tuples<'e>(
    all: &[(usize, &'e Expr<usize>)],
    from: usize,
    left: usize,
    nested: bool,
    chosen: &mut Vec<(usize, &'e Expr<usize>)>,
    see: &mut impl FnMut(&[&Expr<usize>], bool),
) {
    if left == 0 && chosen.len() >= 2 {
        let repeats = chosen.windows(2).any(|pair| pair[0].0 == pair[1].0);
        see(&chosen.iter().map(|(_, child)| *child).collect::<Vec<_>>(), repeats);
    }
    for (at, (size, child)) in all.iter().enumerate().skip(from).take_while(|(_, (size, _))| *size <= left) {
        chosen.push((at, child));
        tuples(all, if nested { at } else { at + 1 }, left - size, nested, chosen, see);
        chosen.pop();
    }
}

fn flat(leaves: usize, ops: u128) -> u128 {
    let sets = |size: usize| choose(ops, size);
    (2..=leaves).fold(ops, |sum, size| sum.saturating_add(sets(size).saturating_mul(size as u128 + 1)))
}

/// By size and root: children of a combinator that is its own kind's only parent are counted as sets of what has
/// another root, those of the other votes as multisets of anything.
fn nested(leaves: usize, ops: u128) -> u128 {
    let mut total = vec![0, ops];
    // `any`, `all` and the unanimous vote: equally many of each, so that one row does for all three.
    let mut kind = vec![0, 0];
    for size in 2..=leaves {
        let others: Vec<u128> = total.iter().zip(&kind).map(|(all, own)| all - own).collect();
        let sets = ways(&others, size, choose).into_iter().skip(2).fold(0u128, u128::saturating_add);
        let votes = ways(&total, size, |count, picks| choose(count.saturating_add(picks as u128 - 1), picks));
        let votes = votes.into_iter().enumerate().skip(3);
        let votes =
            votes.fold(0u128, |sum, (children, ways)| sum.saturating_add(ways.saturating_mul(children as u128 - 2)));
        kind.push(sets);
        total.push(sets.saturating_mul(3).saturating_add(votes));
    }
    total.into_iter().fold(0, u128::saturating_add)
}

/// How many ways there are to pick children of total size `size`, by the number of children; `counts[i]` of them have
/// size i, and `pick` says in how many ways some are taken out of so many.
fn ways(counts: &[u128], size: usize, pick: impl Fn(u128, usize) -> u128) -> Vec<u128> {
    let mut table = vec![vec![0u128; size + 1]; size + 1];
    table[0][0] = 1;
    for (each, &count) in counts.iter().enumerate().skip(1) {
        let mut next = table.clone();
        for children in 0..=size {
            for sum in 0..=size {
                for picks in 1..=(size - sum) / each {
                    if children + picks <= size && table[children][sum] > 0 {
                        let more = table[children][sum].saturating_mul(pick(count, picks));
                        let cell = &mut next[children + picks][sum + picks * each];
                        *cell = cell.saturating_add(more);
                    }
                }
            }
        }
        table = next;
    }
    table.into_iter().map(|row| row[size]).collect()
}

fn choose(count: u128, picks: usize) -> u128 {
    if (picks as u128) > count {
        return 0;
    }
    (0..picks as u128).fold(1u128, |ways, at| ways.saturating_mul(count - at) / (at + 1))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_count_is_the_length_of_the_list_and_nothing_is_listed_twice() {
        for (grammar, ops) in (1..=4)
            .flat_map(|leaves| [(Grammar::flat(leaves), 6), (Grammar::nested(leaves), 3), (Grammar::nested(leaves), 5)])
        {
            let listed = grammar.expressions(ops);
            assert_eq!(listed.len() as u128, grammar.count(ops), "{grammar:?}");
            let named = |expr: &Expr<usize>| {
                let Ok(named) = expr.try_map(&mut |at| Ok::<_, std::convert::Infallible>(format!("o{at}")));
                named.canonical().to_string()
            };
            assert_eq!(listed.iter().map(named).collect::<BTreeSet<_>>().len(), listed.len(), "{grammar:?}");
        }
    }

    #[test]
    fn small_counts_are_what_a_hand_makes_them() {
        assert_eq!(Grammar::flat(3).count(100), 100 + 4_950 * 3 + 161_700 * 4);
        // One op: a, (vote 2 a a a); two leaves of one op say nothing new.
        assert_eq!(Grammar::nested(3).count(1), 2);
        // Two ops: a, b; three pairs of them; of three leaves (vote 2 …) over 4 multisets, and an op beside each of
        // the two other kinds of pair under three heads.
        assert_eq!(Grammar::nested(3).count(2), 2 + 3 + 4 + 3 * 2 * 2);
    }

    #[test]
    #[should_panic(expected = "between 1 and 9 leaves, not 0")]
    fn an_expression_has_a_leaf() {
        Grammar::flat(0);
    }
}
