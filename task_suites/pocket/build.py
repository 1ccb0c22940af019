"""Builds the bundled suite's task folders from `projects/`, and proves each task on the host while doing so.

    python task_suites/pocket/build.py            all projects, then suite.toml
    python task_suites/pocket/build.py recur      one project: build and verify, suite.toml untouched

A task is written only when: the base fails what the reference passes, the six sample solutions get their labels from the
hidden tests, ruff and the rule pack, and the base itself is clean. A task is judged out of process where that gives every one of
these trees the same outcomes. See docs/suite-sources.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from harness.errors import SuiteError
from harness.sandbox.order import names
from harness.style.measure import pack_findings
from harness.style.packs import Pack, check_quotes, load_pack
from harness.suites.catalog import load_task, read_toml
from harness.suites.emit import Entry, emit_task
from harness.suites.files import SourceFile
from harness.task import Judge, Samples, Split, Task
from harness.tree import EditError, Tree, edited
from harness.tree_io import read_tree, write_tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.ports import Json

HERE = Path(__file__).resolve().parent
PROJECTS = HERE / "projects"
TOOLS = (("pytest", "9.2.0"), ("ruff", "0.17.6"))
VERSION = "1.0"
FEWEST_FAILING, FEWEST_PASSING, FEWEST_RULES = 4, 2, 2
LABELS = (
    (True, True, True),
    (True, True, False),
    (True, False, True),
    (True, False, False),
    (False, True, False),
    (False, False, False),
)


@dataclass(frozen=True, kw_only=True)
class Checked:
    """One tree as measured on the host: hidden ids passed and all, visible tests passed, ruff's words, pack rules broken."""

    passed: frozenset[str]
    ids: frozenset[str]
    visible: bool
    ruff: str
    rules: tuple[str, ...]
    output: str


def main() -> None:
    """Build the projects named on the command line, or all of them and the suite file; exit 1 where a task is not valid."""
    projects = sys.argv[1:] or sorted(path.name for path in PROJECTS.iterdir() if path.is_dir())
    faults = [fault for name in projects for fault in build_project(name)]
    for fault in faults:
        print(f"FAULT {fault}")
    if faults:
        raise SystemExit(1)
    if not sys.argv[1:]:
        write_suite(projects)


def build_project(project: str) -> list[str]:
    """Build and verify all tasks of a project; the faults found, none where all is well."""
    root = PROJECTS / project
    head = read_tree(root / "head")
    pack = load_pack((root / "pack.toml").read_text(encoding="utf-8"), str(root / "pack.toml"))
    check_quotes(pack, head, str(root / "pack.toml"))
    sources = sorted((root / "tasks").glob("*.toml"))
    faults, broken = [], []
    with ThreadPoolExecutor(2) as pool:
        for found, rules in pool.map(lambda path: build_task(root, head, pack, path), sources):
            faults += found
            broken.append(rules)
    for rule in sorted({rule for rules in broken for rule in rules}):
        print(
            f"{project}: {rule} is broken by the style edits of {sum(rule in rules for rules in broken)} of {len(sources)} tasks"
        )
    return faults


def build_task(root: Path, head: Tree, pack: Pack, path: Path) -> tuple[list[str], tuple[str, ...]]:
    """Build one task and check every claim about it; its faults and the pack rules that its style edits break."""
    slug = path.stem
    try:
        source = read_toml(path, SourceFile)
        base = edited(head, [edit.value() for edit in source.undo])
        hidden = read_tree(root / "hidden" / slug)
        samples = Samples(
            **{name: tuple(edit.value() for edit in getattr(source, name)) for name in ("behaviour", "style", "defect")}
        )
        trees = {label: edited(head, samples.edits(tests=label[0], style=label[1], review=label[2])) for label in LABELS}
    except (SuiteError, EditError) as error:
        return [f"{path}: {error}"], ()
    before, after = (check(tree, hidden, base, pack, visibly=True) for tree in (base, head))
    task = Task(
        id=source.id,
        project=root.name,
        split=Split(source.split),
        instruction=source.instruction,
        difficulty=source.difficulty,
        kind="behaviour",
        interface=source.interface,
        base=base,
        reference=head,
        hidden=hidden,
        fail_to_pass=tuple(sorted(after.passed - before.passed)),
        pass_to_pass=tuple(sorted(after.passed & before.passed)),
        pack=root.name,
        samples=samples,
    )
    measured = {label: check(tree, hidden, base, pack) for label, tree in trees.items() if label != LABELS[0]}
    faults = [*judge(task, source, before, after), *(f for item in measured.items() for f in judge_sample(*item, after))]
    faults += [f"style, behaviour and defect leave a trace: {fault}" for fault in traces(head, samples)]
    known = {"base": (base, before.passed), "reference": (head, after.passed)}
    known |= {f"sample {_name(label)}": (trees[label], found.passed) for label, found in measured.items()}
    mode, why = judge_for(task, known)
    task = replace(task, judge=mode)
    emit_task(HERE / "tasks" / source.id, Entry(task=task, title=source.title, source="written"), TOOLS)
    load_task(HERE / "tasks" / source.id)
    counts = f"{len(task.fail_to_pass)} fail-to-pass, {len(task.pass_to_pass)} pass-to-pass, {len(faults)} faults"
    print(f"{source.id}: {counts}, judged by {mode}{why and f' ({why})'}")
    return [f"{source.id}: {fault}" for fault in faults], measured[True, False, True].rules


def judge(task: Task, source: SourceFile, before: Checked, after: Checked) -> list[str]:
    """What is wrong with base and reference."""
    claims = {
        f"id must be {task.project}-<slug>, and its test file test_<slug>.py": source.id.startswith(f"{task.project}-"),
        f"hidden tests fail on the head: {sorted(after.ids - after.passed)}\n{after.output}": after.ids == after.passed,
        "fewer than four tests fail on the base and pass on the head": len(task.fail_to_pass) >= FEWEST_FAILING,
        "fewer than two tests pass on both": len(task.pass_to_pass) >= FEWEST_PASSING,
        "the base's hidden test ids differ from the head's (collection error?)": before.ids in (after.ids, frozenset()),
        f"ruff on the base: {before.ruff}": not before.ruff,
        f"ruff on the head: {after.ruff}": not after.ruff,
        "visible tests fail on the base": before.visible,
        "visible tests fail on the head": after.visible,
        f"the reference breaks pack rules: {after.rules}": not after.rules,
        "three sections Problem, Expected, Interface": all(
            f"## {word}" in task.instruction for word in ("Problem", "Expected", "Interface")
        ),
    }
    return [fault for fault, holds in claims.items() if not holds]


def judge_sample(label: tuple[bool, bool, bool], found: Checked, after: Checked) -> list[str]:
    """What is wrong with one sample's label, as far as the host can tell (review is the reviewer's)."""
    tests, style, _ = label
    name = _name(label)
    claims = {
        f"sample {name}: hidden tests {'fail' if tests else 'pass'}: {sorted(after.passed - found.passed)[:3]}": (
            found.passed == after.passed
        )
        is tests,
        f"sample {name}: does not import or collect": bool(found.ids),
        f"sample {name}: style is {'broken' if style else 'clean'}: {found.ruff} {found.rules}": (
            not found.ruff and not found.rules
        )
        is style,
        f"sample {name}: style breaks only {found.rules}, two pack rules wanted": style or len(found.rules) >= FEWEST_RULES,
    }
    return [fault for fault, holds in claims.items() if not holds]


def _name(label: tuple[bool, bool, bool]) -> str:
    return "".join(str(int(part)) for part in label)


def traces(head: Tree, samples: Samples) -> list[str]:
    """Behaviour and defect must each add a code line that the head does not have, for a reviewer to quote."""
    known = {line.strip() for _, file in head for line in file.text.splitlines()}
    faults = []
    for name, edits in (("behaviour", samples.behaviour), ("defect", samples.defect)):
        added = {line.strip() for edit in edits for line in (edit.create or edit.replace).splitlines()}
        if not any(line and not line.startswith("#") and line not in known for line in added):
            faults.append(f"{name} adds no distinctive code line")
    return faults


def check(tree: Tree, hidden: Tree, base: Tree, pack: Pack, *, visibly: bool = False) -> Checked:
    """Measure one tree in a temporary folder: hidden tests, visible ones if wanted, ruff, and the pack against the base."""
    with tempfile.TemporaryDirectory() as place:
        project, tests = Path(place) / "project", Path(place) / "hidden"
        write_tree(project, tree)
        write_tree(tests, hidden)
        ids, output = outcomes(project, tests)
        own = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        visible = visibly and _run(project, *own, path=str(project / "src")).returncode == 0
        ruff = str(Path(sys.executable).parent / "ruff")
        runs = [
            _run(project, ruff, *words, "--no-cache", ".")
            for words in (("check", "-q", "--output-format", "concise"), ("format", "--check"))
        ]
        complaint = " ".join(run.stdout.strip()[:300] for run in runs if run.returncode)
    rules = sorted({finding.rule for finding in pack_findings(pack, base, tree).new if finding.gating})
    return Checked(
        passed=frozenset(test for test, passed in ids.items() if passed),
        ids=frozenset(ids),
        visible=visible,
        ruff=complaint,
        rules=tuple(rules),
        output=output[-2000:],
    )


def outcomes(project: Path, tests: Path, stand_ins: Mapping[str, Json] | None = None) -> tuple[dict[str, bool], str]:
    """Whether each hidden test passes, and pytest's words; given `stand_ins`, judged out of process."""
    report = tests.parent / "report.xml"
    report.unlink(missing_ok=True)
    options = ("-q", "-p", "no:cacheprovider", "--import-mode=importlib", "--tb=short", f"--junitxml={report}", ".")
    runner: tuple[str, ...] = ("pytest",)
    if stand_ins is not None:
        runner = ("harness.sandbox.inside.local", json.dumps({**stand_ins, "import_path": [str(project / "src")]}))
    path = str(HERE.parents[1] if stand_ins is not None else project / "src")
    output = _run(tests, sys.executable, "-m", *runner, *options, path=path).stdout
    cases = ET.parse(report).getroot().iter("testcase") if report.exists() else ()  # noqa: S314  (our own run's)
    named = {
        f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}": case for case in cases if case.get("classname")
    }
    return {name: not len(case) for name, case in named.items()}, output


def judge_for(task: Task, trees: Mapping[str, tuple[Tree, frozenset[str]]]) -> tuple[Judge, str]:
    """Out of process, if every tree then passes the very tests that it passes in process; else in process, and why."""
    with tempfile.TemporaryDirectory() as place:
        for number, (name, (tree, passed)) in enumerate(trees.items()):
            project, tests = Path(place) / str(number) / "project", Path(place) / str(number) / "hidden"
            write_tree(project, tree)
            write_tree(tests, task.hidden)
            found, output = outcomes(project, tests, stand_ins(task))
            differing = sorted(passed ^ {test for test, passes in found.items() if passes})
            if differing:
                words = [line[4:].strip() for line in output.splitlines() if line.startswith("E  ")]
                return Judge.IN_PROCESS, f"{name}: {differing[0]}: {words[0] if words else 'differs'}"
    return Judge.VALUES, ""


def stand_ins(task: Task) -> Mapping[str, Json]:
    """What the judge is told of the project."""
    return names(task, ("src",))


def _run(folder: Path, *argv: str, path: str = "") -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120)


def write_suite(projects: list[str]) -> None:
    """Write suite.toml with the hash of every task, and copy each project's pack beside it."""
    (HERE / "packs").mkdir(exist_ok=True)
    for name in projects:
        (HERE / "packs" / f"{name}.toml").write_bytes((PROJECTS / name / "pack.toml").read_bytes())
    tasks = [load_task(path) for path in sorted((HERE / "tasks").iterdir())]
    lines = [
        'id = "pocket"',
        f'version = "{VERSION}"',
        'description = "Six small Python projects, eight tasks each"',
        "",
        "[tools]",
    ]
    lines += [f'{name} = "{version}"' for name, version in TOOLS]
    lines += ["", "[packs]", *(f'{name} = "packs/{name}.toml"' for name in projects)]
    lines += ["", "[tasks]", *starmap("{} = {!r}".format, ((task.id, task.id_hash) for task in tasks))]
    (HERE / "suite.toml").write_text("\n".join(lines).replace("'", '"') + "\n", encoding="utf-8")
    counts = {split: sum(task.split is split for task in tasks) for split in Split}
    print(f"pocket: {len(tasks)} tasks, {counts[Split.DEV]} dev, {counts[Split.HOLDOUT]} holdout")


if __name__ == "__main__":
    main()
