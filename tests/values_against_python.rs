//! Literals, repr, marshal and equality against the Python interpreter of this machine: one batch, one process.

use std::io::Write;
use std::process::{Command, Stdio};

use gradus::base::rng::Stream;
use gradus::observe::compare::{equal, has_nan, same};
use gradus::observe::repr::repr;
use gradus::observe::{Value, literal, marshal};
use num_bigint::BigInt;
use serde_json::{Value as Json, json};

const CASES: usize = 1500;

/// Reads cases, answers each with Python's own view of it.
const SCRIPT: &str = include_str!("values_against_python.py");

#[test]
fn python_agrees() {
    let mut rng = Stream::new(0, 0, "values against python");
    let pairs: Vec<(Value, Value)> = (0..CASES)
        .map(|_| {
            let value = sample(&mut rng, 0);
            let other = if rng.below(3) == 0 { sample(&mut rng, 0) } else { twin(&value, &mut rng) };
            (value, other)
        })
        .collect();
    let cases: Vec<Json> = pairs
        .iter()
        .map(|(a, b)| json!({"text": repr(a), "other": repr(b), "hex": hex(&marshal::encode(a))}))
        .collect();
    let Some(answer) = ask_python(&json!(cases)) else { return };
    for ((a, b), answer) in pairs.iter().zip(answer["answers"].as_array().unwrap()) {
        check_answer(a, b, answer);
    }
    for case in answer["literals"].as_array().unwrap() {
        assert_eq!(case["refused"], false);
        assert!(check_literal(case), "{case}");
    }
    let damaged = answer["damaged"].as_array().unwrap();
    let read = damaged.iter().filter(|case| check_literal(case)).count();
    assert!((CASES / 10..CASES).contains(&read), "{read} damaged texts are still literals");
}

fn check_answer(a: &Value, b: &Value, answer: &Json) {
    let text = repr(a);
    assert_eq!(answer["equal"], equal(a, b), "{text} == {}", repr(b));
    if answer["ordered"] == true {
        assert_eq!(answer["hex"], hex(&marshal::encode(a)), "{text}");
        assert_eq!(answer["repr"], answer["back"], "{text}");
        // Python writes `inf` and `nan`, which are no literals.
        if !text.contains("float(") {
            assert_eq!(answer["repr"], text.as_str());
        }
    }
    let read = marshal::decode(&bytes(answer["hex"].as_str().unwrap())).unwrap();
    assert!(equal(&read, a) || has_nan(a), "{text}");
}

/// Whether the text is read here; what is read, Python reads as the same value.
fn check_literal(case: &Json) -> bool {
    let text = case["text"].as_str().unwrap();
    let Ok(value) = literal::parse(text) else { return false };
    assert_eq!(case["refused"], false, "{text} is no expression in Python");
    let theirs = marshal::decode(&bytes(case["hex"].as_str().unwrap())).unwrap();
    assert!(same(&theirs, &value), "{text}");
    // The order of a set is Python's own, and so is `inf`.
    let own = repr(&value);
    if !text.contains('{') && !own.contains("float(") {
        assert_eq!(case["repr"], own.as_str(), "{text}");
        assert_eq!(case["hex"], hex(&marshal::encode(&value)), "{text}");
    }
    true
}

fn ask_python(cases: &Json) -> Option<Json> {
    let python = Command::new("python3")
        .args(["-I", "-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn();
    let Ok(mut python) = python else {
        println!("skipped: there is no python3");
        return None;
    };
    let mut stdin = python.stdin.take().unwrap();
    stdin.write_all(cases.to_string().as_bytes()).unwrap();
    drop(stdin);
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "python3 failed");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn sample(rng: &mut Stream, depth: usize) -> Value {
    let kinds = if depth < 3 { 16 } else { 10 };
    let items = |rng: &mut Stream| (0..rng.below(5)).map(|_| sample(rng, depth + 1)).collect::<Vec<_>>();
    match rng.below(kinds) {
        0 => Value::None,
        1 => Value::Bool(rng.below(2) == 0),
        2 => Value::int(rng.below(7) as i64 - 3),
        3 => Value::Int((BigInt::from(rng.bits()) << rng.below(200)) * if rng.below(2) == 0 { 1 } else { -1 }),
        4 => Value::Float(f64::from_bits(rng.bits())),
        5 => Value::Float(rng.below(9) as f64 / 2.0 - 2.0),
        6 => Value::Complex(rng.below(3) as f64, rng.unit()),
        7 => Value::Bytes((0..rng.below(5)).map(|_| rng.below(256) as u8).collect()),
        8 => Value::Ellipsis,
        9 => {
            let chars = (0..rng.below(6)).filter_map(|_| char::from_u32(1 << rng.below(17)));
            Value::str(&chars.collect::<String>())
        }
        10 | 11 => Value::List(items(rng)),
        12 => Value::Tuple(items(rng)),
        13 => Value::set(items(rng)).unwrap_or(Value::Set(Vec::new())),
        14 => Value::frozenset(items(rng)).unwrap_or(Value::FrozenSet(Vec::new())),
        _ => {
            let pairs = (0..rng.below(4)).map(|i| (Value::int(i as i64), sample(rng, depth + 1)));
            Value::dict(pairs.collect()).unwrap_or(Value::Dict(Vec::new()))
        }
    }
}

/// The value again, here and there in another type or order, so that equality is a question.
fn twin(value: &Value, rng: &mut Stream) -> Value {
    let twins = |items: &[Value], rng: &mut Stream| items.iter().map(|item| twin(item, rng)).collect::<Vec<_>>();
    match value {
        Value::Bool(flag) if rng.below(2) == 0 => Value::int(i64::from(*flag)),
        Value::Int(int) if rng.below(2) == 0 => {
            let rounded: f64 = int.to_string().parse().unwrap();
            Value::Float(rounded)
        }
        Value::Float(x) if rng.below(2) == 0 => Value::Complex(*x, 0.0),
        Value::List(items) if rng.below(8) == 0 => Value::Tuple(items.clone()),
        Value::List(items) => Value::List(twins(items, rng)),
        Value::Tuple(items) => Value::Tuple(twins(items, rng)),
        Value::Set(items) => {
            let mut items = twins(items, rng);
            rng.shuffle(&mut items);
            Value::frozenset(items).unwrap()
        }
        Value::Dict(pairs) => {
            let mut pairs: Vec<_> = pairs.iter().map(|(key, value)| (twin(key, rng), twin(value, rng))).collect();
            rng.shuffle(&mut pairs);
            Value::dict(pairs).unwrap()
        }
        _ => value.clone(),
    }
}
