//! Composed ops, whole, and what of the author's file is in them.

use super::super::super::{Host, Limits, Module, Role};
use super::*;

const FILE: &str = r#"-- What may be measured.

local WORDS = { "end" }         -- telling words
local unrelated = 1

local function first_words(text)
  return text:sub(1, #WORDS)
end

local function unused() return unrelated end

local function ask(task)
  return { { assert = task.examples[1] } }
end

return {
  words = {
    about   = "telling words, one or more",
    detects = "bad",
    measure = function(task, artifact)
      return #first_words(artifact.text)   -- return end
    end,
  },
  empty = { about = "whether nothing is there", detects = "bad", measure = function(_, it) return it.text == "" end },
  broken = {
    about   = "examples that do not hold",
    detects = "worse",
    plan    = ask,
    measure = function(task, artifact, seen) return seen[1].own.holds and 0 or 1 end,
  },
  calls = {
    about   = "calls that raise",
    detects = "worse",
    peers   = true,
    plan    = function(task)
      return { { call = "f", args = "[]", on = "both" } }
    end,
    measure = function(task, artifact, seen) return seen[1].own.error and 1 or 0 end,
  },
}
"#;

fn host() -> Host {
    Host::new(Limits::default(), vec!["bad".to_owned(), "worse".to_owned()])
}

fn file() -> Module {
    host().load(Role::Features, "pack/features.lua", FILE).expect("well-formed")
}

fn op(rule: &str) -> String {
    let certificate = Certificate {
        round: 3,
        cluster: "of\nbad".to_owned(),
        cluster_size: 6,
        fires_on_cluster: 5,
        known_good: 4,
        train_size: 120,
        fires_on_train: 9,
    };
    let head = OpHead { detects: "bad".to_owned(), strength: Strength::Smell, certificate };
    let text = file().features().expect("features").op(&rule.parse().expect("a rule"), &head).expect("its features");
    let loaded =
        host().load(Role::Op, "pack/synthesized/x.lua", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(loaded.op().expect("an op").detects, "bad");
    text
}

#[test]
fn an_op_on_one_measurement_is_a_file_that_stands_alone() {
    let expected = r#"-- Fires where words >= 2. Mined in round 3, for the cluster of bad.
-- Birth certificate: fires on 5 of 6 outputs of the cluster, on none of 4 known-good outputs,
-- and on 9 of 120 train outputs.
local WORDS = { "end" }         -- telling words

local function first_words(text)
  return text:sub(1, #WORDS)
end

-- Telling words, one or more.
local function words(task, artifact)
  return #first_words(artifact.text)   -- return end
end

return {
  detects  = "bad",
  about    = "has words of 2 or more",
  tier     = "static",
  strength = "smell",
  check    = function(task, artifact)
    local words, place = words(task, artifact)
    if words == nil then return abstain("words cannot be measured here") end
    if words >= 2 then
      return drawback(string.format("words is %g (2 or more)", words), place)
    end
    return clean()
  end,
}
"#;
    assert_eq!(op("words >= 2"), expected);
    assert_eq!(op("words >= 2"), op("words >= 2"), "the same bytes each time");
}

#[test]
fn two_plans_share_an_op_and_each_sees_its_own_answers() {
    let text = op("calls >= 1 and broken <= 0");
    let both = r#"
-- The requests of both plans, and how many of them are the first one's.
local function both_plans(task, artifact)
  local requests = {}
  for _, request in ipairs(ask(task, artifact) or {}) do table.insert(requests, request) end
  local first = #requests
  for _, request in ipairs(plan_calls(task, artifact) or {}) do table.insert(requests, request) end
  return requests, first
end
"#;
    let check = r#"  peers    = true,
  plan     = function(task, artifact)
    local requests = both_plans(task, artifact)
    return requests
  end,
  check    = function(task, artifact, seen)
    local _, first = both_plans(task, artifact)
    if first == 0 or first == #seen then return abstain("one of its plans asks for nothing here") end
    local broken, place = broken(task, artifact, part_of(seen, 1, first))
    local calls = calls(task, artifact, part_of(seen, first + 1, #seen))
    if broken == nil then return abstain("broken cannot be measured here") end
    if calls == nil then return abstain("calls cannot be measured here") end
    if broken <= 0 and calls >= 1 then
      local message = "broken is %g (0 or less), calls is %g (1 or more)"
      return drawback(string.format(message, broken, calls), place)
    end
    return clean()
  end,
}
"#;
    assert!(text.contains(both) && text.ends_with(check), "{text}");
    assert!(text.contains("local function plan_calls(task)\n  return { { call"), "{text}");
    assert!(!text.contains("WORDS") && !text.contains("unrelated"), "{text}");
}

#[test]
fn a_plan_of_ones_own_stays_in_place_and_true_and_false_read_as_such() {
    assert!(op("calls >= 1").contains("  plan     = function(task)\n    return { { call"));
    let text = op("not empty and broken <= 0");
    assert!(text.contains("  plan     = ask,\n"), "{text}");
    assert!(text.contains("    if broken <= 0 and not empty then\n"), "{text}");
    assert!(text.contains("local empty = empty(task, artifact)\n"), "{text}");
    assert!(op("empty").contains("      return drawback(\"empty is true\", place)\n"));
}

#[test]
fn a_rule_on_an_unknown_measurement_gives_no_op() {
    let head = |certificate| OpHead { detects: "bad".to_owned(), strength: Strength::Smell, certificate };
    let certificate = Certificate {
        round: 0,
        cluster: String::new(),
        cluster_size: 0,
        fires_on_cluster: 0,
        known_good: 0,
        train_size: 0,
        fires_on_train: 0,
    };
    assert_eq!(
        file().features().expect("features").op(&"other >= 1".parse().expect("a rule"), &head(certificate)),
        None
    );
}

#[test]
fn every_gauge_loads_with_the_tier_and_peers_of_its_measurement() {
    let file = file();
    let features = file.features().expect("features");
    for feature in features.all() {
        let gauge = host().load(Role::Op, "gauges/x.lua", &features.gauge(feature)).expect("an op");
        let op = gauge.op().expect("an op");
        assert_eq!((op.tier, op.peers, &op.detects), (feature.tier(), feature.peers, &feature.detects));
        assert_eq!(gauge.plans(), feature.tier() == Tier::Execution);
    }
}
