//! Observations written into a case, so that an op can be tried without running anything.
//!
//! The JSON has the shape that scripts see; values are Python literals.

use std::sync::Arc;

use serde::Deserialize;

use crate::observe::{Observation, Raised, Rows, Seen, Status, Value, literal};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    own: Option<Run>,
    #[serde(default)]
    peers: Vec<Run>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    status: Status,
    /// A Python literal.
    value: Option<String>,
    rows: Option<WrittenRows>,
    holds: Option<bool>,
    error: Option<Error>,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    args_changed: bool,
}

/// What a query came to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRows {
    columns: Vec<String>,
    /// Each row is a Python literal: a tuple.
    rows: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Error {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    message: String,
}

/// Parses a `seen` block: one entry a request, in the plan's order.
pub fn parse(json: &str) -> Result<Vec<Arc<Seen>>, String> {
    let written: Vec<Written> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    written
        .into_iter()
        .map(|seen| {
            let own = seen.own.map(observation).transpose()?;
            let peers = seen.peers.into_iter().map(observation).collect::<Result<_, _>>()?;
            Ok(Arc::new(Seen { own, peers }))
        })
        .collect()
}

fn observation(run: Run) -> Result<Arc<Observation>, String> {
    let value = run.value.map(|text| read(&text)).transpose()?;
    Ok(Arc::new(Observation {
        status: run.status,
        value,
        rows: run.rows.map(rows).transpose()?,
        holds: run.holds,
        error: run.error.map(|error| Raised { kind: error.kind, message: error.message }),
        stdout: run.stdout,
        args_changed: run.args_changed,
    }))
}

fn read(text: &str) -> Result<Value, String> {
    literal::parse(text).map_err(|error| format!("`{text}`: {error}"))
}

fn rows(written: WrittenRows) -> Result<Rows, String> {
    let row = |text: &String| match read(text)? {
        Value::Tuple(row) if row.len() == written.columns.len() => Ok(row),
        _ => Err(format!("`{text}` is no tuple of {} values", written.columns.len())),
    };
    let rows = written.rows.iter().map(row).collect::<Result<_, _>>()?;
    Ok(Rows { columns: written.columns, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_python_literals() {
        let seen = parse(r#"[{"own": {"status": "value", "holds": false, "value": "(1, None)"}}]"#).unwrap();
        let own = seen[0].own.as_ref().unwrap();
        assert_eq!((own.status, own.holds), (Status::Value, Some(false)));
        assert_eq!(own.value, Some(literal::parse("(1, None)").unwrap()));
    }

    #[test]
    fn rows_are_tuples_below_their_columns() {
        let seen =
            parse(r#"[{"peers": [{"status": "value", "rows": {"columns": ["n"], "rows": ["(1,)", "(None,)"]}}]}]"#);
        let rows = seen.unwrap()[0].peers[0].rows.clone().unwrap();
        assert_eq!(rows, Rows { columns: vec!["n".into()], rows: vec![vec![Value::int(1)], vec![Value::None]] });
        let short = r#"[{"own": {"status": "value", "rows": {"columns": ["a", "b"], "rows": ["(1,)"]}}}]"#;
        assert_eq!(parse(short).unwrap_err(), "`(1,)` is no tuple of 2 values");
    }

    #[test]
    fn unknown_keys_and_broken_values_are_errors() {
        assert!(parse(r#"[{"mine": {}}]"#).unwrap_err().contains("unknown field `mine`"));
        assert!(parse(r#"[{"own": {"status": "value", "value": "(1"}}]"#).unwrap_err().contains("`(1`"));
    }
}
