//! What the sandbox observes of ordinary candidates, as a table of source, call and expected observation.

use std::num::NonZero;
use std::sync::{Arc, LazyLock, Mutex};

use gradus::observe::{Observation, Status, Value, literal, repr};
use gradus::sandbox::{Config, Job, Limits, Probe, Sandbox};

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| {
    let limits = Limits { call_cpu_ms: 300, idle_ms: 500, ..Limits::default() };
    start(Config { prelude: "from typing import *".into(), limits, ..Config::default() })
});

fn start(config: Config) -> Sandbox {
    Sandbox::start(config).unwrap_or_else(|missing| panic!("{missing}"))
}

fn call(name: &str, args: &str) -> Probe {
    Probe::Call { name: name.into(), args: args.into() }
}

fn job(source: &str, probes: Vec<Probe>) -> Job {
    Job { source: Arc::from(source), world: 0, probes }
}

fn observe(source: &str, probes: Vec<Probe>) -> Vec<Option<Observation>> {
    SANDBOX.run(&[job(source, probes)], &|_| {}).unwrap().remove(0)
}

fn one(source: &str, probe: Probe) -> Observation {
    observe(source, vec![probe]).remove(0).unwrap()
}

/// An observation in one line: the value, or the status with what was raised.
fn told(observation: &Observation) -> String {
    match (&observation.value, &observation.error) {
        (Some(value), _) => repr::repr(value),
        (None, Some(raised)) => format!("{}: {}", raised.kind, raised.message),
        (None, None) => format!("{:?}", observation.status).to_lowercase(),
    }
}

fn f(source: &str, args: &str) -> String {
    told(&one(source, call("f", args)))
}

#[test]
fn plain_values_come_back_as_they_are() {
    let values = [
        "None",
        "True",
        "0",
        "-1",
        "2147483648",
        "-9223372036854775809",
        "1.5",
        "-0.0",
        "(1+2j)",
        "'a'",
        "''",
        "'\\ud800'",
        "b'\\x00\\xff'",
        "[]",
        "[1, [2, (3,)]]",
        "()",
        "{'a': [1], 2: None}",
        "{1, 2}",
        "frozenset({1})",
        "Ellipsis",
        "'日本語 🐍'",
    ];
    for value in values {
        let expected = value.to_owned();
        assert_eq!(f("def f(x): return x", &format!("[{value}]")), expected);
    }
    assert_eq!(f("def f(n): return 10 ** n", "[4000]"), format!("1{}", "0".repeat(4000)));
    let not_a_number = one("def f(): return [float('nan'), float('inf')]", call("f", "[]")).value.unwrap();
    let Value::List(items) = not_a_number else { panic!("not a list") };
    assert!(matches!(items[..], [Value::Float(nan), Value::Float(inf)] if nan.is_nan() && inf == f64::INFINITY));
}

#[test]
fn arguments_arrive_as_python_reads_them() {
    let args = "[-3, 1e3, 2j, 'it\\'s', b'x', (1,), [None, True], {'k': {1, 2}}]";
    let echo = one("def f(*args): return list(args)", call("f", args)).value.unwrap();
    assert_eq!(repr::repr(&echo), repr::repr(&literal::parse(args).unwrap()));
}

#[test]
fn what_is_not_plain_data_is_opaque() {
    let opaque = [
        "(i for i in range(3))",
        "map(str, [1])",
        "lambda: 1",
        "object()",
        "range(3)",
        "bytearray(b'a')",
        "[bytearray()]",
        "type",
        "__import__('array').array('i', [1])",
        "compile('1', '', 'eval')",
        "class_instance()",
        "__import__('decimal').Decimal(1)",
        "equal_int(3)",
        "{1: equal_list()}",
    ];
    for value in opaque {
        let source = format!(
            "class class_instance: pass\nclass equal_int(int):\n def __eq__(self, other): return True\n\
             class equal_list(list):\n def __eq__(self, other): return True\ndef f(): return {value}"
        );
        assert_eq!(f(&source, "[]"), "opaque", "{value}");
    }
    assert_eq!(f("def f():\n a = []\n a.append(a)\n return a", "[]"), "opaque");
    assert_eq!(f("def f():\n a = []\n for i in range(1500): a = [a]\n return a", "[]"), "opaque");
}

#[test]
fn a_subclass_that_compares_as_its_base_is_plain() {
    let cases = [
        ("collections.defaultdict(list, {1: [2]})", "{1: [2]}"),
        ("collections.Counter('aab')", "{'a': 2, 'b': 1}"),
        ("collections.OrderedDict(a=1)", "{'a': 1}"),
        ("collections.namedtuple('P', 'x y')(1, [2])", "(1, [2])"),
        ("enum.IntEnum('E', 'A B').B", "2"),
        ("[type('S', (str,), {})('hi')]", "['hi']"),
    ];
    for (value, plain) in cases {
        let source = format!("import collections, enum\ndef f(): return {value}");
        assert_eq!(f(&source, "[]"), plain, "{value}");
    }
}

#[test]
fn what_is_raised_is_an_observation() {
    let cases = [
        ("def f(): return 1 / 0", "ZeroDivisionError: division by zero"),
        ("def g(): pass", "NameError: name 'f' is not defined"),
        ("f = 3", "TypeError: 'int' object is not callable"),
        ("def f(): raise SystemExit(3)", "SystemExit: 3"),
        ("def f(): raise KeyboardInterrupt", "KeyboardInterrupt: "),
        ("def f(): return input()", "EOFError: EOF when reading a line"),
        ("import numpy\ndef f(): return 1", "ModuleNotFoundError: No module named 'numpy'"),
        ("raise ValueError('top')\ndef f(): return 1", "ValueError: top"),
        ("def f(): f()", "RecursionError: maximum recursion depth exceeded"),
        ("def f(): return [0] * 10 ** 10", "MemoryError: "),
        ("def f(): return 'a'.encode('ascii').nope", "AttributeError: 'bytes' object has no attribute 'nope'"),
        ("class E(Exception):\n def __str__(self): raise ValueError\ndef f(): raise E", "Exception: "),
    ];
    for (source, expected) in cases {
        assert_eq!(f(source, "[]"), expected, "{source}");
    }
    let broken = one("def f(:", call("f", "[]"));
    assert_eq!((broken.status, broken.error.unwrap().kind.as_str()), (Status::Exception, "SyntaxError"));
    let nested = one(&format!("def f(): return {}{}", "(".repeat(5000), ")".repeat(5000)), call("f", "[]"));
    assert_eq!(nested.status, Status::Exception);
    assert_eq!(one("x = 1\0", call("f", "[]")).status, Status::Exception);
}

#[test]
fn what_is_printed_is_kept_for_its_call_and_capped() {
    let source =
        "print('top')\ndef f(n):\n print('x' * n)\n import sys\n sys.stdout.write('é')\n sys.stderr.write('e')";
    let seen = observe(source, vec![call("f", "[1]"), call("f", "[2]"), call("f", "[1000000]")]);
    let printed: Vec<&str> = seen.iter().map(|each| each.as_ref().unwrap().stdout.as_str()).collect();
    assert_eq!(printed[..2], ["x\né", "xx\né"]);
    assert_eq!(printed[2].len(), Limits::default().stdout_bytes as usize);
    let closed = "import sys\ndef f():\n sys.stdout.close()\n sys.stdout = None\ndef g(): print('still')";
    let seen = observe(closed, vec![call("f", "[]"), call("g", "[]")]);
    assert_eq!(seen[1].as_ref().unwrap().stdout, "still\n");
}

#[test]
fn changed_arguments_are_seen() {
    let changed = |source: &str, args: &str| one(source, call("f", args)).args_changed;
    assert!(changed("def f(a): a.append(1)", "[[]]"));
    assert!(changed("def f(a): a[0].sort()", "[[[2, 1]]]"));
    assert!(changed("def f(a):\n a.pop('k')\n raise ValueError", "[{'k': 1}]"));
    assert!(changed("def f(a): a[0] = object()", "[[1]]"));
    assert!(!changed("def f(a): return sorted(a)", "[[2, 1]]"));
    assert!(!changed("def f(a): a += 1", "[1]"));
    assert!(!changed("def f(a):\n a.add(9)\n a.remove(9)", "[{1, 2, 3}]"));
}

/// Two calls of `f`, told in one line each.
fn twice(source: &str) -> (String, String) {
    let seen = observe(source, vec![call("f", "[]"), call("f", "[]")]);
    (told(seen[0].as_ref().unwrap()), told(seen[1].as_ref().unwrap()))
}

#[test]
fn a_call_leaves_nothing_to_the_next() {
    let carriers = [
        "n = [0]\ndef f():\n n[0] += 1\n return n[0]",
        "n = 0\ndef f():\n global n\n n += 1\n return n",
        "def f(m=[]):\n m.append(1)\n return len(m)",
        "def f(*, m={}):\n m[len(m)] = 1\n return len(m)",
        "def f():\n f.n = getattr(f, 'n', 0) + 1\n return f.n",
        "class C: n = 0\ndef f():\n C.n += 1\n return C.n",
        "def make():\n n = 0\n def g():\n  nonlocal n\n  n += 1\n  return n\n return g\nf = make()",
        "from collections import Counter\nc = Counter()\ndef f():\n c['a'] += 1\n return c['a']",
        "import itertools\nc = itertools.count(1)\ndef f(): return next(c)",
        "from functools import lru_cache\nn = []\n@lru_cache\ndef g():\n n.append(1)\n return len(n)\ndef f(): return g()",
        "def f():\n globals()['n'] = globals().get('n', 0) + 1\n return n",
        "import math\ndef f():\n math.n = getattr(math, 'n', 0) + 1\n return math.n",
        "def f():\n import math as m\n m.n = getattr(m, 'n', 0) + 1\n return m.n",
        "import decimal\ndef f():\n c = decimal.getcontext()\n c.prec += 1\n return c.prec - 28",
        "import builtins\ndef f():\n builtins.n = getattr(builtins, 'n', 0) + 1\n return builtins.n",
        "import sys\ndef f():\n sys.setrecursionlimit(sys.getrecursionlimit() + 1)\n return sys.getrecursionlimit() - 1000",
        "import os\ndef f():\n os.environ['n'] = str(int(os.environ.get('n', 0)) + 1)\n return int(os.environ['n'])",
        "import sys\ndef f():\n sys.path.append('x')\n return sys.path.count('x')",
        "import string\ndef f():\n setattr(string, 'n', getattr(string, 'n', 0) + 1)\n return string.n",
    ];
    for source in carriers {
        assert_eq!(twice(source), ("1".into(), "1".into()), "{source}");
    }
    let (first, second) = twice("import random\ndef f(): return random.random()");
    assert_eq!(first, second);
    let (first, second) = twice("def f():\n import random\n return random.sample(range(100), 5)");
    assert_eq!(first, second);
}

#[test]
fn order_of_calls_does_not_matter() {
    let source = "memo = {}\ndef f(x):\n memo[x] = memo.get(x - 1, 0) + x\n return memo[x]";
    let probes: Vec<Probe> = (1..6).map(|n| call("f", &format!("[{n}]"))).collect();
    let together: Vec<String> =
        observe(source, probes.clone()).iter().map(|each| told(each.as_ref().unwrap())).collect();
    let alone: Vec<String> = probes.into_iter().map(|probe| told(&one(source, probe))).collect();
    assert_eq!(together, alone);
    assert_eq!(together, ["1", "2", "3", "4", "5"]);
}

#[test]
fn asserts_hold_or_do_not() {
    let holds = |source: &str, text: &str| {
        let seen = one(source, Probe::Assert { text: text.into() });
        (seen.status, seen.holds)
    };
    let twice = "def f(x): return x * 2";
    assert_eq!(holds(twice, "assert f(2) == 4"), (Status::Value, Some(true)));
    assert_eq!(holds(twice, "assert f(2) == 5"), (Status::Value, Some(false)));
    assert_eq!(holds(twice, "assert f(2) == 4.0"), (Status::Value, Some(true)));
    assert_eq!(holds(twice, "assert not f(0)"), (Status::Value, Some(true)));
    assert_eq!(holds(twice, "assert set(f([1])) == set([1])"), (Status::Value, Some(true)));
    assert_eq!(holds(twice, "assert math.isclose(f(0.15), 0.3, rel_tol=0.001)"), (Status::Value, Some(true)));
    assert_eq!(holds(twice, "assert math.isclose(f('a'), 0.3)"), (Status::Value, Some(false)));
    assert_eq!(holds(twice, "assert no_such_name(f(1))"), (Status::Refused, None));
    assert_eq!(holds("def f(x): raise ValueError", "assert f(2) == 4"), (Status::Exception, None));
    assert_eq!(holds("def f(x): return iter(x)", "assert f([]) == 4"), (Status::Opaque, None));
    assert_eq!(holds(twice, "assert True"), (Status::Refused, None));
}

#[test]
fn time_is_limited_and_the_rest_goes_on() {
    let source =
        "import time\ndef f(x):\n if x == 'spin':\n  while True: pass\n if x == 'sleep': time.sleep(60)\n return x";
    let seen = observe(source, ["1", "'spin'", "2", "'sleep'", "3"].map(|x| call("f", &format!("[{x}]"))).into());
    let told: Vec<Option<String>> = seen.iter().map(|each| each.as_ref().map(told)).collect();
    let told: Vec<Option<&str>> = told.iter().map(Option::as_deref).collect();
    // Two timeouts are the limit: what follows them stays open.
    assert_eq!(told, [Some("1"), Some("timeout"), Some("2"), Some("timeout"), None]);
    let slow =
        "import time\ndef f():\n end = time.process_time() + 0.6\n while time.process_time() < end: pass\n return 7";
    assert_eq!(f(slow, "[]"), "7", "twice the limit, within the confirmation");
    let module = observe("while True: pass", vec![call("f", "[]"), call("f", "[]")]);
    let timeout = Observation::bare(Status::Timeout);
    assert_eq!(module, [Some(timeout.clone()), Some(timeout)]);
}

#[test]
fn a_dead_candidate_ends_its_own_call_only() {
    let source = "import os\ndef f(x):\n if x: os._exit(0)\n return x";
    let seen = observe(source, vec![call("f", "[0]"), call("f", "[1]"), call("f", "[0]")]);
    let told: Vec<String> = seen.iter().map(|each| told(each.as_ref().unwrap())).collect();
    assert_eq!(told, ["0", "killed", "0"]);
    let deep = "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f():\n a = []\n for i in range(10 ** 6): a = [a]\n return repr(a)";
    assert!(matches!(one(deep, call("f", "[]")).status, Status::Killed | Status::Exception));
    assert_eq!(f("def f(): return 'x' * (20 << 20)", "[]"), "killed", "larger than a reply may be");
    let folded = one("def f():\n a = [1]\n for i in range(60): a = [a, a]\n return a", call("f", "[]"));
    assert!(matches!(folded.status, Status::Killed | Status::Timeout), "whichever limit it meets first");
}

#[test]
fn large_values_go_both_ways() {
    let long = format!("['{}']", "a".repeat(1 << 20));
    assert_eq!(f("def f(s): return len(s)", &long), (1 << 20).to_string());
    let back = one("def f(n): return list(range(n))", call("f", "[200000]"));
    assert_eq!(back.value.unwrap().length(), Some(200_000));
}

#[test]
fn another_world_is_another_hash_seed() {
    let order = |world: u8| {
        let probes = vec![call("f", "[]")];
        let source = Arc::from("def f(): return list({str(i) for i in range(20)})");
        told(SANDBOX.run(&[Job { source, world, probes }], &|_| {}).unwrap()[0][0].as_ref().unwrap())
    };
    assert_eq!(order(0), order(0));
    assert_eq!(order(1), order(1));
    assert_ne!(order(0), order(1));
}

#[test]
fn addresses_do_not_leak_into_results() {
    let source = "class C: pass\ndef f(): return [id(C()), repr(C()), hash(C())]";
    let in_one = start(Config::default());
    let told_by = |sandbox: &Sandbox| {
        let seen = sandbox.run(&[job(source, vec![call("f", "[]")])], &|_| {}).unwrap();
        told(seen[0][0].as_ref().unwrap())
    };
    assert_eq!(told_by(&in_one), told_by(&start(Config::default())));
}

#[test]
fn results_do_not_depend_on_the_number_of_workers() {
    let jobs: Vec<Job> = (0..40)
        .map(|n| {
            job(
                &format!("def f(x): return (x, {n}) if {n} % 7 else 1 // 0"),
                vec![call("f", "[1]"), call("f", "['b']")],
            )
        })
        .collect();
    let run = |workers: usize| {
        let done = Mutex::new(Vec::new());
        let sandbox = start(Config { workers: NonZero::new(workers), ..Config::default() });
        let results = sandbox.run(&jobs, &|job| done.lock().unwrap().push(job)).unwrap();
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, (0..40).collect::<Vec<_>>());
        results
    };
    let alone = run(1);
    assert_eq!(alone, run(3));
    assert_eq!(alone[7][0].as_ref().unwrap().error.as_ref().unwrap().kind, "ZeroDivisionError");
}

#[test]
fn several_threads_share_one_sandbox() {
    std::thread::scope(|scope| {
        for n in 0..4 {
            scope.spawn(move || assert_eq!(f(&format!("def f(): return {n}"), "[]"), n.to_string()));
        }
    });
}

#[test]
fn an_early_stop_leaves_the_rest_alone() {
    let probes = (0..10).map(|n| call("f", &format!("[{n}]"))).chain([call("f", "not a list")]).collect();
    let mut seen = Vec::new();
    let job = job("def f(x): return x", probes);
    SANDBOX
        .run_until(&job, &mut |probe, observation| {
            seen.push((probe, told(observation)));
            probe == 3
        })
        .unwrap();
    assert_eq!(seen.len(), 4);
    assert_eq!(seen[3], (3, "3".to_owned()));
    let mut last = None;
    SANDBOX.run_until(&job, &mut |probe, observation| (last = Some((probe, observation.status)), false).1).unwrap();
    assert_eq!(last, Some((10, Status::Refused)));
}

#[test]
fn a_broken_prelude_is_an_error_that_says_so() {
    let sandbox = start(Config { prelude: "import no_such_module".into(), ..Config::default() });
    let error = sandbox.run(&[job("def f(): pass", vec![call("f", "[]")])], &|_| {}).unwrap_err().to_string();
    assert!(error.contains("ModuleNotFoundError: No module named 'no_such_module'"), "{error}");
}

#[test]
fn the_environment_names_what_an_observation_depends_on() {
    let with = |prelude: &str, limits: Limits| {
        start(Config { prelude: prelude.into(), limits, ..Config::default() }).environment()
    };
    let usual = with("", Limits::default());
    assert!(usual.interpreter.starts_with("cpython 3."), "{}", usual.interpreter);
    assert_eq!(usual.id(), with("", Limits::default()).id());
    assert_ne!(usual.id(), with("import math", Limits::default()).id());
    assert_ne!(usual.id(), with("", Limits { call_cpu_ms: 7, ..Limits::default() }).id());
}
