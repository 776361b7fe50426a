//! The loop on the data that we ship: what a pack has lost grows again, from measurements alone.

use gradus::audit::locked;
use gradus::dataset::{Pool, Sizes};
use gradus::grade::{Grader, Metric};
use gradus::journal::{Event, Standing};
use gradus::metric_loop::mining::Miner;
use gradus::metric_loop::run::{Plan, Unkept};
use gradus::metric_loop::study::{self, Arm};
use gradus::metric_loop::{Options, Session};
use gradus::pack::Pack;
use gradus::store::Store;

const WEAKEST: [&str; 3] = ["hard_coded_example", "mutates_arguments", "no_value"];

fn crippled() -> Pack {
    Pack::load(concat!(env!("CARGO_MANIFEST_DIR"), "/packs/code")).unwrap().only(&WEAKEST)
}

#[test]
fn a_pack_with_its_weakest_ops_alone_grows_a_metric_that_is_selected_and_stands_alone() {
    let pool = Pool::load(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/code").as_ref()).unwrap();
    let (pack, store) = (crippled(), Store::in_memory().unwrap());
    assert_eq!(pack.default_expression(), None);
    let grader = Grader::new(&pack, &store).threads(2);
    let (dataset, sealed) = locked::split(&pool, 0, Sizes { train: None, dev: 10 }).unwrap();
    let mut session = Session::new(&pack, &grader, pool.corpus());
    let arm = |rounds| Arm { name: "grown", options: Options { rounds, ..Options::default() }, crippled: true };
    let before = study::run(&mut session, &arm(0), &dataset, &sealed).unwrap();
    let after = study::run(&mut session, &arm(20), &dataset, &sealed).unwrap();
    assert!(!before.grown && after.grown && after.valid, "{after:?}");
    assert!(after.figures.balanced > before.figures.balanced + 0.2, "{before:?} {after:?}");

    let options = Options::default();
    let miner = Miner::of(&pack).unwrap().unwrap();
    let plan =
        Plan { dataset: &dataset, options: &options, author: Some(&miner), sealed: None, audit_nothing: false, id: "" };
    let run = session.evolve(&plan, Vec::new(), &mut Unkept).unwrap();
    assert_eq!(run.state.incumbent, after.metric, "an audit changes nothing");
    let leaves = run.state.incumbent.as_ref().unwrap().ops();
    let grown = run.state.pool.iter().find(|op| op.source.is_some() && leaves.contains(&&*op.name)).unwrap();
    assert_eq!(grown.standing, Standing::Active);
    let source = grown.source.as_ref().unwrap();
    assert!(source.contains("-- Birth certificate: fires on "), "{source}");
    let born = run.entries.iter().any(|entry| matches!(&entry.event, Event::Born { op, .. } if *op == grown.name));
    assert!(born, "its birth is in the journal");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("metric.json");
    run.bundle.unwrap().write(&path).unwrap();
    let metric = Metric::read(&path).unwrap();
    assert_eq!(Some(metric.expression()), run.state.incumbent.as_ref());
}
