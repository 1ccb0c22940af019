import importlib.util
from pathlib import Path

from harness.ledger.results import COLUMNS, write_results
from harness.ledger.store import Store


def test_one_line_per_decision_with_its_rates_status_and_reason(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("sample_for_results", Path(__file__).with_name("sample.py"))
    assert spec is not None
    assert spec.loader is not None
    sample = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sample)
    sample.fill(tmp_path / "ledger.db")
    with Store.read(tmp_path / "ledger.db") as store:
        write_results(store, tmp_path / "results.tsv")
    head, *lines = (line.split("\t") for line in (tmp_path / "results.tsv").read_text("utf-8").splitlines())
    assert tuple(head) == COLUMNS
    assert [line[1:4] for line in lines[:3]] == [["", "", ""], ["", "", ""], ["79.9", "86.8", "82.6"]]
    assert [line[5] for line in lines] == ["discard", "discard", "keep", "discard"]
    assert "function⟨U+200B⟩" in lines[3][6]
    assert {len(line) for line in lines} == {len(COLUMNS)}
