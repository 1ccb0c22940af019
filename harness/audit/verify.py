"""Is the ledger as it was written? Walks the chain, reads every row and every blob, and says where something is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.errors import LedgerError
from harness.ledger.chain import Head, breaks
from harness.ledger.rows import blobs_of
from harness.ledger.store import any_row
from harness.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from harness.ledger.chain import Entry
    from harness.ledger.store import Store

_ANCHOR = re.compile(r'<meta name="ledger-head" content="(\d+:[0-9a-f]{64})">')


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is not as it was written: where (entry, table and key, or blob), and what is wrong with it."""

    where: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was checked, and every fault found."""

    entries: int
    blobs: int
    anchors: int
    head: Head
    faults: tuple[Fault, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


def verify(store: Store, anchors: Iterable[Head] = ()) -> Verification:
    """Check everything. Anchors are heads kept outside the ledger; only they can show that its tail was cut off.

    Raises:
        LedgerError: the database itself cannot be read.
    """
    known = tuple(anchors)
    walk = _Walk(store)
    broken = breaks(walk.entries(), known)
    faults = [Fault(where=_place(found.seq, found.kind, found.key), problem=found.problem) for found in broken]
    return Verification(
        entries=walk.head.seq,
        blobs=len(walk.blobs),
        anchors=len(known),
        head=walk.head,
        faults=(*faults, *walk.faults),
    )


def anchors_in(folder: Path) -> tuple[Head, ...]:
    """The heads that pages in a folder, and in folders of a large campaign, carry; none where there is no page."""
    pages = (page.read_text("utf-8", "replace") for page in sorted(folder.rglob("*.html")))
    return tuple(Head.parse(found[1]) for page in pages if (found := _ANCHOR.search(page)))


def verification_text(found: Verification) -> str:
    """The result in a few lines, for a person."""
    lines = [f"{fault.where}: {printable(fault.problem)}" for fault in found.faults]
    checked = f"{counted(found.entries, 'entry', 'entries')} and {counted(found.blobs, 'blob')} checked, head {found.head}"
    agrees = f"it agrees with {counted(found.anchors, 'anchor')} kept outside"
    anchored = agrees if found.anchors else "no anchor was given: a cut tail would not show"
    if found.sound:
        return f"Sound: {checked}; {anchored}."
    return "\n".join([*lines, f"{counted(len(lines), 'fault')}: {checked}."])


class _Walk:
    """One pass over all entries that remembers what rows and blobs were found, so that a large ledger is read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.head = Head()
        self.blobs: set[str] = set()
        self.faults: list[Fault] = []

    def entries(self) -> Iterator[Entry]:
        for entry in self._store.walk():
            self.head = entry.head
            self._check(entry)
            yield entry

    def _check(self, entry: Entry) -> None:
        place = _place(entry.seq, entry.kind, entry.key)
        try:
            row = any_row(entry)
        except LedgerError as error:
            self.faults.append(Fault(where=place, problem=str(error)))
            return
        if row.key != entry.key:
            self.faults.append(Fault(where=place, problem=f"its row says that its key is {row.key}"))
        for name in blobs_of(row):
            self._check_blob(name, place)

    def _check_blob(self, name: str, place: str) -> None:
        if name in self.blobs:
            return
        self.blobs.add(name)
        try:
            self._store.blobs.get(name)
        except LedgerError as error:
            self.faults.append(Fault(where=f"blob {name}, needed by {place}", problem=str(error)))


def _place(seq: int, kind: str, key: str) -> str:
    return f"entry {seq} ({printable(f'{kind} {key}', lines=False)})" if kind else f"entry {seq}"
