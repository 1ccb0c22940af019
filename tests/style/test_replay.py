"""Replays over histories made here: what is counted, from when on, and which label follows."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report.calibration import calibration_page
from harness.style.history import History
from harness.style.packs import Pack, load_pack
from harness.style.replay import Calibrated, Replay, Tally
from harness.tree import Tree
from harness.tree_io import write_tree

QUOTE = "Public functions have docstrings."
GOOD, BAD = 'def {}():\n    """Says."""\n', "def {}():\n    return 1\n"


def pack(*rules: str) -> Pack:
    body = "".join(
        f'[[rule]]\nid = "r{number}"\n{rule}\ncalibration = {{ label = "unproven" }}\n'
        f'provenance = {{ file = "C.md", line = 1, quote = "{QUOTE}" }}\n'
        for number, rule in enumerate(rules)
    )
    return load_pack(f"spec = 1\n{body}", "p")


DOCS = 'kind = "python_ast"\ncheck = "docstring.public"'


class Repo:
    """A repository whose commits are an hour apart."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._hour = 0
        subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)

    def commit(self, message: str = "Change", **files: str) -> str:
        """Commit the files; the commit's id."""
        self._hour += 1
        when = f"2026-01-{1 + self._hour // 24:02}T{self._hour % 24:02}:00:00+03:00"
        write_tree(self.folder, Tree.of({name.replace("_", "."): text for name, text in files.items()}))
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        environment = {"PATH": "/usr/bin:/bin", "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        subprocess.run(["git", "-C", str(self.folder), "add", "-A"], check=True)
        subprocess.run(["git", "-C", str(self.folder), *who, "commit", "-qm", message], check=True, env=environment)
        return subprocess.run(
            ["git", "-C", str(self.folder), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
        ).stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty one."""
    return Repo(tmp_path / "repo")


def replayed(repo: Repo, rules: Pack, commands: int = 0) -> list[Calibrated]:
    told: list[str] = []
    return list(Replay(rules, told.append).own(History(repo.folder), commands=commands))


def test_only_commits_since_the_rule_was_written_count_and_only_new_places(repo: Repo) -> None:
    repo.commit(a_py=BAD.format("early"))
    repo.commit(C_md=f"{QUOTE}\n")
    repo.commit(a_py=BAD.format("early") + GOOD.format("f"))
    broke = repo.commit(b_py=BAD.format("g") + GOOD.format("h"))
    repo.commit(a_py=BAD.format("early") + GOOD.format("f") + "\nx = 1\n")
    (found,) = replayed(repo, pack(DOCS))
    assert (found.own.sites, found.own.broken, found.own.commits, found.own.kept) == (3, 1, 2, 1)
    assert found.own.broken_by == (broke,)
    assert found.since == "2025-12-31T23:00:00+00:00"  # the second commit's, in one time zone for all


def test_a_rule_of_the_whole_change_counts_commits_and_one_of_messages_counts_messages(repo: Repo) -> None:
    companion = 'kind = "diff"\ncheck = "companion"\nparams = { when = ["*.py"], changed = ["CHANGES"] }'
    subject = 'kind = "commit"\ncheck = "subject.max_length"\nparams = { max = 12 }'
    repo.commit(C_md=f"{QUOTE}\n", message="Rules")
    repo.commit(a_py="x = 1\n", CHANGES="one\n", message="With a line")
    repo.commit(a_py="x = 2\n", message="Without a line in it")
    repo.commit(C_md=f"{QUOTE}\nMore.\n", message="Words")
    first, second = replayed(repo, pack(companion, subject))
    assert (first.own.commits, first.own.kept) == (2, 1)
    assert (second.own.commits, second.own.kept) == (4, 3)


def test_a_file_that_moves_breaks_nothing_new(repo: Repo) -> None:
    repo.commit(C_md=f"{QUOTE}\n", a_py=BAD.format("f") * 10)
    (repo.folder / "a.py").rename(repo.folder / "z.py")
    repo.commit(z_py=BAD.format("f") * 10)
    (found,) = replayed(repo, pack(DOCS))
    assert found.own.commits == 1


def test_rules_of_other_tools_are_run_over_the_newest_commits_when_asked(repo: Repo) -> None:
    argv = '["ruff", "check", "--output-format=sarif", "."]'
    ruff = f'kind = "command"\nparams = {{ argv = {argv}, parser = "sarif", paths = ["*.py"] }}'
    repo.commit(C_md=f"{QUOTE}\n")
    repo.commit(a_py="x = 1\n")
    broke = repo.commit(b_py="import os\n")
    assert replayed(repo, pack(ruff)) == []
    (found,) = replayed(repo, pack(ruff), commands=2)
    assert (found.own.sites, found.own.broken, found.own.broken_by) == (2, 1, (broke,))


def test_a_tool_that_cannot_be_used_at_a_commit_is_told_and_not_counted(repo: Repo) -> None:
    ruff = 'kind = "command"\nparams = { argv = ["ruff", "check", "--output-format=sarif", "."], parser = "sarif" }'
    repo.commit(C_md=f"{QUOTE}\n", ruff_toml="nonsense = [\n")
    repo.commit(a_py="x = 1\n")
    told: list[str] = []
    (found,) = Replay(pack(ruff), told.append).own(History(repo.folder), commands=5)
    assert (found.own.sites, len(told)) == (0, 1)
    assert "no tool was counted: ruff check cannot be used on the untouched base" in told[0]


def test_other_projects_count_by_their_commits_or_as_a_whole(repo: Repo, tmp_path: Path) -> None:
    repo.commit(C_md=f"{QUOTE}\n")
    other = Repo(tmp_path / "other")
    other.commit(a_py=GOOD.format("f"))
    other.commit(a_py=GOOD.format("f") + BAD.format("g"))
    plain = Tree.of({"x.py": BAD.format("h") + GOOD.format("i")})
    replay = Replay(pack(DOCS), print)
    (found,) = replay.contrast(replay.own(History(repo.folder)), [History(other.folder)], [plain])
    assert (found.contrast.sites, found.contrast.broken) == (4, 2)


def test_a_projects_own_folder_stands_for_any_folder_elsewhere_and_tests_for_tests(repo: Repo) -> None:
    repo.commit(C_md=f"{QUOTE}\n")
    own, tests = (f'{DOCS}\nparams = {{ paths = ["{path}"] }}' for path in ("mine/**/*.py", "tests/**/*.py"))
    plain = Tree.of({"src/theirs/x.py": BAD.format("h"), "tests/t.py": GOOD.format("i")})
    replay = Replay(pack(own, tests), print)
    first, second = replay.contrast(replay.own(History(repo.folder)), [], [plain])
    assert (first.contrast.sites, first.contrast.broken) == (2, 1)
    assert (second.contrast.sites, second.contrast.broken) == (1, 0)


def calibration(own: Tally, contrast: Tally = Tally(), label: str = "unproven") -> Calibrated:  # noqa: B008  (a frozen value)
    (rule,) = pack(DOCS).rules
    text = f'spec = 1\n[[rule]]\nid = "r"\n{DOCS}\ncalibration = {{ label = "{label}" }}\n'
    (rule,) = load_pack(f'{text}provenance = {{ file = "C.md", line = 1, quote = "{QUOTE}" }}\n', "p").rules
    return Calibrated(rule=rule, own=own, since="", contrast=contrast)


@pytest.mark.parametrize(
    ("own", "contrast", "label"),
    [
        (Tally(commits=10, kept=10, sites=19), Tally(), "unproven"),
        (Tally(commits=10, kept=9, sites=100, broken=5), Tally(), "enforced"),
        (Tally(commits=10, kept=9, sites=100, broken=6), Tally(), "customary"),
        (Tally(commits=10, kept=8, sites=100, broken=2), Tally(), "customary"),
        (Tally(commits=10, kept=1, sites=100, broken=25), Tally(), "customary"),
        (Tally(commits=10, kept=1, sites=100, broken=26), Tally(), "stated_only"),
        (Tally(commits=10, kept=9, sites=100, broken=3), Tally(sites=25, broken=22), "enforced"),
        (Tally(commits=10, kept=9, sites=100, broken=3), Tally(sites=100, broken=5), "free"),
        (Tally(commits=10, kept=9, sites=100, broken=3), Tally(sites=19), "enforced"),
    ],
)
def test_the_label_follows_from_the_shares(own: Tally, contrast: Tally, label: str) -> None:
    assert calibration(own, contrast).label == label


def test_a_declared_rule_stays_declared_until_history_says_more() -> None:
    assert calibration(Tally(commits=2, kept=2, sites=5), label="declared").label == "declared"
    assert calibration(Tally(commits=9, kept=0, sites=50, broken=50), label="declared").label == "stated_only"


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_rates_are_shares_whatever_is_counted(figures: list[tuple[int, int]]) -> None:
    tally = Tally()
    for chances, violations in figures:
        tally = tally.plus("c", chances, violations)
    assert 0 <= tally.site_rate <= 1
    assert 0 <= tally.commit_rate <= 1
    assert len(tally.broken_by) == tally.commits - tally.kept


def test_the_page_shows_rates_labels_and_escapes_what_documents_say() -> None:
    found = calibration(Tally(commits=10, kept=9, sites=100, broken=5, broken_by=("abc" * 13,)))
    judged = load_pack(
        'spec = 1\n[[rule]]\nid = "j"\nkind = "judge"\ncalibration = { label = "unproven" }\n'
        'provenance = { file = "C.md", line = 2, quote = "Be <b>kind</b> to all." }\n',
        "p",
    ).judged
    page = calibration_page("demo", [found], judged, 10, ["A note."])
    for text in ("95% (95 of 100)", "90% (9 of 10)", "enforced", "abcabcabca", "Be &lt;b&gt;kind&lt;/b&gt; to all.", "A note."):
        assert text in page
    assert "<script" not in page
