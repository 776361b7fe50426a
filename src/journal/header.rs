//! What a run was begun with, against what it would go on with.

use serde_json::Value;

/// Each field that differs, in words; nothing where the run may go on.
///
/// Two headers are compared field by field, whatever fields they have. A `pack` with `ops` by name is spoken of as such,
/// and ids are not printed: that they differ is all that they say.
pub fn differences(then: &Value, now: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare(&mut Vec::new(), Some(then), Some(now), &mut found);
    found
}

fn compare<'v>(path: &mut Vec<&'v str>, then: Option<&'v Value>, now: Option<&'v Value>, found: &mut Vec<String>) {
    if then == now {
        return;
    }
    let (Some(Value::Object(before)), Some(Value::Object(after))) = (then, now) else {
        found.push(sentence(path, then, now));
        return;
    };
    let added = after.keys().filter(|key| !before.contains_key(*key));
    for key in before.keys().chain(added) {
        path.push(key);
        compare(path, before.get(key), after.get(key), found);
        path.pop();
    }
}

fn sentence(path: &[&str], then: Option<&Value>, now: Option<&Value>) -> String {
    let subject = subject(path);
    match (then, now) {
        (None, Some(now)) => match shown(now) {
            Some(now) => format!("{subject}: not set then, {now} now"),
            None => format!("{subject} is new"),
        },
        (Some(then), None) => match shown(then) {
            Some(then) => format!("{subject}: {then} then, not set now"),
            None => format!("{subject} is gone"),
        },
        (then, now) => match (then.and_then(shown), now.and_then(shown)) {
            (Some(then), Some(now)) => format!("{subject}: {then} then, {now} now"),
            _ => format!("{subject} has changed"),
        },
    }
}

fn subject(path: &[&str]) -> String {
    let word = |name: &str| match name {
        "pack" => "the pack".to_owned(),
        "data" => "the data".to_owned(),
        other => other.replace('_', " "),
    };
    match path {
        [] => "the run".to_owned(),
        [before @ .., "ops", op] => [subject(before), format!("op `{op}`")].join(": "),
        [only] => word(only),
        [before @ .., last] => [subject(before), word(last)].join(": "),
    }
}

/// A value that a person can read: neither an id nor a structure.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) => None,
        Value::String(text) => Some(text.clone()),
        Value::Null => Some("none".to_owned()),
        Value::Array(_) | Value::Object(_) => None,
        plain => Some(plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn header() -> Value {
        json!({
            "release": "0.2.0", "seed": 0, "data": "ab".repeat(32),
            "pack": {"name": "code", "root": "cd".repeat(32), "ops": {"x": "01".repeat(32), "y": "02".repeat(32)}},
            "configuration": {"selection": "default", "shadow_rounds": 20, "composer": null},
        })
    }

    #[test]
    fn the_same_header_has_no_differences_whatever_the_order_of_its_fields() {
        let now = json!({"b": 1, "a": {"d": 2, "c": 3}});
        assert_eq!(differences(&json!({"a": {"c": 3, "d": 2}, "b": 1}), &now), Vec::<String>::new());
        assert_eq!(differences(&header(), &header()), Vec::<String>::new());
    }

    #[test]
    fn each_field_that_differs_is_named_in_words() {
        let mut now = header();
        now["release"] = json!("0.3.0");
        now["seed"] = json!(1);
        now["data"] = json!("ef".repeat(32));
        now["pack"]["root"] = json!("ef".repeat(32));
        now["pack"]["ops"] = json!({"x": "03".repeat(32), "z": "02".repeat(32)});
        now["configuration"] = json!({"selection": "paper", "shadow_rounds": 20, "composer": "llm", "anchors": false});
        assert_eq!(
            differences(&header(), &now),
            [
                "release: 0.2.0 then, 0.3.0 now",
                "seed: 0 then, 1 now",
                "the data has changed",
                "the pack: root has changed",
                "the pack: op `x` has changed",
                "the pack: op `y` is gone",
                "the pack: op `z` is new",
                "configuration: selection: default then, paper now",
                "configuration: composer: none then, llm now",
                "configuration: anchors: not set then, false now",
            ]
        );
    }
}
