from pathlib import Path

from harness.starter.project import look


def write(root: Path, *names: str, **texts: str) -> None:
    for name, text in {**dict.fromkeys(names, ""), **texts}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_an_empty_folder_has_nothing(tmp_path: Path) -> None:
    found = look(tmp_path)
    assert (found.skills, found.tests, found.linters, found.contributing, found.suites) == ((), (), (), None, ())
    assert not found.is_git


def test_folders_of_skills_come_before_single_instruction_files(tmp_path: Path) -> None:
    write(tmp_path, "CLAUDE.md", "AGENTS.md", ".claude/skills/review/SKILL.md", "skills/coding/SKILL.md", "skills/other/notes.md")
    assert [str(path) for path in look(tmp_path).skills] == ["skills/coding", ".claude/skills/review", "AGENTS.md", "CLAUDE.md"]


def test_tools_are_known_by_their_files_and_by_their_tables(tmp_path: Path) -> None:
    write(
        tmp_path,
        ".flake8",
        ".github/CONTRIBUTING.md",
        **{"pyproject.toml": "[tool.ruff]\n[tool.pytest.ini_options]\n[tool.mypy]\n"},
    )
    found = look(tmp_path)
    assert (found.tests, found.linters) == (("pytest",), ("ruff", "mypy", "flake8"))
    assert found.contributing == Path(".github/CONTRIBUTING.md")


def test_a_broken_pyproject_counts_as_none(tmp_path: Path) -> None:
    write(tmp_path, "tests/test_a.py", **{"pyproject.toml": "[tool.ruff"})
    assert (look(tmp_path).tests, look(tmp_path).linters) == (("pytest",), ())


def test_suites_are_found_where_they_are_kept(tmp_path: Path) -> None:
    write(tmp_path, "task_suites/ours/suite.toml", "task_suites/draft/notes.md")
    assert look(tmp_path).suites == (Path("task_suites/ours"),)
