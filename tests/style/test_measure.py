from dataclasses import replace

import pytest

from harness.errors import SuiteError
from harness.evidence import StyleReport
from harness.gates import Outcome, judge_style
from harness.ports import LintRun, ToolRun
from harness.rollout import Change
from harness.style.measure import StyleInstrument, judge_rules, pack_commands, pack_findings
from harness.style.packs import load_pack
from harness.task import Split, Suite, Task
from harness.tree import Tree, difference

QUOTE = "Every public function has a docstring."
PACK = f"""
spec = 1
[[rule]]
id = "docs"
kind = "python_ast"
check = "docstring.public"
params = {{ paths = ["src/**/*.py"] }}
calibration = {{ label = "declared" }}
provenance = {{ file = "CONTRIBUTING.md", line = 1, quote = "{QUOTE}" }}
[[rule]]
id = "no-print"
kind = "python_ast"
check = "calls.banned"
params = {{ names = ["print"] }}
gate = "report"
calibration = {{ label = "customary" }}
provenance = {{ file = "CONTRIBUTING.md", line = 1, quote = "{QUOTE}" }}
[[rule]]
id = "plain"
kind = "judge"
calibration = {{ label = "declared" }}
provenance = {{ file = "CONTRIBUTING.md", line = 1, quote = "{QUOTE}" }}
"""
BASE = Tree.of({"CONTRIBUTING.md": f"{QUOTE}\n", "src/a.py": "def old():\n    return 1\n", "tests/t.py": "def test(): ...\n"})
CLEAN = ToolRun(exit_code=0, stdout=b"[]", stderr=b"")
LINT = LintRun(version="ruff 0.17.6", base_check=CLEAN, base_format=CLEAN, after_check=CLEAN, after_format=CLEAN)


def with_files(base: Tree, **files: str | None) -> Tree:
    named = {path.replace("__", "/").replace("_py", ".py"): text for path, text in files.items()}
    kept = {path: file for path, file in base if path not in named}
    return Tree.of(kept | {path: text for path, text in named.items() if text is not None})


def measured(after: Tree, base: Tree = BASE, renames: tuple[tuple[str, str], ...] = ()) -> StyleReport:
    return pack_findings(load_pack(PACK, "p"), base, after, renames)


def rules(report: StyleReport) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    return [(item.rule, item.path) for item in report.new], [(item.rule, item.path) for item in report.existing]


def task(base: Tree = BASE, reference: Tree = BASE, pack: str = "p") -> Task:
    return Task(
        id="demo-task",
        project="demo",
        split=Split.DEV,
        instruction="Do it.",
        difficulty="easy",
        kind="behaviour",
        interface=(),
        base=base,
        reference=reference,
        hidden=Tree.of({}),
        fail_to_pass=(),
        pass_to_pass=(),
        pack=pack,
    )


def suite(*tasks: Task, tools: tuple[tuple[str, str], ...] = (("ruff", "0.17.6"),)) -> Suite:
    return Suite(id="s", version="1", tasks=tasks, packs=(("p", PACK),), tools=tools)


def change(after: Tree, base: Tree = BASE, renames: tuple[tuple[str, str], ...] = ()) -> Change:
    return Change(files=difference(base, after), patch=b"", renames=renames)


def test_a_new_violation_is_new_and_one_from_before_is_listed_as_there() -> None:
    report = measured(with_files(BASE, src__a_py="def new():\n    return 2\n\n\ndef old():\n    return 1\n"))
    assert rules(report) == ([("docs", "src/a.py")], [("docs", "src/a.py")])
    assert (report.new[0].message, report.new[0].line, report.new[0].quote) == ("new has no docstring", 1, QUOTE)


def test_a_violation_that_moves_within_its_file_is_not_new() -> None:
    report = measured(with_files(BASE, src__a_py='"""Says."""\n\nX = 1\n\n\ndef old():\n    return 2\n'))
    assert rules(report) == ([], [("docs", "src/a.py")])


def test_a_second_violation_equal_to_an_old_one_is_new() -> None:
    base = with_files(BASE, src__a_py='def f():\n    """S."""\n    print(1)\n')
    report = measured(with_files(base, src__a_py='def f():\n    """S."""\n    print(1)\n    print(1)\n'), base)
    assert rules(report) == ([("no-print", "src/a.py")], [("no-print", "src/a.py")])


def test_violations_of_a_renamed_file_are_old() -> None:
    after = with_files(BASE, src__a_py=None, src__b_py="def old():\n    return 3\n")
    assert rules(measured(after, renames=(("src/a.py", "src/b.py"),))) == ([], [("docs", "src/b.py")])
    assert rules(measured(after)) == ([("docs", "src/b.py")], [])


def test_a_reporting_rule_does_not_gate() -> None:
    report = measured(with_files(BASE, tests__t_py="def test():\n    print()\n"))
    assert [(item.rule, item.gating) for item in report.new] == [("no-print", False)]
    assert judge_style(report).outcome is Outcome.PASS


def test_a_file_outside_a_rules_paths_is_left_alone() -> None:
    assert rules(measured(with_files(BASE, tests__n_py="def helper(): ...\n"))) == ([], [])


def test_a_syntax_error_in_the_change_is_a_style_failure() -> None:
    report = measured(with_files(BASE, src__a_py="def old(:\n"))
    assert rules(report) == ([("syntax-error", "src/a.py")], [])
    assert judge_style(report).outcome is Outcome.FAIL


def test_a_file_that_was_broken_before_is_not_charged() -> None:
    base = with_files(BASE, src__a_py="def old(:\n")
    assert rules(measured(with_files(base, src__a_py="def old( :\n"), base)) == ([], [])
    assert rules(measured(with_files(base, src__a_py="def old(): ...\n"), base)) == ([], [("docs", "src/a.py")])


def test_an_untouched_tree_has_no_findings() -> None:
    assert measured(BASE) == StyleReport(new=())


def test_the_instrument_puts_pack_linter_and_suppressions_together() -> None:
    after = with_files(BASE, src__a_py="def old():\n    return 1\n\n\ndef new():  # noqa: D103\n    return 2\n")
    report = StyleInstrument(suite(task())).measure(task(), change(after), LINT)
    assert [item.rule for item in report.new] == ["docs", "suppression"]
    assert [item.rule for item in report.suppressed] == ["suppression"]


def test_rules_that_conflict_on_the_reference_are_listed_and_do_not_count() -> None:
    after = with_files(BASE, src__a_py="def old():\n    return 1  # noqa\n")
    report = StyleInstrument(suite(task()), dropped={"demo-task": ("suppression",)}).measure(task(), change(after), LINT)
    assert (report.new, report.dropped) == ((), ("suppression",))


def test_a_broken_file_that_pack_and_linter_both_meet_is_one_violation() -> None:
    after = with_files(BASE, src__a_py="def old(:\n")
    said = (
        b'[{"code": "invalid-syntax", "filename": "/grade/after/src/a.py", "message": "no", "location": {"row": 1, "column": 9}}]'
    )
    run = ToolRun(exit_code=1, stdout=said, stderr=b"")
    lint = LintRun(version="0.17.6", base_check=CLEAN, base_format=CLEAN, after_check=run, after_format=CLEAN)
    report = StyleInstrument(suite(task())).measure(task(), change(after), lint)
    assert [(item.rule, item.message) for item in report.new] == [("syntax-error", "no")]


def test_another_linter_version_than_the_suites_is_refused() -> None:
    with pytest.raises(SuiteError, match=r"pinned to ruff 0\.9\.0, and ruff 0\.17\.6 was run"):
        StyleInstrument(suite(task(), tools=(("ruff", "0.9.0"),))).measure(task(), change(BASE), LINT)


def test_a_task_without_a_pack_is_measured_by_the_linter_alone() -> None:
    bare = task(pack="")
    after = with_files(BASE, src__a_py="def new():\n    return 1\n")
    assert StyleInstrument(suite(bare)).measure(bare, change(after), LINT) == StyleReport(new=())


def test_an_unknown_pack_or_a_quote_that_is_gone_is_refused_before_any_trial() -> None:
    with pytest.raises(SuiteError, match="no rule pack named 'q'; there are p"):
        StyleInstrument(suite(task(pack="q")))
    with pytest.raises(SuiteError, match="does not hold its quote"):
        StyleInstrument(suite(task(reference=Tree.of({}))))


def test_a_pack_whose_tool_the_suite_does_not_pin_is_refused_before_any_trial() -> None:
    kind, check = 'kind = "python_ast"', 'check = "docstring.public"'
    command = PACK.replace(kind, 'kind = "command"', 1).replace(check, "", 1)
    command = command.replace('params = { paths = ["src/**/*.py"] }', 'params = { argv = ["mypy", "."], parser = "lines" }')
    bare = replace(suite(task()), packs=(("p", command),))
    with pytest.raises(SuiteError, match="rule docs runs mypy, which the suite does not pin"):
        StyleInstrument(bare)
    StyleInstrument(replace(bare, tools=(("mypy", "2.4.1"),)))
    assert pack_commands(bare) == {"p": (("mypy", "."),)}
    other = replace(suite(task()), packs=(("p", PACK.replace("spec = 1", 'spec = 1\ntools = { ruff = "0.1" }')),))
    with pytest.raises(SuiteError, match=r"it pins ruff 0\.1, and the suite 0\.17\.6"):
        StyleInstrument(other)


def test_a_task_that_changes_what_stands_beside_a_plug_in_is_refused_before_any_trial() -> None:
    typed = f"""
[[rule]]
id = "types"
kind = "command"
params = {{ argv = ["mypy", "."], parser = "lines" }}
calibration = {{ label = "declared" }}
provenance = {{ file = "CONTRIBUTING.md", line = 1, quote = "{QUOTE}" }}
"""
    base = BASE.overlaid(Tree.of({"mypy.ini": "[mypy]\nplugins = src/plug.py\n", "src/plug.py": ""}))
    tools = (("mypy", "2.4.1"), ("ruff", "0.17.6"))
    for reference, refused in ((base, False), (base.overlaid(Tree.of({"src/a.py": "x = 1\n"})), True)):
        one = Suite(id="s", version="1", tasks=(task(base, reference),), packs=(("p", PACK + typed),), tools=tools)
        if refused:
            with pytest.raises(SuiteError, match=r"demo-task: its reference changes src/a\.py, in a folder .* plug-in"):
                StyleInstrument(one)
        else:
            StyleInstrument(one)


def test_rules_about_messages_are_listed_as_dropped_in_a_trial() -> None:
    subject = 'kind = "commit"\ncheck = "subject.max_length"\nparams = { max = 9 }\ncalibration = { label = "declared" }'
    rule = f'[[rule]]\nid = "subject"\n{subject}\nprovenance = {{ file = "CONTRIBUTING.md", line = 1, quote = "{QUOTE}" }}\n'
    with_message = replace(suite(task()), packs=(("p", PACK + rule),))
    assert StyleInstrument(with_message).measure(task(), change(BASE), LINT).dropped == ("subject",)


def test_judge_rules_are_handed_out_quoted_by_task() -> None:
    assert judge_rules(suite(task()), {}) == {"demo-task": (f'"{QUOTE}" (CONTRIBUTING.md:1)',)}


def test_a_judge_rule_that_a_task_drops_is_not_handed_to_its_reviewers() -> None:
    other = replace(task(), id="other")
    found = judge_rules(suite(task(), other), {"other": ("plain",)})
    assert (len(found["demo-task"]), found["other"]) == (1, ())


def test_of_two_thousand_changed_files_every_finding_is_told_as_new_or_there_before() -> None:
    lines = "".join(f"def f{number}(a):\n    return print(a)\n\n\n" for number in range(5))
    base = Tree.of({f"src/m{number}.py": f"N = {number}\n{lines}" for number in range(2000)})
    after = Tree.of({path: file.content + b"def g(): ...\n" for path, file in base})
    report = measured(after, base)
    assert (len(report.new), len(report.existing)) == (2000, 20_000)
