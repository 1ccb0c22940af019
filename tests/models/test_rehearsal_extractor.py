"""The rehearsal's extractor against five documents in which a person marked the rules before it was run on them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TypedDict

from harness.models.rehearsal.draws import Draws
from harness.models.rehearsal.extractor import play
from harness.models.rehearsal.wire import MessagesRequest
from harness.style.compile import request_for

DOCUMENTS = Path(__file__).parents[1] / "style" / "documents"
DRAWS = Draws(seed=1, subject="rules/x", role="extractor")


class Found(TypedDict):
    """One proposed rule."""

    line: int
    quote: str
    kind: str
    check: str


def extracted(name: str, inventions: float = 0.0) -> list[Found]:
    asked = request_for(name, (DOCUMENTS / name).read_text(encoding="utf-8"), "rehearsal")
    body = {"model": "rehearsal", "max_tokens": 10, "messages": asked.messages, "metadata": {"user_id": "x"}}
    request = MessagesRequest.model_validate_json(json.dumps(body))
    (block,) = play(request, DRAWS, inventions).content
    rules: list[Found] = json.loads(str(block["text"]))["rules"]
    return rules


def marked() -> dict[str, set[int]]:
    entries = tomllib.loads((DOCUMENTS / "marks.toml").read_text(encoding="utf-8"))["document"]
    found: dict[str, set[int]] = {}
    for entry in entries:
        lines = (DOCUMENTS / entry["file"]).read_text(encoding="utf-8").splitlines()
        places = [[number for number, line in enumerate(lines, start=1) if text in line] for text in entry["rules"]]
        assert all(len(place) == 1 for place in places), (entry["file"], places)
        found[entry["file"]] = {place[0] for place in places}
    return found


def test_at_least_sixty_percent_of_the_marked_rules_are_found_and_most_of_what_is_found_is_marked() -> None:
    marks = marked()
    found = {name: {rule["line"] for rule in extracted(name)} for name in marks}
    hits = sum(len(found[name] & marks[name]) for name in marks)
    assert len(marks) == 5
    assert hits / sum(len(lines) for lines in marks.values()) >= 0.6
    assert hits / sum(len(lines) for lines in found.values()) >= 0.6


def test_every_quote_stands_at_its_line_unless_one_was_invented_by_draw() -> None:
    for name in marked():
        lines = (DOCUMENTS / name).read_text(encoding="utf-8").splitlines()
        assert all(rule["quote"] in lines[rule["line"] - 1] for rule in extracted(name))
        invented = [rule for rule in extracted(name, inventions=1.0) if rule["quote"] not in lines[rule["line"] - 1]]
        assert len(invented) == 1


def test_common_conventions_come_with_their_check() -> None:
    kinds = {(rule["kind"], rule["check"]) for name in marked() for rule in extracted(name)}
    wanted = {
        ("python_ast", "hints.public"),
        ("commit", "subject.max_length"),
        ("diff", "companion"),
        ("text", "lines.max_length"),
    }
    assert wanted <= kinds
