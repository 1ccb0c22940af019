"""Command rules: every parser, base against after, and every way in which a tool's run can be unusable."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import SuiteError
from harness.evidence import Finding
from harness.linter_files import ruff_commands
from harness.ports import LintRun, ToolRun
from harness.rollout import Change
from harness.style.commands import Command
from harness.style.linter import linter_findings
from harness.style.packs import Gate, Rule
from harness.style.toolrun import UnreadableError
from harness.tree import Tree, difference
from harness.tree_io import write_tree

CLEAN = ToolRun(exit_code=0, stdout=b"[]", stderr=b"")
BLANK = Finding(rule="types", path="", line=1, message="", key="", quote="Everything is typed.")
TREE = Tree.of({"src/a.py": "x: int = ''\ny = 2\n", "web/a.js": "var a = 1;\n", "b c.py": "z = 1\n"})


def command(**given: object) -> Command:
    return Command.model_validate({"argv": ["tool", "."], "parser": "lines", **given})


def read(output: str, code: int = 1, tree: Tree = TREE, **given: object) -> list[tuple[str, str, int, str]]:
    run = ToolRun(exit_code=code, stdout=output.encode(), stderr=b"")
    return [(item.rule, item.path, item.line, item.message) for item in command(**given).findings(run, tree, BLANK)]


def judged(before: ToolRun, after: ToolRun, base: Tree, tree: Tree, **given: object) -> tuple[list[str], list[str]]:
    check = command(**given)
    rule = Rule(id="types", kind="command", gate=Gate.HARD, label="enforced", check=check, file="C.md", line=1, quote="Quoted.")
    lint = LintRun(
        version="x",
        base_check=CLEAN,
        base_format=CLEAN,
        after_check=CLEAN,
        after_format=CLEAN,
        base_commands=(before,),
        after_commands=(after,),
    )
    new, old = linter_findings(lint, base, tree, Change(files=difference(base, tree), patch=b""), (rule,))
    return [f"{item.rule} {item.path}:{item.line}" for item in new], [f"{item.rule} {item.path}:{item.line}" for item in old]


def ran(folder: Path, tree: Tree, *argv: str) -> ToolRun:
    write_tree(folder, tree)
    program = shutil.which(argv[0], path=str(Path(sys.executable).parent)) or argv[0]
    done = subprocess.run([program, *argv[1:]], cwd=folder, capture_output=True, check=False)
    return ToolRun(exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr)


def test_lines_with_and_without_columns_are_read_and_codes_found_at_either_end() -> None:
    output = (
        "src/a.py:1: error: Incompatible types in assignment  [assignment]\n"
        "src/a.py:2:5: E501 line too long\n"
        "./b c.py:1:0: W0612: Unused variable (unused-variable)\n"
        "src/a.py:1: note: See the manual\n"
        "Found 3 errors in 2 files\n"
    )
    assert read(output) == [
        ("types", "src/a.py", 1, "Incompatible types in assignment  [assignment]"),
        ("types", "src/a.py", 2, "E501 line too long"),
        ("types", "b c.py", 1, "W0612: Unused variable (unused-variable)"),
    ]
    assert [line for _, _, line, _ in read(output, codes=["E*"])] == [2]
    assert read(output, paths=["web/**"]) == []


def test_sarif_is_read_with_addresses_and_without_what_the_tool_suppressed() -> None:
    def result(uri: str, **more: object) -> dict[str, object]:
        place = {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": 1}}}
        return {"ruleId": "R1", "message": {"text": "no"}, "locations": [place], **more}

    results = [
        result("file:///grade/after/b%20c.py", level="error"),
        result("file:///grade/after/src/a.py"),
        result("file:///grade/after/src/a.py", suppressions=[{"kind": "inSource"}]),
        result("file:///usr/lib/python3/os.py"),
    ]
    output = json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": results}]})
    assert [path for _, path, _, _ in read(output, parser="sarif")] == ["b c.py", "src/a.py"]
    assert [path for _, path, _, _ in read(output, parser="sarif", warnings=False)] == ["b c.py"]


def test_eslints_json_is_read_and_a_file_that_it_cannot_parse_is_a_syntax_error() -> None:
    messages = [
        {"ruleId": "no-var", "severity": 2, "message": "Unexpected var.", "line": 1, "fix": {"range": [0, 3], "text": "let"}},
        {"ruleId": "semi", "severity": 1, "message": "Missing semicolon.", "line": 1},
    ]
    output = json.dumps([{"filePath": "/grade/after/web/a.js", "messages": messages}])
    assert read(output, parser="eslint") == [
        ("types", "web/a.js", 1, "Unexpected var. [no-var]"),
        ("types", "web/a.js", 1, "Missing semicolon. [semi]"),
    ]
    assert len(read(output, parser="eslint", warnings=False)) == 1
    run = ToolRun(exit_code=1, stdout=output.encode(), stderr=b"")
    assert [item.fixable for item in command(parser="eslint").findings(run, TREE, BLANK)] == [True, False]
    fatal = [{"ruleId": None, "fatal": True, "severity": 2, "message": "Parsing error", "line": 1}]
    broken = json.dumps([{"filePath": "/grade/after/web/a.js", "messages": fatal}])
    assert [rule for rule, _, _, _ in read(broken, parser="eslint")] == ["syntax-error"]


def test_junit_cases_name_a_file_or_none() -> None:
    output = (
        '<testsuites><testsuite name="x">'
        '<testcase name="header" file="src/a.py" line="1"><failure message="no header"/></testcase>'
        '<testcase name="org.rule" classname="/grade/after/web/a.js"><failure>line 1, col 3, Error - no (rule)</failure>'
        "</testcase>"
        '<testcase name="changelog" classname="conventions"><error message="not sorted"/></testcase>'
        '<testcase name="fine" classname="conventions"/></testsuite></testsuites>'
    )
    assert read(output, parser="junit") == [
        ("types", "src/a.py", 1, "no header [header]"),
        ("types", "web/a.js", 1, "line 1, col 3, Error - no (rule) [org.rule]"),
        ("types", "", 1, "not sorted [changelog]"),
    ]


def test_checkstyle_xml_is_read() -> None:
    output = '<checkstyle><file name="src/a.py"><error line="2" severity="warning" message="no" source="W1"/></file></checkstyle>'
    assert read(output, parser="checkstyle") == [("types", "src/a.py", 2, "no [W1]")]
    assert read(output, parser="checkstyle", warnings=False) == []


def test_a_finding_carries_the_rules_quote_and_a_key_without_its_line() -> None:
    run = ToolRun(exit_code=1, stdout=b"src/a.py:1: error: no  [assignment]\n", stderr=b"")
    (finding,) = command().findings(run, TREE, BLANK)
    assert finding.quote == "Everything is typed."
    assert finding.key == "src/a.py::types::assignment:x: int = ''"


@pytest.mark.parametrize(
    ("parser", "code", "output"),
    [
        ("lines", 2, "usage: tool [options]"),
        ("lines", 2, "src/a.py:1: error: no  [assignment]"),
        ("lines", 1, "Traceback (most recent call last):"),
        ("lines", 127, ""),
        ("eslint", 0, ""),
        ("eslint", 1, "[]"),
        ("eslint", 0, "A new release is out!\n[]"),
        ("eslint", 1, '[{"filePath": "/grade/after/web/a.js", "mess'),
        ("sarif", 0, '{"runs": []}'),
        ("sarif", 0, "null"),
        ("junit", 0, "no xml"),
        ("junit", 1, '<!DOCTYPE a [<!ENTITY b "c">]><testsuites/>'),
        ("checkstyle", 1, "<checkstyle/>"),
        ("eslint", 1, '[{"filePath": "/elsewhere/z.js", "messages": [{"severity": 2, "message": "m", "line": 1}]}]'),
    ],
)
def test_a_run_that_cannot_be_used_says_what_came(parser: str, code: int, output: str) -> None:
    with pytest.raises(UnreadableError):
        read(output, code, parser=parser)


@given(st.binary(max_size=200), st.sampled_from(["eslint", "sarif", "lines", "junit", "checkstyle"]))
def test_no_output_whatever_it_holds_ends_a_parser_otherwise_than_as_unreadable(output: bytes, parser: str) -> None:
    run = ToolRun(exit_code=0, stdout=output, stderr=b"")
    try:
        found = command(parser=parser).findings(run, TREE, BLANK)
    except UnreadableError:
        return
    assert all(item.path in {"", *TREE.by_path} for item in found)


def test_only_what_the_change_adds_is_new_and_what_moves_is_old() -> None:
    base = Tree.of({"a.py": "x = bad\n"})
    after = Tree.of({"a.py": "# first\nx = bad\ny = bad\n"})
    before = ToolRun(exit_code=1, stdout=b"a.py:1: error: no bad  [bad]\n", stderr=b"")
    now = ToolRun(exit_code=1, stdout=b"a.py:2: error: no bad  [bad]\na.py:3: error: no bad  [bad]\n", stderr=b"")
    assert judged(before, now, base, after) == (["types a.py:3"], ["types a.py:2"])


def test_a_tool_that_fails_on_the_base_is_the_tasks_fault_and_one_that_the_change_ends_is_charged() -> None:
    after = Tree.of({**TREE.by_path, "src/a.py": "x = 1\n"})
    fine, crash = ToolRun(exit_code=0, stdout=b"", stderr=b""), ToolRun(exit_code=3, stdout=b"", stderr=b"INTERNAL ERROR")
    with pytest.raises(SuiteError, match=r"tool \(rule types\) cannot be used on the untouched base"):
        judged(crash, fine, TREE, after)
    with pytest.raises(SuiteError, match=r"tool \(rule types\) failed"):
        judged(fine, crash, TREE, after)
    killed = ToolRun(exit_code=-9, stdout=b"", stderr=b"")
    assert judged(fine, killed, TREE, after) == (["linter src/a.py:1"], [])


def test_a_command_that_was_not_run_is_refused() -> None:
    lint = LintRun(version="x", base_check=CLEAN, base_format=CLEAN, after_check=CLEAN, after_format=CLEAN)
    rule = Rule(id="t", kind="command", gate=Gate.HARD, label="enforced", check=command(), file="C.md", line=1, quote="Quoted.")
    with pytest.raises(SuiteError, match="1 commands of the rule pack were asked for, 0 were run"):
        linter_findings(lint, TREE, TREE, Change(files=(), patch=b""), (rule,))


def test_mypy_for_real_finds_the_new_error_alone(tmp_path: Path) -> None:
    argv = ("mypy", "--no-incremental", "--cache-dir=/dev/null", "--no-error-summary", ".")
    base = Tree.of({"mypy.ini": "[mypy]\nstrict = true\n", "a.py": "def f(x):\n    return x\n"})
    after = Tree.of({**base.by_path, "a.py": 'import os\n\ndef f(x):\n    return x\n\n\ny: int = "two"\n'})
    runs = [ran(tmp_path / name, tree, *argv) for name, tree in (("base", base), ("after", after))]
    assert judged(*runs, base, after) == (["types a.py:7"], ["types a.py:3"])


def test_ruffs_own_sarif_is_read(tmp_path: Path) -> None:
    tree = Tree.of({"ruff.toml": "", "a.py": "import os\n"})
    run = ran(tmp_path, tree, "ruff", "check", "--no-cache", "--output-format=sarif", ".")
    found = command(parser="sarif").findings(run, tree, BLANK)
    assert [(item.path, item.line, item.key) for item in found] == [("a.py", 1, "a.py::types::F401:import os")]


def test_ten_thousand_findings_are_read_within_a_second() -> None:
    tree = Tree.of({f"m{number}.py": "x = bad\n" * 100 for number in range(100)})
    output = "".join(f"m{number}.py:{row + 1}:1: E1 bad\n" for number in range(100) for row in range(100))
    started = time.process_time()
    assert len(read(output, tree=tree)) == 10_000
    assert time.process_time() - started < 1


def test_the_formatter_is_asked_for_json_by_every_version_that_knows_it() -> None:
    asked = {version: "--output-format=json" in ruff_commands(version)[1] for version in ("0.9.1", "0.13.3", "0.14.0", "0.17.6")}
    assert asked == {"0.9.1": False, "0.13.3": False, "0.14.0": True, "0.17.6": True}
