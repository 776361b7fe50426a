//! Verdicts a second of static ops in the script host, parsing included: `cargo bench --bench script [-- FOLDER]`.
//!
//! FOLDER holds `outputs.jsonl`; without it, variants of a small program are judged. Every text is distinct, and no
//! verdict is remembered.

use std::path::Path;
use std::time::Instant;

use gradus::script::{Document, Host, Limits, Module, Role, Vm};
use gradus::verdict::Verdict;

const ROOT: &str = "return { check = function(task, text)
  local tree = python.parse(text)
  local entry = tree:find_function(task.entry_point) or tree:functions()[1]
  if not entry then return drawback('defines no function') end
  return clean(), { tree = tree, entry = entry, text = text }
end }";

const OPS: [(&str, &str); 6] = [
    (
        "prints_not_returns",
        "for _, ret in ipairs(artifact.entry:returns()) do
            local value = ret:value()
            if value and value:text() ~= 'None' then return clean() end
        end
        local prints = artifact.entry:calls('print')
        if #prints == 0 then return abstain('neither prints nor returns') end
        return drawback('prints its answer', prints[1])",
    ),
    (
        "falls_through",
        "if #artifact.entry:returns() == 0 or not artifact.entry:falls_through() then return clean() end
        return drawback('returns nothing on some path', artifact.entry)",
    ),
    (
        "shadowed",
        "local again = artifact.entry:rebindings()
        if #again > 0 then return drawback('the entry point is bound again', again[1].name) end
        return clean()",
    ),
    (
        "unused_parameter",
        "for _, parameter in ipairs(artifact.entry:parameters()) do
            if #artifact.entry:reads(parameter.name, 'nested') == 0 then
                return drawback('never reads ' .. parameter.name, parameter.node)
            end
        end
        return clean()",
    ),
    (
        "compares_with_none",
        "for _, hit in ipairs(artifact.tree:query('(comparison_operator (none) @none)')) do
            if hit.none:parent():text():find('==', 1, true) then return drawback('compares None by ==', hit.none) end
        end
        return clean()",
    ),
    (
        "long_lines",
        "local first = 1
        for line in artifact.text:gmatch('[^\\n]*') do
            if #line > 120 then return drawback('a line of ' .. #line .. ' bytes', span(first, first + #line - 1)) end
            first = first + #line + 1
        end
        return clean()",
    ),
];

fn main() {
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let texts = folder.map_or_else(variants, |folder| outputs(Path::new(&folder)));
    let host = Host::new(Limits::default(), vec!["style".to_owned()]);
    let root = host.load(Role::Root, "root.lua", ROOT).expect("the root");
    let ops: Vec<Module> = OPS.iter().map(|(name, body)| op(&host, name, body)).collect();
    println!("{} texts, {} ops", texts.len(), ops.len());
    for threads in [1, 2] {
        let mut rates: Vec<f64> = (0..5).map(|_| rate(&root, &ops, &texts, threads)).collect();
        rates.sort_by(f64::total_cmp);
        println!("{threads} threads: {:.0} verdicts/s (median of 5, {:.0} to {:.0})", rates[2], rates[0], rates[4]);
    }
}

fn op(host: &Host, name: &str, body: &str) -> Module {
    let source = format!(
        "return {{ detects = 'style', about = '{name}', tier = 'static', strength = 'smell',
        check = function(task, artifact) {body} end }}"
    );
    host.load(Role::Op, &format!("{name}.lua"), &source).expect("an op")
}

/// Verdicts a second, the parsing of each text included.
fn rate(root: &Module, ops: &[Module], texts: &[String], threads: usize) -> f64 {
    let start = Instant::now();
    let verdicts: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = texts
            .chunks(texts.len().div_ceil(threads))
            .map(|share| scope.spawn(move || judge(root, ops, share)))
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker")).sum()
    });
    verdicts as f64 / start.elapsed().as_secs_f64()
}

fn judge(root: &Module, ops: &[Module], texts: &[String]) -> usize {
    let mut vm = Vm::new(Limits::default());
    let task = serde_json::json!({"id": "t", "entry_point": "f", "examples": ["assert f(1) == 2"]});
    let mut verdicts = 0;
    for text in texts {
        let document = Document::python(text.as_str());
        let mut session = vm.session(root, &task, &document);
        if session.root() != Verdict::Clean {
            continue;
        }
        for op in ops {
            let verdict = session.check(op, &[]);
            assert!(!verdict.is_fault(), "{verdict:?}");
            verdicts += 1;
        }
    }
    verdicts
}

fn outputs(folder: &Path) -> Vec<String> {
    let lines = std::fs::read_to_string(folder.join("outputs.jsonl")).expect("outputs.jsonl");
    let text = |line: &str| serde_json::from_str::<serde_json::Value>(line).ok()?["text"].as_str().map(str::to_owned);
    lines.lines().filter_map(text).collect()
}

fn variants() -> Vec<String> {
    let program = |n: usize| {
        format!(
            "import math\n\ndef f(xs, limit={n}):\n    \"\"\"Sum of roots.\"\"\"\n    total = 0\n    for x in xs:\n        \
             if x is None or x < {n}:\n            continue\n        total += math.sqrt(x)\n        if total > limit:\n            \
             return limit\n    print(total)\n    return round(total, {})\n",
            n % 7
        )
    };
    (0..2000).map(program).collect()
}
