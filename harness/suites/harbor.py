"""Reads a Harbor dataset, a folder of task folders, as a suite, without changing a byte of it.

What Harbor leaves to a Dockerfile is read only as far as the sandbox can do the same: files copied into the working folder and
pinned Python packages. A task that needs more is left out, with the reason. Such tasks have no reference and no rule pack.
"""

from __future__ import annotations

import ast
import json
import posixpath
import re
import shlex
import tomllib
from importlib.metadata import version
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from harness.errors import InputError, SuiteError
from harness.python_source import syntax_tree
from harness.task import PYTHON, Split, Suite, Task
from harness.tree import Tree
from harness.tree_io import read_tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.tree import File

TOOLS = ("pytest", "ruff")
_SILENT = frozenset({"CMD", "ENTRYPOINT", "EXPOSE", "LABEL", "MAINTAINER", "SHELL"})  # what an agent's shell does not see
_PRESENT = frozenset({"bash", "ca-certificates", "git", "python3", "python3-pip", "python3-venv"})  # in the sandbox's image
RUNS_ON = ("3.10", "3.11", "3.12", "3.13", "3.14")  # Pythons that the pytest of every suite runs on
_OWN_PINS = frozenset({"pip", "pytest", "pytest-json-ctrf", "ruff", "setuptools", "uv", "wheel"})


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class _Timeout(_Open):
    timeout_sec: float | None = None


class _Environment(_Open):
    docker_image: str | None = None
    os: str = "linux"


class _TaskFile(_Open):
    agent: _Timeout = _Timeout()
    verifier: _Timeout = _Timeout()
    environment: _Environment = _Environment()
    steps: tuple[JsonValue, ...] | None = None
    metadata: dict[str, JsonValue] = Field(default_factory=dict)


class UnreadableError(ValueError):
    """The sandbox cannot do what a task asks for; the message says what and where."""


def dataset_tasks(folder: Path) -> tuple[Path, ...]:
    """The task folders of a Harbor dataset, directly below it or below its `tasks`; empty where it is none."""
    return tuple(sorted(path.parent for place in (folder, folder / "tasks") for path in place.glob("*/task.toml")))


def read_dataset(folder: Path) -> Suite:
    """The dataset's tasks that the sandbox can run, all in the dev split; the others stand in `left_out` with their reasons.

    Raises:
        SuiteError: none can be run, or they are of a suite that has lost its suite.toml, and with it packs and splits.
    """
    tasks, left_out = [], []
    for place in dataset_tasks(folder):
        try:
            tasks.append(_task(place))
        except UnreadableError as error:
            left_out.append((place.name, str(error)))
    if not tasks:
        why = "; ".join(f"{name}: {reason}" for name, reason in left_out[:3])
        raise SuiteError(f"{folder}: no task of this Harbor dataset can be run in the sandbox ({why})")
    tools = tuple((name, version(name)) for name in TOOLS)
    name = folder.resolve().name
    return Suite(id=name, version="harbor", tasks=tuple(tasks), packs=(), tools=tools, left_out=tuple(left_out))


def _task(folder: Path) -> Task:
    head = _head(folder / "task.toml")
    if "harness" in head.metadata:
        raise SuiteError(
            f"{folder.parent.parent / 'suite.toml'}: not found; name a folder that holds one, or give it back to this: "
            f"task {folder.name} is of a suite, not of a Harbor dataset"
        )
    if head.steps:
        raise UnreadableError("has several steps")
    if head.environment.os != "linux" or head.environment.docker_image:
        raise UnreadableError("needs an image of its own: environment.docker_image or os in task.toml")
    recipe = _Recipe(_read(folder / "environment"))
    hidden = _hidden(_read(folder / "tests"), recipe.workdir)
    return Task(
        id=folder.name,
        project=folder.name,
        split=Split.DEV,
        instruction=_text(folder / "instruction.md"),
        difficulty=str(head.metadata.get("difficulty", "medium")),
        kind="behaviour",
        interface=(),
        base=recipe.base,
        reference=recipe.base,
        hidden=hidden,
        fail_to_pass=tuple(sorted(name for path, file in hidden for name in _test_ids(path, file))),
        pass_to_pass=(),
        pack="",
        requirements=recipe.pins,
        agent_seconds=head.agent.timeout_sec or 900.0,
        tests_seconds=head.verifier.timeout_sec or 60.0,
    )


def _head(path: Path) -> _TaskFile:
    try:
        return _TaskFile.model_validate(tomllib.loads(_text(path)))
    except tomllib.TOMLDecodeError as error:
        raise UnreadableError(f"{path.name}: not valid TOML: {error}") from error
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise UnreadableError(f"{path.name}: {place}: {error.errors()[0]['msg']}") from error


def _read(folder: Path) -> Tree:
    try:
        return read_tree(folder)
    except InputError as error:
        raise UnreadableError(str(error)) from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise UnreadableError(f"{path.name}: cannot be read: {error.strerror}") from error


class _Recipe:
    """What a Dockerfile does, as far as the sandbox does the same: `base`, `pins` and `workdir`."""

    def __init__(self, context: Tree) -> None:
        file = context.get("Dockerfile")
        if file is None:
            raise UnreadableError("environment/ has no Dockerfile")
        self.workdir = "/"
        self._context = context
        self._files: dict[str, File | bytes | str] = {}
        self._pins: list[str] = []
        for number, word, rest in _instructions(file.text):
            try:
                self._do(word, rest)
            except UnreadableError as error:
                raise UnreadableError(f"environment/Dockerfile:{number}: {error}") from error
        inside = self.workdir.rstrip("/") + "/"
        outside = sorted(path for path in self._files if not path.startswith(inside))
        if outside:
            raise UnreadableError(f"environment/Dockerfile: puts {outside[0]} outside the working folder {self.workdir}")
        self.base = Tree.of({path.removeprefix(inside): content for path, content in self._files.items()})
        self.pins = tuple(sorted(dict.fromkeys(self._pins)))

    def _do(self, word: str, rest: str) -> None:
        if word == "WORKDIR":
            self.workdir = posixpath.normpath(posixpath.join(self.workdir, rest.strip()))
        elif word in {"COPY", "ADD"}:
            self._copy(_words(rest))
        elif word == "RUN":
            for command in re.split(r"&&|;", rest):
                self._run(_words(command))
        elif word == "FROM":
            image, _, tag = rest.split(maxsplit=1)[0].rpartition("/")[2].partition(":")
            if image not in {"python", "debian", "ubuntu"} or self._files:
                raise UnreadableError(f"builds on {rest.split(maxsplit=1)[0]}, which the sandbox is not")
            version = re.match(r"\d+\.\d+", tag) if image == "python" else None
            if version and version[0] not in RUNS_ON:
                raise UnreadableError(f"builds on Python {version[0]}, and the suite's tools run on {', '.join(RUNS_ON)}")
            self._pins = [pin for pin in self._pins if not pin.startswith(PYTHON)]
            self._pins += [f"{PYTHON}{version[0]}"] if version else []
        elif word not in _SILENT:
            raise UnreadableError(f"{word} has no counterpart in the sandbox")

    def _copy(self, words: list[str]) -> None:
        if len(words) < 2 or any(word.startswith("--") and not word.startswith("--chown") for word in words):  # noqa: PLR2004
            raise UnreadableError(f"cannot copy {' '.join(words)}")
        *sources, target = [word for word in words if not word.startswith("--")]
        place = posixpath.normpath(posixpath.join(self.workdir, target))
        for source in (posixpath.normpath(name).lstrip("/") for name in sources):
            whole = target.endswith(("/", ".")) or len(sources) > 1
            found = self._context.get(source)
            if found is not None:
                self._files[posixpath.join(place, posixpath.basename(source)) if whole else place] = found
                continue
            inside = "" if source == "." else f"{source}/"
            below = {path: file for path, file in self._context if path.startswith(inside)}
            if not below:
                raise UnreadableError(f"copies {source}, which environment/ does not hold")
            self._files |= {posixpath.join(place, path.removeprefix(inside)): file for path, file in below.items()}

    def _run(self, words: list[str]) -> None:
        match words:
            case [] | ["rm", "-rf", "/var/lib/apt/lists/*"] | ["mkdir", *_] | ["apt-get", "update", *_] | ["apt", "update", *_]:
                return
            case ["apt-get" | "apt", *rest] if "install" in rest:
                wanted = {name for name in rest[rest.index("install") + 1 :] if not name.startswith("-")}
                missing = sorted(name.partition("=")[0] for name in wanted if name.partition("=")[0] not in _PRESENT)
                if missing:
                    raise UnreadableError(f"installs the system package {missing[0]}")
            case ["pip" | "pip3", "install", *names] | ["python" | "python3", "-m", "pip", "install", *names]:
                self._pins += _pins(names)
            case ["uv", "pip", "install", *names]:
                self._pins += _pins(names)
            case _:
                raise UnreadableError(f"runs {words[0]}, which the sandbox cannot do beforehand")


def _instructions(text: str) -> Iterator[tuple[int, str, str]]:
    """(line from 1, word in capitals, the rest) of each instruction, its continuations joined."""
    lines = enumerate(text.splitlines(), start=1)
    for number, line in lines:
        whole = line.strip()
        while whole.endswith("\\"):
            after = next(lines, (0, ""))[1].strip()
            whole = whole[:-1] + ("\\" if after.startswith("#") else after)
        if whole and not whole.startswith("#"):
            word, _, rest = whole.partition(" ")
            yield number, word.upper(), rest.strip()


def _words(text: str) -> list[str]:
    try:
        if text.lstrip().startswith("["):
            return [str(word) for word in json.loads(text)]
        return shlex.split(text)
    except ValueError as error:
        raise UnreadableError(f"cannot be split into words: {text[:60]}") from error


def _pins(names: list[str]) -> Iterator[str]:
    for name in names:
        if name.startswith("-") and name not in {"-r", "--requirement", "-e", "--editable", "--index-url", "-i", "--find-links"}:
            continue
        if re.fullmatch(r"[A-Za-z0-9._-]+(?:\[[\w,-]+\])?==[\w.+!-]+", name) is None:
            raise UnreadableError(f"installs {name}, which is no package with a pinned version")
        if re.split(r"[\[=]", name)[0].lower() not in _OWN_PINS:
            yield name


def _hidden(tests: Tree, workdir: str) -> Tree:
    script = tests.get("test.sh")
    if script is None or "pytest" not in script.text:
        raise UnreadableError("tests/test.sh does not run pytest")
    found = {path: file for path, file in tests if path not in {"test.sh", "Dockerfile"}}
    for path, file in found.items():
        if workdir != "/" and re.search(rf"(?<![\w/.]){re.escape(workdir)}(?![\w-])", file.text):
            raise UnreadableError(f"tests/{path}: names {workdir}, and the sandbox keeps the project elsewhere")
    if not any(_is_test(path) for path in found):
        raise UnreadableError("tests/ holds no test_*.py")
    return Tree.of(found)


def _is_test(path: str) -> bool:
    return re.search(r"(^|/)(test_[^/]*|[^/]*_test)\.py$", path) is not None


def _test_ids(path: str, file: File) -> Iterator[str]:
    """The ids that pytest will give the tests of a file, from its text alone."""
    parsed = syntax_tree(file.content) if _is_test(path) else None
    if _is_test(path) and parsed is None:
        raise UnreadableError(f"tests/{path}: no Python that this version reads")
    for node in parsed[1].body if parsed else ():
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from (f"{path}::{node.name}::{name}" for name in _functions(path, node.body))
        else:
            yield from (f"{path}::{name}" for name in _functions(path, [node]))


def _functions(path: str, body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            if any("parametrize" in ast.unparse(one) for one in node.decorator_list):
                raise UnreadableError(f"tests/{path}: {node.name} is parametrised, so its ids are known only once it runs")
            yield node.name
