"""Does a test notice when a behaviour breaks? Each entry of breakages.toml breaks one in a copy, and a test must fail there."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

import pytest

from harness.tree import Edit, EditError, Tree, edited

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("breakages.toml")
PASSED, FAILED = 0, 1  # pytest's exit codes; 2 to 5 say that it could not run the tests
LONGEST_SECONDS = 900
SIDE_BY_SIDE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakage:
    """One behaviour, the edit of one file that breaks it, and the tests that notice (files or functions, with parameters)."""

    behaviour: str
    file: str
    find: str
    replace: str
    tests: list[str]

    def edited(self, text: str) -> str:
        """The file's text, broken. Raises EditError where `find` does not stand there exactly once."""
        tree = edited(Tree.of({self.file: text}), [Edit(file=self.file, find=self.find, replace=self.replace)])
        return tree.by_path[self.file].text

    @property
    def docker(self) -> bool:
        """Whether a test of its needs containers."""
        return any(needs_docker(test) for test in self.tests)


def needs_docker(test: str) -> bool:
    return "pytestmark = pytest.mark.docker" in (ROOT / test.partition("::")[0]).read_text(encoding="utf-8")


BREAKAGES = [Breakage(**entry) for entry in tomllib.loads(LIST.read_text(encoding="utf-8"))["breakage"]]
EVERY_TEST = sorted({test for breakage in BREAKAGES for test in breakage.tests})


def marked(value: object, name: str, *, docker: bool) -> object:
    marks = [pytest.mark.soak, pytest.mark.docker] if docker else [pytest.mark.soak]
    return pytest.param(value, id=name, marks=marks)


def problems(breakage: Breakage) -> list[str]:
    """What makes an entry unusable; empty for a good one."""
    text = (ROOT / breakage.file).read_text(encoding="utf-8")
    try:
        broken = breakage.edited(text)
    except EditError as error:
        return [str(error)]
    found = ["changes nothing"] if broken == text else []
    if breakage.file.endswith(".py"):
        try:
            ast.parse(broken)
        except SyntaxError as error:
            found.append(f"leaves no Python: {error}")
    return [*found, *(f"no test {test}" for test in breakage.tests if not exists(test))]


def exists(test: str) -> bool:
    path, _, name = test.partition("::")
    if not (ROOT / path).is_file():
        return False
    functions = [node.name for node in ast.parse((ROOT / path).read_bytes()).body if isinstance(node, ast.FunctionDef)]
    return not name or name.partition("[")[0] in functions


@pytest.mark.parametrize("breakage", BREAKAGES, ids=lambda breakage: breakage.behaviour)
def test_a_breakage_fits_its_file_leaves_python_and_names_tests_that_exist(breakage: Breakage) -> None:
    assert problems(breakage) == []


def test_no_behaviour_is_listed_twice() -> None:
    assert len({breakage.behaviour for breakage in BREAKAGES}) == len(BREAKAGES)


@pytest.fixture(scope="session")
def copies(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Everything that would be committed, in folders of their own: one for each that runs beside others, and one for them all."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    folders = [tmp_path_factory.mktemp("copy") for _ in range(SIDE_BY_SIDE + 1)]
    for name in map(os.fsdecode, filter(None, names)):
        for folder in folders if (ROOT / name).is_file() else ():  # a file deleted but not yet committed is still listed
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    for folder in folders:
        where = python(folder, "-c", "import harness; print(harness.__file__)").stdout.strip()
        assert where == str(folder / "harness/__init__.py")
    return folders


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a copy, whose `harness` comes before the installed one, in programs that tests start as well."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
        timeout=LONGEST_SECONDS,
    )


def run_tests(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Without a plugin that no test here uses: it takes a fifth of pytest's start."""
    return python(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:anyio", *words)


@contextmanager
def broken(folder: Path, breakage: Breakage) -> Iterator[None]:
    """The copy with the edit made, for the duration of the block."""
    path = folder / breakage.file
    before = path.read_text(encoding="utf-8")
    _put(path, breakage.edited(before))
    try:
        yield
    finally:
        _put(path, before)


def _put(path: Path, text: str) -> None:
    """Bytecode is trusted by its source's size and second of writing, which two edits may share."""
    path.write_text(text, encoding="utf-8")
    if path.suffix == ".py":
        Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)


@pytest.fixture(scope="session")
def tried(request: pytest.FixtureRequest, copies: list[Path]) -> Iterator[Callable[[Breakage], subprocess.CompletedProcess[str]]]:
    """What a breakage's tests say. Those that need no container are begun at once, as many side by side as there are copies."""
    free: SimpleQueue[Path] = SimpleQueue()
    for folder in copies:
        free.put(folder)

    def attempt(breakage: Breakage) -> subprocess.CompletedProcess[str]:
        folder = free.get()
        try:
            with broken(folder, breakage):
                return run_tests(folder, "-x", *breakage.tests)
        finally:
            free.put(folder)

    asked = [item.callspec.params.get("breakage") for item in request.session.items if hasattr(item, "callspec")]
    quick = dict.fromkeys(item.behaviour for item in asked if item and not item.docker)
    hands = ThreadPoolExecutor(SIDE_BY_SIDE)
    begun = {item.behaviour: hands.submit(attempt, item) for item in BREAKAGES if item.behaviour in quick}
    yield lambda breakage: begun[breakage.behaviour].result() if breakage.behaviour in begun else attempt(breakage)
    hands.shutdown(cancel_futures=True)


@pytest.mark.parametrize(
    "docker", [marked(needed, name, docker=needed) for needed, name in ((False, "quick"), (True, "in containers"))]
)
def test_the_unbroken_copy_passes_every_named_test(copies: list[Path], docker: bool) -> None:  # noqa: FBT001
    done = run_tests(copies[0], *(test for test in EVERY_TEST if needs_docker(test) is docker))
    assert done.returncode == PASSED, done.stdout


@pytest.mark.parametrize("breakage", [marked(item, item.behaviour, docker=item.docker) for item in BREAKAGES])
def test_a_broken_behaviour_makes_a_test_fail(
    tried: Callable[[Breakage], subprocess.CompletedProcess[str]], breakage: Breakage
) -> None:
    done = tried(breakage)
    assert done.returncode == FAILED, done.stdout
