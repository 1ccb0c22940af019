"""Small repositories made by each test: bare or not, any branch, merged or squashed, and every reason to pass a step by."""

from __future__ import annotations

from pathlib import Path

import git
import pytest

from harness.errors import InputError
from harness.suites.history import Repository, cloned, is_address
from harness.suites.rejected import Reason, Rejected
from tests.repositories import commit

SOURCE = "def size(items):\n    return len(items)\n"
TESTS = "def test_size():\n    pass\n"
START = {"box/core.py": "def size(items):\n    return 0\n", "tests/test_core.py": "", "README.md": "box\n"}


@pytest.fixture
def repo(tmp_path: Path) -> git.Repo:
    """A repository with one commit, on a branch of an unusual name."""
    made = git.Repo.init(tmp_path / "box", initial_branch="stem")
    commit(made, START, "start")
    return made


def refused(repo: git.Repo, **files: str) -> Rejected:
    """How a step with these files is passed by; `__` in a name stands for a slash."""
    commit(repo, {name.replace("__", "/") + ".py": text for name, text in files.items()})
    found = Repository(Path(repo.working_dir))
    with pytest.raises(Rejected) as caught:
        found.candidate(found.steps()[0])
    return caught.value


def test_a_step_with_source_and_tests_is_a_candidate(repo: git.Repo) -> None:
    fix = commit(repo, {"box/core.py": SOURCE, "tests/test_core.py": TESTS}, "Count the items\n\nThey were not counted.")
    found = Repository(Path(repo.working_dir))
    step = found.steps()[0]
    candidate = found.candidate(step)
    assert (step.id, step.title) == (fix, "Count the items")
    assert (candidate.changed_tests, candidate.source_lines) == ({"tests/test_core.py"}, 2)
    assert candidate.base.by_path["box/core.py"].text == START["box/core.py"]


def test_bare_repositories_and_clones_read_the_same(repo: git.Repo, tmp_path: Path) -> None:
    commit(repo, {"box/core.py": SOURCE, "tests/test_core.py": TESTS})
    bare = cloned(f"file://{repo.working_dir}", tmp_path)
    assert [step.id for step in Repository(bare).steps()] == [step.id for step in Repository(Path(repo.working_dir)).steps()]


def test_a_merged_request_is_one_step_with_the_title_that_says_something(repo: git.Repo) -> None:
    repo.git.checkout("-q", "-b", "work")
    commit(repo, {"box/core.py": SOURCE}, "part one")
    commit(repo, {"tests/test_core.py": TESTS}, "part two")
    repo.git.checkout("-q", "stem")
    words = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost", "merge", "--no-ff", "-q", "work", "-m"]
    repo.git.execute([*words, "Merge pull request #4 from a/work\n\nCount the items"])
    found = Repository(Path(repo.working_dir))
    assert [step.title for step in found.steps()] == ["Count the items"]
    assert found.candidate(found.steps()[0]).changed_tests == {"tests/test_core.py"}


def test_a_step_without_source_is_passed_by(repo: git.Repo) -> None:
    assert refused(repo, tests__test_core=TESTS).reason is Reason.NO_SOURCE


def test_a_step_without_a_test_module_is_passed_by(repo: git.Repo) -> None:
    assert refused(repo, box__core=SOURCE, tests__helper="X = 1\n").reason is Reason.NO_TESTS


def test_a_removed_test_module_is_no_test(repo: git.Repo) -> None:
    commit(repo, {"box/core.py": SOURCE, "tests/test_core.py": None})
    found = Repository(Path(repo.working_dir))
    with pytest.raises(Rejected, match="no test module"):
        found.candidate(found.steps()[0])


def test_steps_too_small_or_too_large_are_passed_by(repo: git.Repo) -> None:
    one = refused(repo, box__core=START["box/core.py"] + "X = 1\n", tests__test_core=TESTS)
    many = refused(repo, box__core="".join(f"X{number} = 1\n" for number in range(201)), tests__test_core=TESTS + "\n")
    assert (one.reason, many.reason) == (Reason.SIZE, Reason.SIZE)
    assert one.detail.startswith("1 lines of source")


@pytest.mark.parametrize(
    "source",
    [
        "# why\n# so\ndef size(items):\n    return 0\n",
        'def size(items):\n    """The size.\n\n    More.\n    """\n    return 0\n',
        "def size(\n    items,\n):\n    return 0\n",
    ],
)
def test_comments_layout_and_docstrings_are_no_change(repo: git.Repo, source: str) -> None:
    assert refused(repo, box__core=source, tests__test_core=TESTS).reason is Reason.SAME_CODE


def test_a_new_version_alone_is_no_change(repo: git.Repo) -> None:
    assert refused(repo, box___version="version = '2'\nx = 2\n", tests__test_core=TESTS).reason is Reason.SAME_CODE


def test_a_release_is_no_change(repo: git.Repo) -> None:
    commit(repo, {"box/__init__.py": "import os\nimport sys\n__version__ = '1'\n"})
    commit(repo, {"box/__init__.py": "import sys\nimport os\n__version__ = '2'\n", "tests/test_core.py": TESTS})
    found = Repository(Path(repo.working_dir))
    with pytest.raises(Rejected, match="or the version only"):
        found.screen(found.steps()[0])


@pytest.mark.parametrize(
    ("source", "data"),
    [("box/__init__.py", "box/table.json"), ("box/__init__.py", "box/more/words.txt"), ("app.py", "templates/index.html")],
)
def test_data_of_the_program_that_changes_beside_a_new_version_is_a_change(repo: git.Repo, source: str, data: str) -> None:
    for number in "12":
        commit(repo, {source: f"# {number}\n__version__ = '{number}'\n", data: number, "tests/test_core.py": TESTS * int(number)})
    found = Repository(Path(repo.working_dir))
    assert found.screen(found.steps()[0]) == 4


@pytest.mark.parametrize("beside", ["box/README.md", "pyproject.toml", ".github/ci.yml", "docs/change.txt", "box/core.pyi"])
def test_what_says_only_that_there_is_a_new_version_is_no_data(repo: git.Repo, beside: str) -> None:
    for number in "12":
        commit(
            repo,
            {
                "box/__init__.py": f"# {number}\n__version__ = '{number}'\n",
                beside: number,
                "tests/test_core.py": TESTS * int(number),
            },
        )
    found = Repository(Path(repo.working_dir))
    with pytest.raises(Rejected, match="version only"):
        found.screen(found.steps()[0])


def test_a_module_called_version_that_defines_something_is_a_source_like_any_other(repo: git.Repo) -> None:
    commit(repo, {"box/version.py": "def parsed(text):\n    return text\n"})
    commit(repo, {"box/version.py": "def parsed(text):\n    return text or None\n", "tests/test_core.py": TESTS})
    found = Repository(Path(repo.working_dir))
    assert found.screen(found.steps()[0]) == 2


def test_lines_in_a_suite_are_none_of_the_change(repo: git.Repo) -> None:
    suite = {f"s/{name}": "x = 1\n" * 300 for name in ("task.toml", "instruction.md", "base/x.py")}
    commit(repo, {"box/core.py": SOURCE, "tests/test_core.py": TESTS, **suite})
    found = Repository(Path(repo.working_dir))
    assert found.screen(found.steps()[0]) == 2


def test_names_that_git_would_read_as_patterns_and_trees_too_deep_to_compare_are_candidates_like_others(repo: git.Repo) -> None:
    deep = f"X = {' + '.join(['1'] * 3000)}\n"
    commit(repo, {":!x.py": "A = 1\nB = 2\n", "tests/test_core.py": f"{TESTS}{deep}"})
    found = Repository(Path(repo.working_dir))
    assert found.screen(found.steps()[0]) == 2


def test_tests_that_are_only_taken_away_or_laid_out_anew_are_none(repo: git.Repo) -> None:
    commit(repo, {"tests/test_core.py": TESTS + TESTS.replace("size", "more")})
    assert refused(repo, box__core=SOURCE, tests__test_core=TESTS + "# the end\n").reason is Reason.NO_TESTS


def test_data_of_tests_that_changes_may_be_what_tells(repo: git.Repo) -> None:
    commit(repo, {"tests/test_core.py": TESTS, "tests/data.json": "1"})
    commit(repo, {"box/core.py": SOURCE, "tests/test_core.py": f"{TESTS}# more\n", "tests/data.json": "2"})
    found = Repository(Path(repo.working_dir))
    assert found.screen(found.steps()[0]) == 2


def test_what_is_no_repository_is_said_in_one_message(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no git repository; name a checkout or a bare repository"):
        Repository(tmp_path)
    git.Repo.init(tmp_path / "empty").close()
    with pytest.raises(InputError, match="a repository without commits"):
        Repository(tmp_path / "empty")
    with pytest.raises(InputError, match="cannot be cloned"):
        cloned(f"file://{tmp_path}/nowhere", tmp_path)


def test_addresses_are_told_from_paths() -> None:
    assert [is_address(text) for text in ("https://x/y.git", "git@host:a/b", "ssh://x/y", "../box", "/srv/box", "box")] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]
