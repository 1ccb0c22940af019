from collections.abc import Callable
from pathlib import Path

import pytest

from harness.ledger.store import Store
from harness.report.markdown import build_markdown, escaped, write_markdown

Ledgers = Callable[[str], Path]


def markdown(path: Path) -> str:
    with Store.read(path) as store:
        return build_markdown(store, store.campaigns()[-1])


def test_the_summary_answers_first_and_then_shows_gates_and_every_generation(ledger: Ledgers) -> None:
    text = markdown(ledger("promoted"))
    assert text.startswith("## Generation 3 is the new baseline\n")
    rows = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| ")]
    assert rows[:4] == ["| gate", "| Tests", "| Style", "| Review"]
    assert sorted(rows[5:]) == ["| 1", "| 2", "| 3", "| 4"]


def test_every_row_of_a_table_has_as_many_cells_as_its_head(ledger: Ledgers) -> None:
    blocks = [block.splitlines() for block in markdown(ledger("promoted")).split("\n\n") if block.startswith("| ")]
    assert blocks
    for head, _, *rows in blocks:
        assert {row.replace("\\|", "").count("|") for row in rows} == {head.count("|")}


@pytest.mark.parametrize("kind", ["none", "screened"])
def test_where_nothing_was_promoted_it_says_so(ledger: Ledgers, kind: str) -> None:
    assert markdown(ledger(kind)).startswith("## Nothing was promoted; the baseline stays\n")


def test_a_rehearsal_is_marked(ledger: Ledgers) -> None:
    text = markdown(ledger("rehearsal"))
    assert text.startswith("## REHEARSAL: ")
    assert "says nothing about the skill" in text


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("a | b", "a \\| b"),
        ("![x](https://e.example/p.png)", "\\!\\[x\\](https:<!-- -->//e.example/p.png)"),
        ("<img src=x>", "&lt;img src=x&gt;"),
        ("@team `rm`", "@<!-- -->team \\`rm\\`"),
        ("# head\nline", "\\# head line"),
        ("- item", "\\- item"),
        ("1. item", "1\\. item"),
        ("evil\u202ename", "evil⟨U+202E⟩name"),
    ],
)
def test_text_of_the_ledger_cannot_become_markup(hostile: str, shown: str) -> None:
    assert escaped(hostile) == shown


def test_the_file_is_written_whole_and_below_a_new_folder(ledger: Ledgers, tmp_path: Path) -> None:
    with Store.read(ledger("promoted")) as store:
        write_markdown(store, store.campaigns()[-1], tmp_path / "new/summary.md")
        assert (tmp_path / "new/summary.md").read_text(encoding="utf-8") == build_markdown(store, store.campaigns()[-1])
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["summary.md"]
