//! A pack whose outputs are queries, from its folder to verdicts, through the command.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::shop;

const MANIFEST: &str = r#"
name = "shop"
artifact = "text"
tiers = ["static", "execution"]
default = "(any does_not_run departs_from_peers)"
dataset = "data"

[taxonomy]
does_not_run = "the database gives no answer"
departs = "its answer is not the one that most give"

[warehouse]
databases = "databases"
"#;

const ROOT: &str = "return { check = function(task, text)
  if #text == 0 then return drawback('there is no query') end
  return clean(), { text = text }
end }";

const DOES_NOT_RUN: &str = "return {
  detects = 'does_not_run', about = 'gets no answer', tier = 'execution', strength = 'proof',
  plan  = function(task) return { { query = true } } end,
  check = function(task, artifact, seen)
    local own = seen[1].own
    if own.status == 'value' then return clean() end
    return drawback((own.error and own.error.message) or own.status)
  end,
}";

const DEPARTS_FROM_PEERS: &str = "return {
  detects = 'departs', about = 'differs from agreeing peers', tier = 'execution', strength = 'evidence', peers = true,
  plan  = function(task)
    local requests = {}
    for copy = 0, 6 do table.insert(requests, { query = true, copy = copy, on = 'both' }) end
    return requests
  end,
  check = function(task, artifact, seen)
    for at, answer in ipairs(seen) do
      local usual, share, count = plurality(answer.peers)
      if usual and usual.rows and share >= 0.5 and count >= 2 then
        if not answer.own.rows then return abstain('has no answer') end
        if not answer.own.rows:equals(usual.rows, 'spider1') then
          return drawback('on copy ' .. (at - 1) .. ' gives ' .. answer.own.rows:repr() .. ', others ' .. usual.rows:repr())
        end
      end
    end
    return clean()
  end,
}";

const AGREES: &str = "return {
  detects = 'departs', about = 'differs from a query written into the task', tier = 'execution', strength = 'smell',
  plan  = function(task) return { { query = true }, { query = task.like } } end,
  check = function(task, artifact, seen)
    local own, like = seen[1].own.rows, seen[2].own.rows
    if not own or not like then return abstain('no answer') end
    if own:equals(like, 'spider2', false) then return clean() end
    return drawback(tostring(#own) .. ' rows of ' .. #own:columns() .. ' columns')
  end,
}";

/// Queries of one task: the right one in three spellings, one that is right on the database alone, and three that fail.
const OUTPUTS: [(&str, &str); 7] = [
    ("max", "SELECT max(amount) FROM purchase"),
    ("order", "SELECT amount FROM purchase ORDER BY amount DESC LIMIT 1"),
    ("all", "SELECT amount FROM purchase WHERE amount = (SELECT max(amount) FROM purchase) LIMIT 1"),
    ("lucky", "SELECT amount FROM purchase WHERE number = 200"),
    ("typo", "SELECT max(amont) FROM purchase"),
    ("writes", "DELETE FROM purchase"),
    ("endless", "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"),
];

fn lines(records: impl IntoIterator<Item = Value>) -> String {
    records.into_iter().map(|record| format!("{record}\n")).collect()
}

fn pack() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let at = |path: &str| dir.path().join(path);
    for folder in ["pack/seeds", "pack/databases", "pack/data", "pack/cases"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    shop::make(&at("pack/databases"));
    fs::write(at("pack/pack.toml"), MANIFEST).unwrap();
    fs::write(at("pack/root.lua"), ROOT).unwrap();
    for (name, source) in
        [("does_not_run", DOES_NOT_RUN), ("departs_from_peers", DEPARTS_FROM_PEERS), ("agrees", AGREES)]
    {
        fs::write(at(&format!("pack/seeds/{name}.lua")), source).unwrap();
    }
    let task = |id: &str, db: &str| json!({"id": id, "db": db, "like": "SELECT 250.001 AS amount, 'more' AS more"});
    fs::write(at("pack/data/tasks.jsonl"), lines([task("largest", "shop")])).unwrap();
    let outputs = OUTPUTS.map(|(id, text)| json!({"id": id, "task": "largest", "solver": "s", "text": text}));
    fs::write(at("pack/data/outputs.jsonl"), lines(outputs)).unwrap();
    dir
}

/// Runs the command in the folder; what it printed, its talk and its exit code.
fn gradus(dir: &Path, args: &[&str]) -> (String, String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gradus"));
    for name in ["GRADUS_CACHE", "GRADUS_THREADS", "GRADUS_PYTHON", "GRADUS_DATABASES"] {
        command.env_remove(name);
    }
    let output = command.current_dir(dir).env("XDG_CACHE_HOME", dir.join("cache")).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

const GRADE: [&str; 9] = [
    "grade",
    "--pack",
    "pack",
    "--tasks",
    "pack/data/tasks.jsonl",
    "--outputs",
    "pack/data/outputs.jsonl",
    "--json",
    "--every-leaf",
];

/// Verdict and reasons by output.
fn grades(dir: &Path, more: &[&str]) -> Vec<(String, String, String)> {
    let (out, err, _) = gradus(dir, &[&GRADE[..], more].concat());
    let read = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        let said: Vec<&str> =
            record["leaves"].as_array().unwrap().iter().filter_map(|leaf| leaf["message"].as_str()).collect();
        let text = |key: &str| record[key].as_str().unwrap().to_owned();
        (text("output"), text("verdict"), said.join("; "))
    };
    let grades: Vec<_> = out.lines().map(read).collect();
    assert_eq!(grades.len(), OUTPUTS.len(), "{out}{err}");
    grades
}

fn verdicts(dir: &Path, more: &[&str]) -> Vec<(String, String)> {
    grades(dir, more).into_iter().map(|(output, verdict, _)| (output, verdict)).collect()
}

fn named(pairs: [(&str, &str); 7]) -> Vec<(String, String)> {
    pairs.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec()
}

#[test]
fn a_pack_of_queries_is_graded_end_to_end() {
    let dir = pack();
    let expected = named([
        ("max", "pass"),
        ("order", "pass"),
        ("all", "pass"),
        ("lucky", "fail"),
        ("typo", "fail"),
        ("writes", "fail"),
        ("endless", "fail"),
    ]);
    let first = grades(dir.path(), &[]);
    assert_eq!(first.iter().map(|(a, b, _)| (a.clone(), b.clone())).collect::<Vec<_>>(), expected);
    let said = |output: &str| first.iter().find(|grade| grade.0 == output).unwrap().2.clone();
    assert!(said("lucky").contains("on copy ") && said("lucky").contains("(amount): "), "{}", said("lucky"));
    assert!(said("typo").contains("no such column: amont"), "{}", said("typo"));
    assert!(said("writes").contains("writes to purchase"), "{}", said("writes"));
    assert!(said("endless").contains("timeout"), "{}", said("endless"));
    assert_eq!(grades(dir.path(), &[]), first, "from the cache");
    assert_eq!(grades(dir.path(), &["--no-cache", "--threads", "4"]), first, "anew, on more threads");
}

#[test]
fn the_example_of_the_guide_finds_the_query_that_is_right_by_luck() {
    let dir = pack();
    let guide = include_str!("../../packs/README.md");
    let example = guide.split("```lua\n").find(|block| block.starts_with("-- Gives another answer")).unwrap();
    let source = example.split("```").next().unwrap().replace("wrong_rows", "departs");
    fs::write(dir.path().join("pack/seeds/wrong_rows.lua"), source).unwrap();
    let grades = grades(dir.path(), &["--expr", "wrong_rows"]);
    let lucky = grades.iter().find(|grade| grade.0 == "lucky").unwrap();
    assert_eq!(lucky.1, "fail");
    assert!(lucky.2.contains("unlike its peers: "), "{}", lucky.2);
    assert_eq!(grades[0].1, "pass", "{}", grades[0].2);
}

#[test]
fn a_query_of_the_ops_own_is_asked_beside_the_output() {
    let dir = pack();
    let verdicts = verdicts(dir.path(), &["--expr", "agrees"]);
    // The gold column of text has no match, so the rule finds nothing as good; without an answer the op abstains.
    let word = |output: &str| verdicts.iter().find(|(id, _)| id == output).unwrap().1.as_str();
    assert_eq!((word("max"), word("typo")), ("fail", "pass"));
}

#[test]
fn verdicts_follow_the_content_of_the_database() {
    let dir = pack();
    assert_eq!(verdicts(dir.path(), &["--expr", "does_not_run"])[0].1, "pass");
    let path = dir.path().join("pack/databases/shop.sqlite");
    let shop = rusqlite::Connection::open(&path).unwrap();
    shop.execute_batch("DROP TRIGGER no_change; DROP VIEW spent; DROP TABLE purchase").unwrap();
    drop(shop);
    let now = grades(dir.path(), &["--expr", "does_not_run"]);
    assert_eq!((now[0].1.as_str(), now[0].2.as_str()), ("fail", "no such table: purchase"));
}

#[test]
fn a_database_that_is_missing_is_a_fault_and_found_again_with_a_flag() {
    let dir = pack();
    let elsewhere = dir.path().join("elsewhere");
    fs::rename(dir.path().join("pack/databases"), &elsewhere).unwrap();
    let lost = grades(dir.path(), &[]);
    assert!(lost.iter().all(|(_, verdict, _)| verdict == "fault"), "{lost:?}");
    assert!(lost[0].2.contains("shop.sqlite: there is no such database"), "{}", lost[0].2);
    let (out, _, code) = gradus(dir.path(), &["check", "pack"]);
    assert_eq!(code, Some(100), "{out}");
    assert!(out.contains("shop (1 task)") && out.contains("0 of 1 database"), "{out}");
    let found = verdicts(dir.path(), &["--databases", "elsewhere"]);
    assert_eq!(found[0].1, "pass");
    let (out, _, code) = gradus(dir.path(), &["--databases", "elsewhere", "check", "pack"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("1 of 1 database"), "{out}");
}

#[test]
fn a_task_without_a_database_and_a_plan_of_python_are_faults_that_say_so() {
    let dir = pack();
    fs::write(dir.path().join("pack/data/tasks.jsonl"), lines([json!({"id": "largest", "like": "SELECT 1"})])).unwrap();
    let lost = grades(dir.path(), &["--expr", "does_not_run"]);
    assert!(lost[0].2.contains("the task names no database"), "{}", lost[0].2);
    let calls = DOES_NOT_RUN.replace("{ query = true }", "{ call = 'f', args = '[]' }");
    fs::write(dir.path().join("pack/seeds/does_not_run.lua"), calls).unwrap();
    let lost = grades(dir.path(), &["--expr", "does_not_run"]);
    assert!(lost[0].2.contains("this pack's outputs are asked of databases"), "{}", lost[0].2);
}

#[test]
fn try_shows_what_was_asked_and_seen_and_a_case_may_run_or_write_its_rows() {
    let dir = pack();
    let (out, err, code) = gradus(dir.path(), &["try", "pack", "departs_from_peers", "--id", "lucky"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("query itself  on copy 3") && out.contains("own    (amount): (250.0)"), "{out}");
    let cases = r#"# does_not_run

```json task
{"id": "t", "db": "shop"}
```

## fires: a table that is not there

```sql output
SELECT * FROM market
```

- `does_not_run` drawback: "no such table"

## clean: rows that were written down

```sql output
SELECT 1
```

```json seen does_not_run
[{"own": {"status": "value", "rows": {"columns": ["1"], "rows": ["(1,)"]}}}]
```

- `does_not_run` clean
"#;
    fs::write(dir.path().join("pack/cases/does_not_run.md"), cases).unwrap();
    let (out, err, code) = gradus(dir.path(), &["test", "pack"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("2 passed, 0 failed"), "{out}");
}
