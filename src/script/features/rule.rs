//! What a composed op tests: one or two conditions on measurements, with a text form that a journal can keep.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Conditions that must hold together, in order; never empty, one a measurement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rule(Vec<Condition>);

/// One condition on one measurement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Condition {
    pub feature: String,
    pub test: Test,
}

/// What is asked of the measured value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Test {
    AtLeast(Threshold),
    AtMost(Threshold),
    /// The measurement is true.
    Holds,
    /// The measurement is false.
    Not,
}

/// A finite number that a measured number is compared with.
#[derive(Debug, Clone, Copy)]
pub struct Threshold(f64);

impl Threshold {
    /// None for an infinity or no number; both zeros are one.
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(value + 0.0))
    }

    pub fn value(self) -> f64 {
        self.0
    }
}

impl PartialEq for Threshold {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Threshold {}

impl PartialOrd for Threshold {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Threshold {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Test {
    /// Whether it holds of a measured value; true counts as 1 and false as 0.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Test::AtLeast(threshold) => value >= threshold.0,
            Test::AtMost(threshold) => value <= threshold.0,
            Test::Holds => value != 0.0,
            Test::Not => value == 0.0,
        }
    }
}

impl Condition {
    pub fn new(feature: impl Into<String>, test: Test) -> Self {
        Self { feature: feature.into(), test }
    }

    /// The part of an op's name that stands for it.
    fn word(&self) -> String {
        match self.test {
            Test::AtLeast(_) => format!("{}_high", self.feature),
            Test::AtMost(_) => format!("{}_low", self.feature),
            Test::Holds => self.feature.clone(),
            Test::Not => format!("not_{}", self.feature),
        }
    }
}

impl Rule {
    /// The rule that all of these hold. None where there is no condition, or two on one measurement.
    pub fn new(mut conditions: Vec<Condition>) -> Option<Self> {
        conditions.sort();
        let distinct = conditions.windows(2).all(|pair| pair[0].feature != pair[1].feature);
        (distinct && !conditions.is_empty()).then_some(Self(conditions))
    }

    pub fn conditions(&self) -> &[Condition] {
        &self.0
    }

    /// A name for the rule's op, such as `loops_low_and_returns_high`, unlike every name that is taken.
    pub fn op_name(&self, taken: impl Fn(&str) -> bool) -> String {
        let words: Vec<String> = self.0.iter().map(Condition::word).collect();
        super::unlike(&words.join("_and_"), taken)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let feature = &self.feature;
        match self.test {
            Test::AtLeast(threshold) => write!(f, "{feature} >= {}", threshold.0),
            Test::AtMost(threshold) => write!(f, "{feature} <= {}", threshold.0),
            Test::Holds => f.write_str(feature),
            Test::Not => write!(f, "not {feature}"),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, condition) in self.0.iter().enumerate() {
            write!(f, "{}{condition}", if at > 0 { " and " } else { "" })?;
        }
        Ok(())
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let threshold = |text: &str| text.parse().ok().and_then(Threshold::new);
        let test = match words[..] {
            [feature] => Some((feature, Test::Holds)),
            ["not", feature] => Some((feature, Test::Not)),
            [feature, ">=", number] => threshold(number).map(|number| (feature, Test::AtLeast(number))),
            [feature, "<=", number] => threshold(number).map(|number| (feature, Test::AtMost(number))),
            _ => None,
        };
        let (feature, test) = test
            .filter(|(feature, _)| super::is_name(feature))
            .ok_or_else(|| format!("`{text}` is no condition such as `returns >= 2`"))?;
        Ok(Self::new(feature, test))
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let conditions: Result<Vec<Condition>, String> = text.split(" and ").map(str::parse).collect();
        Self::new(conditions?).ok_or_else(|| format!("`{text}` has two conditions on one measurement"))
    }
}

impl TryFrom<String> for Rule {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Rule> for String {
    fn from(rule: Rule) -> Self {
        rule.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Rule {
        text.parse().expect("a rule")
    }

    #[test]
    fn a_rule_reads_as_it_is_written() {
        for text in ["returns >= 2", "loops <= 0.25 and returns >= -3", "falls_through", "loops >= 1 and not falls"] {
            let canonical = rule(text).to_string();
            assert_eq!(rule(&canonical), rule(text));
            assert_eq!(serde_json::to_string(&rule(text)).expect("json"), format!("\"{canonical}\""));
        }
        assert_eq!(rule("returns >= 2 and loops <= -0").to_string(), "loops <= 0 and returns >= 2");
        assert_eq!(
            "returns => 2".parse::<Rule>(),
            Err("`returns => 2` is no condition such as `returns >= 2`".to_owned())
        );
        assert!("returns >= inf".parse::<Rule>().is_err() && "".parse::<Rule>().is_err());
        assert!("a >= 1 and a <= 2".parse::<Rule>().unwrap_err().contains("two conditions"));
    }

    #[test]
    fn rules_have_an_order_and_names() {
        assert!(rule("a >= 2") < rule("a >= 10") && rule("a >= 10") < rule("a <= 1"));
        assert!(rule("a >= 2") < rule("b >= 1") && rule("a >= 2") < rule("a >= 2 and b >= 1"));
        assert_eq!(rule("returns <= 1 and loops >= 2").op_name(|_| false), "loops_high_and_returns_low");
        assert_eq!(rule("not a and b").op_name(|name| name == "not_a_and_b"), "not_a_and_b_2");
        let taken = ["a_high", "a_high_2"];
        assert_eq!(rule("a >= 1").op_name(|name| taken.contains(&name)), "a_high_3");
    }

    #[test]
    fn a_test_holds_on_its_own_side_and_at_the_threshold() {
        let at = |value| Threshold::new(value).expect("finite");
        assert_eq!([1.9, 2.0, 3.0].map(|value| Test::AtLeast(at(2.0)).holds(value)), [false, true, true]);
        assert_eq!([1.9, 2.0, 3.0].map(|value| Test::AtMost(at(2.0)).holds(value)), [true, true, false]);
        assert_eq!([0.0, 1.0].map(|value| Test::Holds.holds(value)), [false, true]);
        assert_eq!([0.0, 1.0].map(|value| Test::Not.holds(value)), [true, false]);
    }
}
