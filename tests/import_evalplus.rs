//! EvalPlus files become a pool: the visible and the hidden tests of each problem, each sample as it would be run, and
//! labels that the pack's anchor finds again.

use std::fs;
use std::io::Write;
use std::path::Path;

use gradus::dataset::evalplus::{Imported, import};
use serde_json::{Value, json};
use tempfile::TempDir;

mod support;

use support::{gradus, stderr, stdout};

const PROMPT: &str = "def middle(xs: List[int]):\n    \"\"\" The middle item.\n    >>> middle([1, 5, 9])\n    5\n    >>> middle([])\n\n    \"\"\"\n";

/// A problem of each set, in the published forms.
fn problems() -> String {
    let middle = json!({
        "task_id": "HumanEval/900", "prompt": PROMPT, "entry_point": "middle", "contract": "",
        "canonical_solution": "    return xs[len(xs) // 2] if xs else None\n", "atol": 0,
        "base_input": [[[1, 5, 9]], [[]]], "plus_input": [[[4]], [[1, 2]]],
    });
    let shared = "{\"task_id\": \"Mbpp/2\", \"prompt\": \"\\\"\\\"\\\"\\nFind the shared items.\\nassert similar_elements((1, 2), (2, 3)) == (2,)\\n\\\"\\\"\\\"\\n\", \
        \"entry_point\": \"similar_elements\", \"canonical_solution\": \"\\ndef similar_elements(a, b):\\n    return tuple(set(a) & set(b))\\n\", \
        \"base_input\": [[[1, 2], [2, 3]]], \"plus_input\": [[[Infinity, 123456789012345678901234567890], [Infinity]]], \"atol\": 1e-6}";
    format!("{middle}\n{shared}\n")
}

const SHARED: &str = "def similar_elements(a, b):\n    return tuple(x for x in a if x in b)\n";

fn samples() -> String {
    [
        json!({"task_id": "HumanEval/900", "completion": "    return xs[len(xs) // 2] if xs else None\n"}),
        json!({"task_id": "Mbpp/2", "solution": SHARED}),
        json!({"task_id": "HumanEval/900", "solution": "def middle(xs):\n    return xs[1]\n"}),
        json!({"task_id": "HumanEval/900", "completion": "    return xs[len(xs) // 2] if xs else 0\n"}),
    ]
    .map(|line| format!("{line}\n"))
    .concat()
}

fn results() -> Value {
    let one = |solution: &str, base: &str, plus: &str| json!({"solution": solution, "base_status": base, "plus_status": plus});
    let whole = |end: &str| format!("{PROMPT}    return xs[len(xs) // 2] if xs else {end}\n");
    // In another order than the samples: the text says which is which.
    json!({"date": "", "hash": "", "eval": {
        "HumanEval/900": [
            one("def middle(xs):\n    return xs[1]\n", "fail", "fail"),
            one(&whole("None"), "pass", "pass"),
            one(&whole("0"), "fail", "pass"),
        ],
        "Mbpp/2": [one(SHARED, "pass", "pass")],
    }})
}

fn folder() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "problems.jsonl", &problems());
    write(dir.path(), "model.jsonl", &samples());
    write(dir.path(), "model_eval_results.json", &results().to_string());
    dir
}

fn write(dir: &Path, name: &str, text: &str) {
    fs::create_dir_all(dir.join(name).parent().unwrap()).unwrap();
    fs::write(dir.join(name), text).unwrap();
}

fn lines(dir: &Path, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(dir.join("pool").join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn made(dir: &Path, samples: &str, results: Option<&str>) -> gradus::base::Result<Imported> {
    let results = results.map(|results| dir.join(results));
    import(&dir.join("problems.jsonl"), &dir.join(samples), results.as_deref(), &dir.join("pool"))
}

fn refused(dir: &Path, samples: &str, results: Option<&str>) -> String {
    let error = made(dir, samples, results).unwrap_err().to_string();
    assert!(!dir.join("pool").exists());
    error.replace(&format!("{}/", dir.display()), "")
}

#[test]
fn problems_and_samples_become_a_pool() {
    let dir = folder();
    assert_eq!(
        made(dir.path(), "model.jsonl", Some("model_eval_results.json")).unwrap(),
        Imported { tasks: 2, outputs: 4, passing: Some(2) }
    );
    let tasks = lines(dir.path(), "tasks.jsonl");
    assert_eq!(
        tasks[0],
        json!({"id": "HumanEval/900", "prompt": PROMPT.trim(), "entry_point": "middle", "examples": ["assert middle([1, 5, 9]) == 5"]})
    );
    assert_eq!(tasks[1]["prompt"], "Find the shared items.");
    assert_eq!(tasks[1]["examples"], json!(["assert similar_elements((1, 2), (2, 3)) == (2,)"]));
    let references = lines(dir.path(), "reference.jsonl");
    assert_eq!(references[0]["inputs"], json!(["[[1, 5, 9]]", "[[]]", "[[4]]", "[[1, 2]]"]));
    assert_eq!((&references[0]["base_count"], &references[0]["comparison"]), (&json!(2), &json!("equal")));
    assert!(references[0]["canonical_solution"].as_str().unwrap().starts_with("def middle"));
    let inputs = references[1]["inputs"].as_array().unwrap();
    assert_eq!(inputs[0], "[(1, 2), (2, 3)]");
    assert!(inputs[1].as_str().unwrap().contains("123456789012345678901234567890"));
    assert_eq!((&references[1]["atol"], &references[1]["comparison"]), (&json!(1e-6), &json!("set")));
    let outputs = lines(dir.path(), "outputs.jsonl");
    let ids: Vec<&Value> = outputs.iter().map(|output| &output["id"]).collect();
    assert_eq!(ids, ["HumanEval/900#model-00", "Mbpp/2#model-00", "HumanEval/900#model-01", "HumanEval/900#model-02"]);
    assert_eq!(outputs[0]["text"], format!("{PROMPT}    return xs[len(xs) // 2] if xs else None\n"));
    assert_eq!((&outputs[1]["text"], &outputs[1]["solver"]), (&json!(SHARED), &json!("model")));
    let labels: Vec<Value> = lines(dir.path(), "labels.jsonl").iter().map(|label| label["pass"].clone()).collect();
    assert_eq!(labels, [true, true, false, false]);
}

#[test]
fn the_anchor_finds_the_labels_again_and_without_labels_the_pack_grades() {
    let dir = folder();
    let pack = concat!(env!("CARGO_MANIFEST_DIR"), "/packs/code");
    let args = ["import", "evalplus", "--problems", "problems.jsonl", "--samples", "model.jsonl", "-o"];
    let labelled = gradus(dir.path(), &[&args[..], &["pool", "--results", "model_eval_results.json"]].concat());
    assert_eq!(stdout(&labelled), "pool: 2 tasks, 4 outputs, 2 passing and 2 failing\n", "{}", stderr(&labelled));
    let anchor = gradus(dir.path(), &["check", pack, "--anchor", "pool", "--no-cache"]);
    if stderr(&anchor).contains("ops that run candidates are faults") {
        return eprintln!("skipped: candidates cannot be run here");
    }
    assert!(stdout(&anchor).contains("4 of 4 labels are what the anchor finds."), "{}", stdout(&anchor));

    let plain = gradus(dir.path(), &[&args[..], &["plain"]].concat());
    assert_eq!(stdout(&plain), "plain: 2 tasks, 4 outputs, without labels\n");
    assert!(!dir.path().join("plain/labels.jsonl").exists());
    let grade = ["grade", "--pack", pack, "--tasks", "plain/tasks.jsonl", "--outputs", "plain/outputs.jsonl"];
    let graded = gradus(dir.path(), &[&grade[..], &["--no-cache"]].concat());
    assert!(stderr(&graded).starts_with("4 outputs: "), "{}", stderr(&graded));
}

#[test]
fn packed_files_folders_and_older_results_are_read() {
    let dir = folder();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(problems().as_bytes()).unwrap();
    fs::write(dir.path().join("problems.jsonl.gz"), packed.finish().unwrap()).unwrap();
    write(
        dir.path(),
        "old.json",
        &json!({"eval": {
            "HumanEval/900": {"nfiles": 3, "base": [["success", []], ["failed", []], ["success", []]],
                              "plus": [["success", []], ["success", []], ["timed out", []]]},
            "Mbpp/2": {"nfiles": 1, "base": [["success", []]], "plus": [["success", []]]},
        }})
        .to_string(),
    );
    let import = |samples: &str, results: &str, to: &str| {
        let path = |name: &str| dir.path().join(name);
        gradus::dataset::evalplus::import(&path("problems.jsonl.gz"), &path(samples), Some(&path(results)), &path(to))
    };
    assert_eq!(import("model.jsonl", "old.json", "a").unwrap().passing, Some(2));

    write(dir.path(), "many/one.jsonl", &samples());
    write(dir.path(), "many/two.jsonl", &samples());
    write(dir.path(), "many/one_eval_results.json", &results().to_string());
    write(dir.path(), "many/two_eval_results.json", &results().to_string());
    assert_eq!(import("many", "many", "b").unwrap(), Imported { tasks: 2, outputs: 8, passing: Some(4) });

    write(dir.path(), "folders/HumanEval_900/10.py", "def middle(xs):\n    return xs[1]\n");
    write(dir.path(), "folders/HumanEval_900/9.py", &format!("{PROMPT}    return xs[len(xs) // 2] if xs else 0\n"));
    write(dir.path(), "folders/HumanEval_900/8.py", &format!("{PROMPT}    return xs[len(xs) // 2] if xs else None\n"));
    write(dir.path(), "folders/Mbpp_2/0.py", SHARED);
    assert_eq!(import("folders", "model_eval_results.json", "c").unwrap().passing, Some(2));
    let ids = fs::read_to_string(dir.path().join("c/labels.jsonl")).unwrap();
    let passes: Vec<Value> = ids.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(passes.iter().filter(|label| label["pass"] == true).count(), 2);
    assert!(import("folders", "old.json", "d").unwrap_err().to_string().contains("no result is of this solution"));
}

#[test]
fn errors_name_file_line_and_remedy() {
    let dir = folder();
    let place = dir.path();
    write(
        place,
        "unknown.jsonl",
        "{\"task_id\": \"HumanEval/900\", \"solution\": \"x\"}\n\n{\"task_id\": \"HumanEval/7\", \"solution\": \"x\"}\n",
    );
    assert_eq!(
        refused(place, "unknown.jsonl", None),
        "unknown.jsonl:3: no problem has the task_id `HumanEval/7`. Give the problem file that these samples answer."
    );
    write(place, "empty.jsonl", "{\"task_id\": \"HumanEval/900\"}\n");
    assert_eq!(
        refused(place, "empty.jsonl", None),
        "empty.jsonl:1: `completion` is missing. Give each sample a `solution`, or a `completion` of the prompt."
    );
    write(place, "short.json", "{\"eval\": {\"HumanEval/900\": [], \"Mbpp/2\": [{\"base_status\": \"pass\"}]}}");
    assert!(
        refused(place, "model.jsonl", Some("short.json"))
            .starts_with("short.json: HumanEval/900#model-00: there are no results")
    );
    write(place, "cut.json", "{\"eval\":\n{\"HumanEval/900\": [");
    assert!(refused(place, "model.jsonl", Some("cut.json")).starts_with("cut.json:2: not JSON: the text ends"));
    write(place, "problems.jsonl", &problems().replace("\"atol\":0,", "").replace("Infinity]]]", "oops]]]"));
    let error = refused(place, "model.jsonl", None);
    assert!(
        error.starts_with("problems.jsonl:1: `atol` must be a number; line 2: not JSON: no value begins with `oops"),
        "{error}"
    );
    assert!(refused(place, "nowhere.jsonl", None).starts_with("problems.jsonl:1"));
    write(place, "problems.jsonl", &problems());
    fs::create_dir(place.join("bare")).unwrap();
    assert!(refused(place, "bare", None).starts_with("bare: holds no samples. Give a .jsonl file"));
}
