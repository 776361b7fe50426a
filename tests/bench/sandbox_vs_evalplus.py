"""Compares the sandbox with EvalPlus' own checker: time a candidate, and verdicts.

Every output of the reference data runs against every hidden input and stops at its first failure, in both with two workers,
4 GiB of address space, and four seconds a call before it counts as a timeout (the sandbox confirms at four times one second).
EvalPlus is a development tool only: it is installed from the package index into a temporary environment.

Run from the repository root, after `cargo build --release --benches`:
    python3 tests/bench/sandbox_vs_evalplus.py ../shared/data/code [EVERY]
"""

import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import venv

WORKERS = 2
CALL_SECONDS = 4.0
MEMORY_BYTES = 4 << 30

CHECKER = '''
import ast, json, sys, time
from concurrent.futures import ProcessPoolExecutor, as_completed
from evalplus.eval import untrusted_check

data, every, workers, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
PRELUDE = "from typing import *\\n"

def rows(name):
    return [json.loads(line) for line in open(f"{data}/{name}.jsonl")]

tasks = {}
for reference in rows("reference"):
    inputs = [list(ast.literal_eval(text)) for text in reference["inputs"]]
    namespace = {}
    exec(PRELUDE + reference["canonical_solution"], namespace)
    call = namespace[reference["entry_point"]]
    expected = [call(*ast.literal_eval(text)) for text in reference["inputs"]]
    tasks[reference["task"]] = (inputs, expected, reference["entry_point"], reference["atol"])

def check(output):
    inputs, expected, entry_point, atol = tasks[output["task"]]
    started = time.perf_counter()
    verdict, _ = untrusted_check("mbpp", PRELUDE + output["text"], inputs, entry_point, expected=expected, atol=atol,
                                 ref_time=[0.0] * len(inputs), fast_check=True, min_time_limit=seconds)
    return output["id"], verdict, (time.perf_counter() - started) * 1000

with ProcessPoolExecutor(max_workers=workers) as pool:
    for done in as_completed([pool.submit(check, output) for output in rows("outputs")[::every]]):
        print(*done.result(), sep="\\t", flush=True)
'''


def environment():
    """The interpreter of a temporary environment that has EvalPlus."""
    home = os.path.join(tempfile.gettempdir(), "evalplus-venv")
    python = os.path.join(home, "bin", "python")
    if not os.path.exists(python):
        venv.create(home, with_pip=True)
    if subprocess.run([python, "-c", "import evalplus"], capture_output=True).returncode:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "evalplus"], check=True)
    return python


def rows(command, **environ):
    text = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environ}).stdout
    split = (line.split("\t") for line in text.splitlines())
    return {name: (verdict == "pass", float(spent)) for name, verdict, spent in split}


def newest(pattern):
    found = [path for path in glob.glob(pattern) if os.access(path, os.X_OK) and not path.endswith(".d")]
    if not found:
        sys.exit("build first: cargo build --release --benches")
    return max(found, key=os.path.getmtime)


def quantiles(times):
    ordered = sorted(times)
    return [ordered[int(len(ordered) * share)] for share in (0.1, 0.5, 0.9)]


def main():
    data = sys.argv[1] if len(sys.argv) > 1 else "../shared/data/code"
    every = sys.argv[2] if len(sys.argv) > 2 else "1"
    if not os.path.isdir(data):
        print("skipped: there is no", data)
        return
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    python = environment()
    ours = rows([newest(f"{target}/release/deps/sandbox-*"), data, every])
    theirs = rows(
        [python, "-c", CHECKER, data, every, str(WORKERS), str(CALL_SECONDS)],
        EVALPLUS_MAX_MEMORY_BYTES=str(MEMORY_BYTES),
    )
    shared = sorted(ours.keys() & theirs.keys())
    print("candidates", len(shared))
    for name, found in (("sandbox", ours), ("EvalPlus", theirs)):
        low, middle, high = quantiles([found[each][1] for each in shared])
        print(f"{name}: median {middle:.2f} ms, tenth {low:.2f}, ninetieth {high:.2f}")
    medians = [statistics.median(found[each][1] for each in shared) for found in (ours, theirs)]
    print(f"ratio of medians {medians[1] / medians[0]:.2f}")
    passing = [each for each in shared if ours[each][0] and theirs[each][0]]
    medians = [statistics.median(found[each][1] for each in passing) for found in (ours, theirs)]
    print(f"ratio of medians over those that pass, which run every input, {medians[1] / medians[0]:.2f}")
    labels = {row["output"]: row["pass"] for row in map(json.loads, open(os.path.join(data, "labels.jsonl")))}
    differ = [each for each in shared if ours[each][0] != theirs[each][0]]
    print(f"same verdict {1 - len(differ) / len(shared):.4%}")
    for each in differ:
        print(" ", each, "sandbox", ours[each][0], "EvalPlus", theirs[each][0], "label", labels[each])
    wrong = [each for each in shared if ours[each][0] != labels[each]]
    print("sandbox unlike the label:", len(wrong), *wrong)


main()
