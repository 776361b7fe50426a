//! What the tests of the command share: running it in a clean environment, and a small pack and pool to break.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// The command in `dir`, with no cache outside of it and nothing inherited that could change its words.
pub fn gradus(dir: &Path, args: &[&str]) -> Output {
    let mut command = assert_cmd::Command::cargo_bin("gradus").expect("the binary is built with its tests");
    for name in ["GRADUS_CACHE", "GRADUS_THREADS", "GRADUS_PYTHON"] {
        command.env_remove(name);
    }
    command.current_dir(dir).env("XDG_CACHE_HOME", dir.join("cache")).args(args).output().expect("the binary starts")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

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

/// Replaces `from` by `to` in a file; it must be there.
pub fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{} has no {from:?}", path.display());
    fs::write(path, text.replace(from, to)).unwrap();
}

/// Every file below a folder with its bytes, to see that nothing was written.
pub fn snapshot(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push((path.clone(), fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}
