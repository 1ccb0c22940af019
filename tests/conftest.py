"""A small honest task, a suite of it on disk, and ledgers of whole campaigns; and the settings of property tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import configuration, settings

from harness.suites.emit import Entry, emit_task
from harness.task import Samples, Split, Task
from harness.tree import Edit, Tree, edited
from tests.ledger import sample

if TYPE_CHECKING:
    from collections.abc import Callable

# The same examples in every run, and none kept: a test that fails here fails everywhere.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")
configuration.set_hypothesis_home_dir(Path(".pytest_cache", "hypothesis"))  # what it still writes goes to the other caches

_SOURCE = '''\
"""Prices of a basket."""


def total(prices: list[int], discount: int = 0) -> int:
    """Return the sum of all prices in cents, less a discount in percent."""
    if not 0 <= discount <= 100:
        raise ValueError(discount)
    full = sum(prices)
    # Half a cent goes to the customer.
    return full - -(-full * discount // 100)
'''
_TESTS = '''\
from basket.prices import total


def test_sum() -> None:
    """Prices add up."""
    assert total([1, 2]) == 3


def test_discount() -> None:
    """A discount is taken off."""
    assert total([100], 25) == 75
'''
_REFERENCE = Tree.of(
    {
        "CHANGELOG.md": "# Changes\n\n- Added `discount` to `total`.\n",
        "CONTRIBUTING.md": "# Contributing\n\nRun the tests. Every change adds a line to CHANGELOG.md.\n",
        "src/basket/__init__.py": "",
        "src/basket/prices.py": _SOURCE,
        "tests/test_prices.py": _TESTS,
    }
)
_UNDO = (
    Edit(file="CHANGELOG.md", find="- Added `discount` to `total`.\n"),
    Edit(file="src/basket/prices.py", find=", discount: int = 0"),
    Edit(file="src/basket/prices.py", find=", less a discount in percent"),
    Edit(file="src/basket/prices.py", find="    if not 0 <= discount <= 100:\n        raise ValueError(discount)\n"),
    Edit(
        file="src/basket/prices.py",
        find=_SOURCE[_SOURCE.index("    full =") :],
        replace="    return sum(prices)\n",
    ),
    Edit(file="tests/test_prices.py", find=_TESTS[_TESTS.index("\n\ndef test_discount") :]),
)
_SAMPLES = Samples(
    behaviour=(
        Edit(file="src/basket/prices.py", find="full - -(-full * discount // 100)", replace="full - full * discount // 100"),
    ),
    style=(
        Edit(file="CHANGELOG.md", find="- Added `discount` to `total`.\n"),
        Edit(file="src/basket/prices.py", find="sum(prices)\n", replace="sum( prices )\n"),
    ),
    defect=(
        Edit(
            file="src/basket/prices.py",
            find="        raise ValueError(discount)\n",
            replace='        print("bad discount", discount)\n        raise ValueError(discount)\n',
        ),
    ),
)


@pytest.fixture(scope="session")
def task() -> Task:
    """A task of three changed files, with samples."""
    return Task(
        id="basket-discount",
        project="basket",
        split=Split.DEV,
        instruction="## Problem\n\nThere is no discount.\n\n## Expected\n\n`total(prices, discount)` takes percents off.\n",
        difficulty="medium",
        kind="behaviour",
        interface=("basket.prices.total",),
        base=edited(_REFERENCE, _UNDO),
        reference=_REFERENCE,
        hidden=Tree.of(
            {"test_hidden.py": "from basket.prices import total\n\n\ndef test_it():\n    assert total([3], 50) == 1\n"}
        ),
        fail_to_pass=("test_hidden.py::test_it",),
        pass_to_pass=(),
        pack="",
        samples=_SAMPLES,
    )


@pytest.fixture(scope="session")
def suite_folder(task: Task, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of this one task on disk."""
    folder = tmp_path_factory.mktemp("suites") / "basket"
    emit_task(folder / "tasks" / task.id, Entry(task=task, title="Discounts", source="written"), ())
    lines = ['id = "basket"', 'version = "1"', "[tasks]", f"{json.dumps(task.id)} = {json.dumps(task.id_hash)}"]
    (folder / "suite.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A synthetic campaign's ledger by kind.

    promoted, rehearsal, none promoted, screened (no holdout), private (a leak), always (the baseline passes two gates always),
    reworded and rewritten (two lines of the skill, and all of it).
    """
    made: dict[str, Path] = {}
    steps = {"none": sample.STEPS[:2] + sample.STEPS[3:], "screened": sample.STEPS[:2], "private": (sample.LEAKED,)}
    steps |= {"always": (sample.PROMOTED,), "reworded": (sample.REWORDED,), "rewritten": (sample.REWRITTEN,)}

    def get(kind: str) -> Path:
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp(kind) / "ledger.db"
            seed = 8 if kind == "rehearsal" else 7
            flags = {"rehearsal": kind == "rehearsal", "private": kind == "private"}
            baseline = (9.0, sample.BASE_CHANCES[1], 9.0) if kind == "always" else sample.BASE_CHANCES
            sample.fill(made[kind], steps.get(kind, sample.STEPS), seed=seed, baseline=baseline, **flags)
        return made[kind]

    return get
