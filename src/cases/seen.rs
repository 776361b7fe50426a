//! Observations written into a case, so that an op can be tried without running anything.
//!
//! The JSON has the shape that scripts see; values are Python literals.

use std::sync::Arc;

use serde::Deserialize;

use crate::observe::{Observation, Raised, Seen, Status, literal};

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
    holds: Option<bool>,
    error: Option<Error>,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    args_changed: bool,
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
    let value =
        run.value.map(|text| literal::parse(&text).map_err(|error| format!("`{text}`: {error}"))).transpose()?;
    Ok(Arc::new(Observation {
        status: run.status,
        value,
        holds: run.holds,
        error: run.error.map(|error| Raised { kind: error.kind, message: error.message }),
        stdout: run.stdout,
        args_changed: run.args_changed,
    }))
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
    fn unknown_keys_and_broken_values_are_errors() {
        assert!(parse(r#"[{"mine": {}}]"#).unwrap_err().contains("unknown field `mine`"));
        assert!(parse(r#"[{"own": {"status": "value", "value": "(1"}}]"#).unwrap_err().contains("`(1`"));
    }
}
