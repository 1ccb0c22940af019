"""What a project's tree says that it needs to have its tests run: requirements, pins, interpreter. Pure; nothing is executed.

Read are pyproject.toml (PEP 621, PEP 735, Poetry, PDM, uv, Hatch), setup.cfg, setup.py (its literals), tox.ini, requirements
files and lock files. A file that cannot be read says nothing.
"""

from __future__ import annotations

import ast
import configparser
import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from harness.python_source import syntax_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from harness.tree import Tree

FOR_TESTS = re.compile(r"(?:^|[-_./ ])(?:py)?(?:tests?|testing|dev|develop|development|ci|unit|default)(?:$|[-_./ 0-9])")
OWN_TOOLS = frozenset({"pytest", "ruff"})  # of every suite, in the suite's own version
# In lists for tests, but never needed by one: they measure, order, check, build or publish. Some would change the run itself.
NOT_FOR_TESTS = frozenset(
    """bandit black build bump2version bumpversion codecov commitizen coverage coveralls detox flake8 flit furo hatch
    isort mkdocs mkdocs-material mypy nox pip pip-tools poetry pre-commit pylint pyright pytest-benchmark pytest-cov pytest-flake8
    pytest-mypy pytest-pylint pytest-random-order pytest-randomly pytest-rerunfailures pytest-ruff pytest-sugar pytest-xdist
    setuptools setuptools-scm sphinx sphinx-rtd-theme towncrier tox twine wheel""".split()  # noqa: SIM905  (as words they stay readable)
)
LOCKS = ("poetry.lock", "uv.lock", "pdm.lock", "pylock.toml")
_LIST = re.compile(
    r"(?:requirements/)?[\w.-]*requirements?[\w.-]*\.(?:txt|in)|requirements/[\w.-]+\.(?:txt|in)|test-requirements\.txt"
)


_OPTIONS = re.compile(r"\s+(#|--).*")  # a comment, or hashes


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a tree declares. `requirements` are to be installed; `optional` only where a test turns out to need one.

    `constraints` are the versions of lock files, `interpreter` a version specifier of Python ("" where none is declared).
    """

    name: str = ""
    version: str = ""
    interpreter: str = ""
    requirements: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class _Found:
    """What one file says, as it is read; lists by whether they are always needed, for tests, or neither."""

    def __init__(
        self, name: str = "", version: str = "", interpreter: str = "", *, always: Sequence[str] = (), tests: Sequence[str] = ()
    ) -> None:
        self.name, self.version, self.interpreter = name, version, interpreter
        self.always, self.tests = list(always), list(tests)
        self.others: list[str] = []

    def lists(self, groups: Mapping[str, object]) -> None:
        """Sort named lists of requirements into those for tests and others."""
        for group, items in groups.items():
            (self.tests if FOR_TESTS.search(group) else self.others).extend(_texts(items))


def needs_of(tree: Tree) -> Needs:
    """What the tree declares, each requirement once; the first file that names it has its version."""
    found = {path: reader(text) for path, reader in _READERS.items() if (text := _text(tree, path))}
    found |= {path: _requirements_file(tree, path) for path, _ in tree if _LIST.fullmatch(path)}
    files = list(found.values())
    own = canonicalize_name(_first(file.name for file in files))
    always = _clean((item for file in files for item in file.always), own, OWN_TOOLS)
    tests = _clean((item for file in files for item in file.tests), own, OWN_TOOLS | NOT_FOR_TESTS)
    every = [item for file in files for item in (*file.always, *file.tests, *file.others)]
    wanted = _once([*always, *tests])
    return Needs(
        name=_first(file.name for file in files),
        version=_first(file.version for file in files),
        interpreter=_first(file.interpreter for file in files),
        requirements=wanted,
        optional=tuple(item for item in _once(_clean(every, own, OWN_TOOLS)) if item not in wanted),
        constraints=tuple(sorted({pin for lock in LOCKS for pin in _locked(_text(tree, lock))} | set(_pipfile(tree)))),
        sources=tuple(path for path, file in found.items() if file.always or file.tests or file.name),
    )


def name_of(requirement: str) -> str:
    """The canonical name of a requirement's package."""
    return canonicalize_name(Requirement(requirement).name)


def _text(tree: Tree, path: str) -> str:
    file = tree.get(path)
    return file.text if file else ""


def _first(values: Iterable[str]) -> str:
    return next((value for value in values if value), "")


def _texts(items: object) -> list[str]:
    """The strings among the items of a list, or a text's lines."""
    lines = items.splitlines() if isinstance(items, str) else items
    return [item.strip() for item in lines if isinstance(item, str)] if isinstance(lines, list) else []


def _clean(items: Iterable[str], own: str, unwanted: frozenset[str]) -> list[str]:
    """Requirements that can be read, without addresses, the project itself, and what is unwanted."""
    kept = []
    for item in items:
        try:
            requirement = Requirement(_OPTIONS.sub("", item))
        except InvalidRequirement:
            continue
        requirement.url = None
        if canonicalize_name(requirement.name) not in {own, *unwanted}:
            kept.append(str(requirement))
    return kept


def _once(items: Iterable[str]) -> tuple[str, ...]:
    found: dict[tuple[str, str], str] = {}
    for item in items:
        requirement = Requirement(item)
        found.setdefault((canonicalize_name(requirement.name), str(requirement.marker)), item)
    return tuple(found.values())


def _table(table: object, *path: str) -> dict[str, Any]:
    """A table within tables; empty where there is none."""
    for name in path:
        table = table.get(name) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _pyproject(text: str) -> _Found:
    document = _toml(text)
    project, tool = _table(document, "project"), _table(document, "tool")
    found = _Found(
        name=str(project.get("name") or ""),
        version=str(project.get("version") or ""),
        interpreter=str(project.get("requires-python") or ""),
        always=_texts(project.get("dependencies")),
    )
    found.lists(_table(project, "optional-dependencies"))
    found.lists(_groups(_table(document, "dependency-groups")))
    found.lists(_table(tool, "pdm", "dev-dependencies") | {"dev": _table(tool, "uv").get("dev-dependencies")})
    environments = _table(tool, "hatch", "envs")
    found.lists({name: [*_texts(_table(environments, name).get("dependencies"))] for name in environments})
    _poetry(_table(tool, "poetry"), found)
    return found


def _groups(groups: dict[str, Any]) -> dict[str, list[str]]:
    """Dependency groups with what they include put in their place; a circle ends where it began."""

    def members(name: str, seen: frozenset[str]) -> list[str]:
        items = groups.get(name)
        found = []
        for item in items if isinstance(items, list) and name not in seen else ():
            included = _table(item).get("include-group")
            found += [item] if isinstance(item, str) else members(str(included), seen | {name})
        return found

    return {name: members(name, frozenset()) for name in groups}


def _poetry(poetry: dict[str, Any], found: _Found) -> None:
    """Poetry's own tables, whose caret and tilde mean ranges."""
    if not poetry:
        return
    plain = _table(poetry, "dependencies")
    found.name = found.name or str(poetry.get("name") or "")
    found.version = found.version or str(poetry.get("version") or "")
    found.interpreter = found.interpreter or _range(str(plain.get("python") or ""))
    optional = {name for name, value in plain.items() if _table(value).get("optional")}
    found.always += _poetry_list({name: value for name, value in plain.items() if name not in optional})
    found.others += _poetry_list({name: plain[name] for name in optional})
    groups = {name: _table(group, "dependencies") for name, group in _table(poetry, "group").items()}
    found.lists({name: _poetry_list(group) for name, group in groups.items()})
    found.tests += _poetry_list(_table(poetry, "dev-dependencies"))


def _poetry_list(table: dict[str, Any]) -> list[str]:
    items = []
    for name, value in table.items():
        version = value if isinstance(value, str) else str(_table(value).get("version") or "*")
        if name != "python":
            items.append(name + _range(version))
    return items


def _range(version: str) -> str:
    """A Poetry version as a specifier: `^1.2` is at least that and below the next major one, `*` any, `1.2` exactly that."""
    parts = [part.strip() for part in version.partition("||")[0].split(",")]
    return ",".join(_bound(part) for part in parts if part not in {"", "*"})


def _bound(part: str) -> str:
    if part[0] not in "^~" or part.startswith("~="):
        return part if part[0] in "<>=!~" else f"=={part}"
    numbers = [int(number) for number in re.findall(r"\d+", part)[:3]] or [0]
    first = next((index for index, number in enumerate(numbers) if number), len(numbers) - 1)
    place = first if part[0] == "^" else min(1, len(numbers) - 1)
    upper = [*numbers[:place], numbers[place] + 1]
    return f">={part[1:].strip()},<{'.'.join(map(str, upper))}"


def _setup_cfg(text: str) -> _Found:
    parser = _ini(text)
    options = dict(parser["options"]) if parser.has_section("options") else {}
    metadata = dict(parser["metadata"]) if parser.has_section("metadata") else {}
    version = metadata.get("version", "")
    found = _Found(
        name=metadata.get("name", ""),
        version="" if ":" in version else version,
        interpreter=options.get("python_requires", ""),
        always=_texts(options.get("install_requires", "")),
        tests=_texts(options.get("tests_require", "")),
    )
    found.lists(dict(parser["options.extras_require"]) if parser.has_section("options.extras_require") else {})
    return found


def _ini(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        parser.clear()
    return parser


def _tox(text: str) -> _Found:
    parser = _ini(text)
    deps = parser.get("testenv", "deps", fallback="")
    lines = [line.partition(":")[2] if re.match(r"[\w,{}!-]+:\s", line) else line for line in _texts(deps)]
    return _Found(tests=[line.strip() for line in lines])


def _setup_py(text: str) -> _Found:
    parsed = syntax_tree(text.encode("utf-8", "surrogateescape"))
    if parsed is None:
        return _Found()
    names = {
        target.id: node.value
        for node in ast.walk(parsed[1])
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    calls = (node for node in ast.walk(parsed[1]) if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("setup"))
    words = {word.arg: _value(word.value, names) for call in calls for word in call.keywords if word.arg}
    told = {name: str(words.get(name) or "") for name in ("name", "version", "python_requires")}
    found = _Found(name=told["name"], version=told["version"], interpreter=told["python_requires"])
    found.always, found.tests = _texts(words.get("install_requires")), _texts(words.get("tests_require"))
    extras = words.get("extras_require")
    found.lists({str(key): value for key, value in extras.items()} if isinstance(extras, dict) else {})
    return found


def _value(node: ast.expr, names: Mapping[str, ast.expr]) -> object:
    """A literal's value, by way of one name where it stands behind one; what is computed says nothing."""
    node = names.get(node.id, node) if isinstance(node, ast.Name) else node
    if isinstance(node, ast.Dict):
        return {_value(key, {}): _value(value, names) for key, value in zip(node.keys, node.values, strict=True) if key}
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(item, names) for item in node.elts]
    return node.value if isinstance(node, ast.Constant) else None


def _requirements_file(tree: Tree, path: str) -> _Found:
    """A requirements file; those that it names with `-r` are read by their own names."""
    lines = re.sub(r"\\\n", " ", _text(tree, path)).splitlines()
    items = [line.strip() for line in lines if line.strip() and not line.strip().startswith(("#", "-"))]
    stem = re.sub(r"\.(txt|in)$", "", path)
    plain = re.fullmatch(r"(?:requirements/)?(?:requirements|base|main|install|prod)", stem)
    if plain:
        return _Found(always=items)
    found = _Found()
    (found.tests if FOR_TESTS.search(stem) else found.others).extend(items)
    return found


def _locked(text: str) -> Iterator[str]:
    """`name==version` of every package of a lock file that names it in one version only."""
    packages = _toml(text).get("package", _toml(text).get("packages", [])) if text else []
    versions: dict[str, set[str]] = {}
    for package in packages if isinstance(packages, list) else []:
        entry = _table(package)
        if isinstance(entry.get("name"), str) and isinstance(entry.get("version"), str):
            versions.setdefault(canonicalize_name(entry["name"]), set()).add(entry["version"])
    return (f"{name}=={found.pop()}" for name, found in versions.items() if len(found) == 1)


def _pipfile(tree: Tree) -> Iterator[str]:
    try:
        document = json.loads(_text(tree, "Pipfile.lock") or "{}")
    except json.JSONDecodeError:
        return
    for part in ("default", "develop"):
        for name, entry in _table(document, part).items():
            version = _table(entry).get("version")
            if isinstance(version, str) and version.startswith("=="):
                yield f"{canonicalize_name(name)}{version}"


_READERS = {"pyproject.toml": _pyproject, "setup.cfg": _setup_cfg, "setup.py": _setup_py, "tox.ini": _tox}
