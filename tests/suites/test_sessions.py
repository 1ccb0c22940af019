import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import git
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import InputError
from harness.suites.sessions import Sessions, Skipped, read_sessions

PROMPT = "Discounts above one hundred percent must be refused, says @jo."


def line(kind: str, content: object, minute: int = 0, **more: object) -> str:
    """One line of a transcript."""
    time = f"2026-11-02T10:{minute:02}:00.000Z"
    message = {"role": kind, "content": content}
    return json.dumps({"type": kind, "message": message, "timestamp": time, "cwd": "/home/jo/shop", "sessionId": "s1"} | more)


def edit(path: str, minute: int = 5, **more: object) -> str:
    """The use of a tool that edits a file."""
    return line("assistant", [{"type": "tool_use", "name": "Edit", "input": {"file_path": path}}], minute, **more)


GOOD = (
    json.dumps({"type": "summary", "summary": "words"}),
    line("user", "Caveat: the messages below were made by a program.", isMeta=True),
    line("user", "<command-name>/clear</command-name>\n<command-args></command-args>"),
    line("user", "/clear"),
    line("user", "A question of a helper, not of a person.", isSidechain=True),
    line("user", f"<system-reminder>Be brief.</system-reminder>\n{PROMPT}", 1),
    line("user", [{"type": "tool_result", "content": "done"}], 2),
    edit("/home/jo/shop/basket.py"),
    line("assistant", [{"type": "tool_use", "name": "Read", "input": {"file_path": "/home/jo/shop/other.py"}}], 6),
    line("user", "Thanks, and write a test for it please.", 9),
)


def transcript(folder: Path, *lines: str, name: str = "s1") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_text("".join(f"{text}\n" for text in lines), encoding="utf-8")
    return path


def commit(repo: git.Repo, files: Mapping[str, str], when: str, message: str) -> str:
    for name, text in files.items():
        path = Path(repo.working_dir, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    repo.git.add("-A")
    who = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", "a"), ("EMAIL", "a@b"), ("DATE", when))
    }
    repo.git.execute(["git", "commit", "-q", "-m", message], env=os.environ | who)
    return repo.head.commit.hexsha


@pytest.fixture
def shop(tmp_path: Path) -> tuple[Path, list[str]]:
    """A repository of four commits: a start, one before the session's end, one elsewhere, the merged one."""
    repo = git.Repo.init(tmp_path / "shop", initial_branch="trunk")
    commits = [
        commit(repo, {"basket.py": "A = 1\n"}, "2026-11-01T10:00:00Z", "start"),
        commit(repo, {"basket.py": "A = 2\n"}, "2026-11-02T10:03:00Z", "meanwhile"),
        commit(repo, {"other.py": "B = 1\n"}, "2026-11-02T10:20:00Z", "elsewhere"),
        commit(repo, {"basket.py": "A = 3\n"}, "2026-11-02T11:00:00Z", "Merge it (#12)"),
        commit(repo, {"basket.py": "A = 4\n"}, "2026-11-03T11:00:00Z", "later"),
    ]
    repo.close()
    return tmp_path / "shop", commits


def test_a_session_is_its_first_real_prompt_its_edits_and_its_times(tmp_path: Path) -> None:
    sessions, skipped = read_sessions(transcript(tmp_path / "t", *GOOD))
    (session,) = sessions
    assert (session.id, session.prompt, session.edited, skipped) == ("s1", PROMPT, frozenset({"basket.py"}), ())
    assert session.ended == datetime(2026, 11, 2, 10, 9, tzinfo=UTC)


def test_torn_lines_are_passed_over(tmp_path: Path) -> None:
    torn = ("", "{", '"text"', "[1]", '{"type": "user"}', '{"type": "user", "message": 3, "timestamp": "soon"}', GOOD[5][:40])
    sessions, skipped = read_sessions(transcript(tmp_path / "t", *torn, *GOOD, *torn))
    assert ([one.prompt for one in sessions], skipped) == ([PROMPT], ())


def test_a_session_that_goes_on_in_a_second_file_is_one_session(tmp_path: Path) -> None:
    transcript(tmp_path / "t", *GOOD[:6], name="a")
    transcript(tmp_path / "t", *GOOD[6:], name="b")
    sessions, skipped = read_sessions(tmp_path / "t")
    assert ([(one.id, one.edited) for one in sessions], skipped) == ([("s1", frozenset({"basket.py"}))], ())


def test_several_sessions_are_told_apart_and_read_oldest_first(tmp_path: Path) -> None:
    later = [text.replace('"s1"', '"s2"').replace("T10:", "T12:") for text in GOOD]
    transcript(tmp_path / "t", *later, *GOOD)
    assert [one.id for one in read_sessions(tmp_path / "t")[0]] == ["s1", "s2"]


@pytest.mark.parametrize(
    ("lines", "what", "reason"),
    [
        (("{", "nothing"), "s1.jsonl", "no line of it can be read"),
        (("",), "s1.jsonl", "no line of it can be read"),
        (GOOD[:5], "s1", "nobody asked for anything"),
        ((line("user", "Fix it."), edit("/home/jo/shop/a.py")), "s1", "fewer than 3 words"),
        (GOOD[:7], "s1", "it edited no file"),
    ],
)
def test_what_is_no_session_is_skipped_with_its_reason(tmp_path: Path, lines: tuple[str, ...], what: str, reason: str) -> None:
    sessions, skipped = read_sessions(transcript(tmp_path / "t", *lines))
    assert sessions == ()
    assert [(one.what, reason in one.reason) for one in skipped] == [(what, True)]


def test_a_folder_without_transcripts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no transcript \(\*\.jsonl\) below it"):
        read_sessions(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_sessions(tmp_path / "gone.jsonl")


def read(folder: Path, repository: Path, *, named: Mapping[str, str] | None = None, deny: tuple[str, ...] = ()) -> Sessions:
    return Sessions(repository, read_sessions(folder)[0], named or {}, deny)


def test_the_step_is_the_first_on_the_main_line_after_the_sessions_end_that_touches_what_it_edited(
    tmp_path: Path, shop: tuple[Path, list[str]]
) -> None:
    transcript(tmp_path / "t", *GOOD)
    (step,) = read(tmp_path / "t", shop[0]).steps()
    assert (step.id, step.parent) == (shop[1][3], shop[1][2])
    assert step.message == PROMPT.replace("@jo", "[name]")


def test_the_owners_words_are_taken_out_of_the_prompt(tmp_path: Path, shop: tuple[Path, list[str]]) -> None:
    transcript(tmp_path / "t", *GOOD)
    assert read(tmp_path / "t", shop[0], deny=("percent",)).steps()[0].message.count("[redacted]") == 1


def test_a_named_commit_wins_over_dates(tmp_path: Path, shop: tuple[Path, list[str]]) -> None:
    transcript(tmp_path / "t", *GOOD)
    assert read(tmp_path / "t", shop[0], named={"s1": shop[1][1][:12]}).steps()[0].id == shop[1][1]
    with pytest.raises(InputError, match="commit 0000: no commit of the main line"):
        read(tmp_path / "t", shop[0], named={"s1": "0000"})
    with pytest.raises(InputError, match="session s9: not among the transcripts; there are s1"):
        read(tmp_path / "t", shop[0], named={"s9": "0000"})


def test_a_session_that_nothing_was_merged_of_is_skipped_with_the_reason(tmp_path: Path, shop: tuple[Path, list[str]]) -> None:
    transcript(tmp_path / "t", *GOOD[:7], edit("/home/jo/shop/gone.py"))
    found = read(tmp_path / "t", shop[0])
    reason = "no commit within 30 days of its end touches gone.py or another file that it edited"
    assert (found.steps(), found.skipped) == ((), (Skipped(what="s1", reason=reason),))


def test_long_after_a_session_nothing_is_taken_for_its_change(tmp_path: Path, shop: tuple[Path, list[str]]) -> None:
    transcript(tmp_path / "t", *[text.replace("2026-11-02", "2026-09-02") for text in GOOD])
    assert read(tmp_path / "t", shop[0]).steps() == ()


def test_two_sessions_of_one_merged_change_give_one_task(tmp_path: Path, shop: tuple[Path, list[str]]) -> None:
    again = [text.replace('"s1"', '"s2"').replace("T10:0", "T10:1") for text in GOOD]
    transcript(tmp_path / "t", *GOOD, *again)
    found = read(tmp_path / "t", shop[0])
    assert [step.id for step in found.steps()] == [shop[1][3]]
    assert found.skipped == (Skipped(what="s2", reason=f"its commit {shop[1][3][:10]} is that of session s1"),)


@given(st.lists(st.sampled_from(GOOD) | st.text(max_size=20) | st.integers(0, 200).map(lambda cut: GOOD[5][:cut]), max_size=12))
def test_whatever_a_transcript_holds_reading_it_ends_in_sessions_or_reasons(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("t")
    sessions, skipped = read_sessions(transcript(folder, *lines))
    assert len(sessions) + len(skipped) == 1
