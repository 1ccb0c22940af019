"""ruff for real on small trees, and every way in which a run of it can be unusable."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.errors import SuiteError
from harness.evidence import Finding
from harness.ports import LintRun, ToolRun
from harness.rollout import Change
from harness.style.linter import linter_findings
from harness.style.ruff import UnreadableError, check_findings, format_findings
from harness.tree import Tree, difference
from harness.tree_io import write_tree

RUFF = str(Path(sys.executable).parent / "ruff")
CHECK = ("check", "--output-format=json", "--no-cache", "--force-exclude", "--no-respect-gitignore", ".")
FORMAT = ("format", "--check", "--no-cache", "--force-exclude", "--no-respect-gitignore", ".")
SETTINGS = '[tool.ruff]\nextend-exclude = ["gen"]\n[tool.ruff.lint]\nselect = ["E", "F", "I", "D103", "ARG", "PLR0915"]\n'
CLEAN = ToolRun(exit_code=0, stdout=b"[]", stderr=b"")
OLD = 'import os\n\n\ndef f(a):\n    return "x"\n'
BASE = Tree.of({"pyproject.toml": SETTINGS, "src/a.py": OLD, "src/b.py": '"""Says."""\n'})


def ran(folder: Path, tree: Tree, arguments: tuple[str, ...]) -> ToolRun:
    if not folder.exists():
        write_tree(folder, tree)
    done = subprocess.run([RUFF, *arguments], cwd=folder, capture_output=True, check=False)
    return ToolRun(exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr)


def linted(
    folder: Path, base: Tree, after: Tree, renames: tuple[tuple[str, str], ...] = (), form: tuple[str, ...] = FORMAT
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    runs = [ran(folder / name, tree, words) for name, tree in (("base", base), ("after", after)) for words in (CHECK, form)]
    lint = LintRun(version="x", base_check=runs[0], base_format=runs[1], after_check=runs[2], after_format=runs[3])
    change = Change(files=difference(base, after), patch=b"", renames=renames)
    return tuple([(item.rule, item.path) for item in found] for found in linter_findings(lint, base, after, change))  # type: ignore[return-value]


def changed(**files: str | None) -> Tree:
    named = {path.replace("__", "/").replace("_py", ".py"): text for path, text in files.items()}
    kept = {path: file for path, file in BASE if path not in named}
    return Tree.of(kept | {path: text for path, text in named.items() if text is not None})


def judged(after: ToolRun, *, base: ToolRun = CLEAN) -> tuple[Finding, ...]:
    tree = changed(src__a_py="x = 1\n")
    lint = LintRun(version="x", base_check=base, base_format=CLEAN, after_check=after, after_format=CLEAN)
    return linter_findings(lint, BASE, tree, Change(files=difference(BASE, tree), patch=b""))[0]


def test_only_new_findings_count_and_old_ones_that_moved_are_listed(tmp_path: Path) -> None:
    after = changed(src__a_py=f'"""Says."""\n\nimport sys\n{OLD}')
    new, existing = linted(tmp_path, BASE, after)
    assert new == [("F401", "src/a.py"), ("I001", "src/a.py")]
    assert existing == [("F401", "src/a.py"), ("ARG001", "src/a.py"), ("D103", "src/a.py")]


def test_the_last_use_of_an_import_removed_is_found_at_the_unchanged_import(tmp_path: Path) -> None:
    base = Tree.of({"pyproject.toml": SETTINGS, "a.py": "import os\n\nx = os.sep\n"})
    after = Tree.of({"pyproject.toml": SETTINGS, "a.py": 'import os\n\nx = "/"\n'})
    assert linted(tmp_path, base, after) == ([("F401", "a.py")], [])


def test_an_undocumented_function_with_a_new_signature_is_no_new_violation(tmp_path: Path) -> None:
    new, _ = linted(tmp_path, BASE, changed(src__a_py='import os\n\n\ndef f(b):\n    return "x"\n'))
    assert new == [("ARG001", "src/a.py")]


def test_findings_of_a_renamed_file_are_old(tmp_path: Path) -> None:
    new, existing = linted(tmp_path, BASE, changed(src__a_py=None, src__c_py=OLD), renames=(("src/a.py", "src/c.py"),))
    assert new == []
    assert existing == [("F401", "src/c.py"), ("ARG001", "src/c.py"), ("D103", "src/c.py")]


@pytest.mark.parametrize("form", [FORMAT, ("format", "--check", "--output-format=json", "--no-cache", ".")])
def test_a_file_that_is_no_longer_formatted_is_found_in_text_and_json(tmp_path: Path, form: tuple[str, ...]) -> None:
    assert linted(tmp_path, BASE, changed(src__b_py="x=1\n"), form=form) == (
        [("format", "src/b.py")],
        [("F401", "src/a.py"), ("ARG001", "src/a.py"), ("D103", "src/a.py")],
    )


def test_a_file_that_was_not_formatted_before_is_not_charged(tmp_path: Path) -> None:
    base = Tree.of({"a.py": "x=1\n"})
    assert linted(tmp_path, base, Tree.of({"a.py": "x=1\ny = 2\n"})) == ([], [("format", "a.py")])


@pytest.mark.parametrize("form", [FORMAT, ("format", "--check", "--output-format=json", "--no-cache", ".")])
def test_a_syntax_error_in_the_change_is_one_style_failure(tmp_path: Path, form: tuple[str, ...]) -> None:
    new, _ = linted(tmp_path, BASE, changed(src__b_py="def f(:\n  x = (\n"), form=form)
    assert new == [("syntax-error", "src/b.py")]


def test_a_file_that_is_no_text_is_one_style_failure(tmp_path: Path) -> None:
    after = Tree.of({**BASE.by_path, "src/b.py": b"x = '\xff'\n"})
    assert linted(tmp_path, BASE, after)[0] == [("E902", "src/b.py")]


def test_files_that_the_project_excludes_are_not_judged(tmp_path: Path) -> None:
    assert linted(tmp_path, BASE, changed(gen__x_py="import os,sys\nx=1\n"))[0] == []


def test_a_notebooks_finding_is_keyed_on_its_source_line_and_its_outputs_never_count(tmp_path: Path) -> None:
    def notebook(*cells: str, output: str = "") -> str:
        outputs = [{"name": "stdout", "output_type": "stream", "text": output}]
        kinds: list[dict[str, object]] = [{"cell_type": "markdown", "id": "m", "metadata": {}, "source": "import os"}]
        code: dict[str, object] = {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": outputs}
        kinds += [code | {"id": f"c{number}", "source": cell} for number, cell in enumerate(cells)]
        return json.dumps({"cells": kinds, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5})

    select = '[tool.ruff.lint]\nselect = ["F"]\n'
    base = Tree.of({"pyproject.toml": select, "n.ipynb": notebook("import os")})
    after = Tree.of({"pyproject.toml": select, "n.ipynb": notebook("x = 1", "import os", "import sys", output="import re")})
    assert linted(tmp_path, base, after) == ([("F401", "n.ipynb")], [("F401", "n.ipynb")])


def test_fixable_findings_are_marked(tmp_path: Path) -> None:
    tree = Tree.of({"a.py": "import os\n\n\ndef f():\n    x = 1\n    return y\n"})
    found = check_findings(ran(tmp_path / "t", tree, CHECK), tree)
    assert [(item.rule, item.fixable) for item in found] == [("F401", True), ("F841", True), ("F821", False)]


def test_a_broken_configuration_is_the_tasks_fault_and_never_charged(tmp_path: Path) -> None:
    broken = Tree.of({"pyproject.toml": '[tool.ruff.lint]\nselect = ["NOPE"]\n', "a.py": "x = 1\n"})
    with pytest.raises(SuiteError, match=r"(?s)untouched base.*Unknown rule selector"):
        linted(tmp_path, broken, Tree.of({**broken.by_path, "a.py": "x=1\n"}))


@pytest.mark.parametrize(
    "run",
    [
        ToolRun(exit_code=2, stdout=b"", stderr=b"error: unexpected argument '--frobnicate'"),
        ToolRun(exit_code=1, stdout=b"[]", stderr=b""),
        ToolRun(exit_code=1, stdout=b"", stderr=b""),
        ToolRun(exit_code=0, stdout=b"", stderr=b""),
        ToolRun(exit_code=0, stdout=b"A new release is available!\n[]\nThanks\n", stderr=b""),
        ToolRun(exit_code=-9, stdout=b"", stderr=b""),
        ToolRun(exit_code=1, stdout=b'[{"code": "F401", "filename": "/elsewhere/z.py"}]', stderr=b""),
    ],
)
def test_a_run_on_the_base_that_cannot_be_used_is_our_fault(run: ToolRun) -> None:
    with pytest.raises(SuiteError, match="untouched base"):
        judged(CLEAN, base=run)


@pytest.mark.parametrize(
    "run",
    [
        ToolRun(exit_code=2, stdout=b"", stderr=b"ruff failed: no space left on device"),
        ToolRun(exit_code=0, stdout=b"notice\n[]", stderr=b""),
    ],
)
def test_a_run_on_the_change_that_fails_for_no_reason_in_it_is_our_fault(run: ToolRun) -> None:
    with pytest.raises(SuiteError, match="ruff check failed"):
        judged(run)


@pytest.mark.parametrize(
    "run",
    [
        ToolRun(exit_code=-6, stdout=b"", stderr=b"fatal runtime error: stack overflow"),
        ToolRun(exit_code=137, stdout=b"", stderr=b""),
        ToolRun(exit_code=124, stdout=b"", stderr=b""),
        ToolRun(exit_code=2, stdout=b"", stderr=b"error: panicked on src/a.py"),
        ToolRun(exit_code=1, stdout=b'[{"code": "F4', stderr=b""),
    ],
)
def test_a_change_that_makes_the_linter_die_or_drown_cannot_take_itself_out_of_the_count(run: ToolRun) -> None:
    assert [(item.rule, item.path, item.gating) for item in judged(run)] == [("linter", "src/a.py", True)]


def test_the_older_formatters_list_is_read() -> None:
    run = ToolRun(exit_code=1, stdout=b"Would reformat: src/a.py\n1 file would be reformatted\n", stderr=b"")
    assert [(item.rule, item.path) for item in format_findings(run, BASE)] == [("format", "src/a.py")]
    run = ToolRun(exit_code=2, stdout=b"", stderr=b"error: Failed to parse src/b.py:1:7: Expected a name\n")
    assert [(item.rule, item.path) for item in format_findings(run, BASE)] == [("syntax-error", "src/b.py")]


def test_a_formatter_that_says_something_else_is_not_understood() -> None:
    with pytest.raises(UnreadableError):
        format_findings(ToolRun(exit_code=0, stdout=b"nothing to see", stderr=b""), BASE)
    with pytest.raises(UnreadableError):
        format_findings(ToolRun(exit_code=1, stdout=b"something", stderr=b""), BASE)


def test_ten_thousand_findings_are_read_and_compared_within_two_seconds() -> None:
    base = Tree.of({f"src/m{number}.py": "import os\n" * 100 for number in range(100)})
    after = Tree.of({f"src/m{number}.py": "import os\n" * 101 for number in range(100)})

    def run(tree: Tree) -> ToolRun:
        place = {"code": "F401", "message": "unused", "end_location": {"row": 1, "column": 10}, "fix": None, "cell": None}
        rows = [(path, row) for path, file in tree for row in range(1, file.content.count(b"\n") + 1)]
        items = [place | {"filename": f"/grade/x/{path}", "location": {"row": row, "column": 8}} for path, row in rows]
        return ToolRun(exit_code=1, stdout=json.dumps(items).encode(), stderr=b"")

    lint = LintRun(version="x", base_check=run(base), base_format=CLEAN, after_check=run(after), after_format=CLEAN)
    started = time.process_time()
    new, existing = linter_findings(lint, base, after, Change(files=difference(base, after), patch=b""))
    assert time.process_time() - started < 2
    assert (len(new), len(existing)) == (100, 10_000)
