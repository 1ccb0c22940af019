"""Makes a tree's tests run: Python chosen, packages resolved, image built, and second tries driven by what tests complain of.

What helped once is tried first for every later tree that declares the same needs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from harness.pytest_settings import pytest_settings
from harness.suites.environment import Environment, chosen, resolved
from harness.suites.needs import Needs, name_of, needs_of
from harness.suites.probing import TEST_MODULE, Bench, Lab, Outcomes, is_test, outcomes, provided, require_small
from harness.suites.rejected import Reason, Rejected
from harness.task import PYTHON
from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MOST_FIXES = 6
LONGEST_LOG = 8000  # characters kept for a person
# What old projects took for granted, by the module or fixture that is missing; and modules named unlike their package.
MODULES = {
    "pkg_resources": "setuptools<81",  # the last versions that have it
    "setuptools": "setuptools<81",
    "distutils": "setuptools<81",
    "mock": "mock",
    "six": "six",
    "attr": "attrs",
    "yaml": "PyYAML",
    "dateutil": "python-dateutil",
    "pytest_asyncio": "pytest-asyncio",
    "hypothesis": "hypothesis",
}
FIXTURES = {"mocker": "pytest-mock", "httpserver": "pytest-httpserver", "freezer": "pytest-freezer", "datadir": "pytest-datadir"}
_MODULE = re.compile(r"No module named '([\w.]+)'")
_FIXTURE = re.compile(r"fixture '(\w+)' not found")
_ASYNC = "async def functions are not natively supported"
_METADATA = re.compile(r"No package metadata was found for ([\w.-]+)|The '([\w.-]+)' distribution was not found")
_VERSION_FILE = re.compile(r"(?:^|\.)(?:_version|__version__|_scm_version)$")
_ON_PATH = """\
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / {folder!r}))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """What the tests turned out to need beside what is declared: packages, files over the tree, files over the hidden tests.

    `tests` are modules and packages of the tree's own tests, by their import names: each tree has files of its own for them.
    """

    packages: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    support: Tree = field(default_factory=Tree)
    overlay: Tree = field(default_factory=Tree)
    fixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What a mending has to know of the project: its needs, tree and hidden tests, and the folder of its import path ("src/")."""

    needs: Needs
    tree: Tree
    hidden: Tree
    root: str

    @property
    def version(self) -> str:
        """The declared version, or one that says that none is."""
        return self.needs.version or "0.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipped:
    """A tree whose tests run: the bench to run them on, files to lay over base and reference alike, and what was mended.

    `first` is the run of the equipped tree that showed it.
    """

    bench: Bench
    support: Tree
    fixes: tuple[str, ...]
    log: str
    first: Outcomes


class Equipper:
    """Equips trees of one repository, and remembers pins and mendings by what a tree declares; safe from any thread."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._lock = Lock()  # two candidates with the same needs should not ask and build twice
        self._pins: dict[tuple[Needs, tuple[str, ...]], Environment | Rejected] = {}
        self._extras: dict[Needs, Extras] = {}

    def equipped(self, tree: Tree, bench: Bench) -> Equipped:
        """The bench's hidden tests running on the tree; the bench's own requirements are replaced.

        Raises:
            Rejected: no way was found; with all logs.
            DockerUnavailableError: the engine fails.
        """
        require_small(tree)
        needs = needs_of(tree)
        root = _root(pytest_settings(tree).import_path, tree)
        project = Project(needs=needs, tree=tree, hidden=bench.hidden, root=root)
        extras: Extras | None = self._extras.get(needs, Extras())
        log = ""
        left_out: tuple[str, ...] = ()
        for _ in range(MOST_FIXES):
            if extras is None:
                break
            now, environment = self._bench(bench, needs, extras, tree)
            first = outcomes(self._lab, now, tree.overlaid(extras.support))
            log = f"{log}{environment.log}\n{first.log}"[-LONGEST_LOG:]
            used, extras = extras, mended(extras, first.log, project)
            if extras is None and (broken := _uncollected(bench.hidden, first)):
                bench, extras = replace(bench, hidden=_leaving(bench.hidden, broken)), used
                left_out = (*left_out, *(f"{path} left out, which cannot be collected" for path in sorted(broken)))
        if not first.passed or first.problem:
            raise Rejected(Reason.ENVIRONMENT, f"the tests do not run: {first.problem or _why(first)}", log)
        self._extras[needs] = used
        fixes = (*environment.fixes, *used.fixes, *left_out)
        return Equipped(bench=now, support=used.support, fixes=fixes, log=log, first=first)

    def _bench(self, bench: Bench, needs: Needs, extras: Extras, tree: Tree) -> tuple[Bench, Environment]:
        """The bench with pins and an image that has them."""
        environment = self._environment(needs, extras.packages)
        added = extras.overlay.overlaid(_tests_named(extras.tests, tree))
        now = replace(bench, requirements=environment.pins, hidden=added.overlaid(bench.hidden))
        with self._lock:
            provided(self._lab, now, tree)
        return now, environment

    def _environment(self, needs: Needs, extra: tuple[str, ...]) -> Environment:
        with self._lock:
            known = self._pins.get((needs, extra))
            if known is None:
                try:
                    whole = replace(needs, requirements=(*needs.requirements, *extra))
                    python = chosen(needs, self._lab.pythons, self._lab.has)
                    known = resolved(whole, python, self._lab.resolve)
                    if python != self._lab.pythons[0]:
                        known = replace(known, pins=(f"{PYTHON}{python}", *known.pins))
                except Rejected as error:
                    known = error
                self._pins[needs, extra] = known
        if isinstance(known, Rejected):
            raise Rejected(known.reason, known.detail, known.log)
        return known


def mended(extras: Extras, log: str, project: Project) -> Extras | None:
    """The extras with one more, by the first complaint that something can be done about; None where there is none."""
    for missing in dict.fromkeys(_MODULE.findall(log)):
        found = (
            _version_file(extras, missing, project)
            or _other_tests(extras, missing, project)
            or _on_path(extras, missing, project)
        )
        if found := found or _with_package(extras, MODULES.get(top := missing.partition(".")[0], top), project):
            return found
    plugins = [FIXTURES.get(name, f"pytest-{name.replace('_', '-')}") for name in _FIXTURE.findall(log)]
    for package in [*plugins, *(["pytest-asyncio"] if _ASYNC in log else [])]:
        if found := _with_package(extras, package, project):
            return found
    names = [next(filter(None, found)) for found in _METADATA.findall(log)]
    return next((found for name in names if (found := _metadata(extras, name, project))), None)


def _version_file(extras: Extras, missing: str, project: Project) -> Extras | None:
    """The module that a build would have written from the project's tags."""
    if not _VERSION_FILE.search(missing):
        return None
    text = f'__version__ = version = "{project.version}"\n__version_tuple__ = version_tuple = (0, 0)\n'
    return _with_file(
        extras, f"{project.root}{missing.replace('.', '/')}.py", text, f"{missing}, which a build would have written"
    )


def _metadata(extras: Extras, name: str, project: Project) -> Extras | None:
    """The project's own metadata, which only an installation would have."""
    if canonicalize_name(name) != canonicalize_name(project.needs.name or name):
        return _with_package(extras, name, project)
    path = f"{project.root}{canonicalize_name(name).replace('-', '_')}-{project.version}.dist-info/METADATA"
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {project.version}\n"
    return _with_file(extras, path, text, f"metadata of {name}, as an installation would leave it")


def _other_tests(extras: Extras, missing: str, project: Project) -> Extras | None:
    """The test module, or all of a package of them, that a changed test imports and that did not change itself."""
    if missing in extras.tests or not len(_tests_named((missing,), project.tree)):
        return None
    return replace(extras, tests=(*extras.tests, missing), fixes=(*extras.fixes, f"{missing} beside the tests"))


def _tests_named(names: Sequence[str], tree: Tree) -> Tree:
    """A tree's own files of test modules, or packages of them, by their import names."""
    places = [name.replace(".", "/") for name in names]
    found = {path: file for path, file in tree if path.startswith(tuple(f"{place}/" for place in places))}
    found |= {path: file for place in places if (file := tree.get(path := f"{place}.py"))}
    return Tree.of({path: file for path, file in found.items() if is_test(path)})


def _on_path(extras: Extras, missing: str, project: Project) -> Extras | None:
    """The folder of a test helper that is imported by its bare name; not where the project has a conftest of its own there."""
    top = missing.partition(".")[0]
    names = re.compile(rf"(.+)/{re.escape(top)}(?:\.py|/__init__\.py)")
    folder = next((found.group(1) for path, _ in project.hidden if (found := names.fullmatch(path))), "")
    if not folder or extras.overlay.get("conftest.py") or project.hidden.get("conftest.py"):
        return None
    overlay = Tree.of({"conftest.py": _ON_PATH.format(folder=folder)})
    return replace(extras, overlay=overlay, fixes=(*extras.fixes, f"{folder} on the import path"))


def _with_package(extras: Extras, package: str, project: Project) -> Extras | None:
    """With a package that the project names somewhere, or that is in our tables; nothing is fetched for its name alone."""
    wanted = name_of(package)
    named = next((item for item in project.needs.optional if name_of(item) == wanted), "")
    ours = package if package in {*MODULES.values(), *FIXTURES.values()} else ""
    chosen = named or ours
    if not chosen or chosen in extras.packages:
        return None
    return replace(extras, packages=(*extras.packages, chosen), fixes=(*extras.fixes, f"{chosen} beside what is declared"))


def _with_file(extras: Extras, path: str, text: str, fix: str) -> Extras | None:
    if extras.support.get(path):
        return None
    return replace(extras, support=extras.support.overlaid(Tree.of({path: text})), fixes=(*extras.fixes, fix))


def _uncollected(hidden: Tree, run: Outcomes) -> frozenset[str]:
    """The test modules that cannot be collected, where others can."""
    modules = frozenset(path for path, _ in hidden if TEST_MODULE.search(path))
    broken = modules.intersection(run.report.uncollected)
    return broken if broken < modules else frozenset()


def _leaving(tree: Tree, paths: Collection[str]) -> Tree:
    return Tree(files=tuple((path, file) for path, file in tree if path not in paths))


def _root(import_path: Sequence[str], tree: Tree) -> str:
    """The first folder of the import path that the tree has, as a prefix."""
    found = (folder for folder in import_path if folder != "." and any(path.startswith(f"{folder}/") for path, _ in tree))
    return "".join(f"{folder}/" for folder in list(found)[:1])


def _why(run: Outcomes) -> str:
    if not run.seen:
        said = [line.removeprefix("E").strip() for line in run.log.splitlines() if line.startswith("E  ")]
        return f"none is found{': ' if said else ''}{said[-1] if said else ''}"
    name, (outcome, message) = min(run.others.items())
    return f"{name}: {outcome} {(message.strip().splitlines() or [''])[-1]}"
