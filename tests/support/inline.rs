//! Packs written as text in a test: a root that refuses on request, and ops that say what they saw.

use std::path::Path;
use std::sync::Arc;

use gradus::grade::Group;
use gradus::pack::load::Scripts;
use gradus::pack::{Manifest, Pack, Script};
use gradus::verdict::Verdict;

/// An op in the making: named `op` until it is named otherwise.
#[derive(Clone, Copy)]
pub struct Op<'a> {
    name: &'a str,
    tier: &'a str,
    peers: bool,
    plan: Option<&'a str>,
    check: &'a str,
}

/// Says its observations in order, each as `own`, or `own|peer,peer` where there are peers to look at.
const TELL: &str = "
local function word(observation)
  if not observation then return '-' end
  return observation.value and observation.value:repr() or observation.status
end
local function tell(seen)
  local words = {}
  for _, one in ipairs(seen) do
    local peers = {}
    for _, peer in ipairs(one.peers or {}) do table.insert(peers, word(peer)) end
    local beside = PEERS and '|' .. table.concat(peers, ',') or ''
    table.insert(words, word(one.own) .. beside)
  end
  return drawback(table.concat(words, ' '))
end
";

/// An op with this body of `plan(task, artifact, seen)`, whose drawback is what it saw.
pub fn plan(body: &str) -> Op<'_> {
    Op { name: "op", tier: "execution", peers: false, plan: Some(body), check: "return tell(seen)" }
}

/// A static op with this body of `check`, which has `text`.
pub fn check(body: &str) -> Op<'_> {
    Op { name: "op", tier: "static", peers: false, plan: None, check: body }
}

impl<'a> Op<'a> {
    pub fn named(self, name: &'a str) -> Self {
        Self { name, ..self }
    }

    pub fn of_tier(self, tier: &'a str) -> Self {
        Self { tier, ..self }
    }

    pub fn with_peers(self) -> Self {
        Self { peers: true, ..self }
    }

    fn script(&self) -> Script {
        let plan = self.plan.map(|body| format!("plan = function(task, artifact, seen) {body} end,\n"));
        let source = format!(
            "local PEERS = {}\n{TELL}\nreturn {{ detects = 'wrong', about = 'a test', tier = '{}', strength = 'proof', {}
             {}check = function(task, artifact, seen) local text = artifact.text; {} end }}",
            self.peers,
            self.tier,
            if self.peers { "peers = true," } else { "" },
            plan.unwrap_or_default(),
            self.check
        );
        Script { path: format!("ops/{}.lua", self.name), source }
    }
}

const MANIFEST: &str = "name = \"inline\"\nartifact = \"python\"\ntiers = [\"static\", \"execution\", \"judge\"]\n
[taxonomy]\nwrong = \"is wrong\"\n";

const ROOT: &str = "return { check = function(task, text)
  if text == 'refuse me' then return drawback('as asked') end
  if text == 'break the root' then error('as asked') end
  return clean(), { text = text }
end }";

pub fn compile(ops: &[Op]) -> Pack {
    compile_with("", ops)
}

/// A pack with more in its manifest.
pub fn compile_with(manifest: &str, ops: &[Op]) -> Pack {
    let path = Path::new("pack.toml");
    let manifest = Manifest::parse(&format!("{MANIFEST}{manifest}"), path).unwrap();
    let root = Script { path: "root.lua".into(), source: ROOT.into() };
    let scripts = Scripts { root, ops: ops.iter().map(Op::script).collect(), anchor: None };
    Pack::compile(manifest, scripts, path).unwrap()
}

/// A task with these outputs, all wanted.
pub fn group(texts: &[&str]) -> Group {
    Group::whole(
        serde_json::json!({"id": "t", "entry_point": "f"}),
        texts.iter().map(|text| Arc::from(*text)).collect(),
    )
}

/// The words of a drawback.
pub fn said(verdict: &Verdict) -> &str {
    match verdict {
        Verdict::Drawback(finding) => &finding.message,
        other => panic!("not a drawback: {other:?}"),
    }
}
