//! What this machine has for running untrusted Python, for a person who wants to know why it does not.

use std::path::Path;

use super::confine::probe;
use super::error::Missing;
use super::interpreter::Interpreter;

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub name: &'static str,
    pub ok: bool,
    /// What was found, or what is missing.
    pub detail: String,
    /// What to do about it; empty where nothing need be done.
    pub remedy: String,
}

/// Everything that the sandbox looks for. Candidates run where `python` and either both of `landlock` and `seccomp`
/// or `bubblewrap` are fine; `namespaces` is a second wall.
pub fn system_report(python: Option<&Path>) -> Vec<Check> {
    let found = Interpreter::find(python).map(|found| format!("{} at {}", found.version, found.executable.display()));
    let fine = |found: Result<(), Missing>| found.map(|()| "works".to_owned());
    vec![
        line("python", found),
        line("landlock", fine(probe::landlock())),
        line("seccomp", fine(probe::seccomp())),
        line("namespaces", fine(probe::namespaces())),
        line("bubblewrap", fine(probe::bubblewrap())),
    ]
}

fn line(name: &'static str, found: Result<String, Missing>) -> Check {
    match found {
        Ok(detail) => Check { name, ok: true, detail, remedy: String::new() },
        Err(missing) => {
            let (detail, remedy) = (missing.what().to_owned(), missing.remedy().to_owned());
            Check { name, ok: false, detail, remedy }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_comes_with_a_remedy() {
        let report = system_report(Some(Path::new("/no/such/python3")));
        let names: Vec<_> = report.iter().map(|check| check.name).collect();
        assert_eq!(names, ["python", "landlock", "seccomp", "namespaces", "bubblewrap"]);
        assert!(!report[0].ok);
        assert!(report[0].detail.contains("/no/such/python3"));
        assert!(report[0].remedy.contains("apt install python3"));
        assert!(report.iter().all(|check| check.ok == check.remedy.is_empty()));
    }
}
