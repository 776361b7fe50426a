//! The house keeps its shape: one-way layers, a head on every module, files of a readable length.

use std::fs;
use std::path::{Path, PathBuf};

/// Every top-level module with its rank: a file imports lower ranks, or its own module.
const RANKS: [(&str, u8); 20] = [
    ("base", 0),
    ("verdict", 1),
    ("observe", 2),
    ("parse", 2),
    ("expr", 2),
    ("stats", 2),
    ("script", 3),
    ("sandbox", 3),
    ("warehouse", 3),
    ("store", 3),
    ("objective", 3),
    ("agreement", 3),
    ("dataset", 4),
    ("journal", 4),
    ("pack", 4),
    ("grade", 5),
    ("cases", 6),
    ("audit", 6),
    ("metric_loop", 7),
    ("cli", 9),
];

/// Lines beyond which a file has more than one reason to exist.
const LONGEST: usize = 500;

fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                files.push((path.strip_prefix(&root).unwrap().to_path_buf(), text));
            }
        }
    }
    files.sort();
    assert!(files.len() > 50, "the sources were not found");
    files
}

fn rank(module: &str) -> Option<u8> {
    RANKS.iter().find(|(name, _)| *name == module).map(|(_, rank)| *rank)
}

fn module_of(path: &Path) -> String {
    let first = path.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_string()
}

/// The top-level modules that a text names after `crate::`.
fn imports(text: &str) -> Vec<String> {
    let names = text.split("crate::").skip(1);
    let braced = |rest: &str| rest.strip_prefix('{').map(|list| list.split('}').next().unwrap_or("").to_string());
    names
        .flat_map(|rest| match braced(rest) {
            Some(list) => list.split(',').map(|part| part.trim().to_string()).collect(),
            None => vec![rest.to_string()],
        })
        .map(|name| name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

#[test]
fn a_file_imports_lower_ranks_or_its_own_module() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let own = module_of(&path);
        let Some(own_rank) = rank(&own) else { continue };
        let code: String =
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        for import in imports(&code) {
            let Some(other) = rank(&import) else { continue };
            if import != own && other >= own_rank {
                wrong.push(format!("{} (rank {own_rank}) imports {import} (rank {other})", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_has_a_rank() {
    let unranked: Vec<String> =
        sources().iter().map(|(path, _)| module_of(path)).filter(|own| rank(own).is_none()).collect();
    assert_eq!(unranked, ["lib", "main"]);
}

#[test]
fn every_file_says_why_it_exists() {
    let headless: Vec<PathBuf> =
        sources().into_iter().filter(|(_, text)| !text.starts_with("//!")).map(|(path, _)| path).collect();
    assert!(headless.is_empty(), "{headless:?}");
}

#[test]
fn files_stay_readable() {
    let long: Vec<String> = sources()
        .iter()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > LONGEST)
        .map(|(path, lines)| format!("{} has {lines} lines", path.display()))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn unsafe_code_is_the_sandboxs_alone() {
    let strays: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|(path, text)| module_of(path) != "sandbox" && text.contains("unsafe {"))
        .map(|(path, _)| path)
        .collect();
    assert!(strays.is_empty(), "{strays:?}");
}
