//! Which outputs to label next, so that tied behaviours part (METHOD section 10).
//!
//! A label refutes the behaviours that say the opposite; those without an opinion stay. Greedy, and planned for the worst
//! answer: once a label is known, ask again.

use super::ties::TieSet;
use crate::expr::{Bits, Matrix, Planes};

/// An output worth a label, and what the behaviours that are left when its turn comes say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextLabel {
    /// The row of the matrix.
    pub item: usize,
    pub fail: usize,
    pub pass: usize,
    pub no_opinion: usize,
}

impl NextLabel {
    /// How many behaviours are left under the answer that refutes fewer.
    pub fn worst_case(&self) -> usize {
        self.fail.max(self.pass) + self.no_opinion
    }
}

impl TieSet {
    /// At most `count` items of `matrix`, each chosen to leave the fewest behaviours in the worst case, the first such item
    /// where several do, and each under the assumption that the items before it were answered in their worst way (fail,
    /// where both answers are). Behaviours are told apart on `matrix`, and each counts once. Stops where no label refutes any.
    pub fn next_labels(&self, matrix: &Matrix, count: usize) -> Vec<NextLabel> {
        let rows: Vec<Planes> =
            self.each_behaviour(&[matrix]).into_iter().flat_map(|behaviour| behaviour.values).collect();
        let over =
            |plane: fn(&Planes) -> &Bits, item: usize| Bits::from_fn(rows.len(), |row| plane(&rows[row]).get(item));
        let items: Vec<Planes> = (0..matrix.items())
            .map(|item| Planes { known: over(|row| &row.known, item), one: over(|row| &row.one, item) })
            .collect();
        let mut left = Bits::all(rows.len());
        let mut labels = Vec::new();
        while labels.len() < count {
            let splits = (0..items.len()).map(|item| split(item, &items[item], &left));
            let Some(best) = splits.min_by_key(|label| (label.worst_case(), label.item)) else { break };
            if best.worst_case() == left.count() {
                break;
            }
            let said = &items[best.item];
            left = if best.fail >= best.pass { left.and_not(&said.zero()) } else { left.and_not(&said.one) };
            labels.push(best);
        }
        labels
    }
}

fn split(item: usize, said: &Planes, left: &Bits) -> NextLabel {
    let (known, fail) = (said.known.and(left).count(), said.one.and(left).count());
    NextLabel { item, fail, pass: known - fail, no_opinion: left.count() - known }
}
