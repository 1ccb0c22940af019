"""Small repositories made by each test, whatever their form: commits of the main line, and trees of the project's own files."""

from __future__ import annotations

from pathlib import Path

import git
import pytest

from harness.errors import InputError
from harness.git_history import Commit, GitHistory
from harness.style.history import History
from tests.repositories import commit

START = {"box/core.py": "", "README.md": "box\n"}


@pytest.fixture
def repo(tmp_path: Path) -> git.Repo:
    """A repository with one commit, on a branch of an unusual name."""
    made = git.Repo.init(tmp_path / "box", initial_branch="stem")
    commit(made, START, "start")
    return made


def test_a_head_that_names_no_branch_leaves_the_branch_committed_to_last(repo: git.Repo, tmp_path: Path) -> None:
    commit(repo, {"box/core.py": "A = 1\n"})
    bare = tmp_path / "bare"
    git.Repo.clone_from(repo.working_dir, bare, bare=True).close()
    (bare / "HEAD").write_text("ref: refs/heads/gone\n", encoding="utf-8")
    assert len(GitHistory(bare).commits(until=GitHistory(bare).head())) == 2


def test_steps_since_a_date_alone(repo: git.Repo) -> None:
    commit(repo, {"box/core.py": "A = 1\n"}, date="2026-02-01T00:00:00Z")
    newest = commit(repo, {"box/core.py": "A = 2\n"}, date="2026-03-01T00:00:00Z")
    for day in ("2026-02-15", "2026-03-01"):  # from its first minute on, whatever time it is now
        assert [step.id for step in GitHistory(Path(repo.working_dir)).commits(since=day)] == [newest]


@pytest.mark.parametrize(
    ("suite", "kept"),
    [
        (
            ("s/box/suite.toml", "s/box/packs/p.toml", "s/box/tasks/a/task.toml", "s/box/tasks/a/instruction.md", "s/README.md"),
            "s/README.md",
        ),
        (("set/a/task.toml", "set/a/instruction.md", "set/a/tests/test_a.py", "set/README.md"), "set/README.md"),
        (("suite.toml", "tasks/a/task.toml", "tasks/a/instruction.md", "tasks/a/tests/test_a.py"), "suite.toml"),
        (("s/.box.unfinished/candidates.jsonl", "s/.box.unfinished/tasks/a/x.py", "s/x.py"), "s/x.py"),
        (("tests/suite.toml", "tests/task.toml"), "tests/suite.toml tests/task.toml"),
    ],
)
def test_suites_that_lie_in_a_repository_are_no_part_of_its_trees(repo: git.Repo, suite: tuple[str, ...], kept: str) -> None:
    head = commit(repo, dict.fromkeys(suite, ""))
    paths = {path for path, _ in GitHistory(Path(repo.working_dir)).tree(head)}
    assert " ".join(sorted(paths.intersection(suite))) == kept
    assert "box/core.py" in paths


def test_links_and_caches_are_left_out_of_trees(repo: git.Repo) -> None:
    folder = Path(repo.working_dir)
    (folder / "link").symlink_to("README.md")
    head = commit(repo, {"box/__pycache__/core.pyc": "x", "run.sh": "#!/bin/sh\n"})
    assert [path for path, _ in GitHistory(folder).tree(head)] == ["README.md", "box/core.py", "run.sh"]


def test_commits_are_told_after_an_older_one_and_never_more_than_wanted(repo: git.Repo) -> None:
    first, second, third = repo.head.commit.hexsha, commit(repo, {"a": "1"}), commit(repo, {"a": "2"}, "three\n\nWhy.")
    found = GitHistory(Path(repo.working_dir))
    newest = found.commits(most=1)
    assert (newest[0].id, newest[0].parent, newest[0].message.strip()) == (third, second, "three\n\nWhy.")
    assert [one.id for one in found.commits(after=first)] == [third, second]
    assert [one.parent for one in found.commits()] == [second, first, ""]


@pytest.mark.parametrize("revision", ["nothing", "--help", ""])
def test_a_revision_that_is_none_is_said_in_one_message(repo: git.Repo, revision: str) -> None:
    with pytest.raises(InputError, match="git rev-parse failed: "):
        GitHistory(Path(repo.working_dir)).tree(revision)
    with pytest.raises(InputError, match="no git repository"):
        GitHistory(Path(repo.working_dir) / "box")


def test_a_repository_without_commits_has_no_head_and_says_so(tmp_path: Path) -> None:
    git.Repo.init(tmp_path).close()
    assert not GitHistory(tmp_path).head()
    with pytest.raises(InputError, match="no such revision"):
        GitHistory(tmp_path).commits()


def test_commits_of_another_branch_are_none_of_a_branch_that_is_yet_to_be_born(repo: git.Repo) -> None:
    repo.git.checkout("-q", "--orphan", "fresh")
    with pytest.raises(InputError, match="no such revision"):
        GitHistory(Path(repo.working_dir)).commits(after="stem")


def test_no_program_of_the_repositorys_choice_is_run(repo: git.Repo, tmp_path: Path) -> None:
    folder = Path(repo.working_dir)
    hook = tmp_path / "run"
    hook.write_text(f"#!/bin/sh\necho >> {tmp_path / 'ran'}\n", encoding="utf-8")
    hook.chmod(0o755)
    programs = ("core.fsmonitor", "gpg.program", "diff.evil.textconv", "diff.external")
    for name, value in (*((name, str(hook)) for name in programs), ("log.showSignature", "true")):
        repo.git.config(name, value)
    (Path(repo.git_dir) / "info/attributes").write_text("*.md diff=evil\n", encoding="utf-8")
    (folder / "new").touch()
    assert History(folder).introduced("README.md", "box")
    assert History(folder).listed() == ["README.md", "box/core.py", "new"]
    assert len(GitHistory(folder).commits()) == 1
    assert not (tmp_path / "ran").exists()


def test_an_object_that_is_missing_is_said_in_one_message(repo: git.Repo) -> None:
    blob = repo.git.rev_parse("HEAD:README.md")
    (Path(repo.git_dir) / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(InputError, match=f"object {blob} is missing"):
        GitHistory(Path(repo.working_dir)).tree("HEAD")


def test_the_title_of_a_merge_that_says_nothing_is_the_first_line_that_does() -> None:
    said = {"Merge branch 'x'\n\n Count it\n": "Count it", "Merge branch 'x'": "Merge branch 'x'", "One\nTwo": "One", "": ""}
    assert [Commit(id="", parent="", date="", message=text).title for text in said] == list(said.values())
