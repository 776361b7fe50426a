//! The samples, in the order of their files, and what the results say of each.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::MAX_TEXT;
use super::super::record::{self, Wrong};
use super::problems::Problem;
use super::{json, open};
use crate::base::{Error, Result};
use crate::observe::Value;

pub(super) struct Sample {
    pub(super) id: String,
    pub(super) task: String,
    pub(super) solver: String,
    pub(super) text: String,
    pub(super) pass: Option<bool>,
}

type Known<'p> = HashMap<&'p str, &'p Problem>;

pub(super) fn read(path: &Path, results: Option<&Path>, problems: &Known) -> Result<Vec<Sample>> {
    if !path.is_dir() {
        return read_file(path, results, problems);
    }
    let entries = entries(path)?;
    let files: Vec<&PathBuf> =
        entries.iter().filter(|entry| !entry.is_dir() && !stem_of_samples(entry).is_empty()).collect();
    if files.is_empty() {
        return read_folders(path, &entries, results, problems);
    }
    let mut samples = Vec::new();
    for file in files {
        let of_file = results.map(|results| match results.is_dir() {
            true => results.join(format!("{}_eval_results.json", stem_of_samples(file))),
            false => results.to_owned(),
        });
        samples.extend(read_file(file, of_file.as_deref(), problems)?);
    }
    Ok(samples)
}

/// One file of samples, of one solver: the file's name.
fn read_file(path: &Path, results: Option<&Path>, problems: &Known) -> Result<Vec<Sample>> {
    let solver = Some(stem_of_samples(path)).filter(|stem| !stem.is_empty()).unwrap_or("samples");
    let mut batch = Batch::new(solver, problems);
    record::each_of(open(path)?, path, "sample", |mut record| {
        let task = record::take_name(&mut record.fields, "task_id")?;
        let problem = batch.problem(&task)?;
        let text = match record.fields.contains_key("solution") {
            true => record::take_text(&mut record.fields, "solution")?,
            false => {
                let completion = record::take_text(&mut record.fields, "completion").map_err(|wrong| {
                    Wrong::new(wrong.what, "Give each sample a `solution`, or a `completion` of the prompt.")
                })?;
                problem.prompt.clone() + &completion
            }
        };
        batch.add(task, text)
    })?;
    batch.labelled(results, true)
}

/// A folder with a folder for each problem, such as `HumanEval_0`, of whole solutions `0.py`, `1.py` and so on.
fn read_folders(path: &Path, folders: &[PathBuf], results: Option<&Path>, problems: &Known) -> Result<Vec<Sample>> {
    let solver = path.file_name().map_or("samples".into(), |name| name.to_string_lossy());
    let mut batch = Batch::new(&solver, problems);
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let task = folder.file_name().map(|name| name.to_string_lossy().replace('_', "/")).unwrap_or_default();
        for file in entries(folder)?.iter().filter(|file| file.extension().is_some_and(|end| end == "py")) {
            let text = std::fs::read_to_string(file).map_err(|error| Error::io(file, "read", &error))?;
            let added = batch.problem(&task).and_then(|_| batch.add(task.clone(), text));
            added.map_err(|Wrong { what, remedy }| Error::failure(what).at(file, None).help(remedy))?;
        }
    }
    if batch.samples.is_empty() {
        let help =
            "Give a .jsonl file of samples, a folder of them, or a folder with one of .py files for each problem.";
        return Err(Error::failure("holds no samples").at(path, None).help(help));
    }
    batch.labelled(results, false)
}

/// What is in a folder: by length and name, so that `10.py` follows `9.py`.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = std::fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut entries: Vec<PathBuf> = read.map_err(|error| Error::io(folder, "read", &error))?;
    entries.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    Ok(entries)
}

/// The name of a file of samples without its end; empty for other files.
fn stem_of_samples(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".jsonl").unwrap_or("")
}

/// The samples that one evaluation judges together.
struct Batch<'p> {
    solver: String,
    problems: &'p Known<'p>,
    samples: Vec<Sample>,
    count: HashMap<String, usize>,
}

impl<'p> Batch<'p> {
    fn new(solver: &str, problems: &'p Known<'p>) -> Self {
        Self { solver: solver.to_owned(), problems, samples: Vec::new(), count: HashMap::new() }
    }

    fn problem(&self, task: &str) -> Result<&'p Problem, Wrong> {
        let known = self.problems.get(task).copied();
        let remedy = "Give the problem file that these samples answer.";
        known.ok_or_else(|| Wrong::new(format!("no problem has the task_id `{task}`"), remedy))
    }

    fn add(&mut self, task: String, text: String) -> Result<(), Wrong> {
        if text.len() > MAX_TEXT {
            let what = format!("the solution has {} bytes; the limit is {MAX_TEXT}", text.len());
            return Err(Wrong::new(what, "Leave this sample out."));
        }
        let count = self.count.entry(task.clone()).or_default();
        let (id, solver) = (format!("{task}#{}-{count:02}", self.solver), self.solver.clone());
        *count += 1;
        self.samples.push(Sample { id, task, solver, text, pass: None });
        Ok(())
    }

    /// The samples with their labels, where there are results.
    fn labelled(mut self, results: Option<&Path>, in_order: bool) -> Result<Vec<Sample>> {
        let Some(path) = results else { return Ok(self.samples) };
        let mut verdicts = Verdicts::read(path)?;
        for sample in &mut self.samples {
            let wanted = self.count[&sample.task];
            let pass = verdicts.take(&sample.task, &sample.text, wanted, in_order);
            sample.pass = Some(pass.map_err(|what| {
                let help = "Give the results that EvalPlus wrote for these samples.";
                Error::failure(format!("{}: {what}", sample.id)).at(path, None).help(help)
            })?);
        }
        Ok(self.samples)
    }
}

/// What an evaluation found, problem by problem.
struct Verdicts(HashMap<String, Vec<Option<Verdict>>>);

struct Verdict {
    /// The judged text, where the results have it.
    solution: Option<String>,
    base: bool,
    plus: Option<bool>,
}

impl Verdicts {
    fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, "read", &error))?;
        let whole = json::parse(&text).map_err(|(what, at)| {
            let line = text[..at.min(text.len())].matches('\n').count() + 1;
            Error::failure(format!("not JSON: {what}")).at(path, Some(line)).help("Evaluate the samples again.")
        })?;
        let Some(Value::Dict(tasks)) = json::get(&whole, "eval") else {
            let help = "Give the eval_results.json of EvalPlus.";
            return Err(Error::failure("has no `eval` object").at(path, None).help(help));
        };
        let of = |(task, found): &(Value, Value)| {
            let task = json::text(task).unwrap_or("").to_owned();
            let verdicts = verdicts(found).into_iter().map(Some).collect();
            (task, verdicts)
        };
        Ok(Self(tasks.iter().map(of).collect()))
    }

    /// The verdict on the next sample of a task, of which there are `wanted`.
    fn take(&mut self, task: &str, text: &str, wanted: usize, in_order: bool) -> Result<bool, String> {
        let found = self.0.get_mut(task).filter(|found| !found.is_empty());
        let found = found.ok_or_else(|| format!("there are no results for `{task}`"))?;
        if found.len() != wanted {
            return Err(format!("`{task}` has {wanted} samples and {} results", found.len()));
        }
        let fits = |verdict: &Option<Verdict>| {
            let solution = verdict.as_ref().map(|verdict| verdict.solution.as_deref());
            solution.is_some_and(|solution| solution.map_or(in_order, |solution| solution == text))
        };
        let place = found.iter().position(fits).ok_or("no result is of this solution")?;
        let verdict = found[place].take().ok_or("no result is of this solution")?;
        let plus = verdict.plus.ok_or("there is no verdict on the plus tests; evaluate without --base-only")?;
        Ok(verdict.base && plus)
    }
}

/// A problem's results: a list of objects, or of older versions an object of two lists.
fn verdicts(found: &Value) -> Vec<Verdict> {
    if let Value::List(each) = found {
        let status = |one: &Value, name: &str| json::get(one, name).and_then(json::text).map(|word| word == "pass");
        let of = |one: &Value| Verdict {
            solution: json::get(one, "solution").and_then(json::text).map(str::to_owned),
            base: status(one, "base_status").unwrap_or(false),
            plus: status(one, "plus_status"),
        };
        return each.iter().map(of).collect();
    }
    let column = |name: &str| match json::get(found, name) {
        Some(Value::List(each)) => each.iter().map(succeeded).collect(),
        _ => Vec::new(),
    };
    let (base, plus): (Vec<bool>, Vec<bool>) = (column("base"), column("plus"));
    let of = |(at, base): (usize, bool)| Verdict { solution: None, base, plus: plus.get(at).copied() };
    base.into_iter().enumerate().map(of).collect()
}

/// Of an older version: a list whose first item is the status.
fn succeeded(one: &Value) -> bool {
    matches!(one, Value::List(parts) if parts.first().and_then(json::text) == Some("success"))
}
