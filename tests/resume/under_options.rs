//! Whatever a run is told, to go on from any of its commits in a process that has judged nothing yet gives the same
//! events; and one that is told to stop does so after the round in work.

use std::sync::atomic::{AtomicBool, Ordering};

use gradus::audit::locked::{self, Sealed};
use gradus::base::{Kind, Result};
use gradus::dataset::Dataset;
use gradus::grade::{Grader, Progress};
use gradus::journal::{Entry, Event};
use gradus::metric_loop::mining::Miner;
use gradus::metric_loop::run::{Keeper, Plan, Session};
use gradus::metric_loop::{Audit, Options};
use gradus::objective::Rule;
use gradus::pack::Pack;
use gradus::store::Store;

use crate::evolving::Place;

/// Keeps how many events there were after each commit.
struct Counted(Vec<usize>);

impl Keeper for Counted {
    fn commit(&mut self, _: u32, entries: &[Entry], _: &[(String, f64)]) -> Result<()> {
        self.0.push(self.0.last().unwrap_or(&0) + entries.len());
        Ok(())
    }
}

struct World {
    pack: Pack,
    dataset: Dataset,
    sealed: Sealed,
    store: Store,
}

impl World {
    fn evolve(&self, options: &Options, past: &[Entry]) -> (Vec<Entry>, Vec<usize>) {
        let grader = Grader::new(&self.pack, &self.store).threads(2);
        let miner = Miner::of(&self.pack).unwrap();
        let plan = Plan {
            dataset: &self.dataset,
            options,
            author: miner.as_ref().filter(|_| options.miner).map(|miner| miner as _),
            sealed: Some(&self.sealed),
            audit_nothing: true,
            id: "the same run",
        };
        let mut commits = Counted(Vec::new());
        let mut session = Session::new(&self.pack, &grader, self.dataset.corpus());
        (session.evolve(&plan, past.to_vec(), &mut commits).unwrap().entries, commits.0)
    }

    /// Goes on from every commit of a run, and hands over its events.
    fn goes_on_from_anywhere(&self, what: &str, options: Options) -> Vec<Entry> {
        let (whole, commits) = self.evolve(&options, &[]);
        assert!(commits.len() > 2, "{what}");
        for upto in commits {
            let (entries, _) = self.evolve(&options, &whole[..upto]);
            for (n, (one, other)) in entries.iter().zip(&whole).enumerate() {
                assert_eq!(one.line(), other.line(), "{what}, from event {upto}: event {n}");
            }
            assert_eq!(entries.len(), whole.len(), "{what}, from event {upto}");
        }
        whole
    }
}

fn world(place: &Place) -> World {
    let (dataset, sealed) = locked::load(&place.path().join("data")).unwrap();
    let pack = Pack::load(place.path().join("pack")).unwrap();
    World { pack, dataset, sealed, store: Store::open(&place.path().join("cache.sqlite")).unwrap() }
}

#[test]
fn a_run_goes_on_from_any_commit_to_the_same_events_whatever_it_was_told() {
    let place = Place::warm();
    let world = world(&place);
    let paper = Options { rounds: 3, rule: Rule::Paper, ..Options::default() };
    let runs = [
        ("every round audited", Options { audit: Audit::EveryRound, ..paper.clone() }),
        ("the default rule", Options { rule: Rule::Default, ..paper.clone() }),
        ("no lifecycle", Options { lifecycle: false, ..paper.clone() }),
        ("no guards", Options { guards: false, ..paper.clone() }),
        ("no miner", Options { miner: false, ..paper.clone() }),
        ("until nothing changes", Options { rounds: 20, ..paper }),
    ];
    let made = runs.map(|(what, options)| (what, world.goes_on_from_anywhere(what, options)));
    let count = |entries: &[Entry], is: fn(&Event) -> bool| entries.iter().filter(|entry| is(&entry.event)).count();
    for (what, entries) in &made {
        let births = count(entries, |event| matches!(event, Event::Born { .. }));
        assert_eq!(births == 0, *what == "no miner", "{what}: {births} births");
        assert!(count(entries, |event| matches!(event, Event::Audited { .. })) > 0, "{what}");
    }
}

/// Asks to stop once so many commits were made.
struct Stopping<'s> {
    left: usize,
    stop: &'s Stop,
}

#[derive(Default)]
struct Stop(AtomicBool);

impl Progress for Stop {
    fn outputs(&self, _: usize, _: usize) {}

    fn stopped(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

impl Keeper for Stopping<'_> {
    fn commit(&mut self, _: u32, _: &[Entry], _: &[(String, f64)]) -> Result<()> {
        self.left -= 1;
        self.stop.0.store(self.left == 0, Ordering::SeqCst);
        Ok(())
    }
}

#[test]
fn a_run_that_is_told_to_stop_stops_even_where_nothing_is_left_to_judge() {
    let place = Place::warm();
    let world = world(&place);
    let options = Options { rounds: 9, miner: false, audit: Audit::Never, ..Options::default() };
    let (_, commits) = world.evolve(&options, &[]);
    assert!(commits.len() > 3);
    for left in 1..=commits.len() {
        let stop = Stop::default();
        let grader = Grader::new(&world.pack, &world.store).progress(&stop);
        let plan = Plan {
            dataset: &world.dataset,
            options: &options,
            author: None,
            sealed: None,
            audit_nothing: false,
            id: "",
        };
        let mut keeper = Stopping { left, stop: &stop };
        let ended = Session::new(&world.pack, &grader, world.dataset.corpus()).evolve(&plan, Vec::new(), &mut keeper);
        assert_eq!(ended.err().map(|error| error.kind()), Some(Kind::Interrupted), "after {left} commits");
        assert_eq!(keeper.left, 0);
    }
}
