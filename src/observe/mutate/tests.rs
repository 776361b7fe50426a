//! Mutations near the example: distinct, prefix-stable, of the example's types and relations.

use super::*;
use proptest::prelude::*;

fn near(example: &str, n: usize) -> Vec<Vec<Value>> {
    let texts = mutations(&[example.to_owned()], "task", n);
    texts.iter().map(|text| literal::parse(text).unwrap().items().unwrap().to_vec()).collect()
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Int(int) => i64::try_from(int).unwrap(),
        other => panic!("{other:?} is no int"),
    }
}

#[test]
fn a_task_s_inputs_are_fixed_distinct_and_grow_from_one_list() {
    let examples = ["assert f([1, 4, 2], 'ab c', 2.5) == 3".to_owned(), "assert f([3], 'x', 1.0) == 0".to_owned()];
    let all = mutations(&examples, "Task/7", 80);
    assert_eq!(all.len(), 80);
    for n in [0, 1, 20, 79] {
        assert_eq!(mutations(&examples, "Task/7", n), all[..n]);
    }
    let distinct: HashSet<&String> = all.iter().collect();
    assert_eq!(distinct.len(), 80);
    assert!(!distinct.contains(&"[[1, 4, 2], 'ab c', 2.5]".to_owned()));
    assert_ne!(mutations(&examples, "Task/8", 80), all);
}

#[test]
fn without_a_readable_example_there_is_nothing() {
    for example in ["", "assert f(x) == 1", "assert f() == 1"] {
        assert_eq!(mutations(&[example.to_owned()], "t", 5), Vec::<String>::new());
        assert_eq!(boundaries(&[example.to_owned()], "t"), Vec::<String>::new());
    }
    assert_eq!(mutations(&[], "t", 5), Vec::<String>::new());
}

#[test]
fn a_small_neighbourhood_ends() {
    assert_eq!(mutations(&["assert f(True) == 1".to_owned()], "t", 10), ["[False]"]);
    assert_eq!(mutations(&["assert f(None) == 1".to_owned()], "t", 10), Vec::<String>::new());
}

#[test]
fn types_are_kept() {
    for args in near("assert f(3, 1.5, 'ab', True, [1, 2], ('a', 1), {'k': 2}, {3}) == 0", 200) {
        let types: Vec<&str> = args.iter().map(Value::type_name).collect();
        assert_eq!(types, ["int", "float", "str", "bool", "list", "tuple", "dict", "set"]);
        assert!(args[4].items().unwrap().iter().all(|item| item.type_name() == "int"));
        assert!(
            args[6].pairs().unwrap().iter().all(|(key, value)| key.type_name() == "str" && value.type_name() == "int")
        );
    }
}

#[test]
fn integers_stay_within_twice_and_ten() {
    for args in near("assert f(20) == 0", 40) {
        assert!(int(&args[0]).abs() <= 50, "{args:?}");
    }
    for args in near("assert f([3, 1, 7, 5]) == 0", 200) {
        assert!(args[0].items().unwrap().iter().all(|item| int(item).abs() <= 24), "{args:?}");
    }
}

#[test]
fn numbers_below_zero_are_rare_where_the_example_has_none() {
    let negative = |example: &str| {
        let drawn = near(example, 100);
        drawn.iter().filter(|args| args[0].items().unwrap().iter().any(|item| int(item) < 0)).count()
    };
    assert!(negative("assert f([3, 1, 7, 5]) == 0") <= 20);
    assert!(negative("assert f([3, -1, 7, -5]) == 0") >= 60);
}

#[test]
fn a_length_follows_its_list_and_a_place_stays_in_it() {
    let holds =
        |example: &str, check: &dyn Fn(&[Value]) -> bool| near(example, 200).iter().filter(|args| check(args)).count();
    let length = |args: &[Value]| args[0].length() == Some(int(&args[1]) as usize);
    assert!(holds("assert f([1, 2, 3, 3, 3, 3, 10], 7, 3) == True", &length) >= 150);
    let place = |args: &[Value]| int(&args[1]) >= 0 && int(&args[1]) as usize <= args[0].length().unwrap();
    assert!(holds("assert f([4, 9, 1, 5], 2) == 0", &place) >= 150);
    let ordered = |args: &[Value]| int(&args[0]) <= int(&args[1]);
    assert!(holds("assert f(10, 40) == 0", &ordered) >= 160);
    let parallel = |args: &[Value]| args[0].length() == args[1].length();
    assert!(holds("assert f([4, 2, 7], [1, 9, 3]) == 0", &parallel) >= 150);
    let sorted = |args: &[Value]| args[0].items().unwrap().iter().map(int).is_sorted();
    assert!(holds("assert f([1, 3, 4, 9, 12]) == 0", &sorted) >= 170);
}

#[test]
fn a_matrix_stays_rectangular_and_a_square_square() {
    let shapes = |example: &str| -> Vec<(usize, Option<usize>)> {
        let widths = |rows: &[Value]| {
            let widths: HashSet<usize> = rows.iter().filter_map(Value::length).collect();
            if widths.len() == 1 { widths.into_iter().next() } else { None }
        };
        near(example, 200).iter().map(|args| args[0].items().unwrap()).map(|rows| (rows.len(), widths(rows))).collect()
    };
    let rectangular = shapes("assert f([[1, 2, 3], [4, 5, 6]]) == 0");
    assert!(rectangular.iter().filter(|(_, width)| width.is_some()).count() >= 160);
    let square = shapes("assert f([[1, 2, 3], [4, 5, 6], [7, 8, 9]]) == 0");
    assert!(square.iter().filter(|(rows, width)| Some(*rows) == *width).count() >= 150);
}

#[test]
fn the_rows_of_a_table_keep_their_columns() {
    let drawn = near("assert f([('ab', 3), ('cd', 5), ('ef', 9)], 2) == 0", 200);
    let fits = |row: &Value| {
        let types: Vec<&str> = row.items().unwrap_or_default().iter().map(Value::type_name).collect();
        types == ["str", "int"]
    };
    let kept = drawn.iter().filter(|args| args[0].items().unwrap().iter().all(fits)).count();
    assert!(kept >= 170, "{kept}");
}

#[test]
fn texts_of_numbers_mostly_stay_numbers() {
    let drawn = near("assert f(['4', '12', '-7', '100']) == 0", 100);
    let number = |item: &Value| item.text().is_some_and(|text| text.parse::<i64>().is_ok());
    let kept = drawn.iter().filter(|args| args[0].items().unwrap().iter().all(number)).count();
    assert!(kept >= 75, "{kept}");
}

#[test]
fn a_single_character_stays_one() {
    let drawn = near("assert f('hello', 'l') == 0", 100);
    assert!(drawn.iter().filter(|args| args[1].length() == Some(1)).count() >= 90);
}

#[test]
fn boundaries_are_few_and_each_varies_one_argument() {
    let edges = boundaries(&["assert f('hello', [3, 4], 5) == 0".to_owned()], "t");
    assert_eq!(edges[..3], ["['', [3, 4], 5]", "['hello', [], 5]", "['hello', [3, 4], 0]"]);
    let mut rest = edges[3..].to_vec();
    rest.sort();
    assert_eq!(rest, ["['h', [3, 4], 5]", "['hello', [3, 4], -1]", "['hello', [3, 4], 1]", "['hello', [3], 5]"]);
    let many = "assert f(5, 6, 7, 8, 9) == 0".to_owned();
    assert_eq!(boundaries(std::slice::from_ref(&many), "t").len(), 8);
    assert_eq!(boundaries(&[many], "t")[..2], ["[0, 6, 7, 8, 9]", "[5, 0, 7, 8, 9]"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_example_panics_and_what_comes_is_a_list(value in crate::observe::sample::values(), other in crate::observe::sample::values()) {
        let text = format!("assert f({}, {}) == 1", repr(&value), repr(&other));
        let own = Assertion::parse(&text).unwrap().args().to_owned();
        let examples = [text];
        for args in mutations(&examples, "t", 10).into_iter().chain(boundaries(&examples, "t")) {
            prop_assert!(matches!(literal::parse(&args), Ok(Value::List(items)) if items.len() == 2), "{args}");
            prop_assert_ne!(&args, &own);
        }
    }
}
