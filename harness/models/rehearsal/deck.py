"""The deck: directives with their known effects, and which of them stand in a skill's text. The cards are `deck.toml`."""

from __future__ import annotations

import re
import tomllib
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict

Kind = Literal["helpful", "harmful", "neutral", "trade-off", "leaking", "bloating"]


class Directive(BaseModel):
    """One card: its sentence, what recognises it, and its effect on each gate in points (hundredths of a pass rate)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: str
    kind: Kind
    operator: str
    text: str
    pattern: str
    rationale: str
    tests: int
    style: int
    review: int
    opening: bool = False
    repeat: int = 1

    @cached_property
    def recogniser(self) -> re.Pattern[str]:
        """Finds the directive in folded text."""
        return re.compile(self.pattern, re.IGNORECASE)


class _Deck(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    directive: tuple[Directive, ...]


@cache
def deck() -> tuple[Directive, ...]:
    """All directives, in the order of the file."""
    text = files("harness.models.rehearsal").joinpath("deck.toml").read_text(encoding="utf-8")
    return _Deck.model_validate(tomllib.loads(text)).directive


def standing(text: str) -> tuple[Directive, ...]:
    """The directives that stand in a skill's text, each once however often it is said."""
    folded = " ".join(text.split())
    return tuple(directive for directive in deck() if directive.recogniser.search(folded))
