//! What the measurements of a pack come to on the outputs of a corpus, and where a rule over them fires.
//!
//! Reads gauges' verdicts back as numbers; judges nothing.

use crate::expr::Bits;
use crate::grade::Row;
use crate::script::{Condition, Feature, Features, Rule, Tier};
use crate::verdict::Verdict;

/// One measurement on every output.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub feature: String,
    /// The class that an op on it names.
    pub detects: String,
    pub tier: Tier,
    /// Whether it is true or false, as 1 and 0, and not a number.
    pub is_flag: bool,
    /// None where it cannot be measured.
    pub values: Vec<Option<f64>>,
    /// Outputs on which measuring failed.
    pub faults: Bits,
}

/// All measurements on all outputs, by position in the corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    columns: Vec<Column>,
    outputs: usize,
}

/// Where a rule or condition fires, and where all that it asks for was measured.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Behaviour {
    pub fires: Bits,
    pub measured: Bits,
}

/// What a gauge said of one output.
enum Reading {
    Number(f64),
    Flag(bool),
    Nothing,
    Fault,
}

impl Measured {
    /// Reads the rows of a pack's gauges, in corpus order; an output without a row is not measured.
    pub fn from_rows<'r>(features: &Features, rows: impl IntoIterator<Item = Option<&'r Row>>) -> Self {
        let rows: Vec<Option<&Row>> = rows.into_iter().collect();
        let column = |(at, feature): (usize, &Feature)| {
            let readings: Vec<Reading> =
                rows.iter().map(|row| row.map_or(Reading::Nothing, |row| read(row.leaves.get(at)))).collect();
            Column::of(feature, &readings)
        };
        Self { columns: features.all().iter().enumerate().map(column).collect(), outputs: rows.len() }
    }

    /// Columns that have one value for each of `outputs`.
    pub fn from_columns(columns: Vec<Column>, outputs: usize) -> Self {
        Self { columns, outputs }
    }

    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many outputs there are.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    pub fn column(&self, feature: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.feature == feature)
    }

    /// Where the rule fires; none where it names a measurement that is not here.
    pub fn behaviour(&self, rule: &Rule) -> Option<Behaviour> {
        let mut all = Behaviour { fires: Bits::all(self.outputs), measured: Bits::all(self.outputs) };
        for condition in rule.conditions() {
            all = all.and(&self.column(&condition.feature)?.behaviour(condition));
        }
        Some(all)
    }
}

impl Column {
    fn of(feature: &Feature, readings: &[Reading]) -> Self {
        let is_flag = readings.iter().any(|reading| matches!(reading, Reading::Flag(_)));
        // A measurement that is a number here and true there has no threshold: its numbers are taken for faults.
        let is_fault = |reading: &Reading| match reading {
            Reading::Fault => true,
            Reading::Number(_) => is_flag,
            Reading::Flag(_) | Reading::Nothing => false,
        };
        let value = |reading: &Reading| match reading {
            Reading::Number(number) if !is_flag => Some(*number),
            Reading::Flag(flag) => Some(f64::from(u8::from(*flag))),
            _ => None,
        };
        Self {
            feature: feature.name.clone(),
            detects: feature.detects.clone(),
            tier: feature.tier(),
            is_flag,
            values: readings.iter().map(value).collect(),
            faults: Bits::from_fn(readings.len(), |output| is_fault(&readings[output])),
        }
    }

    pub fn behaviour(&self, condition: &Condition) -> Behaviour {
        let test = |output: usize| self.values[output].map(|value| condition.test.holds(value));
        Behaviour {
            fires: Bits::from_fn(self.values.len(), |output| test(output) == Some(true)),
            measured: Bits::from_fn(self.values.len(), |output| test(output).is_some()),
        }
    }
}

impl Behaviour {
    /// Both conditions at once.
    pub fn and(&self, other: &Self) -> Self {
        Self { fires: self.fires.and(&other.fires), measured: self.measured.and(&other.measured) }
    }
}

fn read(verdict: Option<&Verdict>) -> Reading {
    match verdict {
        Some(Verdict::Drawback(finding)) => match finding.message.as_str() {
            "true" => Reading::Flag(true),
            "false" => Reading::Flag(false),
            number => number.parse().map_or(Reading::Fault, Reading::Number),
        },
        Some(Verdict::Abstain(_)) | None => Reading::Nothing,
        Some(Verdict::Clean | Verdict::Fault(_)) => Reading::Fault,
    }
}
