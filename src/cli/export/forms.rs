//! What each form of export looks like: its head, its items and its tail, as text.
//!
//! A form sees one record at a time. Its head may hold counts, and keeps its length when they change.

use serde_json::{Value, json};

use super::{Counts, Leaf, Record};

#[derive(Clone, Copy)]
pub(super) enum Form {
    Json,
    JsonLines,
    Csv,
    Junit,
    Sarif,
    Markdown,
}

/// How deep a SARIF file's results stand.
const SARIF_INDENT: usize = 8;

impl Form {
    pub(super) fn of(end: &str) -> Option<Self> {
        Some(match end {
            "json" => Self::Json,
            "jsonl" => Self::JsonLines,
            "csv" => Self::Csv,
            "junit" => Self::Junit,
            "sarif" => Self::Sarif,
            "md" => Self::Markdown,
            _ => return None,
        })
    }

    pub(super) fn head(self, counts: &Counts) -> String {
        match self {
            Self::Json => "[".into(),
            Self::JsonLines => String::new(),
            Self::Csv => "output,task,verdict,abstained,reasons\n".into(),
            Self::Junit => junit_head(counts),
            Self::Sarif => sarif_head(),
            Self::Markdown => "| output | verdict | why |\n|---|---|---|\n".into(),
        }
    }

    /// What a record adds: nothing, one item, or several.
    pub(super) fn items(self, record: &Record) -> Vec<String> {
        match self {
            Self::Json => vec![pretty(&json!(record), 2)],
            Self::JsonLines => vec![json!(record).to_string() + "\n"],
            Self::Csv => vec![csv(record)],
            Self::Junit => vec![junit(record)],
            Self::Sarif => sarif(record),
            Self::Markdown => vec![markdown(record)],
        }
    }

    pub(super) fn between(self) -> &'static str {
        match self {
            Self::Json | Self::Sarif => ",",
            _ => "",
        }
    }

    /// The end, after items or after none.
    pub(super) fn tail(self, items: bool) -> &'static str {
        match (self, items) {
            (Self::Json, true) => "\n]\n",
            (Self::Json, false) => "]\n",
            (Self::Junit, _) => "</testsuite>\n",
            (Self::Sarif, true) => "\n      ]\n    }\n  ]\n}\n",
            (Self::Sarif, false) => "]\n    }\n  ]\n}\n",
            _ => "",
        }
    }
}

/// A value on lines of its own, `indent` deep.
fn pretty(value: &Value, indent: usize) -> String {
    let margin = format!("\n{:indent$}", "");
    margin.clone() + &format!("{value:#}").replace('\n', &margin)
}

fn csv(record: &Record) -> String {
    let quote = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let fields = [&record.output, &record.task].map(|text| quote(text)).join(",");
    format!("{fields},{},{},{}\n", record.verdict, record.abstained, quote(&record.reasons().join("; ")))
}

fn junit_head(counts: &Counts) -> String {
    const LONGEST: usize = 60;
    let Counts { failed, faults, .. } = counts;
    let totals = format!("tests=\"{}\" failures=\"{failed}\" errors=\"{faults}\">", counts.total());
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"gradus\" {totals:LONGEST$}\n")
}

fn junit(record: &Record) -> String {
    let case = format!("  <testcase classname=\"{}\" name=\"{}\"", xml(&record.task), xml(&record.output));
    let reasons = xml(&record.reasons().join("; "));
    match record.verdict {
        "fail" => format!("{case}><failure message=\"{reasons}\"/></testcase>\n"),
        "fault" => format!("{case}><error message=\"{reasons}\"/></testcase>\n"),
        _ => format!("{case}/>\n"),
    }
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

/// Everything before the results. They come last, so that they can follow one by one.
fn sarif_head() -> String {
    let run = json!({"tool": {"driver": {"name": "gradus", "version": env!("CARGO_PKG_VERSION")}}, "results": []});
    let whole = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    });
    let text = format!("{whole:#}\n");
    text.strip_suffix(Form::Sarif.tail(false)).unwrap_or(&text).to_string()
}

/// A result for each drawback of a failed output; for one that could not be judged, an open one for each fault.
fn sarif(record: &Record) -> Vec<String> {
    let (kind, level) = match record.verdict {
        "fail" => ("fail", "error"),
        "fault" => ("open", "none"),
        _ => return Vec::new(),
    };
    let result = |leaf: &Leaf| {
        let mut place = json!({"artifactLocation": {"uri": uri(&record.output)}});
        if let Some(span) = leaf.span {
            place["region"] = json!({"byteOffset": span.start, "byteLength": span.end - span.start});
        }
        json!({
            "ruleId": leaf.name(),
            "kind": kind,
            "level": level,
            "message": {"text": leaf.message()},
            "locations": [{
                "physicalLocation": place,
                "logicalLocations": [{"fullyQualifiedName": record.output}],
            }],
        })
    };
    record.causes().map(|leaf| pretty(&result(leaf), SARIF_INDENT)).collect()
}

/// An output's name as a relative reference: whatever could mean anything in a URI is escaped.
fn uri(name: &str) -> String {
    let mut uri = String::with_capacity(name.len());
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => uri.push(byte as char),
            b'/' if at > 0 => uri.push('/'),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

fn markdown(record: &Record) -> String {
    let cell = |text: &str| text.replace('\\', "\\\\").replace('|', "\\|").replace(['\n', '\r'], " ");
    format!("| {} | {} | {} |\n", cell(&record.output), record.verdict, cell(&record.reasons().join("; ")))
}
