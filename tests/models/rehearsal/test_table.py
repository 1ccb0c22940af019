from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness.models.rehearsal.table import Asker, TableReader, TableWriter


def test_an_announced_tag_is_found_with_all_that_was_said(tmp_path: Path) -> None:
    TableWriter(tmp_path / "tags").announce("t", "coder", "screen/-/x", "task-1")
    expected = Asker(tag="t", role="coder", subject="screen/-/x", task="task-1")
    assert TableReader(tmp_path / "tags").find("t") == expected


def test_a_tag_announced_later_is_found_later(tmp_path: Path) -> None:
    reader, writer = TableReader(tmp_path / "tags"), TableWriter(tmp_path / "tags")
    assert reader.find("t") is None
    writer.announce("s", "coder", "a", "")
    writer.announce("t", "coder", "b", "")
    assert [asker and asker.subject for asker in map(reader.find, "st")] == ["a", "b"]


def test_a_line_that_is_still_being_written_is_left_for_the_next_time(tmp_path: Path) -> None:
    reader = TableReader(tmp_path / "tags")
    line = Asker(tag="t", role="coder", subject="a", task="").model_dump_json()
    (tmp_path / "tags").write_text(line[:20])
    assert reader.find("t") is None
    (tmp_path / "tags").write_text(f"{line}\n")
    assert reader.find("t") is not None


def test_a_tag_is_written_once_and_threads_do_not_mix_their_lines(tmp_path: Path) -> None:
    writer = TableWriter(tmp_path / "tags")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: writer.announce(str(number % 50), "coder", "s" * 200, ""), range(400)))
    lines = (tmp_path / "tags").read_text().splitlines()
    assert sorted({Asker.model_validate_json(line).tag for line in lines}, key=int) == [str(number) for number in range(50)]
    assert len(lines) == 50
