"""The judge's end of the line to the subject: one request, one answer, and what it means when there is none."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from .wire import packed, receive, write_all

if TYPE_CHECKING:
    from typing import BinaryIO

LONGEST = 16 * 1024 * 1024


class UnfitError(BaseException):
    """The test needs what cannot be had out of process. No Exception, so that no `pytest.raises(Exception)` takes it."""


class SubjectDiedError(BaseException):
    """The subject has ended, or answers nonsense. No Exception, for the same reason."""


class Line:
    """Requests and answers, strictly one after the other; a line that has failed once fails for ever."""

    def __init__(self, requests: int, answers: BinaryIO) -> None:
        self.lock = threading.RLock()
        self._requests = requests
        self._answers = answers
        self._dead = ""

    def exchange(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request, as it came. Raises SubjectDiedError."""
        if self._dead:
            raise SubjectDiedError(self._dead)
        try:
            write_all(self._requests, packed(request))
            message = receive(self._answers, LONGEST)
        except (OSError, ValueError, RecursionError, MemoryError) as error:
            raise self.broken(f"the code under test cannot be asked: {error}") from error
        if message is None:
            raise self.broken("the code under test has ended its process")
        if not isinstance(message[0], dict):
            raise self.broken("the code under test gave an answer that is none")
        return message[0]

    def broken(self, why: str) -> SubjectDiedError:
        """The error to raise, now and from now on."""
        self._dead = why
        return SubjectDiedError(why)
