//! Step 3: variations of the elites, beside the exhaustive search (METHOD section 5.3).
//!
//! A variation is a change at one place: another leaf, one more, one less, another combinator, a part of a second
//! elite. What it is worth is not asked here.

use std::collections::BTreeSet;

use crate::base::rng::Stream;
use crate::expr::Expr;

/// Draws that may fail for each variation wanted.
const PATIENCE: usize = 8;

/// Up to `wanted` new expressions, each one change away from an elite, none of them in `known`.
pub fn mutations(
    elites: &[Expr],
    ops: &[&str],
    wanted: usize,
    most_leaves: usize,
    known: &mut BTreeSet<Expr>,
    stream: &mut Stream,
) -> Vec<Expr> {
    if elites.is_empty() || ops.is_empty() {
        return Vec::new();
    }
    collect(wanted, most_leaves, known, || {
        let elite = &elites[stream.below(elites.len())];
        mutate(elite, ops, stream)
    })
}

/// Up to `wanted` new expressions out of two elites each.
pub fn crossovers(
    elites: &[Expr],
    wanted: usize,
    most_leaves: usize,
    known: &mut BTreeSet<Expr>,
    stream: &mut Stream,
) -> Vec<Expr> {
    if elites.len() < 2 {
        return Vec::new();
    }
    collect(wanted, most_leaves, known, || {
        let first = stream.below(elites.len());
        let second = (first + 1 + stream.below(elites.len() - 1)) % elites.len();
        Some(cross(&elites[first], &elites[second], stream))
    })
}

fn collect(
    wanted: usize,
    most_leaves: usize,
    known: &mut BTreeSet<Expr>,
    mut draw: impl FnMut() -> Option<Expr>,
) -> Vec<Expr> {
    let mut found = Vec::new();
    for _ in 0..wanted * PATIENCE {
        if found.len() == wanted {
            break;
        }
        let Some(expr) = draw().map(|expr| expr.canonical()) else { continue };
        if expr.leaf_count() <= most_leaves && known.insert(expr.clone()) {
            found.push(expr);
        }
    }
    found
}

fn mutate(expr: &Expr, ops: &[&str], stream: &mut Stream) -> Option<Expr> {
    let place = stream.below(size(expr));
    let op = Expr::op(ops[stream.below(ops.len())]);
    let choice = stream.below(4);
    let changed = |node: &Expr| -> Option<Expr> {
        Some(match (choice, node) {
            (0, Expr::Op(_)) => op.clone(),
            (0, _) => join(choice_of(node), children(node), &op),
            (1, Expr::Op(_)) => Expr::Any(vec![node.clone(), op.clone()]),
            (1, _) => Expr::All(vec![node.clone(), op.clone()]),
            (2, Expr::Op(_)) => return None,
            (2, _) => recombined(node)?,
            _ => Expr::Any(vec![node.clone(), op.clone()]),
        })
    };
    replace(expr, place, &changed)
}

/// One of the second's parts in one of the first's places, or both side by side.
fn cross(first: &Expr, second: &Expr, stream: &mut Stream) -> Expr {
    match stream.below(4) {
        0 => flat(Expr::Any(vec![first.clone(), second.clone()])),
        1 => flat(Expr::All(vec![first.clone(), second.clone()])),
        _ => {
            let part = node(second, stream.below(size(second))).clone();
            let place = stream.below(size(first));
            replace(first, place, &|_| Some(part.clone())).unwrap_or(part)
        }
    }
}

#[derive(Clone, Copy)]
enum Join {
    Any,
    All,
    Vote(u32),
}

fn choice_of(expr: &Expr) -> Join {
    match expr {
        Expr::All(_) => Join::All,
        Expr::Vote(least, _) => Join::Vote(*least),
        _ => Join::Any,
    }
}

fn children(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::Any(children) | Expr::All(children) | Expr::Vote(_, children) => children.clone(),
        _ => vec![expr.clone()],
    }
}

fn join(how: Join, mut children: Vec<Expr>, more: &Expr) -> Expr {
    children.push(more.clone());
    match how {
        Join::Any => Expr::Any(children),
        Join::All => Expr::All(children),
        Join::Vote(least) => Expr::Vote(least, children),
    }
}

/// The same children under another combinator.
fn recombined(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Any(children) if children.len() > 2 => Some(Expr::Vote(2, children.clone())),
        Expr::Any(children) => Some(Expr::All(children.clone())),
        Expr::All(children) => Some(Expr::Any(children.clone())),
        Expr::Vote(_, children) => Some(Expr::Any(children.clone())),
        _ => None,
    }
}

/// `any` in `any` and `all` in `all` are one.
pub(super) fn flat(expr: Expr) -> Expr {
    let spread = |children: Vec<Expr>, is_same: fn(&Expr) -> bool| {
        children
            .into_iter()
            .flat_map(|child| if is_same(&child) { self::children(&child) } else { vec![child] })
            .collect()
    };
    match expr {
        Expr::Any(children) => Expr::Any(spread(children, |child| matches!(child, Expr::Any(_)))),
        Expr::All(children) => Expr::All(spread(children, |child| matches!(child, Expr::All(_)))),
        other => other,
    }
}

/// Nodes of a tree, itself included.
fn size(expr: &Expr) -> usize {
    1 + parts(expr).into_iter().map(size).sum::<usize>()
}

fn parts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Op(_) => Vec::new(),
        Expr::Not(child) => vec![child],
        Expr::Any(children) | Expr::All(children) | Expr::Vote(_, children) => children.iter().collect(),
        Expr::Weighted(_, children) => children.iter().map(|(_, child)| child).collect(),
    }
}

/// The node at a place, counted in reading order.
fn node(expr: &Expr, place: usize) -> &Expr {
    let mut left = place;
    if left == 0 {
        return expr;
    }
    left -= 1;
    for part in parts(expr) {
        let within = size(part);
        if left < within {
            return node(part, left);
        }
        left -= within;
    }
    expr
}

/// The tree with the node at a place changed; nothing where it cannot be.
fn replace(expr: &Expr, place: usize, change: &dyn Fn(&Expr) -> Option<Expr>) -> Option<Expr> {
    rebuild(expr, &mut Some(place), change)
}

/// `left` is how many nodes lie before the place, and nothing once it is behind.
fn rebuild(expr: &Expr, left: &mut Option<usize>, change: &dyn Fn(&Expr) -> Option<Expr>) -> Option<Expr> {
    match left {
        None => return Some(expr.clone()),
        Some(0) => {
            *left = None;
            return change(expr).map(flat);
        }
        Some(before) => *before -= 1,
    }
    let mut all = |children: &[Expr]| -> Option<Vec<Expr>> {
        children.iter().map(|child| rebuild(child, left, change)).collect()
    };
    Some(match expr {
        Expr::Op(_) => expr.clone(),
        Expr::Not(child) => Expr::Not(Box::new(rebuild(child, left, change)?)),
        Expr::Any(children) => flat(Expr::Any(all(children)?)),
        Expr::All(children) => flat(Expr::All(all(children)?)),
        Expr::Vote(least, children) => Expr::Vote(*least, all(children)?),
        Expr::Weighted(threshold, children) => {
            let parts = children.iter().map(|(weight, child)| Some((*weight, rebuild(child, left, change)?)));
            Expr::Weighted(*threshold, parts.collect::<Option<_>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether an `any` lies right below an `any`, or an `all` below an `all`.
    fn nests_itself(expr: &Expr) -> bool {
        let same = |part: &&Expr| matches!((expr, part), (Expr::Any(_), Expr::Any(_)) | (Expr::All(_), Expr::All(_)));
        parts(expr).iter().any(|part| same(part) || nests_itself(part))
    }

    fn elites() -> Vec<Expr> {
        ["(any a b)", "(all (any a b) (vote 2 c d e))", "c"].map(|text| text.parse().unwrap()).to_vec()
    }

    #[test]
    fn nodes_are_counted_in_reading_order_and_replaced_one_at_a_time() {
        let expr = &elites()[1];
        assert_eq!(size(expr), 8);
        let texts: Vec<String> = (0..8).map(|place| node(expr, place).to_string()).collect();
        assert_eq!(texts[1..], ["(any a b)", "a", "b", "(vote 2 c d e)", "c", "d", "e"]);
        let put = |place| replace(expr, place, &|_| Some(Expr::op("x"))).unwrap().to_string();
        assert_eq!(put(0), "x");
        assert_eq!(put(1), "(all x (vote 2 c d e))");
        assert_eq!(put(3), "(all (any a x) (vote 2 c d e))");
        assert_eq!(put(7), "(all (any a b) (vote 2 c d x))");
    }

    #[test]
    fn variations_are_new_small_and_fixed_by_their_stream() {
        let draw = |seed| {
            let mut known: BTreeSet<Expr> = elites().into_iter().collect();
            let mut stream = Stream::new(seed, 2, "vary");
            let mut all = mutations(&elites(), &["a", "b", "c", "d"], 16, 5, &mut known, &mut stream);
            all.extend(crossovers(&elites(), 8, 5, &mut known, &mut stream));
            all
        };
        for seed in 0..20 {
            let all = draw(seed);
            assert_eq!(all, draw(seed));
            assert!(all.len() > 12, "{}", all.len());
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
            assert!(all.iter().all(|expr| expr.leaf_count() <= 5 && !elites().contains(expr)));
            assert!(all.iter().all(|expr| !nests_itself(expr)), "{all:?}");
            assert!(all.iter().all(|expr| expr.to_string().parse::<Expr>().is_ok_and(|read| read == *expr)));
        }
    }

    #[test]
    fn without_elites_there_is_nothing_to_vary() {
        let mut stream = Stream::new(0, 0, "vary");
        assert_eq!(mutations(&[], &["a"], 4, 6, &mut BTreeSet::new(), &mut stream), []);
        assert_eq!(crossovers(&elites()[..1], 4, 6, &mut BTreeSet::new(), &mut stream), []);
    }
}
