//! Writes gauges and mined ops: plain files that stand alone, out of the author's own source.
//!
//! Of the features file a composed op has exactly the top-level statements that its measurements need, in their order.
//! The same rule and certificate give the same bytes.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::super::module::Tier;
use super::rule::{Condition, Rule, Test};
use super::split::shifted;
use super::{Code, Feature, Features, unlike};
use crate::verdict::Strength;

/// Why an op exists: what its rule was held against when it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    pub round: u32,
    /// What the clustered outputs share: a failure class, or a kind of error.
    pub cluster: String,
    pub cluster_size: usize,
    /// Outputs of the cluster that the rule fires on.
    pub fires_on_cluster: usize,
    /// Known-good outputs, on none of which it fires.
    pub known_good: usize,
    pub train_size: usize,
    pub fires_on_train: usize,
}

/// What a mined op declares of itself beside its rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpHead {
    pub detects: String,
    pub strength: Strength,
    pub certificate: Certificate,
}

/// Names that composed code makes: no measurement and no plan may have them.
pub(super) const MADE: [&str; 9] =
    ["task", "artifact", "seen", "place", "first", "requests", "both_plans", "part_of", "message"];
/// Names of the host that composed code relies on: no helper may stand in their way.
pub(super) const RELIED_ON: [&str; 9] =
    ["abstain", "clean", "drawback", "error", "ipairs", "math", "string", "table", "type"];

impl Features {
    /// The op whose only finding is the measurement's number: it fires on every output that can be measured, with the
    /// number as its message (`true` and `false` for those), and abstains on the others. So a measurement is taken,
    /// limited and cached like any verdict. No grader uses it as a detector.
    pub fn gauge(&self, feature: &Feature) -> String {
        let name = &feature.name;
        let check = format!(
            "    local value = {name}({})
    if value == nil then return abstain(\"cannot be measured here\") end
    if type(value) == \"boolean\" then return drawback(value and \"true\" or \"false\") end
    if type(value) ~= \"number\" or value ~= value or math.abs(value) == math.huge then
      error(\"{name} is neither a finite number nor true, false or nil\")
    end
    return drawback(string.format(\"%.17g\", value))",
            arguments(feature, "seen")
        );
        let features = [feature];
        let plans = Plans::of(self, &features);
        let mut text = format!("-- A gauge: says what the measurement {name} comes to. It finds no mistake.\n");
        self.write_parts(&mut text, &features, &plans);
        let about = format!("has any {name}");
        let head = Declared { detects: &feature.detects, about: &about, tier: feature.tier(), strength: "smell" };
        write_table(&mut text, &head, &features, &plans, &check);
        text
    }

    /// The op that fires where the rule holds, and abstains where one of its measurements cannot be taken. None where
    /// the rule names a measurement that is not here.
    pub fn op(&self, rule: &Rule, head: &OpHead) -> Option<String> {
        let features: Option<Vec<&Feature>> =
            rule.conditions().iter().map(|condition| self.get(&condition.feature)).collect();
        let features = features?;
        let plans = Plans::of(self, &features);
        let mut text = opening(rule, &head.certificate);
        self.write_parts(&mut text, &features, &plans);
        plans.write_both(&mut text);
        let (tier, strength) = (plans.tier(), head.strength.word());
        let about = listed(rule, " and ", |condition| match condition.test {
            Test::AtLeast(threshold) => format!("has {} of {} or more", condition.feature, threshold.value()),
            Test::AtMost(threshold) => format!("has {} of {} or less", condition.feature, threshold.value()),
            Test::Holds => format!("has {}", condition.feature),
            Test::Not => format!("has no {}", condition.feature),
        });
        let declared = Declared { detects: &head.detects, about: &about, tier, strength };
        write_table(&mut text, &declared, &features, &plans, &check(rule, &features, &plans));
        Some(text)
    }

    /// The statements, plans and measuring functions that these measurements need.
    fn write_parts(&self, text: &mut String, features: &[&Feature], plans: &Plans) {
        for (at, helper) in self.needed(features).into_iter().enumerate() {
            let helper = &self.helpers[helper];
            let spaced = helper.text.starts_with("--") || at > 0 && helper.parameters.is_some();
            let _ = writeln!(text, "{}{}", if spaced { "\n" } else { "" }, helper.text);
        }
        for (name, plan) in &plans.0 {
            if matches!(plan, Code::Function(_)) && plans.0.len() > 1 {
                let _ = writeln!(text, "\n{}", named(name, plan));
            }
        }
        for feature in features {
            let _ = writeln!(
                text,
                "\n-- {}.\n{}",
                capitalised(feature.about.trim_end_matches('.')),
                named(&feature.name, &feature.measure)
            );
        }
    }

    /// The statements that the measurements need, directly or through others, in the order of the file.
    fn needed(&self, features: &[&Feature]) -> BTreeSet<usize> {
        let mut needed = BTreeSet::new();
        let mut names: Vec<&String> = features.iter().flat_map(|feature| &feature.uses).collect();
        while let Some(name) = names.pop() {
            let making = (0..self.helpers.len()).filter(|at| self.helpers[*at].names.contains(name));
            for at in making {
                if needed.insert(at) {
                    names.extend(&self.helpers[at].uses);
                }
            }
        }
        needed
    }
}

/// The different plans of some measurements, each with the name of its function.
struct Plans<'f>(Vec<(String, &'f Code)>);

impl<'f> Plans<'f> {
    fn of(all: &Features, features: &[&'f Feature]) -> Self {
        let mut plans: Vec<(String, &Code)> = Vec::new();
        for feature in features {
            let Some(plan) = &feature.plan else { continue };
            if plans.iter().all(|(_, other)| *other != plan) {
                let name = match plan {
                    Code::Expression(name) => name.clone(),
                    Code::Function(_) => all.unlike(&format!("plan_{}", feature.name)),
                };
                plans.push((name, plan));
            }
        }
        Self(plans)
    }

    fn tier(&self) -> Tier {
        if self.0.is_empty() { Tier::Static } else { Tier::Execution }
    }

    /// Which of two plans a measurement's is; none where one plan or none serves all.
    fn part(&self, feature: &Feature) -> Option<usize> {
        let plan = feature.plan.as_ref().filter(|_| self.0.len() > 1)?;
        self.0.iter().position(|(_, other)| *other == plan)
    }

    /// The functions with which two plans share one list of requests.
    fn write_both(&self, text: &mut String) {
        if let [(first, _), (second, _)] = &self.0[..] {
            let _ = write!(
                text,
                "
-- The requests of both plans, and how many of them are the first one's.
local function both_plans(task, artifact)
  local requests = {{}}
  for _, request in ipairs({first}(task, artifact) or {{}}) do table.insert(requests, request) end
  local first = #requests
  for _, request in ipairs({second}(task, artifact) or {{}}) do table.insert(requests, request) end
  return requests, first
end

local function part_of(seen, from, to)
  local part = {{}}
  for i = from, to do table.insert(part, seen[i]) end
  return part
end
"
            );
        }
    }
}

impl Features {
    /// A name that is neither a helper's nor a measurement's.
    fn unlike(&self, name: &str) -> String {
        unlike(name, |name| {
            self.get(name).is_some() || self.helpers.iter().any(|helper| helper.names.iter().any(|own| own == name))
        })
    }
}

/// What stands at the top of a composed table.
struct Declared<'d> {
    detects: &'d str,
    about: &'d str,
    tier: Tier,
    strength: &'d str,
}

fn write_table(text: &mut String, head: &Declared, features: &[&Feature], plans: &Plans, check: &str) {
    let Declared { detects, about, strength, .. } = head;
    let tier = head.tier.word();
    let _ = write!(
        text,
        "\nreturn {{\n  detects  = \"{detects}\",\n  about    = \"{about}\",\n  tier     = \"{tier}\",\n  strength = \"{strength}\",\n"
    );
    if features.iter().any(|feature| feature.peers) {
        text.push_str("  peers    = true,\n");
    }
    match &plans.0[..] {
        [] => {}
        [(_, Code::Function(function))] => {
            let _ = writeln!(text, "  plan     = {},", shifted(function, 0, 2));
        }
        [(name, Code::Expression(_))] => {
            let _ = writeln!(text, "  plan     = {name},");
        }
        _ => text.push_str(
            "  plan     = function(task, artifact)\n    local requests = both_plans(task, artifact)\n    return requests\n  end,\n",
        ),
    }
    let arguments = if plans.0.is_empty() { "task, artifact" } else { "task, artifact, seen" };
    let _ = write!(text, "  check    = function({arguments})\n{check}\n  end,\n}}\n");
}

fn opening(rule: &Rule, certificate: &Certificate) -> String {
    let Certificate { round, cluster_size, fires_on_cluster, known_good, train_size, fires_on_train, .. } = certificate;
    let cluster: String = certificate.cluster.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!(
        "-- Fires where {rule}. Mined in round {round}, for the cluster {cluster}.
-- Birth certificate: fires on {fires_on_cluster} of {cluster_size} outputs of the cluster, on none of {known_good} known-good outputs,
-- and on {fires_on_train} of {train_size} train outputs.
"
    )
}

/// The body of a mined op's `check`.
fn check(rule: &Rule, features: &[&Feature], plans: &Plans) -> String {
    let mut text = String::new();
    if plans.0.len() > 1 {
        text.push_str(
            "    local _, first = both_plans(task, artifact)
    if first == 0 or first == #seen then return abstain(\"one of its plans asks for nothing here\") end\n",
        );
    }
    for (at, feature) in features.iter().enumerate() {
        let seen = match plans.part(feature) {
            None => "seen",
            Some(0) => "part_of(seen, 1, first)",
            Some(_) => "part_of(seen, first + 1, #seen)",
        };
        let (name, place) = (&feature.name, if at == 0 { ", place" } else { "" });
        let _ = writeln!(text, "    local {name}{place} = {name}({})", arguments(feature, seen));
    }
    for feature in features.iter().map(|feature| &feature.name) {
        let _ =
            writeln!(text, "    if {feature} == nil then return abstain(\"{feature} cannot be measured here\") end");
    }
    let _ = write!(text, "    if {rule} then\n{}    end\n    return clean()", finding(rule));
    text
}

/// Lua that returns what a mined op says where it fires: measured values and thresholds.
fn finding(rule: &Rule) -> String {
    let words = listed(rule, ", ", |condition| {
        let name = &condition.feature;
        match condition.test {
            Test::AtLeast(threshold) => format!("{name} is %g ({} or more)", threshold.value()),
            Test::AtMost(threshold) => format!("{name} is %g ({} or less)", threshold.value()),
            Test::Holds => format!("{name} is true"),
            Test::Not => format!("{name} is false"),
        }
    });
    let is_number = |condition: &&Condition| matches!(condition.test, Test::AtLeast(_) | Test::AtMost(_));
    let values: String =
        rule.conditions().iter().filter(is_number).map(|condition| format!(", {}", condition.feature)).collect();
    match rule.conditions() {
        _ if values.is_empty() => format!("      return drawback(\"{words}\", place)\n"),
        [_] => format!("      return drawback(string.format(\"{words}\"{values}), place)\n"),
        _ => {
            format!("      local message = \"{words}\"\n      return drawback(string.format(message{values}), place)\n")
        }
    }
}

fn capitalised(line: &str) -> String {
    let mut letters = line.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn listed(rule: &Rule, between: &str, word: impl Fn(&Condition) -> String) -> String {
    rule.conditions().iter().map(word).collect::<Vec<_>>().join(between)
}

fn arguments(feature: &Feature, seen: &str) -> String {
    if feature.plan.is_some() { format!("task, artifact, {seen}") } else { "task, artifact".to_owned() }
}

/// A statement that gives the code a name.
fn named(name: &str, code: &Code) -> String {
    match code {
        Code::Function(function) => format!("local function {name}{}", function["function".len()..].trim_start()),
        Code::Expression(value) => format!("local {name} = {value}"),
    }
}

#[cfg(test)]
#[path = "compose_tests.rs"]
mod tests;
