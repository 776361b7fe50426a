#!/usr/bin/env python3
"""Build the demo data in fixtures/sql from its readable sources.

Why this exists: databases, questions and queries are meant to be read and reviewed by
people, but the program reads SQLite files and JSON lines; and a label is only worth
having when it was observed, not claimed. So a database lives in one literate file,
source/databases/NAME.md, and a question with its gold query and the solvers' queries in
another, source/questions/ID.md. This script turns them into databases/NAME.sqlite,
tasks.jsonl, outputs.jsonl, reference.jsonl and labels.jsonl.
A label is made by running gold and the query on the database and on ten perturbed
copies. Each query also states what its author expected; a difference stops the build.

    python3 scripts/build_sql_fixtures.py           write the files, print statistics
    python3 scripts/build_sql_fixtures.py --check   fail if a file is missing or stale

The source formats are described in fixtures/sql/README.md.
"""

import csv
import hashlib
import json
import re
import sqlite3
import sys
import tempfile
from collections import Counter
from itertools import permutations
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "fixtures" / "sql"
FILES = ("tasks.jsonl", "outputs.jsonl", "reference.jsonl", "labels.jsonl")
DELETED = (0.05, 0.2) * 5  # the share of rows that each perturbed copy loses
STEPS = 20_000_000  # virtual machine steps for one query; gold needs a few thousand
FENCE = re.compile(r"(`{3,})(sql|csv)")
SECTION = re.compile(r"## (schema|rows (\w+)|gold|output (\d\d) (\S+))")
SETTING = re.compile(r"- (database|ordered): `(\w+)`")
EXPECTED = re.compile(r"Expected: (pass|fail|fail on copies)(?:, ([a-z-]+)(: .+)?)?")
KINDS = {
    "aggregate", "cartesian", "count-null", "date-text", "direction", "fan-out", "filter",
    "group-by", "having-where", "inner-left", "integer-division", "join-key", "limit",
    "literal-case", "missing-distinct", "needless-distinct", "not-in-null", "off-by-one",
    "precedence", "projection", "select-star", "syntax", "ties", "uncorrelated",
    "unknown-column", "wrong-column", "wrong-table",
}


def parse(path):
    """Read one literate file into its statement, settings and sections.

    A section is (heading, expected, text): two matches and the block. Anything outside the format is an error.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    statement, settings, sections = [], {}, []
    heading, expected, at = None, None, 0

    def bad(why):
        raise SystemExit(f"{path.name}:{at + 1}: {why}")

    if lines[0] != f"# {path.stem}":
        bad("the first line must be '#' and the name of the file")
    while at + 1 < len(lines):
        at += 1
        line = lines[at]
        fence, setting = FENCE.fullmatch(line), SETTING.fullmatch(line)
        if not line:
            continue
        if SECTION.fullmatch(line):
            if heading:
                bad("the section before this one has no block")
            heading, expected = SECTION.fullmatch(line), None
        elif heading and heading[3] and EXPECTED.fullmatch(line):
            expected = EXPECTED.fullmatch(line)
            if (expected[1] == "pass") != (expected[2] is None) or expected[2] not in KINDS | {None}:
                bad("a query that fails needs a kind of mistake, and only that")
        elif heading and fence:
            if fence[1] not in lines[at + 1 :]:
                bad("this block is never closed")
            if heading[3] and expected is None:
                bad("an output needs an 'Expected:' line before its block")
            end = lines.index(fence[1], at + 1)
            sections.append((heading, expected, "\n".join(lines[at + 1 : end])))
            heading, at = None, end
        elif heading or sections:
            bad(f"not in the source format: {line!r}")
        elif setting:
            settings[setting[1]] = setting[2]
        else:
            statement.append(line)
    if heading or not statement or not sections:
        bad("incomplete: a statement is missing, or a section, or the block of the last section")
    return " ".join(statement), settings, sections


def create(connection, source):
    """Fill an empty database from its source. An empty field is NULL."""
    _, _, sections = parse(source)
    for heading, _, text in sections:
        if heading[1] == "schema":
            connection.executescript(text)
        elif heading[2]:
            header, *rows = csv.reader(text.split("\n"))
            marks = ", ".join("?" * len(header))
            insert = f"INSERT INTO {heading[2]} ({', '.join(header)}) VALUES ({marks})"
            connection.executemany(insert, [[field or None for field in row] for row in rows])
    connection.commit()
    for row in connection.execute("PRAGMA foreign_key_check"):
        raise SystemExit(f"{source.name}: table {row[0]}, row {row[1]}: no such row in {row[2]}")


def tables(connection):
    """Return {table: [column, ...]} in the order of the schema."""
    names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
    return {n: [c[1] for c in connection.execute(f"PRAGMA table_info({n})")] for (n,) in names.fetchall()}


def draw(*parts):
    """A number in [0, 1) that depends on nothing but its name."""
    return int(hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:12], 16) / 16**12


def perturb(connection, name, copy):
    """Delete rows, then mend what refers to them, then shuffle columns without a key.

    A row that must refer to a deleted one goes too; a reference that may be NULL becomes NULL.
    """
    every = tables(connection)
    columns = {t: connection.execute(f"PRAGMA table_info({t})").fetchall() for t in every}
    required = {t: {c[1] for c in columns[t] if c[3]} for t in every}
    parents = {t: connection.execute(f"PRAGMA foreign_key_list({t})").fetchall() for t in every}
    for table in every:
        for (row,) in connection.execute(f"SELECT rowid FROM {table} ORDER BY rowid").fetchall():
            if draw(name, copy, table, row) < DELETED[copy]:
                connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
    orphans = True
    while orphans:
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        for table, row, _, link in orphans:
            column = next(p[3] for p in parents[table] if p[0] == link)
            if column in required[table]:
                connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
            else:
                connection.execute(f"UPDATE {table} SET {column} = NULL WHERE rowid = ?", (row,))
    for table in every:
        keys = {link[3] for link in parents[table]}
        keys |= {c[1] for c in columns[table] if c[5]}
        for column in every[table]:
            if column in keys or draw(name, copy, table, column) < 0.5:
                continue
            rows = connection.execute(f"SELECT rowid, {column} FROM {table} ORDER BY rowid").fetchall()
            mixed = sorted(rows, key=lambda row: draw(name, copy, table, column, row[0]))
            pairs = [(new[1], old[0]) for old, new in zip(rows, mixed)]
            connection.executemany(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", pairs)
    connection.commit()


def run(connection, query):
    """Return the rows of a query, or the error as text."""
    connection.set_progress_handler(lambda: 1, STEPS)
    try:
        rows = connection.execute(query).fetchall()
    except (sqlite3.Error, sqlite3.Warning) as error:
        return str(error)
    return [tuple(round(v, 6) if isinstance(v, float) else v for v in row) for row in rows]


def agrees(got, want, ordered):
    """Whether results are equal under one order of columns that holds on every database."""
    if any(isinstance(rows, str) for rows in got):
        return False
    width = {len(rows[0]) for rows in (*got, *want) if rows}
    if len(width) > 1 or any(len(g) != len(w) for g, w in zip(got, want)):
        return False
    pack = list if ordered else Counter
    return any(
        all(pack(tuple(row[c] for c in order) for row in g) == pack(w) for g, w in zip(got, want))
        for order in permutations(range(max(width, default=0))))


def judge(source, databases):
    """Run gold and every query of one question; return its parts and what was observed."""
    question, settings, sections = parse(source)
    if settings.keys() != {"database", "ordered"} or settings["ordered"] not in ("yes", "no"):
        raise SystemExit(f"{source.name}: needs the settings database, and ordered as yes or no")
    if sections[0][0][1] != "gold" or not all(heading[3] for heading, _, _ in sections[1:]):
        raise SystemExit(f"{source.name}: needs the section gold, then outputs")
    ordered, gold = settings["ordered"] == "yes", sections[0][2]
    want = [run(c, gold) for c in databases[settings["database"]]]
    if any(isinstance(rows, str) for rows in want) or not want[0]:
        raise SystemExit(f"{source.name}: gold fails, or returns no row on the base: {want[0]}")
    outputs = []
    for number, (heading, expected, text) in enumerate(sections[1:]):
        name = f"{source.stem}#{number:02}"
        if int(heading[3]) != number:
            raise SystemExit(f"{name}: outputs must be numbered 00, 01, 02, ...")
        got = [run(c, text) for c in databases[settings["database"]]]
        seen = "pass" if agrees(got, want, ordered) else (
            "fail on copies" if agrees(got[:1], want[:1], ordered) else "fail")
        returns = not isinstance(got[0], str) and bool(got[0])
        outputs.append({"name": name, "solver": heading[4], "text": text, "seen": seen,
                        "expected": expected[1], "kind": expected[2], "returns rows": returns})
    return {"id": source.stem, "question": question, "db": settings["database"],
            "ordered": ordered, "gold": gold, "outputs": outputs}


def build(folder):
    """Write everything into folder; return the statistics."""
    (folder / "databases").mkdir(exist_ok=True)
    databases = {}
    for source in sorted((ROOT / "source" / "databases").glob("*.md")):
        path = folder / "databases" / f"{source.stem}.sqlite"
        path.unlink(missing_ok=True)
        base = sqlite3.connect(path)
        base.executescript("PRAGMA page_size = 1024; PRAGMA journal_mode = MEMORY; PRAGMA encoding = 'UTF-8';")
        create(base, source)
        databases[source.stem] = [base]
        for copy in range(len(DELETED)):
            databases[source.stem].append(sqlite3.connect(":memory:"))
            base.backup(databases[source.stem][-1])
            perturb(databases[source.stem][-1], source.stem, copy)
    questions = [judge(p, databases) for p in sorted((ROOT / "source" / "questions").glob("*.md"))]
    outputs = [output for question in questions for output in question["outputs"]]
    wrong = [f"{o['name']}: expected {o['expected']}, observed {o['seen']}"
             for o in outputs if o["expected"] != o["seen"]]
    if wrong:
        raise SystemExit("verdicts differ from the sources:\n" + "\n".join(wrong))
    rows = {name: [] for name in FILES}
    for q in questions:
        schema = tables(databases[q["db"]][0])
        rows["tasks.jsonl"].append({"id": q["id"], "question": q["question"], "db": q["db"], "schema": schema})
        rows["reference.jsonl"].append({"task": q["id"], "gold": q["gold"], "ordered": q["ordered"]})
        for o in q["outputs"]:
            rows["outputs.jsonl"].append(
                {"id": o["name"], "task": q["id"], "solver": o["solver"], "text": o["text"]})
            rows["labels.jsonl"].append({"output": o["name"], "pass": o["seen"] == "pass"})
    for name in FILES:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows[name])
        (folder / name).write_bytes(text.encode())
    for connections in databases.values():
        for connection in connections:
            connection.close()
    return statistics(questions, outputs)


def statistics(questions, outputs):
    """The figures that fixtures/sql/README.md gives."""
    failing = [o for o in outputs if o["seen"] != "pass"]
    marks = [[o["seen"] == "pass" for o in q["outputs"]] for q in questions]
    kinds = sorted(Counter(o["kind"] for o in failing).items(), key=lambda pair: (-pair[1], pair[0]))
    mostly_wrong = [q["id"] for q, m in zip(questions, marks) if 2 * sum(m) < len(m)]
    return "\n".join([
        f"{len(questions)} questions ({sum(q['ordered'] for q in questions)} ordered), {len(outputs)} queries, "
        f"{min(map(len, marks))} to {max(map(len, marks))} a question",
        f"{len(outputs) - len(failing)} pass, {len(failing)} fail ({len(failing) / len(outputs):.1%}); of these "
        f"{sum(o['returns rows'] for o in failing)} return rows on the base, "
        f"{sum(o['seen'] == 'fail on copies' for o in failing)} agree with gold there",
        f"{sum(len(set(m)) == 2 for m in marks)} questions with mixed outcomes, "
        f"{sum(all(m) for m in marks)} that every query passes, "
        f"{len(mostly_wrong)} with a wrong majority: {', '.join(mostly_wrong)}",
        *(f"{count:4} {kind}" for kind, count in kinds)])


def same_database(left, right):
    """Equal bytes; or equal content where another version of SQLite wrote the file."""
    a, b = left.read_bytes(), right.read_bytes()
    if a[96:100] == b[96:100]:  # the header field that holds the writer's version
        return a == b
    contents = []
    for path in (left, right):
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        every = ["sqlite_schema", *tables(connection)]
        contents.append([connection.execute(f"SELECT rowid, * FROM {t} ORDER BY rowid").fetchall() for t in every])
        connection.close()
    return contents[0] == contents[1]


def main():
    if "--check" not in sys.argv[1:]:
        print(build(ROOT))
        return
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        figures = build(fresh)
        names = [*FILES, *(f"databases/{p.name}" for p in sorted((fresh / "databases").iterdir()))]
        stale = [f"databases/{p.name}" for p in (ROOT / "databases").glob("*") if f"databases/{p.name}" not in names]
        for name in names:
            old, new = ROOT / name, fresh / name
            same = same_database if name.endswith(".sqlite") else lambda a, b: a.read_bytes() == b.read_bytes()
            if not old.is_file() or not same(old, new):
                stale.append(name)
    if stale:
        raise SystemExit("stale, run scripts/build_sql_fixtures.py: " + ", ".join(stale))
    print(figures)


if __name__ == "__main__":
    main()
