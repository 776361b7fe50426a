//! A seal keeps the labels, counts its openings, and stands in nobody's way until it is opened.

use std::fs;

use tempfile::TempDir;

use super::*;

const SIZES: Sizes = Sizes { train: None, dev: 4 };

/// A folder with a pool of twelve tasks, two outputs each, and room for a dataset beside it.
fn pool() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let pool = folder.path().join("pool");
    fs::create_dir(&pool).unwrap();
    let (mut tasks, mut outputs, mut labels) = (String::new(), String::new(), String::new());
    for task in 0..12 {
        // 0.1 + 0.2 and the odd spacing must come through unchanged.
        tasks += &format!("{{\"id\":  \"t{task}\", \"n\": 0.30000000000000004}}\n");
        for (n, pass) in [(0, true), (1, false)] {
            let id = format!("t{task}#{n}");
            outputs += &json!({"id": id, "task": format!("t{task}"), "solver": "s", "text": id, "more": 1}).to_string();
            outputs += "\r\n";
            labels += &(json!({"output": id, "pass": pass}).to_string() + "\n");
        }
    }
    fs::write(pool.join("tasks.jsonl"), tasks).unwrap();
    fs::write(pool.join("outputs.jsonl"), outputs).unwrap();
    fs::write(pool.join("labels.jsonl"), labels).unwrap();
    fs::write(pool.join("reference.jsonl"), "{\"task\": \"t3\", \"gold\": 1}\n").unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn split_into(folder: &TempDir) -> PathBuf {
    let data = folder.path().join("data");
    split_to_folder(&folder.path().join("pool"), 3, SIZES, &data).unwrap();
    data
}

/// What a dataset shows to anyone.
fn shown(dataset: &Dataset) -> String {
    format!("{:?} {:?}", dataset.corpus(), dataset.split())
}

#[test]
fn a_split_in_memory_and_one_on_disk_hold_the_same() {
    let folder = pool();
    let data = split_into(&folder);
    assert_eq!(names(&data), ["outputs.jsonl", "reference.jsonl", "sealed.jsonl", "splits.json", "tasks.jsonl"]);
    assert_eq!(names(folder.path()), ["data", "pool"]);
    for name in ["tasks.jsonl", "outputs.jsonl", "reference.jsonl"] {
        assert_eq!(fs::read(data.join(name)).unwrap(), fs::read(folder.path().join("pool").join(name)).unwrap());
    }

    let pool = Pool::load(&folder.path().join("pool")).unwrap();
    let (here, sealed_here) = split(&pool, 3, SIZES).unwrap();
    let (there, sealed_there) = load(&data).unwrap();
    assert_eq!(shown(&here), shown(&there));
    let opened = sealed_there.open("test", "").unwrap();
    assert_eq!(opened, sealed_here.open("test", "").unwrap());
    assert_eq!(opened.items.len(), 2 * here.split().test.len());
    for (output, pass) in &opened.items {
        assert_eq!(*pass, pool.passes()[*output]);
    }
    assert_eq!(opened.items.iter().map(|(output, _)| *output).collect::<Vec<_>>(), here.test_outputs());
}

#[test]
fn train_and_test_labels_are_in_no_file_but_the_sealed_one() {
    let folder = pool();
    let data = split_into(&folder);
    let splits: serde_json::Value = serde_json::from_slice(&fs::read(data.join("splits.json")).unwrap()).unwrap();
    assert_eq!(splits["dev"].as_array().unwrap().len(), 4);
    let labelled: usize = fs::read_to_string(data.join("splits.json")).unwrap().matches("\"pass\"").count();
    assert_eq!(labelled, 4);
}

#[test]
fn every_opening_is_counted_and_says_why() {
    let folder = pool();
    let data = split_into(&folder);
    let (_, sealed) = load(&data).unwrap();
    assert_eq!(sealed.openings().unwrap(), 0);
    assert!(!data.join("openings.jsonl").exists());
    assert_eq!(sealed.open("final figure", "").unwrap().opening, 1);
    let (_, again) = load(&data).unwrap();
    assert_eq!(again.open("second look", "").unwrap().opening, 2);
    assert_eq!(sealed.openings().unwrap(), 2);
    let log = fs::read_to_string(data.join("openings.jsonl")).unwrap();
    assert!(log.lines().next().unwrap().contains("\"why\":\"final figure\""), "{log}");

    let (_, in_memory) = split(&Pool::load(&folder.path().join("pool")).unwrap(), 3, SIZES).unwrap();
    assert_eq!(in_memory.open("one", "").unwrap().opening, 1);
    assert_eq!(in_memory.open("two", "").unwrap().opening, 2);
    assert_eq!(in_memory.openings().unwrap(), 2);
}

#[test]
fn a_seal_prints_nothing_of_what_it_keeps() {
    let folder = pool();
    let (_, sealed) = split(&Pool::load(&folder.path().join("pool")).unwrap(), 3, SIZES).unwrap();
    assert_eq!(format!("{sealed:?}"), "Sealed { .. }");
}

#[test]
fn changed_or_lost_labels_change_nothing_until_they_are_opened() {
    let folder = pool();
    let data = split_into(&folder);
    let before = shown(&load(&data).unwrap().0);
    let path = data.join("sealed.jsonl");
    let flipped = fs::read_to_string(&path).unwrap().replacen("true", "false", 1);
    fs::write(&path, flipped).unwrap();
    let (dataset, sealed) = load(&data).unwrap();
    assert_eq!(shown(&dataset), before);
    let error = sealed.open("audit", "").unwrap_err().to_string();
    assert!(error.contains("sealed.jsonl: not the labels that were sealed. Restore the file"), "{error}");

    fs::remove_file(&path).unwrap();
    let (dataset, sealed) = load(&data).unwrap();
    assert_eq!(shown(&dataset), before);
    let error = sealed.open("audit", "").unwrap_err().to_string();
    assert!(error.contains("sealed.jsonl: cannot open") && error.ends_with("or split the pool again."), "{error}");
    assert_eq!(sealed.openings().unwrap(), 2);
}

#[test]
fn an_opening_that_cannot_be_recorded_is_refused() {
    let folder = pool();
    let data = split_into(&folder);
    fs::create_dir(data.join("openings.jsonl")).unwrap();
    let error = load(&data).unwrap().1.open("audit", "").unwrap_err().to_string();
    assert!(error.contains("An opening that cannot be recorded is refused"), "{error}");
}

#[test]
fn a_dataset_is_written_whole_or_not_at_all_and_never_over_another() {
    let folder = pool();
    let (from, to) = (folder.path().join("pool"), folder.path().join("data"));
    assert!(split_to_folder(&from, 0, Sizes { train: Some(50), dev: 4 }, &to).is_err());
    fs::write(from.join("reference.jsonl"), "{\"task\": \"t99\"}\n").unwrap();
    let error = split_to_folder(&from, 0, SIZES, &to).unwrap_err().to_string();
    assert!(error.contains("reference.jsonl:1: unknown task `t99`"), "{error}");
    assert_eq!(names(folder.path()), ["pool"]);

    fs::remove_file(from.join("reference.jsonl")).unwrap();
    split_to_folder(&from, 0, SIZES, &to).unwrap();
    let before = fs::read(to.join("splits.json")).unwrap();
    let error = split_to_folder(&from, 1, SIZES, &to).unwrap_err().to_string();
    assert!(error.ends_with("data: exists already. Choose another folder, or move this one away."), "{error}");
    assert_eq!(fs::read(to.join("splits.json")).unwrap(), before);
}

#[test]
fn a_dataset_that_was_tampered_with_is_refused() {
    let folder = pool();
    let data = split_into(&folder);
    let splits = fs::read_to_string(data.join("splits.json")).unwrap();
    let refused = |text: &str, expected: &str| {
        fs::write(data.join("splits.json"), text).unwrap();
        let error = load(&data).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    refused(&splits.replace("\"version\": 1", "\"version\": 9"), "format 9; this gradus reads 1");
    refused(&splits.replace("\"seed\"", "\"sead\""), "splits.json:3: unknown field `sead`");
    let train = &load_ids(&splits, "train");
    refused(&splits.replace(&train[0], "\"t99\""), "`t99` is not in the dataset");
    refused(&splits.replace(&train[0], &train[1]), "is in the split twice");

    fs::write(data.join("splits.json"), &splits).unwrap();
    let outputs = fs::read_to_string(data.join("outputs.jsonl")).unwrap();
    fs::write(data.join("outputs.jsonl"), outputs.replacen("\"solver\":\"s\"", "\"solver\":\"z\"", 1)).unwrap();
    assert!(load(&data).unwrap_err().to_string().contains("outputs.jsonl has changed since the split"));
    fs::remove_file(data.join("splits.json")).unwrap();
    assert!(load(&data).unwrap_err().to_string().ends_with("A dataset is a folder that `gradus split` made."));
}

/// The ids of one part, with their quotes.
fn load_ids(splits: &str, part: &str) -> Vec<String> {
    let splits: serde_json::Value = serde_json::from_str(splits).unwrap();
    splits[part].as_array().unwrap().iter().map(|id| id.to_string()).collect()
}
