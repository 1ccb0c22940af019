from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROWS = [
    line for line in (TESTS.parent / "docs/security.md").read_text(encoding="utf-8").splitlines() if re.match(r"\| \d+ \|", line)
]


def test_the_table_has_every_attack_and_names_a_test_that_exists_for_it() -> None:
    assert [int(row.split("|")[1]) for row in ROWS] == list(range(1, 30))
    missing = []
    for row in ROWS:
        quoted = re.findall(r"`([^`]+)`", row.split("|")[4])
        files = [name for name in quoted if name.endswith(".py")]
        text = "".join((TESTS / name).read_text(encoding="utf-8") for name in files)
        missing += [name for name in quoted if name not in files and name not in text]
        assert files
    assert missing == []
