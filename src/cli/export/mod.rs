//! Grades as files for other programs: json, jsonl, csv, junit.xml, sarif and md, by the file's name.
//!
//! Records are written one by one into a file beside the place, which gets its name once all are there. Nothing here
//! decides a verdict.

mod forms;
mod record;

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use crate::base::file::NewFile;
use crate::base::{Error, Result};
use forms::Form;
pub use record::{Leaf, Record};

const FORMS: &str = "Name it .json, .jsonl, .csv, .junit.xml, .sarif or .md";

/// How many outputs passed, failed, and so on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: usize,
    /// Those of the passes on which the metric had no opinion.
    pub abstained: usize,
    pub failed: usize,
    pub faults: usize,
}

impl Counts {
    pub fn add(&mut self, record: &Record) {
        self.abstained += usize::from(record.abstained);
        match record.verdict {
            "fail" => self.failed += 1,
            "fault" => self.faults += 1,
            _ => self.passed += 1,
        }
    }

    pub fn total(&self) -> usize {
        self.passed + self.failed + self.faults
    }
}

/// A file of grades in the making.
pub struct Export {
    form: Form,
    file: NewFile,
    counts: Counts,
    /// Whether the next item of a list follows another.
    follows: bool,
}

impl Export {
    /// Begins the file in the form that its name asks for.
    ///
    /// # Errors
    /// The form is unknown, or the place cannot be written.
    pub fn new(path: &Path) -> Result<Self> {
        let form = form_of(path)?;
        let mut export = Self { form, file: NewFile::beside(path)?, counts: Counts::default(), follows: false };
        export.write(&form.head(&Counts::default()))?;
        Ok(export)
    }

    pub fn add(&mut self, record: &Record) -> Result<()> {
        self.counts.add(record);
        for item in self.form.items(record) {
            if std::mem::replace(&mut self.follows, true) {
                self.write(self.form.between())?;
            }
            self.write(&item)?;
        }
        Ok(())
    }

    /// Ends the file and gives it its name.
    pub fn finish(mut self) -> Result<()> {
        self.write(self.form.tail(self.follows))?;
        // The head has the same length whatever it counts.
        self.file.seek(SeekFrom::Start(0)).map_err(|error| self.file.cannot(&error))?;
        self.write(&self.form.head(&self.counts))?;
        self.file.keep()
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.file.write_all(text.as_bytes()).map_err(|error| self.file.cannot(&error))
    }
}

fn form_of(path: &Path) -> Result<Form> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let end = if name.ends_with(".junit.xml") { "junit" } else { name.rsplit_once('.').map_or("", |(_, end)| end) };
    Form::of(end).ok_or_else(|| Error::usage("cannot tell the form from this file name").at(path, None).help(FORMS))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::base::Span;
    use crate::expr::Outcome;
    use crate::grade::Grade;
    use crate::verdict::{Fault, FaultKind, Finding, Verdict};

    fn records() -> Vec<Record> {
        let finding = Finding { message: "gives \"<1>\" | 2".into(), span: Some(Span::new(3, 8)) };
        let leaf = |verdict| vec![("fails_example".into(), verdict)];
        let grade = |outcome, leaves| Grade { outcome, root: Verdict::Clean, leaves };
        let failed = grade(Outcome::Fail, leaf(Verdict::Drawback(finding)));
        let fault = grade(Outcome::Fault, leaf(Verdict::Fault(Fault::new(FaultKind::Fuel, "bell \u{7}, \u{ffff}"))));
        let passed = grade(Outcome::Abstain, vec![]);
        vec![
            Record::new("t#0", "t", &failed),
            Record::new("say \"hi\" 1", "t", &fault),
            Record::new("t#1", "t", &passed),
        ]
    }

    fn written(name: &str, records: &[Record]) -> String {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let mut export = Export::new(&path).unwrap();
        records.iter().for_each(|record| export.add(record).unwrap());
        assert!(!path.exists(), "only the whole file gets the name");
        export.finish().unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn json_lines_have_the_documented_shape() {
        let first = written("a.jsonl", &records()).lines().next().unwrap().to_string();
        assert_eq!(
            first,
            r#"{"output":"t#0","verdict":"fail","abstained":false,"root":{"verdict":"clean"},"leaves":[{"op":"fails_example","verdict":"drawback","message":"gives \"<1>\" | 2","span":{"start":3,"end":8}}]}"#
        );
    }

    #[test]
    fn json_and_sarif_written_in_pieces_read_as_one_pretty_document() {
        for name in ["a.json", "a.sarif"] {
            for count in 0..=3 {
                let text = written(name, &records()[..count]);
                let value: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(text, format!("{value:#}\n"), "{name} of {count}");
            }
        }
    }

    #[test]
    fn each_form_escapes_what_it_must() {
        let records = records();
        assert!(written("a.csv", &records).contains(r#""fails_example: gives ""<1>"" | 2""#));
        let junit = written("a.junit.xml", &records);
        assert!(junit.contains("gives &quot;&lt;1&gt;&quot; | 2"), "{junit}");
        assert!(
            junit.contains("name=\"say &quot;hi&quot; 1\"><error message=\"fails_example: bell \u{fffd}, \u{fffd}\"")
        );
        assert!(written("a.md", &records).contains(r#"gives "<1>" \| 2"#));
    }

    #[test]
    fn sarif_names_rules_places_and_what_is_open() {
        let sarif: Value = serde_json::from_str(&written("a.sarif", &records())).unwrap();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 2, "passes are no results");
        let place = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!((&place["region"]["byteOffset"], &place["region"]["byteLength"]), (&3.into(), &5.into()));
        assert_eq!(place["artifactLocation"]["uri"], "t%230");
        assert_eq!((&results[0]["kind"], &results[0]["level"]), (&"fail".into(), &"error".into()));
        assert_eq!((&results[1]["kind"], &results[1]["level"]), (&"open".into(), &"none".into()));
        assert_eq!(results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "say%20%22hi%22%201");
        assert_eq!(results[1]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "say \"hi\" 1");
    }

    #[test]
    fn the_counts_of_a_junit_file_lead_it() {
        let junit = written("a.junit.xml", &records());
        assert!(junit.contains("<testsuite name=\"gradus\" tests=\"3\" failures=\"1\" errors=\"1\">"), "{junit}");
        let none = written("a.junit.xml", &[]);
        assert!(
            none.contains("tests=\"0\" failures=\"0\" errors=\"0\">") && none.ends_with("</testsuite>\n"),
            "{none}"
        );
    }

    #[test]
    fn an_unknown_form_is_refused_and_an_unfinished_file_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        drop(Export::new(&dir.path().join("out.sarif")).unwrap());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let refused = Export::new(&dir.path().join("out.xlsx")).err().unwrap();
        assert!(refused.to_string().contains(FORMS));
    }
}
