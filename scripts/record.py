"""Records anew what commands print: docs/examples/session.txt, played in the small repository of docs/examples/shelf.

python scripts/record.py [--check]      with --check nothing is written, and an output that is not as told exits 1

A line after `$ ` is a command of the shell; what follows is what it printed, a long one shortened in the middle. `ID` is the
promotion that waits. It takes some minutes and a Docker engine; `python scripts/reference.py` weaves it into docs/commands.md.
"""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs/examples"
SESSION = EXAMPLES / "session.txt"
BEGIN, END = 20, 20  # lines of a long output that are shown
# What is another in each run or on each machine. Everything else must be as it is told.
VARIES = {
    r"\b[0-9a-f]{7,64}\b": "#",
    r"^ok    (python|git|disk|docker): .*": r"ok \1",
    r"\d{4}-\d\d-\d\d[T ]?\d\d:\d\d[\d:.]*(Z|\+00:00)?": "TIME",
    r"\b\d+(\.\d+)? (s|seconds|minutes|GB|MB)\b": r"N \2",
    r"^Seconds: .*": "Seconds:",
    r"[─━┏┳┓┡╇┩└┴┘┃│\s]+": " ",
}


def parsed(text: str) -> list[tuple[str, list[str]]]:
    """Commands with the lines that they printed."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(command, output.rstrip("\n").splitlines()) for command, _, output in (part.partition("\n") for part in parts)]


def shortened(lines: list[str]) -> list[str]:
    """The beginning and the end of a long output."""
    return lines if len(lines) <= BEGIN + END + 1 else [*lines[:BEGIN], "...", *lines[-END:]]


def comparable(lines: list[str]) -> list[str]:
    """Lines without what varies."""
    text = "\n".join(lines)
    for pattern, name in VARIES.items():
        text = "\n".join(re.sub(pattern, name, line).strip() for line in text.splitlines())
    return text.splitlines()


def make_repository(home: Path) -> Path:
    """The example with a commit for each of its functions, the same in every run; and beside it what some commands read."""
    source, folder = EXAMPLES / "shelf/repository", home / "shelf"
    shutil.copytree(EXAMPLES / "shelf/beside", home, dirs_exist_ok=True)
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.py.txt"))  # no Python of ours, and not linted as such
    make_suite(folder / "task_suites/small")
    _git(folder, "init", "-q", "-b", "main")
    _git(folder, "config", "user.name", "Jo")
    _git(folder, "config", "user.email", "jo@example.org")
    for number, message in enumerate((EXAMPLES / "shelf/history.txt").read_text(encoding="utf-8").splitlines(), start=1):
        for name in ("shelf.py", "tests/test_shelf.py"):
            blocks = (source / f"{name}.txt").read_text(encoding="utf-8").split("\n\n\n")
            (folder / name).write_text("\n\n\n".join(blocks[: number + 1]).rstrip() + "\n", encoding="utf-8")
        date = f"2026-11-{number:02}T12:00:00Z"
        _git(folder, "add", "-A")
        _git(folder, "commit", "-q", "-m", message, GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
    return folder


def make_suite(folder: Path) -> None:
    """Some tasks of the bundled suite as it stands, so that a night is short."""
    shutil.copytree(ROOT / "task_suites/pocket", folder, ignore=shutil.ignore_patterns("projects", "build.py"))
    head, _, tasks = (folder / "suite.toml").read_text(encoding="utf-8").partition("[tasks]\n")
    by_split: dict[str, list[str]] = {"dev": [], "holdout": []}
    for line in tasks.splitlines():
        text = (folder / "tasks" / line.split(" ")[0] / "task.toml").read_text(encoding="utf-8")
        by_split["dev" if 'split = "dev"' in text else "holdout"].append(line)
    lines = [*by_split["dev"][::2], *by_split["holdout"][::3]]
    head = head.replace('id = "pocket"', 'id = "small"')
    (folder / "suite.toml").write_text("\n".join([f"{head}[tasks]", *lines, ""]), encoding="utf-8")


def _git(folder: Path, *argv: str, **env: str) -> None:
    subprocess.run(["git", *argv], cwd=folder, check=True, env=os.environ | env)


def played(commands: list[str], folder: Path) -> list[tuple[str, list[str]]]:
    """Run commands one after the other in a repository; the folder that it lies in is told as `~`.

    Raises:
        SystemExit: one could not do what it is there for.
    """
    home = folder.parent
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("HARNESS_", "ANTHROPIC_"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = clean | {"HOME": str(home), "PATH": path, "LOGNAME": "jo", "LC_ALL": "C.UTF-8", "TERM": "dumb"}
    found, waiting = [], "ID"
    for command in commands:
        argv = ["bash", "-c", command.replace("ID", waiting)]
        done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=False)
        said = (done.stdout + done.stderr).replace(str(home), "~").replace(str(ROOT), "~/coding-skill-harness")
        sys.stderr.write(f"{done.returncode} $ {command}\n{said}")  # a run takes long, and is read while it goes on
        if done.returncode not in {0, 1, 4}:
            raise SystemExit(said)
        waiting = next(iter(re.findall(r"waits for a person: harness promote (\w+)", said)), waiting)
        found.append((command, shortened([line.rstrip() for line in said.rstrip().splitlines()])))
    return found


def main(*, check: bool) -> int:
    """0 when every output is as told, or was written."""
    told = parsed(SESSION.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="harness-session-") as home:
        printed = played([command for command, _ in told], make_repository(Path(home).resolve()))
    if not check:
        SESSION.write_text("\n".join("\n".join([f"$ {command}", *lines, ""]) for command, lines in printed), encoding="utf-8")
        return 0
    differ = 0
    for (command, before), (_, now) in zip(told, printed, strict=True):
        if comparable(before) != comparable(now):
            differ += 1
            diff = difflib.unified_diff(comparable(before), comparable(now), "as told", "as printed", lineterm="")
            sys.stdout.write("\n".join([f"$ {command}", *diff, ""]))
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv[1:]))
