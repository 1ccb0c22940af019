"""The proposer's part: draws directives from the deck and offers each as one edit of the skill it is shown.

It works in the entry file, shown first. Asked for less text it takes a directive out, and asked to start a part anew it says one
in other words.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.models.rehearsal.deck import deck, standing
from harness.models.rehearsal.draws import Draws
from harness.models.rehearsal.solutions import added_text
from harness.models.rehearsal.wire import Answer, says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.models.rehearsal.deck import Directive
    from harness.models.rehearsal.wire import MessagesRequest
    from harness.task import Suite

_FENCED = re.compile(r"^===== BEGIN SKILL ([0-9a-f]{24}) =====\n(.*?)\n===== END SKILL \1 =====$", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(r"^# The instructions \((.*)\)$", re.MULTILINE)
_KIND = re.compile(r"^Kind of edit: ([a-z]+)\.", re.MULTILINE)
_QUOTED_WORDS = 24
# When no card is left: changes of nothing that matters, told apart by their number.
_PARAPHRASES = (
    "Reminder {number}: read each sentence of the task once more.",
    "Reminder {number}: one step after the other.",
    "Reminder {number}: say what you are about to do, then do it.",
)


class _Tried(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")
    find: str
    replace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """The entry file: its name and its text."""

    file: str
    skill: str


def play(request: MessagesRequest, suite: Suite, draws: Draws) -> Answer:
    """One proposal: a directive that neither stands in the skill nor was tried since the last promotion."""
    text = "\n\n".join(block.shown for turn in request.messages for block in turn.blocks)
    found = _FENCED.search(text)
    generation = draws.subject.rpartition("/")[2]
    if not found or not generation.isdigit():
        return says("I see no instructions between fence lines.")
    shown = _Shown(file=_ENTRY.findall(text)[0], skill=found.group(2))
    number, kind = int(generation), _KIND.findall(text)[-1]
    tried = _tried(text[found.end() :])
    opening = sum(card.opening for card in deck())
    if number > opening and kind in {"simplify", "restart"} and (answer := _less(shown, tried)):
        return answer
    used = {*standing(shown.skill), *(card for edit in tried for card in standing(edit.replace))}
    card = _card(number, used, draws.seed)
    if card is None:
        sentence = _PARAPHRASES[number % len(_PARAPHRASES)].format(number=number)
        return _edit(shown, sentence, "Nothing better comes to mind.")
    return _edit(shown, _sentence(card, suite, draws), card.rationale)


def _less(shown: _Shown, tried: Sequence[_Tried]) -> Answer | None:
    """One point of a list taken out, the first that nobody tried to take out, or None where there is none."""
    points = [line for line in shown.skill.split("\n") if line.startswith("- ") and shown.skill.count(f"{line}\n") == 1]
    gone = {edit.find for edit in tried if not edit.replace.strip()}
    line = next((f"{line}\n" for line in points if f"{line}\n" not in gone), None)
    return None if line is None else _answered(shown, line, "", "It costs tokens in every call and no failure speaks for it.")


def _card(generation: int, used: set[Directive], seed: int) -> Directive | None:
    """The card of a generation: the opening four in their order first, then the others in theirs, used ones left out.

    Neighbouring generations get different cards even where neither knows of the other.
    """
    order = Draws(seed=seed, subject="deck", role="proposer")
    opening = order.shuffled([card for card in deck() if card.opening], "opening")
    if generation <= len(opening) and opening[generation - 1] not in used:
        return opening[generation - 1]
    rest = [card for card in order.shuffled([card for card in deck() if not card.opening], "rest") if card not in used]
    return rest[(generation - 1) % len(rest)] if rest else None


def _sentence(card: Directive, suite: Suite, draws: Draws) -> str:
    texts = [text for text in map(added_text, suite.tasks) if len(text.split()) >= _QUOTED_WORDS]
    quote = " ".join(draws.shuffled(texts, "quote")[0].split()[:_QUOTED_WORDS]) if texts else "none at hand"
    return " ".join([card.text.replace("{quote}", f"`{quote}`")] * card.repeat)


def _edit(shown: _Shown, sentence: str, rationale: str) -> Answer:
    """The sentence as a new point at the end, anchored to the last lines that occur only once."""
    skill = shown.skill
    lines = skill.rstrip("\n").split("\n")
    start = len(lines) - 1
    while start > 0 and skill.count("\n".join(lines[start:])) > 1:
        start -= 1
    find = "\n".join(lines[start:])
    gap = "\n" if lines[-1].startswith("- ") else "\n\n"
    return _answered(shown, find, f"{find}{gap}- {sentence}", rationale)


def _answered(shown: _Shown, find: str, replace: str, rationale: str) -> Answer:
    return says(json.dumps({"file": shown.file, "find": find, "replace": replace, "rationale": rationale}))


def _tried(text: str) -> Sequence[_Tried]:
    found = []
    for line in text.split("\n"):
        if line.startswith('{"find"'):
            try:
                found.append(_Tried.model_validate_json(line))
            except ValidationError:
                continue
    return found
