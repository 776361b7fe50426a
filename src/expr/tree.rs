//! The tree of an expression, and what can be done to it without evaluating it.
//!
//! The tree is generic in its leaves: op names as written, or column numbers once bound to a matrix.

use super::decimal::Decimal;

/// An expression over ops (METHOD section 2). Built by parsing; children are never empty there.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Expr<L = String> {
    Op(L),
    /// 1 if some known child is 1.
    Any(Vec<Self>),
    /// 1 if every known child is 1.
    All(Vec<Self>),
    Not(Box<Self>),
    /// 1 if at least K known children are 1; K is absolute.
    Vote(u32, Vec<Self>),
    /// 1 if the weights of the known children that are 1 reach the threshold; never renormalised.
    Weighted(Decimal, Vec<(Decimal, Self)>),
}

impl<L> Expr<L> {
    /// Leaf occurrences from left to right, an op that occurs twice twice.
    pub fn leaves(&self) -> Vec<&L> {
        let mut leaves = Vec::new();
        self.visit(&mut |leaf, _| leaves.push(leaf));
        leaves
    }

    /// The number of leaf occurrences, which is what the objective charges for.
    pub fn leaf_count(&self) -> usize {
        self.leaves().len()
    }

    /// Visits each leaf occurrence, with whether an odd number of `not` stands above it.
    pub(super) fn visit<'e>(&'e self, see: &mut impl FnMut(&'e L, bool)) {
        self.visit_under(false, see);
    }

    fn visit_under<'e>(&'e self, negated: bool, see: &mut impl FnMut(&'e L, bool)) {
        match self {
            Expr::Op(leaf) => see(leaf, negated),
            Expr::Not(child) => child.visit_under(!negated, see),
            Expr::Any(children) | Expr::All(children) | Expr::Vote(_, children) => {
                children.iter().for_each(|child| child.visit_under(negated, see));
            }
            Expr::Weighted(_, children) => children.iter().for_each(|(_, child)| child.visit_under(negated, see)),
        }
    }

    /// The same shape over other leaves; stops at the first leaf that has no counterpart.
    pub fn try_map<M, E>(&self, leaf: &mut impl FnMut(&L) -> Result<M, E>) -> Result<Expr<M>, E> {
        let mut all =
            |children: &[Self]| children.iter().map(|child| child.try_map(leaf)).collect::<Result<Vec<_>, E>>();
        Ok(match self {
            Expr::Any(children) => Expr::Any(all(children)?),
            Expr::All(children) => Expr::All(all(children)?),
            Expr::Vote(least, children) => Expr::Vote(*least, all(children)?),
            Expr::Op(old) => Expr::Op(leaf(old)?),
            Expr::Not(child) => Expr::Not(Box::new(child.try_map(leaf)?)),
            Expr::Weighted(threshold, children) => {
                let mapped = children.iter().map(|(weight, child)| Ok((*weight, child.try_map(leaf)?)));
                Expr::Weighted(*threshold, mapped.collect::<Result<_, E>>()?)
            }
        })
    }
}

impl Expr {
    /// A leaf of this name.
    pub fn op(name: impl Into<String>) -> Self {
        Expr::Op(name.into())
    }

    /// The distinct ops, sorted by name.
    pub fn ops(&self) -> Vec<&str> {
        let mut ops: Vec<&str> = self.leaves().into_iter().map(String::as_str).collect();
        ops.sort_unstable();
        ops.dedup();
        ops
    }

    /// The same expression with every occurrence of one op under another name.
    pub fn renamed(&self, from: &str, to: &str) -> Self {
        let mut rename = |leaf: &String| {
            let name = if leaf == from { to } else { leaf };
            Ok::<_, std::convert::Infallible>(name.to_string())
        };
        let Ok(renamed) = self.try_map(&mut rename);
        renamed
    }

    /// Removes an op as METHOD section 2 does: every occurrence goes; a combinator that lost children and has none
    /// left goes too, one that has a single child left becomes that child, and K is clamped to the children left.
    /// A `weighted` keeps its threshold. `None` is the emptied expression, which passes everything.
    pub fn without(&self, op: &str) -> Option<Self> {
        Some(match self {
            Expr::Op(name) if name == op => return None,
            Expr::Op(_) => self.clone(),
            Expr::Not(child) => Expr::Not(Box::new(child.without(op)?)),
            Expr::Any(children) => return collapse(children, |child| child.without(op), |left, _| Expr::Any(left)),
            Expr::All(children) => return collapse(children, |child| child.without(op), |left, _| Expr::All(left)),
            Expr::Vote(least, children) => {
                let clamp = |left: Vec<Self>, lost: bool| {
                    let most = u32::try_from(left.len()).unwrap_or(u32::MAX);
                    Expr::Vote(if lost { (*least).min(most) } else { *least }, left)
                };
                return collapse(children, |child| child.without(op), clamp);
            }
            Expr::Weighted(threshold, children) => {
                let left: Vec<_> = children.iter().filter_map(|(w, child)| Some((*w, child.without(op)?))).collect();
                match left.len() {
                    0 => return None,
                    1 if children.len() > 1 => return left.into_iter().next().map(|(_, only)| only),
                    _ => Expr::Weighted(*threshold, left),
                }
            }
        })
    }

    /// One form for expressions that differ in the order of children alone: children sorted by their text.
    pub fn canonical(&self) -> Self {
        let sorted = |children: &[Self]| {
            let mut children: Vec<Self> = children.iter().map(Self::canonical).collect();
            children.sort_by_cached_key(Self::to_string);
            children
        };
        match self {
            Expr::Op(_) => self.clone(),
            Expr::Not(child) => Expr::Not(Box::new(child.canonical())),
            Expr::Any(children) => Expr::Any(sorted(children)),
            Expr::All(children) => Expr::All(sorted(children)),
            Expr::Vote(least, children) => Expr::Vote(*least, sorted(children)),
            Expr::Weighted(threshold, children) => {
                let mut children: Vec<_> = children.iter().map(|(w, child)| (*w, child.canonical())).collect();
                children.sort_by_cached_key(|(weight, child)| (child.to_string(), *weight));
                Expr::Weighted(*threshold, children)
            }
        }
    }
}

fn collapse(
    children: &[Expr],
    keep: impl Fn(&Expr) -> Option<Expr>,
    rebuild: impl FnOnce(Vec<Expr>, bool) -> Expr,
) -> Option<Expr> {
    let mut left: Vec<Expr> = children.iter().filter_map(keep).collect();
    let lost = left.len() < children.len();
    match left.len() {
        0 => None,
        1 if lost => left.pop(),
        _ => Some(rebuild(left, lost)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expr(text: &str) -> Expr {
        text.parse().expect("an expression")
    }

    fn left(text: &str, op: &str) -> String {
        expr(text).without(op).map_or("pass everything".into(), |left| left.to_string())
    }

    #[test]
    fn removing_an_op_collapses_what_it_leaves_behind() {
        assert_eq!(left("(any a b)", "b"), "a");
        assert_eq!(left("(any a (all b b) c)", "b"), "(any a c)");
        assert_eq!(left("(any a (not b))", "b"), "a");
        assert_eq!(left("(not (any a b))", "a"), "(not b)");
        assert_eq!(left("(vote 3 a b c)", "c"), "(vote 2 a b)");
        assert_eq!(left("(vote 2 a b c)", "c"), "(vote 2 a b)");
        assert_eq!(left("(vote 2 a b)", "a"), "b");
        assert_eq!(left("(weighted 1.5 (1 a) (1 b) (2 c))", "c"), "(weighted 1.5 (1 a) (1 b))");
        assert_eq!(left("(weighted 1.5 (1 a) (2 b))", "a"), "b");
        assert_eq!(left("(any (all a a) (not a))", "a"), "pass everything");
        assert_eq!(left("a", "a"), "pass everything");
    }

    #[test]
    fn what_lost_no_child_stays_as_written() {
        for text in ["(any a)", "(vote 3 a b)", "(weighted 2 (1 a))", "(any (all a) (not (not b)))"] {
            assert_eq!(left(text, "z"), text);
        }
    }

    #[test]
    fn leaves_are_occurrences_and_ops_are_names() {
        let expr = expr("(any b (weighted 1 (2 a) (1 (not b))) (vote 1 c))");
        assert_eq!(expr.leaves(), ["b", "a", "b", "c"]);
        assert_eq!(expr.leaf_count(), 4);
        assert_eq!(expr.ops(), ["a", "b", "c"]);
        assert_eq!(expr.renamed("b", "d").ops(), ["a", "c", "d"]);
    }

    #[test]
    fn the_canonical_form_sorts_children() {
        let text = "(any c (all b a) (weighted 1 (2 y) (1 x)) (vote 2 n m))";
        assert_eq!(expr(text).canonical().to_string(), "(any (all a b) (vote 2 m n) (weighted 1 (1 x) (2 y)) c)");
    }
}
