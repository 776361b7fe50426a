//! The birth gate and what comes of its absence, with an author that writes good ops and bad ones.

mod support;
#[path = "support/small.rs"]
mod small;

use gradus::audit::locked;
use gradus::base::Result;
use gradus::dataset::{Pool, Sizes};
use gradus::grade::Grader;
use gradus::journal::{Entry, Event, Standing};
use gradus::metric_loop::author::{Author, Bench, Draft, Wish};
use gradus::metric_loop::run::{Plan, Session, Unkept};
use gradus::metric_loop::{Audit, Options};
use gradus::pack::{Pack, Script};
use gradus::store::Store;

/// Scripts to hand in, one a wish.
struct Hands(Vec<(&'static str, &'static str)>);

/// Blames every output, the known-good ones included.
const BLAMES_ALL: &str = "return drawback('as ever')";
/// Finds what the outputs that are labelled fail have in common.
const FINDS: &str = "if artifact.text:find('y = ', 1, true) then return drawback('assigns') end return clean()";
/// Never finds anything.
const SLEEPS: &str = "return clean()";
/// Fails wherever it is asked.
const FAULTS: &str = "error('as ever')";

impl Author for Hands {
    fn draft(&self, wish: &Wish, _: &mut Bench) -> Result<Result<Draft, String>> {
        let next = self.0.iter().find(|(name, _)| !wish.tried.contains(*name));
        Ok(next.ok_or_else(|| "there is nothing left".to_string()).map(|(name, check)| {
            let source = format!(
                "return {{ detects = 'no_answer', about = 'a test', tier = 'static', strength = 'evidence',
                 check = function(task, artifact) {check} end }}"
            );
            Draft { rule: name.to_string(), script: Script { path: format!("synthesized/{name}.lua"), source } }
        }))
    }
}

/// A run on a pool whose bad outputs have `y = ` in them, and whose pack says nothing.
fn events(scripts: &[(&'static str, &'static str)], options: Options) -> Vec<Entry> {
    let dir = tempfile::tempdir().unwrap();
    let pack = Pack::load(small::new_pack(dir.path())).unwrap();
    let pool = Pool::load(&small::pool(dir.path(), 12)).unwrap();
    let (dataset, sealed) = locked::split(&pool, 0, Sizes { train: Some(5), dev: 4 }).unwrap();
    let store = Store::in_memory().unwrap();
    let grader = Grader::new(&pack, &store).threads(1);
    let author = Hands(scripts.to_vec());
    let plan = Plan {
        dataset: &dataset,
        options: &options,
        author: Some(&author),
        sealed: Some(&sealed),
        audit_nothing: false,
        id: "",
    };
    Session::new(&pack, &grader, dataset.corpus()).evolve(&plan, Vec::new(), &mut Unkept).unwrap().entries
}

fn options(lifecycle: bool) -> Options {
    Options { rounds: 6, lifecycle, audit: Audit::Never, ..Options::default() }
}

/// What became of ops, in order.
fn fates(entries: &[Entry]) -> Vec<String> {
    let fate = |entry: &Entry| {
        Some(match &entry.event {
            Event::Born { op, standing: Standing::Active, .. } => format!("{op} is born"),
            Event::Born { op, .. } => format!("{op} is born as a shadow"),
            Event::Rejected { op, why, .. } => format!("{op} is rejected: {}", why.split(" on ").next().unwrap()),
            Event::Promoted { op, .. } => format!("{op} is promoted"),
            Event::Retired { op, .. } => format!("{op} retires"),
            Event::Expired { op, .. } => format!("{op} expires"),
            _ => return None,
        })
    };
    entries.iter().filter_map(fate).collect()
}

#[test]
fn the_gate_rejects_what_blames_or_faults_on_known_good_outputs_or_finds_nothing_and_says_why() {
    let found = fates(&events(
        &[("blames_all", BLAMES_ALL), ("faults", FAULTS), ("sleeps", SLEEPS), ("finds", FINDS)],
        options(true),
    ));
    println!("{found:#?}");
    assert_eq!(found, [""; 0]);
}

#[test]
fn without_lifecycle_every_op_is_born_active_and_none_is_rejected_promoted_or_retired() {
    let found = fates(&events(
        &[("blames_all", BLAMES_ALL), ("faults", FAULTS), ("sleeps", SLEEPS), ("finds", FINDS)],
        options(false),
    ));
    println!("{found:#?}");
    assert_eq!(found, [""; 0]);
}
