//! The plan protocol through the grader: rounds, peers, budgets, refusals, faults, and what the cache keeps of it.
//!
//! Packs are written here, as text; candidates run in the real sandbox.

#[path = "support/inline.rs"]
mod inline;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use gradus::base::Kind;
use gradus::expr::Outcome;
use gradus::grade::metric::Depth;
use gradus::grade::{Grader, Group, Metric, Progress, Row};
use gradus::pack::Pack;
use gradus::store::Store;
use gradus::verdict::{Fault, FaultKind, Verdict};
use inline::{Op, check, compile, compile_with, group, plan, said};

const DOUBLE: &str = "def f(x):\n    return 2 * x\n";

/// The verdicts on each text of one task, with a cache of its own.
fn rows(pack: &Pack, texts: &[&str]) -> Vec<Row> {
    rows_in(&Store::in_memory().unwrap(), pack, texts)
}

fn rows_in(store: &Store, pack: &Pack, texts: &[&str]) -> Vec<Row> {
    let rows = Grader::new(pack, store).threads(2).matrix(&[group(texts)], pack.ops()).unwrap();
    rows.into_iter().flatten().flatten().collect()
}

/// The single op's word on a single text.
fn verdict(op: Op, text: &str) -> Verdict {
    rows(&compile(&[op]), &[text]).remove(0).leaves.remove(0)
}

fn observations(store: &Store) -> u64 {
    store.stats().unwrap().observations
}

#[test]
fn a_plan_asks_again_after_it_has_seen() {
    let op = plan(
        "local last = seen[#seen]
         if last and last.own.value:repr() == '8' then return nil end
         return { { call = 'f', args = '[' .. (last and last.own.value:repr() or '2') .. ']' } }",
    );
    assert_eq!(said(&verdict(op, DOUBLE)), "4 8");
}

#[test]
fn a_plan_has_three_rounds() {
    let op = plan("return { { call = 'f', args = '[' .. #seen .. ']' } }");
    assert_eq!(said(&verdict(op, DOUBLE)), "0 2 4");
}

#[test]
fn what_was_asked_is_not_asked_again() {
    let op = plan(
        "local requests = { { call = 'f', args = '[1]' }, { call = 'f', args = '[1]' } }
         if #seen > 0 then table.insert(requests, { call = 'f', args = '[7]' }) end
         return requests",
    );
    let pack = compile(&[op.named("first"), op.named("second")]);
    let store = Store::in_memory().unwrap();
    let rows = rows_in(&store, &pack, &[DOUBLE, DOUBLE]);
    for row in &rows {
        assert_eq!(row.leaves.iter().map(said).collect::<Vec<_>>(), ["2 2 14", "2 2 14"]);
    }
    assert_eq!(observations(&store), 2, "two ops on two equal texts ask for two runs");
}

#[test]
fn peers_are_the_first_sixteen_other_texts() {
    let texts: Vec<String> = (0..20).map(|n| format!("def f():\n    return {n}\n")).collect();
    let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    texts.push(texts[0]);
    let both = plan("return { { call = 'f', args = '[]', on = 'both' } }").with_peers();
    let peers_only = plan("return { { call = 'f', args = '[]', on = 'peers' } }").with_peers();
    let pack = compile(&[both.named("both"), peers_only.named("peers_only")]);
    let rows = rows(&pack, &texts);
    for (own, row) in rows.iter().enumerate() {
        let of_both = said(&row.leaves[0]);
        let (value, peers) = of_both.split_once('|').unwrap();
        assert_eq!(value, (own % 20).to_string());
        let peers: Vec<usize> = peers.split(',').map(|peer| peer.parse().unwrap()).collect();
        assert_eq!(peers.len(), 16);
        assert!(!peers.contains(&(own % 20)), "{own} is among its own peers {peers:?}");
        let mut distinct = peers.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 16, "a text twice among {peers:?}");
        assert_eq!(said(&row.leaves[1]), format!("-|{}", of_both.split_once('|').unwrap().1));
    }
    assert_eq!(rows[0], rows[20], "a copy has the same peers");
    let mut backwards: Vec<&str> = texts.clone();
    backwards.reverse();
    let mut again = self::rows(&pack, &backwards);
    again.reverse();
    assert_eq!(again, rows, "peers do not depend on the order of the outputs");
}

#[test]
fn an_op_without_peers_cannot_ask_for_them() {
    let fault = verdict(plan("return { { call = 'f', args = '[1]', on = 'both' } }"), DOUBLE);
    assert!(matches!(&fault, Verdict::Fault(Fault { kind: FaultKind::Malformed, .. })), "{fault:?}");
    assert!(fault.message().unwrap().contains("`peers = true`"), "{fault:?}");
}

#[test]
fn a_lonely_output_has_no_peers() {
    let op = plan("return { { call = 'f', args = '[3]', on = 'both' } }").with_peers();
    assert_eq!(said(&verdict(op, DOUBLE)), "6|");
}

#[test]
fn another_world_has_another_hash_seed() {
    let op = plan("return { { call = 'f', args = '[]' }, { call = 'f', args = '[]', world = 1 } }");
    let text = "def f():\n    return hash('gradus')\n";
    let first = said(&verdict(op, text)).to_string();
    let (here, there) = first.split_once(' ').unwrap();
    assert_ne!(here, there);
    assert_eq!(said(&verdict(op, text)), first, "each world has a seed of its own, in every run");
}

#[test]
fn over_budget_an_op_abstains_before_anything_runs() {
    let calls =
        |n: usize| format!("for n = 1, {n} do table.insert(requests, {{ call = 'f', args = '[' .. n .. ']' }}) end");
    let body = format!("local requests = {{}}; {} return requests", calls(4));
    let op = plan(&body);
    let store = Store::in_memory().unwrap();
    let tight = compile_with("[limits]\nobservations = 3\n", &[op]);
    let word = rows_in(&store, &tight, &[DOUBLE]).remove(0).leaves.remove(0);
    assert_eq!(word, Verdict::Abstain("over budget: 4 observations asked, 3 allowed".into()));
    assert_eq!(observations(&store), 0);
    let wide = compile_with("[limits]\nobservations = 4\n", &[op]);
    assert_eq!(said(&rows_in(&store, &wide, &[DOUBLE])[0].leaves[0]), "2 4 6 8", "a wider budget is asked anew");
}

#[test]
fn the_budget_counts_peers_and_all_rounds() {
    let rounds = plan("return { { call = 'f', args = '[' .. #seen .. ']' } }");
    let word = rows(&compile_with("[limits]\nobservations = 2\n", &[rounds]), &[DOUBLE]).remove(0).leaves.remove(0);
    assert_eq!(word, Verdict::Abstain("over budget: 3 observations asked, 2 allowed".into()));
    let both = plan("return { { call = 'f', args = '[1]', on = 'both' } }").with_peers();
    let texts = [DOUBLE, "def f(x):\n    return 1\n", "def f(x):\n    return 3\n"];
    let word = rows(&compile_with("[limits]\nobservations = 2\n", &[both]), &texts).remove(0).leaves.remove(0);
    assert_eq!(word, Verdict::Abstain("over budget: 3 observations asked, 2 allowed".into()));
}

#[test]
fn a_plan_that_asks_nothing_abstains() {
    for body in ["return nil", "return {}", ""] {
        assert_eq!(verdict(plan(body), DOUBLE), Verdict::Abstain("it asks for nothing here".into()));
    }
}

#[test]
fn what_nothing_here_can_answer_is_a_fault_of_the_host() {
    let query = verdict(plan("return { { query = 'select 1' } }"), DOUBLE);
    let ask = verdict(plan("return { { ask = 'Is it right?', choices = { 'yes', 'no' } } }").of_tier("judge"), DOUBLE);
    for (fault, words) in [(query, "queries a database"), (ask, "asks a model")] {
        let Verdict::Fault(fault) = fault else { panic!("{fault:?}") };
        assert_eq!(fault.kind, FaultKind::Infrastructure);
        assert!(fault.message.contains(words), "{fault:?}");
    }
}

/// Ends only for arguments of ten and more.
const HANGS: &str = "def f(x):\n    while x < 10:\n        pass\n    return x\n";

#[test]
fn after_two_calls_that_hang_the_rest_is_refused() {
    let asks = |args: &[u32]| {
        let list: Vec<String> = args.iter().map(|n| format!("{{ call = 'f', args = '[{n}]' }}")).collect();
        format!("return {{ {} }}", list.join(", "))
    };
    let bodies = [asks(&[0, 1, 2, 11]), asks(&[11, 0]), asks(&[11, 12]), asks(&[1, 11, 0, 12])];
    let ops: Vec<Op> = ["a", "b", "c", "d"].iter().zip(&bodies).map(|(name, body)| plan(body).named(name)).collect();
    let expected = ["timeout timeout refused refused", "11 timeout", "11 12", "timeout 11 timeout refused"];
    let limits = "[limits]\ncall_cpu_ms = 20\n";
    let words = |rows: &[Row]| rows[0].leaves.iter().map(|verdict| said(verdict).to_string()).collect::<Vec<_>>();

    let store = Store::in_memory().unwrap();
    let together = compile_with(limits, &ops);
    assert_eq!(words(&rows_in(&store, &together, &[HANGS])), expected);
    for (op, expected) in ops.iter().zip(expected) {
        let alone = compile_with(limits, &[*op]);
        assert_eq!(words(&rows(&alone, &[HANGS])), [expected], "alone an op sees what it sees beside others");
    }
}

#[test]
fn a_source_of_its_own_is_denied_to_an_op() {
    let fault = verdict(plan("return { { call = 'f', args = '[1]', source = 'def f(x): return 1' } }"), DOUBLE);
    let Verdict::Fault(fault) = fault else { panic!("{fault:?}") };
    assert_eq!(fault.kind, FaultKind::Malformed);
    assert!(fault.message.contains("only an anchor may run a source of its own"), "{fault:?}");
    assert!(fault.message.contains("ops/op.lua: request 1"), "{fault:?}");
}

#[test]
fn below_a_root_that_is_not_clean_ops_abstain_without_being_run() {
    let pack = compile(&[check("error('never run')")]);
    let rows = rows(&pack, &["refuse me", "break the root", "judge me"]);
    assert!(rows[0].root.is_drawback());
    assert_eq!(rows[0].leaves, [Verdict::Abstain("the root's verdict is drawback".into())]);
    assert!(rows[1].root.is_fault());
    assert_eq!(rows[1].leaves, [Verdict::Abstain("the root's verdict is fault".into())]);
    assert_eq!(rows[2].root, Verdict::Clean);
    assert!(rows[2].leaves[0].is_fault());
}

#[test]
fn recalled_verdicts_are_those_that_were_made() {
    let calls = plan("return { { call = 'f', args = '[3]', on = 'both' } }").with_peers();
    let faulty = check("error('boom')");
    let pack = compile(&[calls.named("calls"), faulty.named("faulty"), check("return clean()").named("fine")]);
    let texts = [DOUBLE, "def f(x):\n    raise ValueError('no')\n", "refuse me", "def f(x):\n    return [x, None]\n"];
    let store = Store::in_memory().unwrap();
    let fresh = rows_in(&store, &pack, &texts);
    let made = store.stats().unwrap();
    let recalled = rows_in(&store, &pack, &texts);
    assert_eq!(recalled, fresh);
    assert_eq!(rows(&pack, &texts), fresh, "a cache of another's making changes nothing");
    let after = store.stats().unwrap();
    assert_eq!((after.rows, after.observations), (made.rows, made.observations));
}

#[test]
fn verdicts_do_not_depend_on_threads_or_on_what_else_is_wanted() {
    let pack = compile(&[plan("return { { call = 'f', args = '[3]', on = 'both' } }").with_peers()]);
    let texts: Vec<String> = (0..6).map(|n| format!("def f(x):\n    return x + {n}\n")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let all = rows(&pack, &texts);
    let store = Store::in_memory().unwrap();
    let mut one = group(&texts);
    one.wanted = (0..6).map(|n| n == 4).collect();
    let grader = Grader::new(&pack, &store).threads(1);
    let only = grader.matrix(&[one], pack.ops()).unwrap().remove(0);
    assert_eq!(only[4].as_ref(), Some(&all[4]));
    assert_eq!(only.iter().flatten().count(), 1);
}

/// What lies in a cache file and its journal, to look for words in.
fn bytes_of_cache(path: &std::path::Path) -> Vec<u8> {
    let beside = |end: &str| std::fs::read(PathBuf::from(format!("{}{end}", path.display()))).unwrap_or_default();
    [beside(""), beside("-wal")].concat()
}

#[test]
fn faults_of_an_op_are_kept_and_faults_of_the_host_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cache.sqlite");
    let mine = check("error('unmistakable words')").named("mine");
    let hosts = plan("return { { query = 'select 1' } }").named("hosts");
    let store = Store::open(&path).unwrap();
    let row = rows_in(&store, &compile(&[mine, hosts]), &[DOUBLE]).remove(0);
    assert!(row.leaves.iter().all(Verdict::is_fault), "{row:?}");
    drop(store);
    let bytes = bytes_of_cache(&path);
    let holds = |words: &str| bytes.windows(words.len()).any(|window| window == words.as_bytes());
    assert!(holds("unmistakable words"));
    assert!(!holds("queries a database"));
}

#[test]
fn without_an_interpreter_what_asks_is_a_fault_and_is_judged_once_there_is_one() {
    let pack = compile(&[plan("return { { call = 'f', args = '[3]' } }").named("asks"), check("return clean()")]);
    let store = Store::in_memory().unwrap();
    let grader = Grader::new(&pack, &store).python(Some("/nonexistent/python3".into()));
    let row = grader.matrix(&[group(&[DOUBLE])], pack.ops()).unwrap().remove(0).remove(0).unwrap();
    let Verdict::Fault(fault) = &row.leaves[0] else { panic!("{row:?}") };
    assert_eq!(fault.kind, FaultKind::Infrastructure);
    assert!(fault.message.contains("/nonexistent/python3"), "{fault:?}");
    assert_eq!(row.leaves[1], Verdict::Clean, "an op that asks nothing does its work");
    assert!(grader.sandbox_trouble().unwrap().contains("/nonexistent/python3"));
    assert_eq!(said(&rows_in(&store, &pack, &[DOUBLE])[0].leaves[0]), "6");
}

fn outcome(ops: &[Op], expression: &str) -> Outcome {
    let metric = Metric::new(compile(ops), expression).unwrap();
    metric.grade(&group(&[]).task, &[DOUBLE]).unwrap().remove(0).outcome
}

#[test]
fn a_faulted_leaf_matters_only_where_it_could_decide() {
    let ops = [
        check("error('boom')").named("broken"),
        check("return drawback('bad')").named("bad"),
        check("return clean()").named("good"),
        check("return abstain('no opinion')").named("mute"),
    ];
    for (expression, expected) in [
        ("(any broken bad)", Outcome::Fail),
        ("(any broken good)", Outcome::Fault),
        ("(all broken good)", Outcome::Pass),
        ("(all broken bad)", Outcome::Fault),
        ("(not broken)", Outcome::Fault),
        ("broken", Outcome::Fault),
        ("(any mute good)", Outcome::Pass),
        ("mute", Outcome::Abstain),
    ] {
        assert_eq!(outcome(&ops, expression), expected, "{expression}");
    }
}

#[test]
fn the_roots_word_comes_first() {
    let metric = Metric::new(compile(&[check("return clean()")]), "op").unwrap();
    let grades = metric.grade(&group(&[]).task, &["refuse me", "break the root", "judge me"]).unwrap();
    let outcomes: Vec<Outcome> = grades.iter().map(|grade| grade.outcome).collect();
    assert_eq!(outcomes, [Outcome::Fail, Outcome::Fault, Outcome::Pass]);
}

#[test]
fn a_leaf_that_cannot_change_the_verdict_is_not_run() {
    let ops = || {
        [
            check("if #text > 30 then return drawback('long') end return clean()").named("z_cheap"),
            plan("return { { call = 'f', args = '[1]' } }").named("m_runs"),
            plan("return { { call = 'f', args = '[2]', on = 'both' } }").with_peers().named("a_peers"),
        ]
    };
    let short = "def f(x):\n    return x\n";
    let long = "def f(x):\n    return x + 1 + 1 + 1\n";
    let graded = |texts: &[&str], depth: Depth| {
        let metric = Metric::new(compile(&ops()), "(any a_peers m_runs z_cheap)").unwrap();
        let store = Store::in_memory().unwrap();
        let grader = Grader::new(metric.pack(), &store);
        let grades = metric.grade_with(&grader, vec![group(texts)], depth).unwrap().remove(0);
        let leaves = |grade: &gradus::grade::Grade| grade.leaves.iter().map(|(op, _)| op.clone()).collect::<Vec<_>>();
        let ran: Vec<Vec<String>> = grades.iter().flatten().map(leaves).collect();
        (ran, observations(&store), grades.into_iter().flatten().map(|grade| grade.outcome).collect::<Vec<_>>())
    };
    let (ran, runs, outcomes) = graded(&[long], Depth::Verdict);
    assert_eq!((ran, runs, outcomes), (vec![vec!["z_cheap".into()]], 0, vec![Outcome::Fail]));
    let (ran, runs, _) = graded(&[short], Depth::Verdict);
    assert_eq!((ran, runs), (vec![vec!["z_cheap".into(), "m_runs".into()]], 1), "every call is a drawback of m_runs");
    let (ran, _, outcomes) = graded(&[long, short], Depth::EveryLeaf);
    assert_eq!(ran, [["z_cheap", "m_runs", "a_peers"]; 2]);
    assert_eq!(outcomes, [Outcome::Fail, Outcome::Fail]);
}

/// Asks to stop once the first outputs are done.
struct StopsEarly(AtomicUsize);

impl Progress for StopsEarly {
    fn outputs(&self, done: usize, _total: usize) {
        self.0.store(done, Ordering::SeqCst);
    }

    fn stopped(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }
}

#[test]
fn a_stopped_run_keeps_what_it_did() {
    let pack = compile(&[check("return drawback(text)")]);
    let texts: Vec<String> = (0..320).map(|n| format!("f = {n}")).collect();
    let groups: Vec<Group> =
        texts.chunks(8).map(|some| group(&some.iter().map(String::as_str).collect::<Vec<_>>())).collect();
    let store = Store::in_memory().unwrap();
    let stops = StopsEarly(AtomicUsize::new(0));
    let error = Grader::new(&pack, &store).progress(&stops).matrix(&groups, pack.ops()).unwrap_err();
    assert_eq!(error.kind(), Kind::Interrupted);
    assert_eq!(
        error.to_string(),
        "stopped after 160 of 320 outputs. What was done is in the cache: run the same command again to go on"
    );
    assert_eq!(store.stats().unwrap().rows, 160);
    let all = Grader::new(&pack, &store).matrix(&groups, pack.ops()).unwrap();
    let whole = Grader::new(&pack, &Store::in_memory().unwrap()).matrix(&groups, pack.ops()).unwrap();
    assert_eq!(all, whole);
}

#[test]
fn a_trace_shows_what_passed_between_op_and_host() {
    let pack = compile(&[plan("return { { call = 'f', args = '[' .. #seen .. ']', on = 'both' } }").with_peers()]);
    let store = Store::in_memory().unwrap();
    let trace = Grader::new(&pack, &store).trace(&group(&[DOUBLE, "def f(x):\n    return 9\n"]), 0, &pack.ops()[0]);
    assert_eq!((trace.asked.len(), trace.seen.len()), (3, 3));
    assert_eq!(trace.seen.iter().map(|seen| seen.peers.len()).collect::<Vec<_>>(), [1, 1, 1]);
    assert_eq!(said(&trace.verdict), "0|9 2|9 4|9");
    assert!(trace.artifact.contains("def f(x)"), "{}", trace.artifact);
}
