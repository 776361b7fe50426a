//! Inputs near the visible example: argument lists that a hidden test of the same function could contain.
//!
//! Seeded by the task alone, so that all outputs of a task see the same inputs and one run of each serves them all.
//! What is mutated keeps its type and shape, and the relations between arguments that the example shows are mostly
//! kept (`relations.rs`): on inputs outside the function's domain correct programs part ways too.

mod container;
mod relations;
mod scalar;
mod string;
mod style;

use std::collections::HashSet;

use super::assertion::Assertion;
use super::literal;
use super::repr::repr;
use super::value::Value;
use crate::base::rng::Stream;
use relations::Relations;
use style::Style;

/// Argument lists that one example allows, at most.
const MAX_BOUNDARIES: usize = 8;
/// Draws in a row that bring nothing new before the neighbourhood counts as used up.
const MAX_IDLE_DRAWS: usize = 300;
/// A larger example costs more to vary than it teaches; its values are left out.
const MAX_EXAMPLE_BYTES: usize = 20_000;

const BOUNDARY_SHARE: f64 = 0.1;
const FROM_EARLIER_SHARE: f64 = 0.25;
const KEEP_RELATIONS_SHARE: f64 = 0.9;
const TWO_ARGUMENTS_SHARE: f64 = 0.2;

/// Up to `n` distinct argument lists (texts of Python list literals) near the calls of the assert statements, none of
/// them a call of an example. The first `k` are the same for every `n >= k`; fewer come where the example has few
/// neighbours, none where no example can be read.
pub fn mutations(examples: &[String], task_id: &str, n: usize) -> Vec<String> {
    let seeds = read(examples);
    let mut rng = Stream::new(0, 0, &format!("mutations/{task_id}"));
    let mut taken: HashSet<String> = seeds.iter().map(|seed| seed.text.clone()).collect();
    let mut found: Vec<(usize, Vec<Value>, String)> = Vec::new();
    let mut idle = 0;
    while !seeds.is_empty() && found.len() < n && idle < MAX_IDLE_DRAWS {
        let which = rng.below(seeds.len());
        let args = draw(&seeds, which, &found, &mut rng);
        let text = repr(&Value::List(args.clone()));
        idle += 1;
        if taken.insert(text.clone()) {
            found.push((which, args, text));
            idle = 0;
        }
    }
    found.into_iter().map(|(_, _, text)| text).collect()
}

/// At most eight empty, zero or single-element variations of the examples, one argument at a time.
pub fn boundaries(examples: &[String], task_id: &str) -> Vec<String> {
    let seeds = read(examples);
    let mut rng = Stream::new(0, 0, &format!("boundaries/{task_id}"));
    let mut taken: HashSet<String> = seeds.iter().map(|seed| seed.text.clone()).collect();
    let mut by_argument: Vec<Vec<String>> = Vec::new();
    for seed in &seeds {
        for place in 0..seed.args.len() {
            let varied = edges(&seed.args[place]).into_iter().map(|edge| repr(&Value::List(seed.with(place, edge))));
            by_argument.push(varied.filter(|text| taken.insert(text.clone())).collect());
        }
    }
    // First every argument's plainest edge, then the rest of them in a drawn order.
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for mut texts in by_argument {
        rest.extend(texts.split_off(texts.len().min(1)));
        first.append(&mut texts);
    }
    rng.shuffle(&mut rest);
    first.append(&mut rest);
    first.truncate(MAX_BOUNDARIES);
    first
}

/// One example's call, and what it shows of the function's domain.
struct Seed {
    args: Vec<Value>,
    text: String,
    relations: Relations,
    styles: Vec<Style>,
}

impl Seed {
    fn with(&self, place: usize, value: Value) -> Vec<Value> {
        let mut args = self.args.clone();
        args[place] = value;
        args
    }
}

fn read(examples: &[String]) -> Vec<Seed> {
    let mut seeds: Vec<Seed> = Vec::new();
    for assertion in examples.iter().filter_map(|text| Assertion::parse(text)) {
        let text = assertion.args().to_owned();
        let Ok(Value::List(args)) = literal::parse(&text) else { continue };
        if text.len() <= MAX_EXAMPLE_BYTES && seeds.iter().all(|seed| seed.text != text) {
            let styles = (0..args.len()).map(|place| Style::learn(&args, place)).collect();
            seeds.push(Seed { relations: Relations::learn(&args), styles, args, text });
        }
    }
    seeds.retain(|seed| !seed.args.is_empty());
    seeds
}

/// One neighbour: one to three steps from the example or from an earlier neighbour of it.
fn draw(seeds: &[Seed], which: usize, found: &[(usize, Vec<Value>, String)], rng: &mut Stream) -> Vec<Value> {
    let seed = &seeds[which];
    if chance(rng, BOUNDARY_SHARE) {
        let place = rng.below(seed.args.len());
        let edges = edges(&seed.args[place]);
        if !edges.is_empty() {
            return seed.with(place, edges[rng.below(edges.len())].clone());
        }
    }
    let mut args = seed.args.clone();
    if chance(rng, FROM_EARLIER_SHARE) && !found.is_empty() {
        let (origin, earlier, _) = &found[rng.below(found.len())];
        if *origin == which {
            args.clone_from(earlier);
        }
    }
    let steps = *pick(rng, &[1, 1, 1, 2, 2, 3]);
    for _ in 0..steps {
        let place = rng.below(args.len());
        args[place] = seed.styles[place].vary(&args[place], rng);
        if args.len() > 1 && chance(rng, TWO_ARGUMENTS_SHARE) {
            let second = (place + 1 + rng.below(args.len() - 1)) % args.len();
            args[second] = seed.styles[second].vary(&args[second], rng);
        }
    }
    if chance(rng, KEEP_RELATIONS_SHARE) {
        seed.relations.restore(&mut args, rng);
    }
    args
}

/// The boundary values of a value's type, the plainest first.
fn edges(value: &Value) -> Vec<Value> {
    let first = |items: &[Value]| items.iter().take(1).cloned().collect::<Vec<_>>();
    let edges = match value {
        Value::Int(_) => vec![Value::int(0), Value::int(1), Value::int(-1)],
        Value::Float(_) => vec![Value::Float(0.0), Value::Float(1.0), Value::Float(-1.0)],
        Value::Str(text) => {
            let one = super::value::code_points(text).next().unwrap_or_default().to_vec();
            vec![Value::Str(Vec::new()), Value::Str(one)]
        }
        Value::Bytes(bytes) => vec![Value::Bytes(Vec::new()), Value::Bytes(bytes.iter().take(1).copied().collect())],
        Value::List(items) => vec![Value::List(Vec::new()), Value::List(first(items))],
        Value::Tuple(items) => vec![Value::Tuple(Vec::new()), Value::Tuple(first(items))],
        Value::Set(items) => vec![Value::Set(Vec::new()), Value::Set(first(items))],
        Value::FrozenSet(items) => vec![Value::FrozenSet(Vec::new()), Value::FrozenSet(first(items))],
        Value::Dict(pairs) => vec![Value::Dict(Vec::new()), Value::Dict(pairs.iter().take(1).cloned().collect())],
        Value::None | Value::Bool(_) | Value::Complex(..) | Value::Ellipsis => Vec::new(),
    };
    let original = repr(value);
    edges.into_iter().filter(|edge| repr(edge) != original).collect()
}

fn chance(rng: &mut Stream, share: f64) -> bool {
    rng.unit() < share
}

/// One of the items; there must be one.
fn pick<'v, T>(rng: &mut Stream, items: &'v [T]) -> &'v T {
    &items[rng.below(items.len())]
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
