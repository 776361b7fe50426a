//! A pack of one static op and a pool of tiny tasks, which need no Python.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{gradus, stderr};

/// A pack of one static op, made by `gradus new`.
pub fn new_pack(dir: &Path) -> PathBuf {
    let made = gradus(dir, &["new", "small"]);
    assert!(made.status.success(), "{}", stderr(&made));
    dir.join("small")
}

/// A pool of `tasks` tasks with one good and one bad output each.
pub fn pool(dir: &Path, tasks: usize) -> PathBuf {
    let folder = dir.join("pool");
    fs::create_dir_all(&folder).unwrap();
    let (mut of_tasks, mut outputs, mut labels) = (String::new(), String::new(), String::new());
    for n in 0..tasks {
        let example = format!("assert double({n}) == {}", 2 * n);
        of_tasks += &format!(
            "{{\"id\": \"t{n}\", \"prompt\": \"Double it.\", \"entry_point\": \"double\", \"examples\": [\"{example}\"]}}\n"
        );
        for (k, (text, pass)) in [("return 2 * x", true), ("y = 2 * x", false)].iter().enumerate() {
            outputs += &format!(
                "{{\"id\": \"t{n}#{k}\", \"task\": \"t{n}\", \"solver\": \"s\", \"text\": \"def double(x):\\n    {text}\\n\"}}\n"
            );
            labels += &format!("{{\"output\": \"t{n}#{k}\", \"pass\": {pass}}}\n");
        }
    }
    fs::write(folder.join("tasks.jsonl"), of_tasks).unwrap();
    fs::write(folder.join("outputs.jsonl"), outputs).unwrap();
    fs::write(folder.join("labels.jsonl"), labels).unwrap();
    folder
}
