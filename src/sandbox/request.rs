//! Probes made ready: arguments parsed and marshalled once, asserts taken apart, expectations kept on this side.

use super::{Job, Probe};
use crate::observe::assertion::Assertion;
use crate::observe::{Observation, Raised, Status, Value, literal, marshal};

/// One call to make, and what is asked of its value.
pub(super) struct Call {
    /// Which probe of the job it answers.
    pub probe: usize,
    pub name: String,
    /// A marshalled list.
    pub args: Vec<u8>,
    pub check: Check,
}

/// What an assert wants of the value.
pub(super) enum Check {
    None,
    Equals(Value),
    /// The expression around the call.
    Wrapped {
        before: String,
        after: String,
    },
}

/// A job's calls, and the probes that make no sense.
pub(super) struct Prepared {
    pub calls: Vec<Call>,
    pub refused: Vec<(usize, Observation)>,
}

impl Prepared {
    pub(super) fn new(job: &Job) -> Self {
        let mut prepared = Self { calls: Vec::with_capacity(job.probes.len()), refused: Vec::new() };
        for (index, probe) in job.probes.iter().enumerate() {
            match call(index, probe) {
                Ok(call) => prepared.calls.push(call),
                Err(why) => prepared.refused.push((index, refused(why))),
            }
        }
        prepared
    }
}

fn call(probe: usize, asked: &Probe) -> Result<Call, String> {
    let (name, args, check) = match asked {
        Probe::Call { name, args } => (name.clone(), args.clone(), Check::None),
        Probe::Assert { text } => match Assertion::parse(text) {
            Some(Assertion::Equals { name, args, expected }) => (name, args, Check::Equals(expected)),
            Some(Assertion::Wrapped { name, args, before, after }) => (name, args, Check::Wrapped { before, after }),
            None => return Err(format!("not an assert of one call with literal arguments: {text}")),
        },
    };
    match literal::parse(&args) {
        Ok(Value::List(items) | Value::Tuple(items)) => {
            Ok(Call { probe, name, args: marshal::encode(&Value::List(items)), check })
        }
        Ok(_) => Err(format!("the arguments of `{name}` are neither a list nor a tuple")),
        Err(error) => Err(format!("the arguments of `{name}` are not literals: {error}")),
    }
}

fn refused(why: String) -> Observation {
    let error = Raised { kind: "ValueError".into(), message: why };
    Observation { error: Some(error), ..Observation::bare(Status::Refused) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn probes_become_calls_or_say_why_not() {
        let call = |name: &str, args: &str| Probe::Call { name: name.into(), args: args.into() };
        let assert = |text: &str| Probe::Assert { text: text.into() };
        let probes = vec![
            call("f", "[1]"),
            call("f", "1"),
            call("f", "(1,)"),
            call("f", "[g()]"),
            assert("assert f(2) == 3"),
            assert("print(1)"),
            assert("assert not f(2)"),
        ];
        let prepared = Prepared::new(&Job { source: Arc::from(""), world: 0, probes });
        let calls: Vec<usize> = prepared.calls.iter().map(|call| call.probe).collect();
        assert_eq!(calls, [0, 2, 4, 6]);
        assert!(matches!(&prepared.calls[2].check, Check::Equals(value) if *value == Value::Int(3.into())));
        assert!(matches!(&prepared.calls[3].check, Check::Wrapped { .. }));
        let refused: Vec<usize> = prepared.refused.iter().map(|(probe, _)| *probe).collect();
        assert_eq!(refused, [1, 3, 5]);
        assert_eq!(prepared.refused[0].1.status, Status::Refused);
    }
}
