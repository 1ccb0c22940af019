"""The proposer's part: draws directives from the deck and offers each as one edit of the skill it is shown."""

from __future__ import annotations

import json
import re
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


def play(request: MessagesRequest, suite: Suite, draws: Draws) -> Answer:
    """One proposal: a directive that neither stands in the skill nor was tried since the last promotion."""
    text = "\n\n".join(block.shown for turn in request.messages for block in turn.blocks)
    found = _FENCED.search(text)
    generation = draws.subject.rpartition("/")[2]
    if not found or not generation.isdigit():
        return says("I see no instructions between fence lines.")
    skill, number = found.group(2), int(generation)
    used = {*standing(skill), *(card for edit in _tried(text[found.end() :]) for card in standing(edit.replace))}
    card = _card(number, used, draws.seed)
    if card is None:
        sentence = _PARAPHRASES[number % len(_PARAPHRASES)].format(number=number)
        return _edit(skill, sentence, "reflect", "Nothing better comes to mind.")
    return _edit(skill, _sentence(card, suite, draws), card.operator, card.rationale)


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


def _edit(skill: str, sentence: str, operator: str, rationale: str) -> Answer:
    """The sentence as a new point at the end, anchored to the last lines that occur only once."""
    lines = skill.rstrip("\n").split("\n")
    start = len(lines) - 1
    while start > 0 and skill.count("\n".join(lines[start:])) > 1:
        start -= 1
    find = "\n".join(lines[start:])
    gap = "\n" if lines[-1].startswith("- ") else "\n\n"
    edit = {"operator": operator, "rationale": rationale, "find": find, "replace": f"{find}{gap}- {sentence}"}
    return says(json.dumps(edit))


def _tried(text: str) -> Sequence[_Tried]:
    found = []
    for line in text.split("\n"):
        if line.startswith('{"find"'):
            try:
                found.append(_Tried.model_validate_json(line))
            except ValidationError:
                continue
    return found
