"""`harness suite from-sessions` as a person calls it."""

import json
import os
from pathlib import Path

import git
import pytest

from harness.suites.catalog import load_suite
from tests.cli.conftest import Harness

PROMPT = "A discount above one hundred percent must be refused with a ValueError, asks jo@shop.io."
SOURCE = """\
\"\"\"Prices.\"\"\"


def total(prices, discount=0):
    \"\"\"The sum less a discount.\"\"\"
    full = sum(prices)
    return full - full * discount // 100
"""
GUARD = "    if discount > 100:\n        raise ValueError(discount)\n"
TESTS = "from basket import total\n\n\ndef test_sum():\n    assert total([1, 2]) == 3\n"
NEW_TEST = "\n\ndef test_too_much_is_refused():\n    with pytest.raises(ValueError):\n        total([1], 101)\n"
PROJECT = '[project]\nname = "basket"\nversion = "1.0"\n'
BEFORE = {"pyproject.toml": PROJECT, "basket.py": SOURCE, "tests/test_basket.py": TESTS}
AFTER = {
    "basket.py": SOURCE.replace("    full =", f"{GUARD}    full ="),
    "tests/test_basket.py": f"import pytest\n\n{TESTS}{NEW_TEST}",
}


def commit(repo: git.Repo, files: dict[str, str], day: int) -> str:
    for name, text in files.items():
        path = Path(repo.working_dir, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    repo.git.add("-A")
    date = f"2026-11-{day:02}T12:00:00Z"
    who = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", "a"), ("EMAIL", "a@b.c"), ("DATE", date))
    }
    repo.git.execute(["git", "commit", "-q", "-m", f"day {day}"], env=os.environ | who)
    return repo.head.commit.hexsha


def line(kind: str, content: object, session: str) -> str:
    head = {"type": kind, "timestamp": "2026-11-02T10:00:00Z", "cwd": "/home/jo/basket", "sessionId": session}
    return json.dumps(head | {"message": {"role": kind, "content": content}}) + "\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A repository with a change merged of session `good`; session `lost` led nowhere."""
    repo = git.Repo.init(tmp_path / "basket")
    commit(repo, BEFORE, 1)
    commit(repo, AFTER, 3)
    repo.close()
    edit = {"type": "tool_use", "name": "Edit", "input": {"file_path": "/home/jo/basket/basket.py"}}
    gone = edit | {"input": {"file_path": "/home/jo/basket/gone.py"}}
    (tmp_path / "t").mkdir()
    (tmp_path / "t/a.jsonl").write_text(
        line("user", PROMPT, "good") + line("assistant", [edit], "good") + '{"type": "us', encoding="utf-8"
    )
    (tmp_path / "t/b.jsonl").write_text(line("user", PROMPT, "lost") + line("assistant", [gone], "lost"), encoding="utf-8")
    (tmp_path / "t/c.jsonl").write_text("", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("{place}/gone", "{place}/basket"), "cannot be read"),
        (("{place}/basket", "{place}/basket"), "no transcript (*.jsonl) below it"),
        (("{place}/t", "{place}/t"), "no git repository"),
        (("{place}/t", "{place}/basket", "--commit", "abc"), "which session's? write SESSION=HASH; there are good, lost"),
        (("{place}/t", "{place}/basket", "--commit", "good=abc"), "commit abc: no commit of the main line begins so"),
        (
            ("{place}/t", "{place}/basket", "--commit", "best=abc"),
            "session best: not among the transcripts; there are good, lost",
        ),
    ],
)
def test_bad_input_is_told_in_one_line_with_nothing_written(
    harness: Harness, place: Path, argv: tuple[str, ...], said: str
) -> None:
    found = harness("suite", "from-sessions", *(word.format(place=place) for word in argv), "--out", str(place / "suite"))
    assert (found.returncode, said in found.stderr, found.stdout) == (2, True, ""), found.stderr
    assert not (place / "suite").exists()


@pytest.mark.docker
@pytest.mark.soak
def test_a_session_becomes_an_admitted_task_and_the_others_are_told_with_their_reasons(harness: Harness, place: Path) -> None:
    out = place / "suite"
    made = harness("suite", "from-sessions", str(place / "t"), str(place / "basket"), "--out", str(out), "--json")
    assert made.returncode == 0, made.stderr
    told = json.loads(made.stdout)["told"]
    assert [text.partition(": ")[0] for text in told if text.startswith("skipped")] == ["skipped c.jsonl", "skipped lost"]
    (task,) = load_suite(out).tasks
    assert "A discount above one hundred percent must be refused with a ValueError, asks [e-mail]." in task.instruction
    assert task.fail_to_pass == ("tests/test_basket.py::test_too_much_is_refused",)
    assert 'source = "session"' in (out / "tasks" / task.id / "task.toml").read_text(encoding="utf-8")
    assert harness("suite", "check", str(out)).returncode == 0
