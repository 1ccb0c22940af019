import pytest

from harness.style.suppressions import new_suppressions
from harness.tree import Tree

BASE = Tree.of({"a.py": "x = 1  # noqa: E501\n", "pyproject.toml": '[project]\nname = "a"\n[tool.ruff]\nline-length = 88\n'})


def found(after: dict[str, str], reference: Tree = BASE, renames: tuple[tuple[str, str], ...] = ()) -> list[tuple[str, str, int]]:
    tree = Tree.of({**BASE.by_path, **after})
    return [(item.rule, item.path, item.line) for item in new_suppressions(BASE, tree, reference, renames)]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa:F401",
        "# NoQA: E501",
        "# ruff: noqa",
        "# ruff: noqa: F401",
        "# ruff: disable[E501]",
        "# flake8: noqa",
        "# fmt: off",
        "# fmt: skip",
        "# isort: skip_file",
        "# pylint: disable=all",
        "# why not  # noqa",
    ],
)
def test_a_new_suppression_is_a_finding(comment: str) -> None:
    assert found({"b.py": f"x = 1  {comment}\n"}) == [("suppression", "b.py", 1)]


@pytest.mark.parametrize("line", ["# nothing", 's = "# noqa"', "# see ruff for why", "# the format: off by one"])
def test_words_that_switch_nothing_off_are_left_alone(line: str) -> None:
    assert found({"b.py": f"{line}\n"}) == []


def test_a_suppression_from_before_may_move() -> None:
    assert found({"a.py": "y = 2\nx = 1  # noqa:   E501\n"}) == []


def test_one_more_of_the_same_is_new() -> None:
    assert found({"a.py": "x = 1  # noqa: E501\ny = 2  # noqa: E501\n"}) == [("suppression", "a.py", 2)]


def test_a_suppression_that_the_reference_needs_too_is_allowed() -> None:
    needed = {"a.py": "x = 1  # noqa: E501\ny = 2  # noqa: S105\n"}
    assert found(needed, reference=Tree.of({**BASE.by_path, **needed})) == []


def test_linter_settings_may_not_be_edited_nor_added() -> None:
    settings = {"pyproject.toml": '[project]\nname = "a"\n[tool.ruff]\nline-length = 200\n'}
    assert found(settings) == [("lint-configuration", "pyproject.toml", 1)]
    assert found({"src/ruff.toml": ""}) == [("lint-configuration", "src/ruff.toml", 1)]
    assert found({".ignore": "a.py\n"}) == [("lint-configuration", ".ignore", 1)]
    assert found({"src/pyproject.toml": "[tool.ruff]\n"}) == [("lint-configuration", "src/pyproject.toml", 1)]
    assert found({"pyproject.toml": "no toml"}) == [("lint-configuration", "pyproject.toml", 1)]


def test_other_settings_of_the_project_may_be_edited() -> None:
    assert found({"pyproject.toml": '[project]\nname = "b"\n[tool.ruff]\nline-length = 88\n'}) == []
    assert found({"docs/pyproject.toml": '[project]\nname = "b"\n'}) == []


def test_settings_that_the_reference_edits_too_are_the_tasks_business() -> None:
    settings = {"pyproject.toml": "[tool.ruff]\nline-length = 100\n"}
    assert found(settings, reference=Tree.of({**BASE.by_path, **settings})) == []


def test_a_suppression_in_a_notebook_is_seen() -> None:
    assert found({"n.ipynb": '{"cells": [{"source": [\n"import os  # noqa"]}]}'}) == [("suppression", "n.ipynb", 2)]


def test_a_suppression_in_a_file_that_cannot_be_parsed_is_seen() -> None:
    assert found({"b.py": "x = 1  # noqa\ndef f(:\n"}) == [("suppression", "b.py", 1)]


@pytest.mark.parametrize(
    "comment",
    ["# type: ignore", "# type: ignore[attr-defined]", "# mypy: ignore-errors", "# pyright: ignore", "# pyright: basic"],
)
def test_type_checkers_are_not_switched_off_either(comment: str) -> None:
    assert found({"b.py": f"x = 1  {comment}\n"}) == [("suppression", "b.py", 1)]


@pytest.mark.parametrize(
    "comment",
    ["// eslint-disable-next-line", "/* eslint-disable */", "/* eslint no-var: 0 */", "// @ts-ignore", "// prettier-ignore"],
)
def test_suppressions_of_scripts_are_seen(comment: str) -> None:
    assert found({"web/a.ts": f"let x = 1; {comment}\n"}) == [("suppression", "web/a.ts", 1)]
    assert found({"web/a.txt": f"{comment}\n"}) == []


@pytest.mark.parametrize("name", [".flake8", "mypy.ini", "web/eslint.config.mjs", ".eslintrc.json", "pylintrc"])
def test_files_that_configure_other_linters_may_not_be_added(name: str) -> None:
    assert found({name: ""}) == [("lint-configuration", name, 1)]


def test_only_the_linters_sections_of_shared_files_count() -> None:
    assert found({"setup.cfg": "[metadata]\nname = a\n"}) == []
    assert found({"setup.cfg": "[metadata]\nname = a\n[mypy]\nstrict = false\n"}) == [("lint-configuration", "setup.cfg", 1)]
    assert found({"tox.ini": "[flake8\n"}) == [("lint-configuration", "tox.ini", 1)]
    assert found({"sub/pyproject.toml": "[tool.mypy]\n"}) == [("lint-configuration", "sub/pyproject.toml", 1)]
