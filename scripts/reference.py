"""Writes the docs that are made from code: docs/configuration.md from the settings' models, docs/commands.md from the commands.

python scripts/reference.py [--check]      with --check nothing is written, and a page that is behind the code exits 1
"""

import html
import subprocess
import sys
from pathlib import Path

from harness.starter.settings import reference

DOCS = Path(__file__).parents[1] / "docs"


def commands() -> str:
    """Every command with its options, by typer's own documentation tool."""
    argv = [sys.executable, "-m", "typer", "harness.cli.app", "utils", "docs", "--name", "harness", "--title", "Commands"]
    made = subprocess.run(argv, capture_output=True, text=True, check=True, env={"TERM": "dumb", "COLUMNS": "200"}).stdout
    told = "Made from the commands by `python scripts/reference.py`; do not edit."
    return html.unescape(made).replace("# Commands\n", f"# Commands\n\n{told}\n", 1).rstrip() + "\n"


def main(*, check: bool) -> int:
    """0 when all is up to date, or was written."""
    behind = 0
    for name, text in {"configuration.md": reference(), "commands.md": commands()}.items():
        path = DOCS / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        behind += 1
        sys.stdout.write(f"docs/{name} {'is behind the code; run python scripts/reference.py' if check else 'written'}\n")
        if not check:
            path.write_text(text, encoding="utf-8")
    return int(check and behind > 0)


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv[1:]))
