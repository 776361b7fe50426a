//! The walk over a grammar, from small to large, by behaviour and under bounds (the module's head says why nothing is
//! missed).

use std::collections::HashMap;

use super::flat::SAME_SCORE;
use super::gate::{Gate, Prefix};
use super::grammar::Grammar;
use super::ground::{Ground, total};
use super::key::{self, Head};
use super::sink::{Scored, Sink};
use super::table::{Entry, Group, Table};

/// A score made of a factor that a few near items give, a share of right far items, and a cost.
pub trait Goal {
    /// What the near items make of an expression with these values; `None` if they forbid to select it.
    fn near(&self, known: &[u64], one: &[u64]) -> Option<f64>;

    /// The score. It must not fall when `near` rises, nor when `wrong` falls or `opined` rises with the other unchanged;
    /// it must not rise with leaves or judges.
    fn score(&self, near: f64, opined: usize, wrong: usize, leaves: usize, judges: usize) -> f64;

    /// Whether the far items allow to select an expression that opines on so many counted items, and is 1 and 0 on so
    /// many of those that are not out.
    fn allows(&self, opined: usize, ones: usize, zeros: usize) -> bool;
}

/// How much work a search was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Expressions made of kept behaviours, those that a bound turned away unseen included.
    pub reached: u64,
    /// Of those, the ones whose wrong far items were counted.
    pub counted: u64,
    /// Behaviours kept to make larger ones of.
    pub kept: u64,
}

/// How a search goes about its work. What it finds is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Whether expressions are turned away by bounds. Otherwise the far items of every one are counted that the near
    /// items allow.
    pub bounded: bool,
    /// How many behaviours of the last size but one are kept at a time. Past that they are used and dropped, and one that
    /// turns up again later is used again.
    pub room: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { bounded: true, room: 1 << 18 }
    }
}

/// Scores the whole grammar over the leaves of `ground`, so that nothing that could reach the sink's floor is left out.
pub fn explore<G: Goal, S: Sink>(ground: &Ground, goal: &G, grammar: Grammar, effort: Effort, sink: &mut S) -> Tally {
    let row = || vec![0; ground.width];
    let table = Table::new(ground, S::BY_OPS);
    let reach = HashMap::new();
    let mut walk =
        Walk { ground, goal, grammar, effort, sink, table, reach, known: row(), one: row(), tally: Tally::default() };
    walk.leaves();
    for size in 2..=grammar.leaves() {
        for seat in walk.seats(1..=size / 2, 0) {
            let prefix = walk.prefix(None, seat);
            walk.grow(&prefix, size);
        }
        walk.table.close_level();
    }
    walk.tally.kept += walk.table.entries.len() as u64;
    walk.tally
}

/// What an expression of the last size but one could reach with one more leaf: the most wrong items that it may have
/// where the last leaf joins by `any`, and by `all` or a vote of both; `None` where it cannot.
type Reach = [Option<usize>; 2];

struct Walk<'w, G, S> {
    ground: &'w Ground,
    goal: &'w G,
    grammar: Grammar,
    effort: Effort,
    sink: &'w mut S,
    table: Table,
    /// By near values: the best near factor with one more leaf, by `any`, and by `all` or a vote of both.
    reach: HashMap<Vec<u64>, [Option<f64>; 2]>,
    known: Vec<u64>,
    one: Vec<u64>,
    tally: Tally,
}

impl<G: Goal, S: Sink> Walk<'_, G, S> {
    fn leaves(&mut self) {
        let ground = self.ground;
        for (rank, leaf) in ground.leaves.iter().enumerate() {
            let range = rank * ground.width..(rank + 1) * ground.width;
            let (known, one) = (&ground.known[range.clone()], &ground.one[range]);
            let (key, judges, counts) = (key::leaf(rank), usize::from(leaf.judge), ground.counts(known, one));
            self.tally.reached += 1;
            if let Some(near) = self.goal.near(&known[..ground.near], &one[..ground.near]) {
                self.tally.counted += 1;
                let score = self.goal.score(near, counts.opined(), counts.wrong(), 1, judges);
                offer(ground, self.goal, self.sink, Offer { score, known, one, leaves: 1, judges }, || key.clone());
            }
            let entry = Entry { leaves: 1, judges, key, counts };
            if self.grammar.is_nested() {
                self.table.keep(known, one, entry)
            } else {
                self.table.push(known, one, entry)
            }
        }
        self.table.close_level();
    }

    /// The seats from `first` on of the levels of these sizes.
    fn seats(&self, sizes: std::ops::RangeInclusive<usize>, first: usize) -> Vec<usize> {
        let groups = sizes.filter_map(|size| self.table.levels.get(size - 1)).flatten();
        groups.flat_map(|group| group.start.max(first)..group.end).collect()
    }

    fn prefix(&self, prefix: Option<&Prefix>, seat: usize) -> Prefix {
        let (Entry { leaves, judges, .. }, known, one) =
            (&self.table.entries[seat], self.table.known(seat), self.table.one(seat));
        match prefix {
            None => Prefix::of(seat, *leaves, *judges, known, one),
            Some(prefix) => prefix.with(seat, *leaves, *judges, known, one),
        }
    }

    /// Ends the prefix with every last child that makes the size full, then makes it longer.
    fn grow(&mut self, prefix: &Prefix, size: usize) {
        let left = size - prefix.leaves;
        let Some(&last) = prefix.seats.last() else { return };
        for head in self.heads(prefix.seats.len() + 1) {
            let gate = prefix.gate(self.ground, head);
            let repeats = self.grammar.is_nested() && prefix.seats.len() > 1;
            for at in 0..self.table.levels[left - 1].len() {
                let group = self.table.levels[left - 1][at];
                let start = group.start.max(if repeats { last } else { last + 1 });
                if start < group.end {
                    self.group(prefix, &gate, Group { start, end: group.end }, size);
                }
            }
        }
        for seat in self.seats(1..=left / 2, if self.grammar.is_nested() { last } else { last + 1 }) {
            let longer = self.prefix(Some(prefix), seat);
            self.grow(&longer, size);
        }
    }

    /// The heads of so many children: the three associative ones are joined from two where children may be joined.
    fn heads(&self, children: usize) -> Vec<Head> {
        let most = children as u16;
        let votes = |range: std::ops::RangeInclusive<u16>| range.map(Head::Vote).collect::<Vec<_>>();
        match (self.grammar.is_nested(), children) {
            (true, 3..) => votes(2..=most - 1),
            _ => [vec![Head::All], votes(1..=most)].concat(),
        }
    }

    /// Every last child of one group, whose members have the same near values.
    fn group(&mut self, prefix: &Prefix, gate: &Gate, group: Group, size: usize) {
        let (ground, near) = (self.ground, self.ground.near);
        self.tally.reached += (group.end - group.start) as u64;
        let (known, one) = (&mut self.known[..near], &mut self.one[..near]);
        gate.values(self.table.known(group.start), self.table.one(group.start), known, one);
        let factor = self.goal.near(known, one);
        let budget = factor.and_then(|factor| self.budget(factor, size, prefix.judges));
        let reach = self.reach(size, prefix.judges);
        if budget.is_none() && reach == [None; 2] {
            return;
        }
        for seat in group.start..group.end {
            let (alarms, misses) = gate.least_wrong(self.table.entries[seat].counts);
            if self.effort.bounded && budget.is_none_or(|most| alarms + misses > most) && !within(reach, alarms, misses)
            {
                continue;
            }
            self.tally.counted += 1;
            let (last_known, last_one) = (self.table.known(seat), self.table.one(seat));
            if reach == [None; 2] && Some(gate.wrong(ground, last_known, last_one)) > budget {
                continue;
            }
            gate.values(last_known, last_one, &mut self.known, &mut self.one);
            let counts = ground.counts(&self.known, &self.one);
            let judges = prefix.judges + self.table.entries[seat].judges;
            let (entries, seats) = (&self.table.entries, &prefix.seats);
            let key = || {
                let keys: Vec<&[u16]> = seats.iter().chain([&seat]).map(|seat| &*entries[*seat].key).collect();
                key::join(gate.head, &keys)
            };
            if let (Some(near), true) = (factor, budget.is_some_and(|most| counts.wrong() <= most)) {
                let score = self.goal.score(near, counts.opined(), counts.wrong(), size, judges);
                let found = Offer { score, known: &self.known, one: &self.one, leaves: size, judges };
                offer(ground, self.goal, self.sink, found, key);
            }
            if within(reach, counts.alarms as usize, counts.misses() as usize) {
                let entry = Entry { leaves: size, judges, key: key(), counts };
                self.table.keep(&self.known, &self.one, entry);
                if size + 1 == self.grammar.leaves() && self.table.open_entries() > self.effort.room {
                    self.make_room();
                }
            }
        }
    }

    /// Extends what is kept of the last size but one, and drops it.
    fn make_room(&mut self) {
        self.tally.kept += self.table.open_entries() as u64;
        self.table.close_level();
        let size = self.grammar.leaves();
        for seat in self.seats(1..=1, 0) {
            let prefix = self.prefix(None, seat);
            for head in self.heads(2) {
                let gate = prefix.gate(self.ground, head);
                for at in 0..self.table.levels[size - 2].len() {
                    self.group(&prefix, &gate, self.table.levels[size - 2][at], size);
                }
            }
        }
        self.table.drop_level();
    }

    /// The most wrong items with which an expression could still reach the floor.
    fn budget(&self, near: f64, leaves: usize, judges: usize) -> Option<usize> {
        let all = self.ground.wanted_ones + self.ground.wanted_zeros;
        let floor = self.sink.floor() - SAME_SCORE;
        let reaches = |wrong: usize| self.goal.score(near, all, wrong, leaves, judges) >= floor;
        if !self.effort.bounded || reaches(all) {
            return Some(all);
        }
        if !reaches(0) {
            return None;
        }
        let (mut most, mut too_many) = (0, all);
        while too_many - most > 1 {
            let middle = most.midpoint(too_many);
            if reaches(middle) { most = middle } else { too_many = middle }
        }
        Some(most)
    }

    /// What an expression with the near values at hand may still become; nothing if it has the last size.
    fn reach(&mut self, size: usize, judges: usize) -> Reach {
        let last = self.grammar.leaves();
        if !self.grammar.is_nested() || size == last {
            return [None; 2];
        }
        if !self.effort.bounded || size + 1 < last {
            return [Some(usize::MAX); 2];
        }
        let near = self.ground.near;
        let values = [&self.known[..near], &self.one[..near]].concat();
        let factors = match self.reach.get(&values) {
            Some(factors) => *factors,
            None => {
                let factors = self.with_one_leaf(&values[..near], &values[near..]);
                self.reach.insert(values, factors);
                factors
            }
        };
        factors.map(|factor| factor.and_then(|factor| self.budget(factor, last, judges)))
    }

    fn with_one_leaf(&self, known: &[u64], one: &[u64]) -> [Option<f64>; 2] {
        let mut best: [Option<f64>; 2] = [None; 2];
        let (mut new_known, mut new_one) = (known.to_vec(), one.to_vec());
        for group in &self.table.levels[0] {
            let (leaf_known, leaf_one) = (self.table.known(group.start), self.table.one(group.start));
            for (side, head) in [(0, Head::Vote(1)), (1, Head::All), (1, Head::Vote(2))] {
                for at in 0..known.len() {
                    let zero = known[at] & !one[at] | leaf_known[at] & !leaf_one[at];
                    new_known[at] = known[at] | leaf_known[at];
                    new_one[at] = match head {
                        Head::Vote(1) => one[at] | leaf_one[at],
                        Head::Vote(_) => one[at] & leaf_one[at],
                        Head::All => new_known[at] & !zero,
                    };
                }
                if let Some(factor) = self.goal.near(&new_known, &new_one) {
                    best[side] = Some(best[side].map_or(factor, |best| best.max(factor)));
                }
            }
        }
        best
    }
}

/// `any` keeps every false alarm, `all` and a vote of both keep every miss.
fn within(reach: Reach, alarms: usize, misses: usize) -> bool {
    reach[0].is_some_and(|most| alarms <= most) || reach[1].is_some_and(|most| misses <= most)
}

/// An expression that reaches the floor unless the far items forbid it.
struct Offer<'o> {
    score: f64,
    known: &'o [u64],
    one: &'o [u64],
    leaves: usize,
    judges: usize,
}

fn offer(ground: &Ground, goal: &impl Goal, sink: &mut impl Sink, offer: Offer<'_>, key: impl FnOnce() -> key::Key) {
    let Offer { score, known, one, leaves, judges } = offer;
    if score < sink.floor() {
        return;
    }
    let said = ground.near..ground.near + ground.said;
    let ones = total(&one[said.clone()]) as usize;
    let zeros = total(&known[said]) as usize - ones;
    if goal.allows(total(ground.counted(known)) as usize, ones, zeros) {
        sink.take(Scored { score, leaves, judges, known, one, key: key() });
    }
}
