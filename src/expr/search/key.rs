//! The canonical text of an expression in few numbers, which compare as the texts do.
//!
//! A parenthesis sorts before a letter, and a space before a closing one; so heads come first, then ops by name, and
//! the end of a list last. Children are sorted, and children of the same associative combinator dissolved into it.

use crate::expr::tree::Expr;

/// One expression in canonical form. Ops are numbered in the order of their names.
pub(super) type Key = Box<[u16]>;

/// How children are joined. `Vote(1)` is `any`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    All,
    Vote(u16),
}

const ALL: u16 = 0;
const ANY: u16 = 1;
const FIRST_LEAF: u16 = 32;
const END: u16 = u16::MAX;

/// The key of the op that is `rank`-th by name.
pub(super) fn leaf(rank: usize) -> Key {
    Box::new([FIRST_LEAF + rank as u16])
}

/// The ranks of the different ops of a key, in order.
pub(super) fn ranks(key: &[u16]) -> Vec<u16> {
    let leaves = key.iter().filter(|token| (FIRST_LEAF..END).contains(*token));
    let mut ranks: Vec<u16> = leaves.map(|token| token - FIRST_LEAF).collect();
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

/// The key of `head` over children.
pub(super) fn join(head: Head, keys: &[&[u16]]) -> Key {
    let dissolves = match head {
        Head::Vote(least) => least == 1 || usize::from(least) == keys.len(),
        Head::All => true,
    };
    let mut children: Vec<&[u16]> = Vec::new();
    for key in keys {
        let below = children_of(key);
        let unanimous = |key: &[u16], below: &[&[u16]]| key[0] > ANY && usize::from(key[0]) == below.len();
        let same = match head {
            Head::All => key[0] == ALL,
            Head::Vote(1) => key[0] == ANY,
            Head::Vote(_) => unanimous(key, &below),
        };
        if dissolves && same && !below.is_empty() { children.extend(below) } else { children.push(key) }
    }
    children.sort_unstable();
    if dissolves {
        children.dedup();
    }
    if let [only] = children[..] {
        return only.into();
    }
    let token = match head {
        Head::All => ALL,
        Head::Vote(1) => ANY,
        Head::Vote(_) if dissolves => children.len() as u16,
        Head::Vote(least) => least,
    };
    [token].into_iter().chain(children.into_iter().flatten().copied()).chain([END]).collect()
}

/// The children of the root; none of a leaf.
fn children_of(key: &[u16]) -> Vec<&[u16]> {
    let mut children = Vec::new();
    let (mut depth, mut start) = (0, 1);
    for (at, &token) in key.iter().enumerate().skip(1) {
        match token {
            END if depth == 0 => break,
            END => depth -= 1,
            token if token < FIRST_LEAF => depth += 1,
            _ => {}
        }
        if depth == 0 {
            children.push(&key[start..=at]);
            start = at + 1;
        }
    }
    children
}

/// The expression over column numbers; `columns` are in the order of op names.
pub(super) fn expr(key: &[u16], columns: &[usize]) -> Expr<usize> {
    let children = || children_of(key).into_iter().map(|child| expr(child, columns)).collect();
    match key[0] {
        ALL => Expr::All(children()),
        ANY => Expr::Any(children()),
        leaf if leaf >= FIRST_LEAF => Expr::Op(columns[usize::from(leaf - FIRST_LEAF)]),
        least => Expr::Vote(u32::from(least), children()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["a", "a_b", "ab", "b"];

    fn text(key: &[u16]) -> String {
        let columns: Vec<usize> = (0..NAMES.len()).collect();
        let Ok(named) =
            expr(key, &columns).try_map(&mut |at| Ok::<_, std::convert::Infallible>(NAMES[*at].to_string()));
        assert_eq!(named.canonical(), named);
        named.to_string()
    }

    #[test]
    fn same_associative_combinators_dissolve_and_repeats_go() {
        let [a, b, c] = [0, 1, 3].map(leaf);
        let any = join(Head::Vote(1), &[&b, &a]);
        assert_eq!(text(&any), "(any a a_b)");
        assert_eq!(text(&join(Head::Vote(1), &[&c, &any])), "(any a a_b b)");
        assert_eq!(text(&join(Head::Vote(1), &[&a, &any])), "(any a a_b)");
        assert_eq!(text(&join(Head::All, &[&a, &any])), "(all (any a a_b) a)");
        let both = join(Head::Vote(2), &[&b, &a]);
        assert_eq!(text(&both), "(vote 2 a a_b)");
        assert_eq!(text(&join(Head::Vote(2), &[&both, &c])), "(vote 3 a a_b b)");
        assert_eq!(text(&join(Head::Vote(2), &[&both, &c, &c])), "(vote 2 (vote 2 a a_b) b b)");
        let two_of_three = join(Head::Vote(2), &[&a, &b, &c]);
        assert_eq!(text(&join(Head::Vote(2), &[&two_of_three, &c])), "(vote 2 (vote 2 a a_b b) b)");
        assert_eq!(text(&join(Head::Vote(2), &[&c, &c])), "b");
        assert_eq!(ranks(&join(Head::Vote(2), &[&both, &c, &c])), [0, 1, 3]);
    }

    #[test]
    fn keys_compare_as_texts_do() {
        let mut keys: Vec<Key> = (0..NAMES.len()).map(leaf).collect();
        for _ in 0..2 {
            let pairs: Vec<Key> = keys
                .iter()
                .step_by(3)
                .flat_map(|a| keys.iter().map(move |b| (a, b)))
                .flat_map(|(a, b)| {
                    let three = join(Head::Vote(2), &[a, b, b]);
                    [Head::All, Head::Vote(1), Head::Vote(2)].map(|head| join(head, &[a, b])).into_iter().chain([three])
                })
                .collect();
            keys.extend(pairs);
        }
        keys.sort();
        keys.dedup();
        assert!(keys.len() > 300);
        let texts: Vec<String> = keys.iter().map(|key| text(key)).collect();
        assert!(texts.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
