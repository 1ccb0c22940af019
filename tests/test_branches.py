from collections.abc import Iterator
from pathlib import Path

import git
import pytest

from harness.branches import Branch, Commit, branch_for, commit_skill, heads_in
from harness.errors import ConfigError
from harness.skill import Skill
from harness.skill_io import make_skill
from harness.tree import Tree


def skill(text: str, **files: str) -> Skill:
    entry = f"---\nname: coding\ndescription: How to code.\n---\n{text}\n"
    return make_skill(Tree.of({"SKILL.md": entry, **files}), "coding", "test")


def said(number: int) -> Commit:
    return Commit(message=f"Promote {number}", key=f"c/{number}", head=f"{number}:{'a' * 64}", time="2026-11-30T02:00:00+00:00")


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[git.Repo]:
    """One commit on `main`: a skill of two files, and another file."""
    made = git.Repo.init(tmp_path / "team", initial_branch="main")
    root = Path(made.working_dir)
    for name, text in {"skills/coding/SKILL.md": "old", "skills/coding/notes.md": "old", "src/a.py": "a = 1\n"}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    made.index.add(["."])
    made.index.commit("first")
    yield made
    made.close()


def branch(repo: git.Repo) -> Branch:
    return branch_for(Path(repo.working_dir) / "skills/coding", "night")


def shown(repo: git.Repo, name: str) -> str:
    return str(repo.git.show(f"harness/night:{name}"))


def test_a_promotion_is_one_commit_in_which_the_skill_alone_has_changed(repo: git.Repo) -> None:
    made = commit_skill(branch(repo), skill("Edition 1.", **{"new/b.md": "b"}), said(1))
    assert repo.commit("harness/night").hexsha == made
    assert repo.commit(made).parents == (repo.commit("main"),)
    assert "Edition 1." in shown(repo, "skills/coding/SKILL.md")
    names = repo.git.ls_tree("-r", "--name-only", "harness/night").split()
    assert names == ["skills/coding/SKILL.md", "skills/coding/new/b.md", "src/a.py"]


def test_what_is_checked_out_staged_or_dirty_stays_as_it_was(repo: git.Repo) -> None:
    root = Path(repo.working_dir)
    (root / "src/a.py").write_text("a = 2\n")
    (root / "skills/coding/SKILL.md").write_text("mine")
    repo.index.add(["src/a.py"])
    before = (repo.git.status("--porcelain"), repo.git.diff("--cached"), repo.head.commit, repo.active_branch.name)
    commit_skill(branch(repo), skill("Edition 1."), said(1))
    assert (repo.git.status("--porcelain"), repo.git.diff("--cached"), repo.head.commit, repo.active_branch.name) == before
    assert (root / "skills/coding/SKILL.md").read_text() == "mine"


def test_committing_again_moves_nothing(repo: git.Repo) -> None:
    first, second = (commit_skill(branch(repo), skill("Edition 1."), said(1)) for _ in range(2))
    assert first == second
    assert len(list(repo.iter_commits("harness/night"))) == 2


def test_promotions_follow_each_other_and_carry_their_heads(repo: git.Repo) -> None:
    for number in (1, 2):
        commit_skill(branch(repo), skill(f"Edition {number}."), said(number))
    assert [commit.summary for commit in repo.iter_commits("harness/night")] == ["Promote 2", "Promote 1", "first"]
    assert heads_in(branch(repo)) == (said(2).head, said(1).head)


def test_a_branch_that_was_merged_goes_on_from_the_checked_out_commit(repo: git.Repo) -> None:
    commit_skill(branch(repo), skill("Edition 1."), said(1))
    repo.git.merge("harness/night")
    repo.index.commit("later work")
    commit_skill(branch(repo), skill("Edition 2."), said(2))
    assert repo.commit("harness/night").parents == (repo.commit("main"),)


def test_a_promotion_that_arrived_by_another_way_makes_no_empty_commit(repo: git.Repo) -> None:
    commit_skill(branch(repo), skill("Edition 1."), said(1))
    repo.git.merge("--squash", "harness/night")
    repo.index.commit("squashed")
    repo.git.branch("-D", "harness/night")
    commit_skill(branch(repo), skill("Edition 1."), said(1))
    assert [head.name for head in repo.heads] == ["main"]


def test_a_single_instruction_file_changes_alone(repo: git.Repo) -> None:
    root = Path(repo.working_dir)
    (root / "AGENTS.md").write_text("old")
    repo.index.add(["AGENTS.md"])
    repo.index.commit("agents")
    one = make_skill(Tree.of({"AGENTS.md": "new\n"}), "team", "test")
    commit_skill(branch_for(root / "AGENTS.md", "night"), one, said(1))
    assert shown(repo, "AGENTS.md") == "new"
    assert shown(repo, "src/a.py") == "a = 1"


def test_no_hook_of_the_team_runs(repo: git.Repo) -> None:
    hook = Path(repo.git_dir) / "hooks/reference-transaction"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    commit_skill(branch(repo), skill("Edition 1."), said(1))
    assert "harness/night" in [head.name for head in repo.heads]


def test_a_branch_that_is_checked_out_is_never_moved(repo: git.Repo) -> None:
    commit_skill(branch(repo), skill("Edition 1."), said(1))
    repo.git.worktree("add", str(Path(repo.working_dir).parent / "other"), "harness/night")
    with pytest.raises(ConfigError, match="harness/night is checked out"):
        commit_skill(branch(repo), skill("Edition 2."), said(2))
    assert "Edition 1." in shown(repo, "skills/coding/SKILL.md")


def test_a_skill_outside_git_or_without_a_commit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    with pytest.raises(ConfigError, match="no git repository"):
        branch_for(tmp_path / "skills", "night")
    git.Repo.init(tmp_path).close()
    with pytest.raises(ConfigError, match="no commit yet"):
        branch_for(tmp_path / "skills", "night")


@pytest.mark.parametrize("tag", ["a b", "x..y", "end.lock", "tilde~1"])
def test_a_tag_that_makes_no_branch_is_refused(repo: git.Repo, tag: str) -> None:
    with pytest.raises(ConfigError, match="no name for a branch"):
        branch_for(Path(repo.working_dir) / "skills/coding", tag)
