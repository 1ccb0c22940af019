"""The extractor's part: reads a document line by line, as a hurried reader would, and lists the rules that it sees in it.

It knows strong words and some common conventions. Now and then, by draw, it invents a rule, as models do.
"""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from harness.models.rehearsal.wire import Answer, says

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.models.rehearsal.draws import Draws
    from harness.models.rehearsal.wire import MessagesRequest

_FENCED = re.compile(r"^===== BEGIN DOCUMENT ([0-9a-f]{24}) =====\n(.*?)\n===== END DOCUMENT \1 =====$", re.DOTALL | re.MULTILINE)
_NUMBERED = re.compile(r"^(\d+)\| ?(.*)$")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s*)?")
_ASIDE = re.compile(r"^\s*(?:#|=+$|-+$|~+$|\$|>>>|\||\.\. |<!--)|https?://\S+$")
_STRONG = re.compile(
    r"\b(?:must|never|always|should|shall|required?|do not|don[\u2019']t|no|only|every|each|all|needs?|avoid|prefer|please|"
    r"make sure|ensure)\b",
    re.IGNORECASE,
)
_IMPERATIVE = re.compile(
    r"^(?:use|keep|write|add|include|follow|name|put|document|sort|limit|wrap|annotate|cover|update|describe|mention|squash|one|"
    r"small|tests?|docs?|docstrings?|comments?|commits?|imports?|public|errors?)\b",
    re.IGNORECASE,
)
_SHORTEST, _FEWEST_WORDS = 12, 3
_JUDGE: dict[str, str | int] = {"kind": "judge", "check": "", "params": "{}"}
_INVENTED = "Two maintainers approve every change before it is merged."


class _Recognised(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    words: re.Pattern[str]
    kind: str
    check: str
    params: str


def play(request: MessagesRequest, draws: Draws, inventions: float) -> Answer:
    """One list of rules for the document between fence lines; `inventions` is the chance of one that is not there."""
    text = "\n\n".join(block.shown for turn in request.messages for block in turn.blocks)
    found = _FENCED.search(text)
    if not found:
        return says("I see no document between fence lines.")
    rules = [_rule(line, words) for line, words in _candidates(found.group(2))]
    if draws.uniform(0, "invention") < inventions:
        rules.append({**_JUDGE, "id": "two-approvals", "line": 1, "quote": _INVENTED})
    return says(json.dumps({"rules": rules}))


def _candidates(document: str) -> Iterator[tuple[int, str]]:
    """Lines that sound like a rule: a strong word anywhere, or a point of a list that begins as an order does."""
    fenced = False
    for numbered in document.split("\n"):
        match = _NUMBERED.match(numbered)
        number, line = (int(match[1]), match[2]) if match else (0, "")
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        words = _BULLET.sub("", line).strip()
        if fenced or _ASIDE.search(line) or len(words) < _SHORTEST or len(words.split()) < _FEWEST_WORDS:
            continue
        listed = _BULLET.match(line) is not None
        if _STRONG.search(words) or (listed and _IMPERATIVE.match(words)) or _known(words):
            yield number, words


def _rule(line: int, words: str) -> dict[str, str | int]:
    name = "-".join(re.findall(r"[a-z0-9]+", words.lower())[:5])
    rule = {**_JUDGE, "id": name, "line": line, "quote": words}
    known = _known(words)
    if known is None:
        return rule
    recognised, match = known
    first = next((group for group in match.groups() if group), "")
    params = recognised.params.replace("{1}", first.lower())
    return {**rule, "kind": recognised.kind, "check": recognised.check, "params": params}


def _known(words: str) -> tuple[_Recognised, re.Match[str]] | None:
    for recognised in _table():
        match = recognised.words.search(words)
        if match:
            return recognised, match
    return None


@cache
def _table() -> tuple[_Recognised, ...]:
    text = (files("harness.models.rehearsal") / "extractor.toml").read_text("utf-8")
    entries = tomllib.loads(text)["recognised"]
    return tuple(_Recognised.model_validate(entry | {"words": re.compile(entry["words"], re.IGNORECASE)}) for entry in entries)
