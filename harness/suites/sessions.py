"""Claude Code's transcripts as a source of tasks: what a person asked for, and the commit that was merged of it.

Reads JSON lines as they lie under `~/.claude/projects`; matches sessions with the steps of a repository's main line. From there
on a session is a step like any other, whose message is the prompt.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from harness.errors import InputError
from harness.suites.history import Repository
from harness.suites.privacy import redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from harness.git_history import Commit

WINDOW = timedelta(days=30)  # from a session's end, in which its change must have been merged
FEWEST_WORDS = 3  # of a prompt that can be a statement
_EDITS = {"Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path", "Write": "file_path"}
_ASIDES = re.compile(r"<(system-reminder|ide_\w+|local-command-\w+|command-\w+|user-memory-input)>.*?</\1>", re.DOTALL)
_NO_PROMPT = re.compile(r"^(?:Caveat: |\[Request interrupted|This session is being continued|<bash-|/\w)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session: its first real prompt, the folder it ran in, the files it edited (relative to that), its begin and end."""

    id: str
    prompt: str
    folder: str
    edited: frozenset[str]
    began: datetime
    ended: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A session or file that gives no task, and why."""

    what: str
    reason: str

    def __str__(self) -> str:
        return f"{self.what}: {self.reason}"


@dataclass(slots=True)
class _Draft:
    """What is known of a session while its lines are read."""

    prompts: list[tuple[datetime, str]] = field(default_factory=list)
    times: list[datetime] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    folder: str = ""


def read_sessions(place: Path) -> tuple[tuple[Session, ...], tuple[Skipped, ...]]:
    """All sessions of a transcript, or of those below a folder, oldest first; and what cannot be one, with the reason.

    A session that goes on in a second file is one session. Lines that are torn or of another kind are passed over.

    Raises:
        InputError: there is no transcript, or it cannot be read.
    """
    paths = sorted(place.rglob("*.jsonl")) if place.is_dir() else [place]
    if not paths:
        raise InputError(f"{place}: no transcript (*.jsonl) below it; Claude Code keeps them under ~/.claude/projects")
    drafts: dict[str, _Draft] = {}
    skipped = []
    for path in paths:
        lines = list(_documents(path))
        if not lines:
            skipped.append(Skipped(what=path.name, reason="no line of it can be read as a transcript's"))
        for line in lines:
            _note(drafts.setdefault(str(line.get("sessionId") or path.stem), _Draft()), line)
    found = [_session(name, draft) for name, draft in drafts.items()]
    sessions = sorted((one for one in found if isinstance(one, Session)), key=lambda one: (one.began, one.id))
    return tuple(sessions), (*skipped, *(one for one in found if isinstance(one, Skipped)))


def _documents(path: Path) -> Iterator[Mapping[str, object]]:
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    for line in text.splitlines():
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and found.get("type") in {"user", "assistant"}:
            yield found


def _note(draft: _Draft, line: Mapping[str, object]) -> None:
    time = _time(line.get("timestamp"))
    if time is None:
        return
    draft.times.append(time)
    draft.folder = draft.folder or str(line.get("cwd") or "")
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    if line["type"] == "assistant":
        draft.edited += [path for block in blocks if (path := _edit(block))]
    elif not any(line.get(mark) for mark in ("isSidechain", "isMeta", "isCompactSummary")):
        texts = (
            [content]
            if isinstance(content, str)
            else [str(block.get("text", "")) for block in blocks if block.get("type") == "text"]
        )
        draft.prompts.append((time, _ASIDES.sub("", "\n".join(texts)).strip()))


def _time(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _edit(block: Mapping[str, object]) -> str:
    """The path that a tool's use edits; empty for any other block."""
    given = block.get("input")
    name = _EDITS.get(str(block.get("name"))) if block.get("type") == "tool_use" else None
    return str(given.get(name) or "") if name and isinstance(given, dict) else ""


def _session(name: str, draft: _Draft) -> Session | Skipped:
    prompts = [text for _, text in sorted(draft.prompts, key=lambda pair: pair[0]) if text and not _NO_PROMPT.match(text)]
    if not prompts:
        return Skipped(what=name, reason="nobody asked for anything in it")
    if len(prompts[0].split()) < FEWEST_WORDS:
        return Skipped(what=name, reason=f"its first prompt has fewer than {FEWEST_WORDS} words, too few for a statement")
    root = draft.folder.replace("\\", "/").rstrip("/") + "/"
    edited = frozenset(path.replace("\\", "/").removeprefix(root).lstrip("/") for path in draft.edited)
    if not edited:
        return Skipped(what=name, reason="it edited no file")
    return Session(id=name, prompt=prompts[0], folder=draft.folder, edited=edited, began=min(draft.times), ended=max(draft.times))


def matched(
    sessions: Iterable[Session],
    steps: Sequence[Commit],
    paths: Callable[[Commit], frozenset[str]],
    named: Mapping[str, str],
) -> tuple[dict[str, Commit], tuple[Skipped, ...]]:
    """The merged step of each session by its id, and why others have none.

    It is the step named by the person, else the first after the session's end, within WINDOW, that touches a file which the
    session edited. A step belongs to the first session that leads to it.

    Args:
        sessions: oldest first.
        steps: of the main line, newest first.
        paths: what a step changes.
        named: (the beginning of) a commit's hash by session id.

    Raises:
        InputError: a named commit is not on the main line.
    """
    found: dict[str, Commit] = {}
    skipped = []
    taken: dict[str, str] = {}
    for session in sessions:
        step = _named(named[session.id], steps) if session.id in named else _merged(session, steps, paths)
        if step is None:
            reason = (
                f"no commit within {WINDOW.days} days of its end touches {min(session.edited)} or another file that it edited"
            )
            skipped.append(Skipped(what=session.id, reason=reason))
        elif step.id in taken:
            skipped.append(Skipped(what=session.id, reason=f"its commit {step.id[:10]} is that of session {taken[step.id]}"))
        else:
            found[session.id], taken[step.id] = step, session.id
    return found, tuple(skipped)


def _named(commit: str, steps: Sequence[Commit]) -> Commit:
    found = [step for step in steps if step.id.startswith(commit.lower())]
    if len(found) != 1:
        which = "several commits of the main line begin so" if found else "no commit of the main line begins so"
        raise InputError(f"commit {commit}: {which}; name it whole")
    return found[0]


def _merged(session: Session, steps: Sequence[Commit], paths: Callable[[Commit], frozenset[str]]) -> Commit | None:
    for step in reversed(steps):
        time = _time(step.date)
        if time and session.ended.replace(microsecond=0) <= time <= session.ended + WINDOW and _touches(session, paths(step)):
            return step
    return None


def _touches(session: Session, changed: frozenset[str]) -> bool:
    """By the ends of paths: a session may have run in a folder below the repository's, or in another checkout."""
    return any(f"/{path}".endswith(f"/{edit}") or f"/{edit}".endswith(f"/{path}") for edit in session.edited for path in changed)


class Sessions(Repository):
    """A repository of which only the steps that sessions led to count, each with the prompt as its message, redacted."""

    def __init__(self, folder: Path, sessions: Sequence[Session], named: Mapping[str, str], deny: Sequence[str]) -> None:
        """Match the sessions.

        Raises:
            InputError: no repository, or a named commit or session that does not exist.
        """
        super().__init__(folder)
        unknown = sorted(named.keys() - {session.id for session in sessions})
        if unknown:
            raise InputError(
                f"session {unknown[0]}: not among the transcripts; there are {', '.join(one.id for one in sessions)}"
            )
        steps, self.skipped = matched(sessions, super().steps(), self.changed_paths, named)
        prompts = {session.id: redacted(session.prompt, deny) for session in sessions}
        chosen = [replace(step, message=prompts[name]) for name, step in steps.items()]
        self._chosen = tuple(sorted(chosen, key=lambda step: step.date, reverse=True))

    def steps(self, *, since: str = "") -> tuple[Commit, ...]:
        """The steps with a session, newest first."""
        return tuple(step for step in self._chosen if step.date >= since)

    def changed_paths(self, step: Commit) -> frozenset[str]:
        """What a step adds, changes or removes."""
        said = self._bytes("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id", step.parent, step.id)
        return frozenset(os.fsdecode(name) for name in said.split(b"\0") if name)
