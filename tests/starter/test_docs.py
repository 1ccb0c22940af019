"""Every command in README and docs is one that this harness takes, with options that it has."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SECTION = re.compile(r"^##+ `harness ([a-z -]+)`$", re.MULTILINE)


def known() -> dict[str, str]:
    """The text about each command in docs/commands.md, which is made from the code."""
    parts = SECTION.split((ROOT / "docs/commands.md").read_text(encoding="utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def commands(page: Path) -> list[list[str]]:
    """The words of every command in the page's blocks of code, comments left out."""
    lines = re.findall(r"^    (?:\$ )?(harness [a-z].*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    parts = [part.strip() for line in lines for part in re.split(r"&&|\s{3,}|\s#\s|\s\|\s", line)]
    return [shlex.split(part, posix=False) for part in parts if part.startswith("harness ")]


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.name)
def test_every_command_of_a_page_exists_with_its_options(page: Path) -> None:
    told = known()
    for words in commands(page):
        name = next((" ".join(words[1:count]) for count in (3, 2) if " ".join(words[1:count]) in told), "")
        assert name, f"{page.name}: {' '.join(words)}"
        for option in (word for word in words if re.fullmatch(r"--?[a-z][a-z-]*", word)):
            assert f"`{option}" in told[name] or f" {option}`" in told[name] or f"{option} " in told[name], " ".join(words)
