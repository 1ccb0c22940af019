from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.errors import SuiteError
from harness.gates import Outcome as Answer
from harness.gates import judge_tests
from harness.ports import ToolRun
from harness.sandbox.docker_sandbox import DockerSandbox
from harness.style.measure import StyleInstrument
from harness.tree import FileChange, Tree

if TYPE_CHECKING:
    from pathlib import Path

    from harness.task import Suite, Task
    from harness.trial import TrialKey
    from tests.sandbox.conftest import RunTrial

pytestmark = pytest.mark.docker

FIX = "sed -i 's/a - b/a + b/' src/calc/__init__.py"


def test_an_honest_fix_passes_every_hidden_test_and_is_clean(trial: RunTrial, task: Task) -> None:
    outcome = trial(FIX)
    path = "src/calc/__init__.py"
    change = FileChange(path=path, old=task.base.get(path), new=task.reference.get(path))
    assert (change,) == outcome.change.files
    assert judge_tests(outcome.graded.tests).reason == "all 5 tests passed"
    assert ToolRun(exit_code=0, stdout=b"[]", stderr=b"") == outcome.graded.lint.after_check
    assert outcome.graded.lint.after_format.exit_code == 0
    assert outcome.graded.lint.version == "0.17.6"


def test_an_untouched_tree_fails_by_its_failing_tests(trial: RunTrial, task: Task) -> None:
    outcome = trial("true")
    assert outcome.change.empty
    report = outcome.graded.tests
    failed = {test.id for test in report.tests if test.outcome == "failed"}
    assert set(task.fail_to_pass) == failed
    assert report.canaries >= 32
    assert (report.canaries_failed, report.exit_code, report.problem) == (report.canaries, 1, "")


def test_tests_of_the_agent_alone_change_nothing_for_the_hidden_ones(trial: RunTrial) -> None:
    outcome = trial("printf 'def test_it():\\n    assert True\\n' > tests/test_more.py; rm tests/test_calc.py")
    assert judge_tests(outcome.graded.tests).outcome is Answer.FAIL
    assert outcome.graded.dropped == ("tests/test_calc.py", "tests/test_more.py")
    assert [file.path for file in outcome.change.files] == ["tests/test_calc.py", "tests/test_more.py"]


def test_a_new_violation_is_seen_in_the_after_run_with_its_path(trial: RunTrial) -> None:
    lint = trial(f"{FIX}; printf 'import os\\n' > src/calc/extra.py").graded.lint
    assert b'/after/src/calc/extra.py"' in lint.after_check.stdout
    assert b"F401" in lint.after_check.stdout
    assert lint.base_check.stdout == b"[]"


@pytest.mark.parametrize(
    ("shell", "path", "rules"),
    [
        ("'src/calc/caf\u00e9.py'", "src/calc/caf\u00e9.py", {"F401", "format"}),
        ("$'src/calc/a\\nb.py'", "src/calc/a\nb.py", {"F401", "format"}),
        ("$'src/calc/caf\\xe5.py'", "src/calc/caf\udce5.py", {"linter"}),  # ruff ends at such a name: the change's own doing
    ],
)
def test_a_violation_counts_whatever_its_file_is_called(
    trial: RunTrial, suite: Suite, shell: str, path: str, rules: set[str]
) -> None:
    outcome = trial(f"{FIX}; printf 'import os' > {shell}")
    assert path in {file.path for file in outcome.change.files}
    report = StyleInstrument(suite).measure(suite.tasks[0], outcome.change, outcome.graded.lint)
    assert rules <= {finding.rule for finding in report.new if finding.gating}
    assert judge_tests(outcome.graded.tests).outcome is Answer.PASS


def test_the_linters_configuration_comes_from_the_base(trial: RunTrial) -> None:
    tricks = (
        f"{FIX}; printf 'import os\\n' > src/calc/extra.py; printf 'lint.ignore = [\"F401\"]\\n' > src/calc/ruff.toml;"
        "sed -i 's/\"E\", \"F\"/\"E\"/' pyproject.toml; echo '*' > .ignore; echo 'extra.py' > src/calc/.gitignore"
    )
    outcome = trial(tricks)
    assert outcome.graded.lint.after_check.stdout.count(b'"F401"') == 1
    assert outcome.graded.dropped == (".ignore", "pyproject.toml", "src/calc/ruff.toml")


def test_the_agent_sees_one_commit_a_clean_status_and_none_of_the_harness(trial: RunTrial) -> None:
    looks = trial(
        "git log --all --format='%an %ad %s' --date=short; git status --short; git fsck --unreachable --no-reflogs",
        "git stash list; git tag; ls -A .git/logs; cat AGENTS.md",
        "id -u; ls -A; ls /grade; find / -name 'test_add*' 2>/dev/null",
        inject=Tree.of({"AGENTS.md": "Be brief.\n"}),
    ).results
    assert looks[0].output == b"Base 2000-01-01 Base\n"
    assert looks[1].output == b"ls: cannot access '.git/logs': No such file or directory\nBe brief.\n"
    assert looks[2].output == b"1000\n.git\n.gitignore\nAGENTS.md\npyproject.toml\nsrc\ntests\ntools\n"


def test_injected_files_are_never_part_of_the_change(trial: RunTrial) -> None:
    inject = Tree.of({"AGENTS.md": "Be brief.\n", "tests/test_calc.py": "from the variant\n"})
    assert trial("echo more >> AGENTS.md; rm tests/test_calc.py", inject=inject).change.empty


def test_there_is_no_network_no_privilege_and_no_writable_root(trial: RunTrial) -> None:
    commands = (
        "ls /sys/class/net; cat /proc/net/route | wc -l",
        "grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status; touch /usr/x; ls /var/run/docker.sock",
        "ulimit -n; cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null; env | sort | cut -d= -f1 | xargs echo",
    )
    network, rights, limits = (result.output.decode() for result in trial(*commands).results)
    assert network == "lo\n1\n"
    assert rights.split("\n")[:3] == ["CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"]
    assert "Read-only file system" in rights
    assert "docker.sock': No such file" in rights
    assert limits.split("\n")[:2] == ["1024", "256"]
    assert set(limits.split("\n")[2].split()) <= {
        *("HOME", "HOSTNAME", "LANG", "PATH", "PWD", "PYTHONDONTWRITEBYTECODE", "SHLVL", "_", "OLDPWD"),
    }


def test_the_reference_may_change_what_only_the_base_may_otherwise(sandbox: DockerSandbox, task: Task, key: TrialKey) -> None:
    conftest = {"tests/conftest.py": "X = 1\n"}
    wider = replace(task, reference=task.reference.overlaid(Tree.of(conftest)))
    with sandbox.open(wider, Tree(), key) as box:
        box.workspace.run(("bash", "-c", f"{FIX}; echo 'X = 2' > tests/conftest.py"), seconds=10)
        graded = box.grade(box.take_out())
    assert graded.dropped == ()
    assert judge_tests(graded.tests).outcome is Answer.PASS


def test_two_trials_plant_different_canaries_and_agree(trial: RunTrial) -> None:
    reports = [trial(FIX).graded.tests for _ in range(2)]
    assert reports[0].tests == reports[1].tests


def test_an_image_that_holds_the_package_under_test_is_refused(suite: Suite, task: Task, tmp_path: Path) -> None:
    about = replace(task, base=task.base.overlaid(Tree.of({"src/pluggy/__init__.py": ""})))
    other = DockerSandbox(suite=replace(suite, tasks=(about,)), run_id="second-copy", state=tmp_path, jobs=1)
    with other, pytest.raises(SuiteError, match="already holds pluggy"):
        other.prepare()
