//! Grades as files for other programs: json, jsonl, csv, junit.xml, sarif and md, by the file's name.
//!
//! Each form is made in memory and written whole; nothing here decides a verdict.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::base::file::write_whole;
use crate::base::{Error, Result, Span};
use crate::expr::Outcome;
use crate::grade::Grade;

/// One output's grade in its wire form.
#[derive(Debug, Serialize)]
pub struct Record {
    pub output: String,
    #[serde(skip)]
    pub task: String,
    pub verdict: &'static str,
    pub abstained: bool,
    pub root: Leaf,
    pub leaves: Vec<Leaf>,
}

/// A root's or an op's verdict in its wire form.
#[derive(Debug, Serialize)]
pub struct Leaf {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub op: String,
    pub verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

impl Record {
    pub fn new(output: &str, task: &str, grade: &Grade) -> Self {
        let leaf = |op: &str, verdict: &crate::verdict::Verdict| Leaf {
            op: op.to_string(),
            verdict: verdict.word(),
            message: verdict.message().map(str::to_string),
            span: verdict.span(),
        };
        Self {
            output: output.to_string(),
            task: task.to_string(),
            verdict: word(grade.outcome),
            abstained: grade.outcome == Outcome::Abstain,
            root: leaf("", &grade.root),
            leaves: grade.leaves.iter().map(|(op, verdict)| leaf(op, verdict)).collect(),
        }
    }

    /// Why it failed or faulted: the root's or the leaves' own words, as `op: message`.
    pub fn reasons(&self) -> Vec<String> {
        let wanted = if self.verdict == "fault" { "fault" } else { "drawback" };
        let all = [&self.root].into_iter().chain(&self.leaves).filter(|leaf| leaf.verdict == wanted);
        all.map(|leaf| {
            let op = if leaf.op.is_empty() { "root" } else { &leaf.op };
            format!("{op}: {}", leaf.message.as_deref().unwrap_or(""))
        })
        .collect()
    }
}

/// `pass`, `fail` or `fault`; an abstaining expression passes and says so apart.
fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Fail => "fail",
        Outcome::Pass | Outcome::Abstain => "pass",
        Outcome::Fault => "fault",
    }
}

const FORMS: &str = "Name it .json, .jsonl, .csv, .junit.xml, .sarif or .md";

/// Refuses a file name whose form is unknown, before any work is done.
pub fn check_name(path: &Path) -> Result<()> {
    render(&[], path).map(drop)
}

/// Writes the records in the form that the file's name asks for.
pub fn write(records: &[Record], path: &Path) -> Result<()> {
    write_whole(path, render(records, path)?.as_bytes())
}

fn render(records: &[Record], path: &Path) -> Result<String> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let form = if name.ends_with(".junit.xml") { "junit" } else { name.rsplit_once('.').map_or("", |(_, end)| end) };
    match form {
        "json" => Ok(pretty(&json!(records))),
        "jsonl" => Ok(records.iter().map(|record| json!(record).to_string() + "\n").collect()),
        "csv" => Ok(csv(records)),
        "junit" => Ok(junit(records)),
        "sarif" => Ok(pretty(&sarif(records))),
        "md" => Ok(markdown(records)),
        _ => Err(Error::usage("cannot tell the form from this file name").at(path, None).help(FORMS)),
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn csv(records: &[Record]) -> String {
    let quote = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut out = String::from("output,task,verdict,abstained,reasons\n");
    for record in records {
        let fields = [&record.output, &record.task].map(|text| quote(text)).join(",");
        let reasons = quote(&record.reasons().join("; "));
        out += &format!("{fields},{},{},{reasons}\n", record.verdict, record.abstained);
    }
    out
}

fn junit(records: &[Record]) -> String {
    let count = |verdict: &str| records.iter().filter(|record| record.verdict == verdict).count();
    let totals = format!("tests=\"{}\" failures=\"{}\" errors=\"{}\"", records.len(), count("fail"), count("fault"));
    let mut out = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"gradus\" {totals}>\n");
    for record in records {
        let case = format!("  <testcase classname=\"{}\" name=\"{}\"", xml(&record.task), xml(&record.output));
        let reasons = xml(&record.reasons().join("; "));
        out += &match record.verdict {
            "fail" => format!("{case}><failure message=\"{reasons}\"/></testcase>\n"),
            "fault" => format!("{case}><error message=\"{reasons}\"/></testcase>\n"),
            _ => format!("{case}/>\n"),
        };
    }
    out + "</testsuite>\n"
}

/// Text for XML: markup escaped, control characters that XML forbids replaced.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' | '\r' => out += &format!("&#{};", c as u32),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn sarif(records: &[Record]) -> Value {
    let result = |record: &Record, leaf: &Leaf| {
        let mut location = json!({"artifactLocation": {"uri": record.output}});
        if let Some(span) = leaf.span {
            location["region"] = json!({"byteOffset": span.start, "byteLength": span.end - span.start});
        }
        json!({
            "ruleId": if leaf.op.is_empty() { "root" } else { &leaf.op },
            "level": "error",
            "message": {"text": leaf.message.as_deref().unwrap_or("")},
            "locations": [{"physicalLocation": location}],
        })
    };
    let failed = records.iter().filter(|record| record.verdict == "fail");
    let results: Vec<Value> = failed
        .flat_map(|record| {
            let leaves = [&record.root].into_iter().chain(&record.leaves);
            leaves.filter(|leaf| leaf.verdict == "drawback").map(move |leaf| result(record, leaf))
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "gradus", "version": env!("CARGO_PKG_VERSION")}},
            "results": results,
        }],
    })
}

fn markdown(records: &[Record]) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let mut out = String::from("| output | verdict | why |\n|---|---|---|\n");
    for record in records {
        let why = cell(&record.reasons().join("; "));
        out += &format!("| {} | {} | {why} |\n", cell(&record.output), record.verdict);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Finding, Verdict};

    fn records() -> Vec<Record> {
        let finding = Finding { message: "gives \"<1>\" | 2".into(), span: Some(Span::new(3, 8)) };
        let failed = Grade {
            outcome: Outcome::Fail,
            root: Verdict::Clean,
            leaves: vec![("fails_example".into(), Verdict::Drawback(finding))],
        };
        let passed = Grade { outcome: Outcome::Abstain, root: Verdict::Clean, leaves: vec![] };
        vec![Record::new("t#0", "t", &failed), Record::new("t#1", "t", &passed)]
    }

    fn rendered(name: &str) -> String {
        render(&records(), Path::new(name)).unwrap()
    }

    #[test]
    fn json_lines_have_the_documented_shape() {
        let first = rendered("a.jsonl").lines().next().unwrap().to_string();
        assert_eq!(
            first,
            r#"{"output":"t#0","verdict":"fail","abstained":false,"root":{"verdict":"clean"},"leaves":[{"op":"fails_example","verdict":"drawback","message":"gives \"<1>\" | 2","span":{"start":3,"end":8}}]}"#
        );
    }

    #[test]
    fn each_form_escapes_what_it_must() {
        assert!(rendered("a.csv").contains(r#""fails_example: gives ""<1>"" | 2""#));
        assert!(rendered("a.junit.xml").contains("gives &quot;&lt;1&gt;&quot; | 2"));
        assert!(rendered("a.md").contains(r#"gives "<1>" \| 2"#));
        let sarif: Value = serde_json::from_str(&rendered("a.sarif")).unwrap();
        assert_eq!(sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["byteLength"], 5);
    }

    #[test]
    fn an_unknown_form_is_refused_before_the_work() {
        assert!(check_name(Path::new("out.sarif")).is_ok());
        assert!(check_name(Path::new("out.xlsx")).unwrap_err().to_string().contains(FORMS));
    }
}
