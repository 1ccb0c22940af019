"""What people say of changes: a team's own accepted and rejected ones, and answers to the queue. Read, compared, settled.

A label is one person's or one file's yes or no. Where two contradict each other, neither counts until a person settles it.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.errors import InputError
from harness.review.labelled import GOOD, KINDS, Labelled
from harness.task import Split, Task
from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from harness.tree import File

PERSON = "person"  # the source of labels that settle


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFile:
    """One file of a labelled change, as text; None where it does not exist."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One yes or no of a person or a file. `task` is a suite's task or empty; `kind` is what is wrong with a rejected one."""

    task: str
    instruction: str
    files: tuple[LabelFile, ...]
    accepted: bool
    kind: str
    reason: str
    source: str
    who: str = ""

    @property
    def change_id(self) -> str:
        """Content hash of what is labelled: 16 hex digits."""
        content = [self.instruction, [[file.path, file.before, file.after] for file in self.files]]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]

    @property
    def id(self) -> str:
        """Content hash of the label itself: 16 hex digits."""
        content = [self.change_id, self.accepted, self.kind, self.reason, self.source, self.who]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _FileLine(_Strict):
    path: str = Field(min_length=1)
    before: str | None = None
    after: str | None = None

    @model_validator(mode="after")
    def _differs(self) -> _FileLine:
        if self.before == self.after:
            raise ValueError(f"{self.path}: before and after are the same")
        return self


class _Line(_Strict):
    """One line of an import: one change that a team has accepted or rejected."""

    instruction: str = Field(min_length=1)
    files: tuple[_FileLine, ...] = Field(min_length=1)
    accepted: bool
    kind: Literal["behaviour", "security", "scope", "debris"] | None = None
    reason: str = ""
    task: str = ""
    who: str = ""

    @model_validator(mode="after")
    def _says_what_is_wrong(self) -> _Line:
        if self.accepted == (self.kind is not None):
            raise ValueError(f"kind is one of {', '.join(KINDS)} where accepted is false, and absent where it is true")
        return self


def read_labels(path: Path) -> tuple[Label, ...]:
    """A team's labels from a JSONL file, one object a line; blank lines are passed over.

    Raises:
        InputError: the file cannot be read, or a line is not valid, naming it. Nothing of the file is used then.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    found = tuple(_label(line, f"{path}:{number}") for number, line in enumerate(lines, start=1) if line.strip())
    if not found:
        raise InputError(f"{path}: no labels; a line is one object with instruction, files, accepted, and kind where rejected")
    return found


def settled(labels: Iterable[Label]) -> tuple[tuple[Label, ...], tuple[tuple[Label, ...], ...]]:
    """(one label per change that counts, the labels of each change that are in dispute).

    The last label of a person at the queue settles; otherwise all labels of a change must say the same.
    """
    by_change: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        by_change[label.change_id].append(label)
    agreed, disputed = [], []
    for given in by_change.values():
        persons = [label for label in given if label.source == PERSON]
        if persons or len({(label.accepted, label.kind) for label in given}) == 1:
            agreed.append((persons or given)[-1])
        else:
            disputed.append(tuple(given))
    return tuple(agreed), tuple(disputed)


def labelled(label: Label, tasks: Mapping[str, Task]) -> Labelled:
    """The label's change as reviewers are asked about it: in the suite's task where it has one, else in one made of it."""
    before = Tree.of({file.path: file.before for file in label.files if file.before is not None})
    after = Tree.of({file.path: file.after for file in label.files if file.after is not None})
    task = tasks.get(label.task)
    if task is None:
        task = _bare_task(label, before)
    else:
        gone = {file.path for file in label.files if file.after is None}
        after = Tree(files=tuple((path, file) for path, file in task.base.overlaid(after) if path not in gone))
    return Labelled(task=task, after=after, kind=GOOD if label.accepted else label.kind, source=label.source)


def label_of(change: Labelled, *, accepted: bool, kind: str, reason: str, who: str) -> Label:
    """A person's label of a change.

    Raises:
        InputError: a file of it is not text, so that it cannot be kept.
    """
    files = tuple(
        LabelFile(path=item.path, before=_text(item.path, item.old), after=_text(item.path, item.new))
        for item in change.change.files
    )
    return Label(
        task=change.task.id,
        instruction=change.task.instruction,
        files=files,
        accepted=accepted,
        kind="" if accepted else kind,
        reason=reason,
        source=PERSON,
        who=who,
    )


def _label(line: str, where: str) -> Label:
    try:
        given = _Line.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{where}: {f'{place}: ' if place else ''}{first['msg']}; nothing was imported") from error
    return Label(
        task=given.task,
        instruction=given.instruction,
        files=tuple(LabelFile(path=file.path, before=file.before, after=file.after) for file in given.files),
        accepted=given.accepted,
        kind=given.kind or "",
        reason=given.reason,
        source="imported",
        who=given.who,
    )


def _text(path: str, file: File | None) -> str | None:
    try:
        return file.content.decode() if file else None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not text, so the change cannot be kept as a label") from error


def _bare_task(label: Label, before: Tree) -> Task:
    return Task(
        id=label.task or f"label-{label.change_id}",
        project="",
        split=Split.DEV,
        instruction=label.instruction,
        difficulty="",
        kind="",
        interface=(),
        base=before,
        reference=before,
        hidden=Tree(),
        fail_to_pass=(),
        pass_to_pass=(),
        pack="",
    )
