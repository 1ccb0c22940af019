"""`harness suite mutate` as a person calls it: refusals at once, and in real containers from a project to an admitted suite."""

import json
from pathlib import Path

import git
import pytest

from harness.suites.catalog import load_suite
from harness.task import Split
from harness.tree import difference
from tests.cli.conftest import Harness

FILES = {
    "pyproject.toml": '[project]\nname = "basket"\nversion = "1.0"\n',
    "basket.py": '''\
"""Prices of a basket."""


def total(prices, discount=0):
    """The sum of all prices, less a discount in percent."""
    if discount > 100:
        raise ValueError(discount)
    full = sum(prices)
    return full - full * discount // 100


def dearest(prices):
    """The highest price, or None."""
    if not prices:
        return None
    best = prices[0]
    for price in prices[1:]:
        if price > best:
            best = price
    return best
''',
    "tests/test_total.py": '''\
import pytest

from basket import total


def test_sum():
    """Prices add up."""
    assert total([1, 2]) == 3


def test_discount():
    assert total([100], 25) == 75


def test_too_much_is_refused():
    with pytest.raises(ValueError):
        total([1], 101)
''',
    "tests/test_dearest.py": """\
from basket import dearest


def test_dearest():
    assert (dearest([1, 3, 2]), dearest([])) == (3, None)
""",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "basket" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "basket"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("{place}/gone",), "no such folder"),
        (("{place}/empty",), "an empty folder; name a git repository or an unpacked source distribution"),
        (("{place}/basket", "--out", "{place}/basket"), "is there already; name another folder by --out, or remove it"),
        (("{place}/bare", "--limit", "1"), "a repository without commits"),
        (("{place}/basket", "--limit", "0"), "--limit"),
    ],
)
def test_bad_input_is_told_in_one_line_with_nothing_written(
    harness: Harness, project: Path, tmp_path: Path, argv: tuple[str, ...], said: str
) -> None:
    (tmp_path / "empty").mkdir()
    git.Repo.init(tmp_path / "bare", bare=True).close()
    before = sorted(path.name for path in tmp_path.iterdir())
    out = ("--out", str(tmp_path / "suite")) if "--out" not in argv else ()
    found = harness("suite", "mutate", *(word.format(place=tmp_path) for word in argv), *out)
    assert (found.returncode, said in found.stderr, found.stdout) == (2, True, ""), found.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert project.is_dir()


@pytest.mark.docker
@pytest.mark.soak
def test_a_folder_becomes_an_admitted_suite_that_the_reference_passes_and_idling_does_not(
    harness: Harness, project: Path, tmp_path: Path
) -> None:
    out = tmp_path / "mutants"
    made = harness("suite", "mutate", str(project), "--out", str(out), "--limit", "4", "--json")
    assert made.returncode == 0, made.stderr
    document = json.loads(made.stdout)
    suite = load_suite(out)
    assert (document["kept"], len(suite.tasks), suite.private) == (4, 4, True)
    assert all(one["task"] or one["reason"] for one in document["tried"])
    assert {task.split for task in suite.tasks} == {Split.DEV, Split.HOLDOUT}
    assert all([change.path for change in difference(task.base, task.reference)] == ["basket.py"] for task in suite.tasks)
    assert harness("suite", "check", str(out)).returncode == 0
    for agent, passed in (("reference", 4), ("idle", 0)):
        found = json.loads(
            harness("evaluate", "skills/coding", "--suite", str(out), "--agent", agent, "--json", check=True).stdout
        )
        assert sum(trial["gates"]["tests"]["verdict"] == "pass" for trial in found["trials"]) == passed
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.docker
@pytest.mark.soak
def test_a_project_whose_tests_see_nothing_leaves_no_suite(harness: Harness, project: Path, tmp_path: Path) -> None:
    for path in (project / "tests").iterdir():
        path.write_text("def test_nothing():\n    assert True\n", encoding="utf-8")
    found = harness("suite", "mutate", str(project), "--out", str(tmp_path / "mutants"), "--limit", "2")
    assert found.returncode == 2, found.stdout
    assert "cannot be mutated: no fail-to-pass" in found.stderr
    assert not (tmp_path / "mutants").exists()
