"""Every random draw of the rehearsal: a hash of who asks and for what, so that neither order nor a restart changes any."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """The draws of one role of one subject under one seed."""

    seed: int
    subject: str
    role: str

    def uniform(self, call: int, name: str) -> float:
        """A number from [0, 1) for one purpose of one call; call 0 is also what the whole conversation has in common."""
        return int.from_bytes(self._digest(call, name)[:8], "big") / 2**64

    def token(self, call: int, name: str) -> str:
        """24 hex digits: an id that is the same whenever the same thing is asked again."""
        return self._digest(call, name).hex()[:24]

    def shuffled(self, items: Sequence[T], name: str) -> list[T]:
        """The items in an order of this draw's own."""
        order = sorted(range(len(items)), key=lambda index: self._digest(index, name))
        return [items[index] for index in order]

    def _digest(self, call: int, name: str) -> bytes:
        parts = (str(self.seed), self.subject, self.role, str(call), name)
        return hashlib.sha256("\0".join(parts).encode()).digest()
