"""The hash chain: what one entry of the ledger covers, and where a chain breaks. Values only, no database."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Iterable

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The last entry of a chain: its number (0 for an empty ledger) and hash. Kept elsewhere, it anchors the tail."""

    seq: int = 0
    hash: str = GENESIS

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash}"

    @classmethod
    def parse(cls, text: str) -> Head:
        """Read back what `str` wrote.

        Raises:
            LedgerError: the text is not "<number>:<64 hex digits>".
        """
        seq, _, digest = text.strip().partition(":")
        if not seq.isdecimal() or len(digest) != len(GENESIS) or set(digest) - set("0123456789abcdef"):
            raise LedgerError(f"{text[:100]!r} is no head of a ledger; expected <number>:<64 hex digits>, as reports print it")
        return cls(seq=int(seq), hash=digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One physical row: `body` is canonical JSON of a row of table `kind`; `hash` covers everything else here."""

    seq: int
    time: str
    campaign: str
    kind: str
    key: str
    body: str
    prev: str
    hash: str

    @property
    def head(self) -> Head:
        """This entry as the head of a chain."""
        return Head(seq=self.seq, hash=self.hash)


def canonical(value: object) -> str:
    """JSON with sorted keys, no spaces, ASCII only (so undecodable bytes survive as lone surrogates), no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def following(head: Head, time: str, campaign: str, row: tuple[str, str, str]) -> Entry:
    """The entry that comes after `head`; the row is its table, key and body."""
    seq, (kind, key, body) = head.seq + 1, row
    digest = _digest(seq, time, campaign, kind, key, body, head.hash)
    return Entry(seq=seq, time=time, campaign=campaign, kind=kind, key=key, body=body, prev=head.hash, hash=digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """Where a chain is not as it was written: the entry's number, table and key, and what is wrong there."""

    seq: int
    kind: str
    key: str
    problem: str


def breaks(entries: Iterable[Entry], anchors: Iterable[Head] = ()) -> tuple[Break, ...]:
    """Every place where entries, in order of writing, do not form one chain from the genesis through all anchors.

    After a break the walk goes on from the entry as it stands, so that one changed row is reported once, not to the end.
    """
    known = {anchor.seq: anchor.hash for anchor in anchors}
    found: list[Break] = []
    head = Head()
    for entry in entries:
        problem = _problem(entry, head, known.pop(entry.seq, entry.hash))
        if problem:
            found.append(Break(seq=entry.seq, kind=entry.kind, key=entry.key, problem=problem))
        head = entry.head
    lost = (seq for seq in sorted(known) if seq > 0)
    found += [Break(seq=seq, kind="", key="", problem=f"anchored outside, but the ledger ends at {head.seq}") for seq in lost]
    return tuple(found)


def _problem(entry: Entry, before: Head, anchored: str) -> str:
    if entry.seq != before.seq + 1:
        return f"follows entry {before.seq} with {counted(entry.seq - before.seq - 1, 'entry', 'entries')} gone between them"
    if entry.prev != before.hash:
        return f"does not follow entry {before.seq} as it stands: one of the two was changed or replaced"
    digest = _digest(entry.seq, entry.time, entry.campaign, entry.kind, entry.key, entry.body, entry.prev)
    if entry.hash != digest:
        return "its content does not have its hash: the row was changed after it was written"
    if entry.hash != anchored:
        return "its hash is not the one that was anchored outside: the ledger was rewritten up to here"
    return ""


def _digest(*parts: int | str) -> str:
    return hashlib.sha256(canonical(parts).encode()).hexdigest()
