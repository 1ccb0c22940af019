"""Words used on the page: one text each, shown as a link's title at first use and in the list at the end."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from harness.decision.looks import futility_lines, levels
from harness.report.figures import word

if TYPE_CHECKING:
    from harness.decision.rules import Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word with its meaning; `id` is the end of its address on the page."""

    id: str
    word: str
    text: str


def glossary(rules: Rules) -> tuple[Word, ...]:
    """Every word that the page links, with the figures of the rules in force."""
    entries = tomllib.loads((files("harness.report") / "templates" / "words.toml").read_text("utf-8"))
    shares = " ".join(f"{level:.5f}".removeprefix("0") for level in levels(rules.alpha, rules.looks))
    lines = ", ".join(f"{line:g}".replace("0.", ".") for line in futility_lines(rules.looks))
    figures = {
        "looks": word(rules.looks),
        "Looks": word(rules.looks).capitalize(),
        "looks_noun": "look" if rules.looks == 1 else "looks",
        "alpha": f"{rules.alpha * 100:g} %",
        "levels": shares,
        "lines": f" (t over tasks under {lines} at looks 1 to {rules.looks - 1})" if lines else "",
    }
    return tuple(Word(id=name, word=entry["word"], text=entry["text"].format_map(figures)) for name, entry in entries.items())
