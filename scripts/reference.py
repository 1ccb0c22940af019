"""Writes the docs that are made from code: docs/configuration.md from the settings' models, docs/commands.md from the commands.

python scripts/reference.py [--check]      with --check nothing is written, and a page that is behind the code exits 1
"""

import html
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from record import SESSION, parsed

from harness.starter.settings import reference

TOLD = """\
Made from the commands by `python scripts/reference.py`; do not edit. What they print was recorded by `python scripts/record.py`
in the small repository of `docs/examples/shelf`, in one session (`docs/examples/session.txt`) that a test plays again. The
rehearsal service stands in for the model. `...` stands where a long output was shortened."""
SECTION = re.compile(r"^(?=##+ `harness )", re.MULTILINE)
DOCS = Path(__file__).parents[1] / "docs"


def commands() -> str:
    """Every command with its options, by typer's own documentation tool, and with what it printed."""
    argv = [sys.executable, "-m", "typer", "harness.cli.app", "utils", "docs", "--name", "harness", "--title", "Commands"]
    made = subprocess.run(argv, capture_output=True, text=True, check=True, env={"TERM": "dumb", "COLUMNS": "200"}).stdout
    head, *sections = SECTION.split(html.unescape(made).replace("# Commands\n", f"# Commands\n\n{TOLD}\n", 1))
    shown = examples([section.split("`")[1] for section in sections])
    return (
        "\n\n".join(part.rstrip() for part in (head, *(part for it in sections for part in (it, *shown[it.split("`")[1]]))))
        + "\n"
    )


def examples(names: list[str]) -> dict[str, list[str]]:
    """By command, the recorded session's parts that show it; what no command of ours prepares stands above the one it is for."""
    found, before = defaultdict[str, list[str]](list), ""
    for command, lines in parsed(SESSION.read_text(encoding="utf-8")):
        before += "\n".join([f"$ {command}", *lines, ""])
        called = [name for name in names if f"{command} ".startswith(f"{name} ") or f" {name} " in f"{command} "]
        if called:
            found[max(called, key=len)].append(f"```console\n{before}```")
            before = ""
    return found


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
