"""A Harbor dataset on the command line: shown with what is left out, and admitted in a real container."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Harness
from tests.suites.test_harbor import dataset


def test_a_dataset_is_shown_with_the_tasks_that_are_left_out_and_why(harness: Harness, tmp_path: Path) -> None:
    folder = dataset(tmp_path / "shop")
    other = dataset(tmp_path / "other", **{"tests/test.sh": "#!/bin/sh\n./check\n"})
    shutil.copytree(other / "make-total", folder / "by-hand")
    shown = json.loads(harness("suite", "show", str(folder), "--json", check=True).stdout)
    assert [task["id"] for task in shown["tasks"]] == ["make-total"]
    assert shown["left_out"] == [{"id": "by-hand", "reason": "tests/test.sh does not run pytest"}]
    text = harness("suite", "show", str(folder), check=True).stdout
    assert "by-hand: left out: tests/test.sh does not run pytest" in text
    assert "Tasks without a reference: agent `reference` changes nothing" in text


@pytest.mark.docker
@pytest.mark.soak
def test_a_dataset_is_admitted_as_it_stands(harness: Harness, tmp_path: Path) -> None:
    found = json.loads(harness("suite", "check", str(dataset(tmp_path / "shop")), "--json", check=True).stdout)
    assert [(task["id"], task["admitted"], task["reasons"]) for task in found["tasks"]] == [("make-total", True, [])]
