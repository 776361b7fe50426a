//! What JSON loses of MBPP+ inputs: which lists were tuples, sets, or text of complex numbers.
//!
//! The published files hold JSON; which problems take other types than lists is known by number alone.

use crate::observe::{Value, literal};

/// The arguments of one call, as the problem's own tests have them.
pub(super) fn restored(problem: &str, arguments: Value) -> Value {
    let number = problem.strip_prefix("Mbpp/").and_then(|number| number.parse::<u32>().ok());
    let (Some(number), Value::List(mut args)) = (number, arguments.clone()) else { return arguments };
    match number {
        580 | 615 | 791 => return deep_tuple(arguments),
        2 | 116 | 132 | 143 | 222 | 261 | 273 | 394 | 399 | 421 | 424 | 429 | 470 | 560 | 579 | 596 | 616 | 630
        | 726 | 740 | 744 | 809 => each(&mut args, tuple),
        63 | 64 | 70 | 94 | 120 | 237 | 272 | 299 | 400 | 409 | 417 | 438 | 473 | 614 | 780 => {
            each(&mut args, |arg| mapped(arg, tuple));
        }
        259 | 278 | 401 | 445 => each(&mut args, |arg| tuple(mapped(arg, tuple))),
        75 | 413 | 444 | 753 => at(&mut args, 0, |arg| mapped(arg, tuple)),
        106 | 750 => at(&mut args, 1, tuple),
        250 | 307 | 405 | 446 | 617 | 720 | 763 | 808 => at(&mut args, 0, tuple),
        115 => at(&mut args, 0, |arg| mapped(arg, set)),
        124 => {
            at(&mut args, 0, float);
            at(&mut args, 1, complex);
        }
        252 => at(&mut args, 0, complex),
        722 => at(&mut args, 0, tuples_of_dict),
        _ => {}
    }
    Value::List(args)
}

fn each(args: &mut [Value], change: impl Fn(Value) -> Value) {
    (0..args.len()).for_each(|index| at(args, index, &change));
}

fn at(args: &mut [Value], index: usize, change: impl Fn(Value) -> Value) {
    if let Some(arg) = args.get_mut(index) {
        *arg = change(std::mem::replace(arg, Value::None));
    }
}

fn mapped(value: Value, change: impl Fn(Value) -> Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.into_iter().map(change).collect()),
        other => other,
    }
}

fn tuple(value: Value) -> Value {
    match value {
        Value::List(items) => Value::Tuple(items),
        other => other,
    }
}

fn deep_tuple(value: Value) -> Value {
    tuple(mapped(value, deep_tuple))
}

fn set(value: Value) -> Value {
    match value {
        Value::List(items) if items.is_empty() => Value::Dict(Vec::new()),
        Value::List(items) => Value::set(items.clone()).unwrap_or(Value::List(items)),
        other => other,
    }
}

fn tuples_of_dict(value: Value) -> Value {
    match value {
        Value::Dict(items) => Value::Dict(items.into_iter().map(|(key, value)| (key, tuple(value))).collect()),
        other => other,
    }
}

fn float(value: Value) -> Value {
    let read = super::json::text(&value).and_then(|text| text.trim().parse().ok());
    read.map_or(value, Value::Float)
}

fn complex(value: Value) -> Value {
    let text = super::json::text(&value).map(|text| text.trim().trim_start_matches('(').trim_end_matches(')'));
    let read = text.and_then(|text| literal::parse(&text.replace(' ', "")).ok());
    match read {
        Some(Value::Complex(re, im)) => Value::Complex(re, im),
        Some(Value::Float(re)) => Value::Complex(re, 0.0),
        Some(Value::Int(re)) => re.to_string().parse().map_or(value, |re| Value::Complex(re, 0.0)),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;
    use crate::observe::repr::repr;

    #[test]
    fn arguments_have_the_types_that_the_problems_tests_have() {
        for (problem, json, python) in [
            ("HumanEval/2", "[[1, 2], [3]]", "[[1, 2], [3]]"),
            ("Mbpp/2", "[[3, 4], [5]]", "[(3, 4), (5,)]"),
            ("Mbpp/63", "[[[1, 2], [3, 4]]]", "[[(1, 2), (3, 4)]]"),
            ("Mbpp/75", "[[[6, 24], [7]], 6]", "[[(6, 24), (7,)], 6]"),
            ("Mbpp/106", "[[5], [9, 10]]", "[[5], (9, 10)]"),
            ("Mbpp/115", "[[[1, 1, 2], []]]", "[[{1, 2}, {}]]"),
            ("Mbpp/124", "[\"0\", \"1j\"]", "[0.0, 1j]"),
            ("Mbpp/250", "[[10, 8], 4]", "[(10, 8), 4]"),
            ("Mbpp/252", "[\"(1+2j)\"]", "[(1+2j)]"),
            ("Mbpp/259", "[[[1, 3]], [[6, 7]]]", "[((1, 3),), ((6, 7),)]"),
            ("Mbpp/278", "[[1, [4, 6], 10]]", "[(1, (4, 6), 10)]"),
            ("Mbpp/722", "[{\"C\": [6.2, 70]}, 6.0]", "[{'C': (6.2, 70)}, 6.0]"),
            ("Mbpp/580", "[[4, [7, []]]]", "((4, (7, ())),)"),
            ("Mbpp/3", "[[6]]", "[[6]]"),
        ] {
            assert_eq!(repr(&restored(problem, json::parse(json).unwrap())), python, "{problem}");
        }
    }
}
