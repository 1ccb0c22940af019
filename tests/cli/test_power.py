"""Planning from the command line."""

import json
from pathlib import Path

from tests.cli.conftest import Harness


def test_a_design_is_answered_in_a_table_and_in_words(harness: Harness) -> None:
    text = harness("power", "--tasks", "20", "--repeats", "1", check=True).stdout
    for part in ("all three", "holdout tasks needed", "20 holdout tasks, 1 look", "at most 40 trials", "Warning", "$"):
        assert part in text


def test_scripts_get_the_same_as_one_document(harness: Harness) -> None:
    argv = ("power", "--tasks", "20", "--repeats", "1", "--effect", "0.3", "--json")
    document = json.loads(harness(*argv, check=True).stdout)
    assert (document["design"]["tasks"], document["trials_at_most"], len(document["one_gate"])) == (20, 40, 3)
    assert [need["effect"] for need in document["needs"]] == [0.3]


def test_a_design_that_is_none_is_an_input_error(harness: Harness) -> None:
    for argv in (("power", "--tasks", "9", "--suite", "x"), ("power", "--tasks", "9", "--rates", "1,2")):
        assert harness(*argv).returncode == 2


def test_without_a_design_the_configured_suite_is_meant_and_one_that_is_not_there_is_named(
    harness: Harness, tiny: Path, tmp_path: Path
) -> None:
    none = harness("power", cwd=tmp_path)
    assert (none.returncode, "suite.toml: not found" in none.stderr) == (2, True)
    (tmp_path / "harness.toml").write_text(f"[suite]\npath = {json.dumps(str(tiny))}\n", encoding="utf-8")
    document = json.loads(harness("power", "--repeats", "1", "--json", check=True, cwd=tmp_path).stdout)
    assert document["design"]["tasks"] == 4


def test_without_a_ledger_there_is_nothing_to_prune_or_roll_back_and_none_is_made(harness: Harness) -> None:
    for argv in (("prune",), ("rollback", "--reason", "no")):
        done = harness(*argv)
        assert done.returncode == 2
        assert "no ledger here" in done.stderr
