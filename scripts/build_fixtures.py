#!/usr/bin/env python3
"""Build the demo data in fixtures/code from its readable sources.

Why this exists: the demo data is meant to be read and reviewed by people, but the
program reads JSON lines; and a label is only worth having when it was observed, not
claimed. So each task lives in one literate file, source/<task id>.md, and this script
turns the files into tasks.jsonl, outputs.jsonl, reference.jsonl and labels.jsonl.
A label is made by running the reference and the output on every hidden input.
Each output also states the verdict its author expected; a difference stops the build,
so neither a slip in a source file nor a slip in the comparison goes unnoticed.

    python3 scripts/build_fixtures.py           write the four files, print statistics
    python3 scripts/build_fixtures.py --check   fail if the files are missing or stale

The source format is described in fixtures/code/README.md. Outputs are run without a
sandbox: they are all ours, and reviewed.
"""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "fixtures" / "code"
FILES = ("tasks.jsonl", "outputs.jsonl", "reference.jsonl", "labels.jsonl")
BASE_COUNT = 3  # the first hidden inputs of a task are its base inputs
TIMEOUT_S = 2.0  # for one output on all inputs of its task
HASH_SEEDS = ("0", "1", "2")  # a pass must not depend on the order of a set of strings
FENCE = re.compile(r"(`{3,})python")
SECTION = re.compile(r"## (example|reference|inputs|output (\d\d) (\S+))")
SETTING = re.compile(r"- (entry point|comparison|atol): `([^`]+)`")
EXPECTED = re.compile(r"Expected: (pass|fail)(, .+)?")


def parse(path):
    """Read one literate file; anything outside the format is an error with its place."""
    lines = path.read_text(encoding="utf-8").split("\n")
    task = {"id": path.stem, "outputs": []}
    statement, section, expected, at = [], None, None, 0

    def bad(why):
        raise SystemExit(f"{path.name}:{at + 1}: {why}")

    if lines[0] != f"# {path.stem}":
        bad("the first line must be '# <task id>'")
    while at + 1 < len(lines):
        at += 1
        line = lines[at]
        if not line:
            continue
        heading, fence = SECTION.fullmatch(line), FENCE.fullmatch(line)
        if heading:
            if section:
                bad("the section before this one has no block")
            section, expected = heading, None
        elif section is None and not task.keys() & {"example", "reference", "inputs"}:
            setting = SETTING.fullmatch(line)
            if setting:
                task[setting[1]] = setting[2]
            else:
                statement.append(line)
        elif section and section[2] and EXPECTED.fullmatch(line):
            expected = EXPECTED.fullmatch(line)[1]
        elif section and fence:
            if fence[1] not in lines[at + 1 :]:
                bad("this block is never closed")
            end = lines.index(fence[1], at + 1)
            body, at = lines[at + 1 : end], end
            if section[2] is None:
                task[section[1]] = body
            else:
                if expected is None:
                    bad("an output needs an 'Expected:' line before its block")
                if int(section[2]) != len(task["outputs"]):
                    bad("outputs must be numbered 00, 01, 02, ...")
                task["outputs"].append((section[3], "\n".join(body) + "\n", expected == "pass"))
            section = None
        else:
            bad(f"not in the source format: {line!r}")
    task["prompt"] = " ".join(statement)
    missing = {"entry point", "comparison", "atol", "example", "reference", "inputs"} - set(task)
    if missing or not task["prompt"] or len(task["inputs"]) < BASE_COUNT:
        bad(f"incomplete task, missing {sorted(missing) or 'a statement or inputs'}")
    if task["comparison"] not in ("equal", "set"):
        bad("comparison must be equal or set")
    return task


def verdict(job):
    """Run one output in fresh processes; returns (passes, keeps the visible example).

    Every seed is tried until one fails.
    """
    seen = []
    for seed in HASH_SEEDS:
        try:
            done = subprocess.run(
                [sys.executable, "-c", CHILD], input=job, stdout=subprocess.PIPE, text=True,
                stderr=subprocess.DEVNULL, timeout=TIMEOUT_S, env={**os.environ, "PYTHONHASHSEED": seed},
            ).stdout
        except subprocess.TimeoutExpired as late:
            done = str(late.stdout)
        seen.append(("hidden ok" in done, "example ok" in done))
        if not seen[-1][0]:
            break
    return all(s[0] for s in seen), all(s[1] for s in seen)


# Runs in a process of its own. The job arrives on stdin, so input() finds it exhausted;
# what an output prints goes nowhere; the verdicts are the only lines on the real stdout.
CHILD = r'''
import ast, json, os, sys
job = json.loads(sys.stdin.read())
real, sys.stdout = sys.stdout, open(os.devnull, "w")

def load(text):
    space = {"__name__": "candidate"}
    exec("from typing import *\n" + text, space)
    return space

def same(got, want):
    if isinstance(got, float) or isinstance(want, float):
        if not (isinstance(got, (int, float)) and isinstance(want, (int, float))):
            return False
        return got == want or abs(got - want) <= max(job["atol"], 1e-6) + 1e-7 * abs(want)
    for kind in (list, tuple):
        if isinstance(got, kind) and isinstance(want, kind):
            return len(got) == len(want) and all(map(same, got, want))
    if isinstance(got, dict) and isinstance(want, dict):
        return got.keys() == want.keys() and all(same(got[k], want[k]) for k in want)
    return got == want

def hidden():
    reference, output = load(job["reference"])[job["entry"]], load(job["text"])[job["entry"]]
    for literal in job["inputs"]:  # parsed afresh for each call: either side may mutate
        want, got = reference(*ast.literal_eval(literal)), output(*ast.literal_eval(literal))
        if not (set(got) == set(want) if job["comparison"] == "set" else same(got, want)):
            raise AssertionError(literal)

def example():
    exec(job["example"], load(job["text"]))

for name, check in (("example", example), ("hidden", hidden)):
    try:
        check()
        print(name, "ok", file=real, flush=True)
    except BaseException:
        print(name, "no", file=real, flush=True)
'''


def build():
    """Return the four files as text, and the statistics."""
    tasks = [parse(path) for path in sorted((ROOT / "source").glob("*.md"))]
    rows = {name: [] for name in FILES}
    jobs, wants = [], []
    for task in tasks:
        entry, example = task["entry point"], "\n".join(task["example"])
        shared = {
            "entry": entry, "example": example, "reference": "\n".join(task["reference"]) + "\n",
            "inputs": task["inputs"], "atol": float(task["atol"]), "comparison": task["comparison"],
        }
        rows["tasks.jsonl"].append(
            {"id": task["id"], "prompt": task["prompt"], "entry_point": entry, "examples": [example]})
        rows["reference.jsonl"].append({
            "task": task["id"], "entry_point": entry, "canonical_solution": shared["reference"],
            "inputs": task["inputs"], "base_count": BASE_COUNT, "atol": json.loads(task["atol"]),
            "comparison": task["comparison"]})
        jobs.append(json.dumps({**shared, "text": shared["reference"]}))
        wants.append((f"{task['id']} reference", True))
        for number, (solver, text, expected) in enumerate(task["outputs"]):
            name = f"{task['id']}#{number:02}"
            rows["outputs.jsonl"].append({"id": name, "task": task["id"], "solver": solver, "text": text})
            jobs.append(json.dumps({**shared, "text": text}))
            wants.append((name, expected))
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        verdicts = list(pool.map(verdict, jobs))
    wrong, kept, per_task = [], 0, {}
    for (name, expected), (passes, keeps) in zip(wants, verdicts):
        if passes != expected or (passes and not keeps):
            wrong.append(f"{name}: expected {expected}, hidden {passes}, example {keeps}")
        if "#" in name:
            rows["labels.jsonl"].append({"output": name, "pass": passes})
            per_task.setdefault(name.split("#")[0], []).append(passes)
            kept += keeps and not passes
    if wrong:
        raise SystemExit("verdicts differ from the sources:\n" + "\n".join(wrong))
    texts = {n: "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows[n]) for n in FILES}
    everything = [passes for marks in per_task.values() for passes in marks]
    return texts, (
        f"{len(tasks)} tasks, {len(everything)} outputs, {sum(everything)} passing "
        f"({sum(everything) / len(everything):.1%}), {len(everything) - sum(everything)} failing\n"
        f"{sum(len(set(m)) == 2 for m in per_task.values())} tasks with mixed outcomes, "
        f"{sum(all(m) for m in per_task.values())} that every output passes, "
        f"{sum(2 * sum(m) < len(m) for m in per_task.values())} with a wrong majority\n"
        f"{kept} fails keep the visible example")


def main():
    texts, statistics = build()
    if "--check" in sys.argv[1:]:
        stale = [n for n in FILES if not (ROOT / n).is_file() or (ROOT / n).read_bytes() != texts[n].encode()]
        if stale:
            raise SystemExit("stale, run scripts/build_fixtures.py: " + ", ".join(stale))
    else:
        for name in FILES:
            (ROOT / name).write_bytes(texts[name].encode())
    print(statistics)


if __name__ == "__main__":
    main()
