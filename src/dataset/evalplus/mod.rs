//! EvalPlus files (HumanEval+ and MBPP+) as a pool: problems, samples, and the verdicts of its own evaluation.
//!
//! The formats are as EvalPlus publishes and reads them. Nothing here runs or judges a sample.

mod json;
mod problems;
mod samples;
mod shapes;

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use serde_json::{Value, json};

use super::{OUTPUTS, REFERENCE, TASKS};
use crate::base::file::{NewFile, NewFolder};
use crate::base::{Error, Result};
use problems::Problem;
use samples::Sample;

/// What an import wrote.
#[derive(Debug, PartialEq, Eq)]
pub struct Imported {
    pub tasks: usize,
    pub outputs: usize,
    /// Where results were given: how many outputs they pass.
    pub passing: Option<usize>,
}

/// Writes the pool that these files make into the new folder `to`.
///
/// `samples` is a file of samples, a folder of such files, or a folder with a folder of `.py` files for each problem.
/// `results` is what EvalPlus wrote for the samples: a file, or for several files the folder of theirs.
///
/// # Errors
/// A file is missing or malformed, a sample is of no problem, or results are not those of the samples.
pub fn import(problems: &Path, samples: &Path, results: Option<&Path>, to: &Path) -> Result<Imported> {
    let problems = problems::read(problems)?;
    let by_id: HashMap<&str, &Problem> = problems.iter().map(|problem| (problem.id.as_str(), problem)).collect();
    let samples = samples::read(samples, results, &by_id)?;
    let folder = NewFolder::beside(to)?;
    write(&folder.path().join(TASKS), problems.iter().map(task))?;
    write(&folder.path().join(REFERENCE), problems.iter().map(reference))?;
    write(&folder.path().join(OUTPUTS), samples.iter().map(output))?;
    let labels = samples.iter().filter_map(|sample| Some(json!({"output": sample.id, "pass": sample.pass?})));
    if results.is_some() {
        write(&folder.path().join("labels.jsonl"), labels)?;
    }
    folder.keep(to)?;
    let passing = results.map(|_| samples.iter().filter(|sample| sample.pass == Some(true)).count());
    Ok(Imported { tasks: problems.len(), outputs: samples.len(), passing })
}

fn task(problem: &Problem) -> Value {
    let Problem { id, statement, entry_point, examples, .. } = problem;
    json!({"id": id, "prompt": statement, "entry_point": entry_point, "examples": examples})
}

fn reference(problem: &Problem) -> Value {
    json!({
        "task": problem.id,
        "entry_point": problem.entry_point,
        "canonical_solution": format!("{}{}", problem.prompt, problem.canonical_solution),
        "inputs": problem.inputs,
        "base_count": problem.base_count,
        "atol": problem.atol,
        "comparison": problem.comparison,
    })
}

fn output(sample: &Sample) -> Value {
    json!({"id": sample.id, "task": sample.task, "solver": sample.solver, "text": sample.text})
}

fn write(path: &Path, lines: impl Iterator<Item = Value>) -> Result<()> {
    let mut file = NewFile::beside(path)?;
    for line in lines {
        writeln!(file, "{line}").map_err(|error| file.cannot(&error))?;
    }
    file.keep()
}

/// A file to be read, unpacked where its name ends in `.gz`.
fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    let file = BufReader::new(File::open(path).map_err(|error| Error::io(path, "open", &error))?);
    let packed = path.extension().is_some_and(|end| end == "gz");
    Ok(if packed { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(file) })
}
