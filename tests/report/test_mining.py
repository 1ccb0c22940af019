from __future__ import annotations

import re

from harness.report.mining import figures_of, mining_page
from harness.report.page import csp_hash
from harness.suites.candidates import Outcome
from harness.suites.splitting import Placed
from harness.task import Split

KEPT = Outcome(
    fix="a" * 40,
    date="2026-01-02T00:00:00+00:00",
    title="<b>Sizes</b> count",
    task="box-1",
    difficulty="easy",
    lines=4,
    failing=2,
    passing=3,
    left_out=("x",),
    author="template",
    fixes=("mock beside what is declared",),
    tried=True,
    seconds=2.0,
)
LATER = KEPT.model_copy(update={"task": "box-2", "fix": "d" * 40, "difficulty": "hard", "seconds": 4.0})
REJECTED = Outcome(
    fix="b" * 40,
    date="2026-01-03",
    title="Secret title",
    reason="timeout",
    detail="after 60 s",
    log="<script>",
    tried=True,
    seconds=9.0,
)
SEEN = Outcome(fix="c" * 40, date="2026-01-04", title="Docs", reason="no source", detail="no Python file")
ALL = (SEEN, REJECTED, LATER, KEPT)
PLACES = (
    Placed(task="box-1", split=Split.DEV, cluster="box-1"),
    Placed(task="box-2", split=Split.HOLDOUT, cluster="box-1"),
)


def page(*, private: bool = False) -> str:
    return mining_page("box", ALL, PLACES, ("style: its own",), private=private)


def test_figures_count_what_was_tried_and_the_median_of_its_seconds() -> None:
    found = figures_of(ALL)
    assert (found.steps, found.tried, found.kept, found.share, found.seconds) == (4, 3, 2, "67%", 4.0)
    assert figures_of(()).share == "none"


def test_the_page_has_the_kept_by_difficulty_and_every_other_with_its_reason() -> None:
    text = page()
    assert "2 tasks of 3 candidates" in text
    assert text.index("easy, 1") < text.index("box-1") < text.index("hard, 1") < text.index("box-2")
    assert "near-duplicate of box-1" in text
    assert "mock beside what is declared; 1 test left out" in text
    assert "1 timeout" in text
    assert "after 60 s" in text
    assert "1 no source" in text
    assert "style: its own" in text


def test_what_the_repository_says_is_escaped_and_nothing_may_run() -> None:
    text = page()
    assert "<script" not in text
    assert "&lt;b&gt;Sizes&lt;/b&gt;" in text
    style = re.search(r"<style>(.*)</style>", text, re.DOTALL)
    assert style
    assert f"style-src '{csp_hash(style.group(1))}'; base-uri 'none'" in text
    assert "default-src 'none'" in text


def test_a_private_page_quotes_nothing_of_the_repository() -> None:
    text = page(private=True)
    assert not [words for words in ("Sizes", "Secret title", "after 60 s", "script") if words in text]
    assert "box-1" in text
    assert "timeout" in text


def test_a_run_that_kept_nothing_says_so() -> None:
    assert "No task was kept." in mining_page("box", (REJECTED,), (), (), private=True)
