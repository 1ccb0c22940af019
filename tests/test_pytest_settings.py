from __future__ import annotations

import pytest

from harness.pytest_settings import pytest_settings
from harness.tree import Tree


@pytest.mark.parametrize(
    ("files", "path", "ini"),
    [
        (
            {"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = "lib"\nmarkers = ["slow: s"]\naddopts = "-x"\n'},
            ("lib", "src", "."),
            "[pytest]\nmarkers =\n    slow: s\n",
        ),
        (
            {"pytest.ini": "[pytest]\npythonpath = a b\nfilterwarnings =\n    error\n    ignore::X\n", "pyproject.toml": "["},
            ("a", "b", "src", "."),
            "[pytest]\nfilterwarnings =\n    error\n    ignore::X\n",
        ),
        ({"setup.cfg": "[tool:pytest]\nasyncio_mode = auto\n"}, ("src", "."), "[pytest]\nasyncio_mode =\n    auto\n"),
        ({"tox.ini": "no section\n"}, ("src", "."), "[pytest]\n"),
    ],
)
def test_import_path_markers_warnings_and_asyncio_mode_carry_over(files: dict[str, str], path: tuple[str, ...], ini: str) -> None:
    settings = pytest_settings(Tree.of(files))
    assert (settings.import_path, settings.ini) == (path, ini)


@pytest.mark.parametrize(
    ("files", "places"),
    [
        ({"pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["tests", "docs"]\n'}, ("tests", "docs")),
        ({"pytest.ini": "[pytest]\ntestpaths = tests docs\n"}, ("tests", "docs")),
        ({"pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = "tests docs"\n'}, ("tests", "docs")),
        ({"setup.cfg": "[tool:pytest]\ntestpaths =\n    ./tests\n    'my docs/'\n"}, ("tests", "my docs")),
        ({"pytest.ini": "[pytest]\ntestpaths = it's\n"}, ("it's",)),
        ({"pytest.ini": "[pytest]\ntestpaths = . tests\n"}, ()),
        ({"tox.ini": "[pytest]\n"}, ()),
    ],
)
def test_where_the_tests_are_is_read_from_the_projects_settings(files: dict[str, str], places: tuple[str, ...]) -> None:
    assert pytest_settings(Tree.of(files)).testpaths == places
