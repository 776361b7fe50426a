//! Two metrics on the same outputs: where their words differ, and which leaves make them differ.
//!
//! Pure: the grades are made elsewhere, with every leaf run.

use crate::expr::{Expr, Outcome, State, decisive};
use crate::grade::metric::Grade;
use crate::stats::mcnemar;
use crate::verdict::Verdict;

/// What counts when two metrics are compared; an abstention passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word {
    Pass,
    Fail,
    Fault,
}

impl Word {
    pub const ALL: [Self; 3] = [Self::Pass, Self::Fail, Self::Fault];

    pub fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Pass | Outcome::Abstain => Self::Pass,
            Outcome::Fail => Self::Fail,
            Outcome::Fault => Self::Fault,
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Fault => "fault",
        }
    }

    fn is_right(self, pass: bool) -> bool {
        self == if pass { Self::Pass } else { Self::Fail }
    }
}

/// A leaf, or the root, that stands behind a side's failure or fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    pub op: String,
    pub verdict: Verdict,
    /// Whether the side's word would be another without this verdict or with its opposite.
    pub decisive: bool,
}

/// What stands behind a grade that is no pass: for a failure the leaves that decide it and those that find a drawback,
/// for a fault those that fault. Nothing for a pass.
pub fn causes(expr: &Expr, grade: &Grade) -> Vec<Cause> {
    let word = Word::of(grade.outcome);
    if word == Word::Pass {
        return Vec::new();
    }
    if matches!(grade.root, Verdict::Drawback(_) | Verdict::Fault(_)) {
        return vec![Cause { op: "root".to_owned(), verdict: grade.root.clone(), decisive: true }];
    }
    let find = |op: &str| grade.leaves.iter().find(|(leaf, _)| leaf == op);
    let deciding = decisive(expr, |op| find(op).map_or(State::Fault, |(_, verdict)| State::from(verdict)));
    let speaks = |cause: &Cause| match word {
        Word::Fault => cause.verdict.is_fault(),
        _ => cause.decisive || cause.verdict.is_drawback(),
    };
    let cause = |(op, verdict): &(String, Verdict)| Cause {
        op: op.clone(),
        verdict: verdict.clone(),
        decisive: deciding.contains(&op.as_str()),
    };
    grade.leaves.iter().map(cause).filter(speaks).collect()
}

/// How often the first metric said one word and the second another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Crossing([[usize; 3]; 3]);

impl Crossing {
    pub fn of(pairs: impl IntoIterator<Item = (Word, Word)>) -> Self {
        let mut crossing = Self::default();
        for (a, b) in pairs {
            crossing.0[a as usize][b as usize] += 1;
        }
        crossing
    }

    pub fn get(&self, a: Word, b: Word) -> usize {
        self.0[a as usize][b as usize]
    }

    /// Outputs on which the two differ.
    pub fn flips(&self) -> usize {
        let all = Word::ALL.into_iter().flat_map(|a| Word::ALL.map(|b| (a, b)));
        all.filter(|(a, b)| a != b).map(|(a, b)| self.get(a, b)).sum()
    }
}

/// Outputs that speak for one metric alone, and how likely such a difference is by chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paired {
    /// Outputs compared.
    pub items: usize,
    pub only_a: usize,
    pub only_b: usize,
    /// McNemar's exact two-sided p.
    pub p: f64,
}

impl Paired {
    fn of(pairs: impl Iterator<Item = (bool, bool)>) -> Self {
        let (mut items, mut only_a, mut only_b) = (0, 0, 0);
        for (a, b) in pairs {
            items += 1;
            only_a += usize::from(a && !b);
            only_b += usize::from(b && !a);
        }
        Self { items, only_a, only_b, p: mcnemar(only_b as u64, only_a as u64) }
    }

    /// Right or wrong, where there are labels; a fault is wrong.
    pub fn by_labels(words: &[(Word, Word)], labels: &[Option<bool>]) -> Self {
        let labelled = words.iter().zip(labels).filter_map(|(words, label)| Some((words, (*label)?)));
        Self::of(labelled.map(|((a, b), pass)| (a.is_right(pass), b.is_right(pass))))
    }

    /// Passed or failed, where both could judge.
    pub fn by_verdicts(words: &[(Word, Word)]) -> Self {
        let judged = words.iter().filter(|(a, b)| *a != Word::Fault && *b != Word::Fault);
        Self::of(judged.map(|(a, b)| (*a == Word::Pass, *b == Word::Pass)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Fault, FaultKind, Finding};

    fn drawback() -> Verdict {
        Verdict::Drawback(Finding { message: "is wrong".into(), span: None })
    }

    fn fault() -> Verdict {
        Verdict::Fault(Fault::new(FaultKind::Error, "boom"))
    }

    fn found(expr: &str, outcome: Outcome, root: Verdict, leaves: &[(&str, Verdict)]) -> Vec<(String, bool)> {
        let leaves = leaves.iter().map(|(op, verdict)| (op.to_string(), verdict.clone())).collect();
        let causes = causes(&expr.parse().unwrap(), &Grade { outcome, root, leaves });
        causes.into_iter().map(|cause| (cause.op, cause.decisive)).collect()
    }

    #[test]
    fn a_failures_causes_are_what_fires_and_what_decides() {
        let two = [("a", drawback()), ("b", drawback())];
        let one = [("a", drawback()), ("b", Verdict::Clean)];
        let named = |causes: &[(&str, bool)]| causes.iter().map(|(op, yes)| (op.to_string(), *yes)).collect::<Vec<_>>();
        assert_eq!(found("(any a b)", Outcome::Fail, Verdict::Clean, &two), named(&[("a", false), ("b", false)]));
        assert_eq!(found("(any a b)", Outcome::Fail, Verdict::Clean, &one), named(&[("a", true)]));
        assert_eq!(found("(all a (not b))", Outcome::Fail, Verdict::Clean, &one), named(&[("a", true), ("b", true)]));
        assert_eq!(found("(any a b)", Outcome::Fail, drawback(), &[]), named(&[("root", true)]));
        assert_eq!(found("a", Outcome::Pass, Verdict::Clean, &[("a", Verdict::Clean)]), []);
        let torn = [("a", Verdict::Clean), ("b", fault())];
        assert_eq!(found("(any a b)", Outcome::Fault, Verdict::Clean, &torn), named(&[("b", true)]));
    }

    #[test]
    fn words_are_counted_and_compared_with_labels_and_without() {
        use Word::{Fail, Fault, Pass};
        let words = [(Pass, Pass), (Pass, Fail), (Pass, Fail), (Fail, Pass), (Fault, Pass), (Fail, Fail)];
        let crossing = Crossing::of(words);
        assert_eq!((crossing.get(Pass, Fail), crossing.get(Fault, Pass), crossing.flips()), (2, 1, 4));
        let by_verdicts = Paired::by_verdicts(&words);
        assert_eq!((by_verdicts.items, by_verdicts.only_a, by_verdicts.only_b), (5, 2, 1));
        assert!((by_verdicts.p - 1.0).abs() < 1e-12);
        let labels = [Some(true), Some(false), Some(false), Some(true), Some(true), None];
        let by_labels = Paired::by_labels(&words, &labels);
        assert_eq!((by_labels.items, by_labels.only_a, by_labels.only_b), (5, 0, 4));
        assert!((by_labels.p - 0.125).abs() < 1e-12);
    }
}
