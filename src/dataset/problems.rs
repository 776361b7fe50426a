//! What is wrong with a file, gathered into one error.
//!
//! A person who has to repair a file wants the first few problems at once, not one a run.

use std::path::Path;

use crate::base::Error;

/// How many problems one error spells out.
const SHOWN: usize = 5;

/// The problems of one file, in line order.
#[derive(Default)]
pub(super) struct Problems {
    first: Vec<Problem>,
    count: usize,
}

struct Problem {
    line: usize,
    what: String,
    remedy: String,
}

impl Problems {
    pub(super) fn add(&mut self, line: usize, what: impl Into<String>, remedy: impl Into<String>) {
        self.count += 1;
        if self.first.len() < SHOWN {
            self.first.push(Problem { line, what: what.into(), remedy: remedy.into() });
        }
    }

    /// One paragraph: the first problem at its place, the next few with their lines, how many more there are, and
    /// the first problem's remedy.
    pub(super) fn into_result(self, path: &Path) -> Result<(), Error> {
        let [first, others @ ..] = self.first.as_slice() else { return Ok(()) };
        let mut message = first.what.clone();
        for problem in others {
            message.push_str(&format!("; line {}: {}", problem.line, problem.what));
        }
        let more = self.count - self.first.len();
        if more > 0 {
            message.push_str(&format!("; and {more} more"));
        }
        Err(Error::failure(message).at(path, Some(first.line)).help(&first.remedy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_paragraph_names_the_first_few() {
        let mut problems = Problems::default();
        (1..=7).for_each(|line| problems.add(line, format!("bad {line}"), format!("Repair {line}.")));
        let error = problems.into_result(Path::new("x.jsonl")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "x.jsonl:1: bad 1; line 2: bad 2; line 3: bad 3; line 4: bad 4; line 5: bad 5; and 2 more. Repair 1."
        );
        assert!(Problems::default().into_result(Path::new("x.jsonl")).is_ok());
    }
}
