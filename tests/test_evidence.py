from __future__ import annotations

import pytest

from harness.evidence import TestReport


@pytest.mark.parametrize(
    ("problem", "modules"),
    [
        ("collection error in tests/test_a.py: ImportError: x", ("tests/test_a.py",)),
        ("collection error in test_a.py, test_b.py: ValueError in x: y", ("test_a.py", "test_b.py")),
        ("timed out after 60 s", ()),
        ("", ()),
    ],
)
def test_a_report_knows_the_modules_that_could_not_be_collected(problem: str, modules: tuple[str, ...]) -> None:
    report = TestReport(expected=(), tests=(), canaries=0, canaries_failed=0, exit_code=2, problem=problem)
    assert report.uncollected == modules
