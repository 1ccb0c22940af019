"""Which files of a repository speak of its conventions, and the versions to which its tools are pinned."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING

import yaml

from harness.tree import matches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.tree import File, Tree

NAMES = (
    "CONTRIBUTING*",
    "contributing*",
    "Contributing*",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "PULL_REQUEST_TEMPLATE*",
    "pull_request_template*",
    "STYLE*",
    "*style*guide*",
    "*coding*style*",
    "HACKING*",
    "DEVELOP*",
)
# A document further down is about another project: an example, a test's data, something copied in.
FOLDERS = ("", ".github/", "docs/", "doc/", "docs/**/", "doc/**/", ".github/PULL_REQUEST_TEMPLATE/")
OWN = (
    ".github/copilot-instructions.md",
    ".github/instructions/**",
    ".github/PULL_REQUEST_TEMPLATE/**",
    ".cursorrules",
    ".cursor/rules/**",
    ".windsurfrules",
)
PROSE = (*OWN, *(f"{folder}{name}" for folder in FOLDERS for name in NAMES))
TEXTS = (".md", ".rst", ".txt", ".mdc", ".adoc")
LARGEST = 60_000  # characters of one document shown to a model; conventions stand early in longer ones
MOST = 20  # documents: the shortest paths first

# What a pre-commit repository's revision pins. Others are told by their lock file, if at all.
_HOOKS = {
    "astral-sh/ruff-pre-commit": "ruff",
    "psf/black": "black",
    "psf/black-pre-commit-mirror": "black",
    "pycqa/isort": "isort",
    "pycqa/flake8": "flake8",
    "pycqa/pylint": "pylint",
    "pycqa/pydocstyle": "pydocstyle",
    "pre-commit/mirrors-mypy": "mypy",
    "pre-commit/mirrors-eslint": "npm:eslint",
    "pre-commit/mirrors-prettier": "npm:prettier",
    "codespell-project/codespell": "codespell",
    "asottile/pyupgrade": "pyupgrade",
    "adrienverge/yamllint": "yamllint",
    "rstcheck/rstcheck": "rstcheck",
}
_TOOLS = frozenset({name for name in _HOOKS.values() if ":" not in name} | {"pyright", "pytest"})
_SCRIPTS = frozenset({"eslint", "prettier", "stylelint", "typescript"})
_PIN = re.compile(r"^\s*[\"']?([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*==\s*([0-9][\w.!+-]*)", re.MULTILINE)
_LOCKED = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")


def documents(tree: Tree) -> tuple[str, ...]:
    """Paths of the documents that tell people and agents how to work here, nearest to the root first; at most twenty."""
    found = (path for path, file in tree if matches(path, PROSE) and _is_prose(path) and b"\0" not in file.content)
    return tuple(sorted(found, key=lambda path: (path.count("/"), path))[:MOST])


def pins(tree: Tree) -> dict[str, str]:
    """The exact version of each known linter: by a lock file, else by pre-commit, else by an exact requirement. Npm as `npm:`."""
    found: dict[str, str] = {}
    for source in (_exact, _pre_commit, _locks):
        found |= dict(source(tree))
    return dict(sorted(found.items()))


def _is_prose(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith(TEXTS) or "." not in name.lstrip(".")


def _exact(tree: Tree) -> Iterator[tuple[str, str]]:
    wanted = ("**/*requirements*.txt", "**/requirements/**/*.txt", "pyproject.toml", "tox.ini", "setup.cfg", "noxfile.py")
    for _, file in tree.matching(wanted):
        yield from _known(dict(_PIN.findall(re.sub(r"[\"',]\s*", "\n", file.text))))


def _pre_commit(tree: Tree) -> Iterator[tuple[str, str]]:
    for repo in _repos(tree.get(".pre-commit-config.yaml")):
        address, revision = str(repo.get("repo", "")), str(repo.get("rev", ""))
        name = _HOOKS.get("/".join(address.lower().removesuffix(".git").split("/")[-2:]))
        if name and re.fullmatch(r"v?\d[\w.]*", revision):
            yield name, revision.removeprefix("v")


def _repos(file: File | None) -> list[Mapping[str, object]]:
    try:
        document = yaml.safe_load(file.text) if file else None
    except yaml.YAMLError:
        return []
    repos = document.get("repos") if isinstance(document, dict) else None
    return [repo for repo in repos if isinstance(repo, dict)] if isinstance(repos, list) else []


def _locks(tree: Tree) -> Iterator[tuple[str, str]]:
    for name in _LOCKED:
        file = tree.get(name)
        try:
            document = tomllib.loads(file.text) if file else {}
        except tomllib.TOMLDecodeError:
            continue
        packages = document.get("package", document.get("packages", []))
        entries = [one for one in packages if isinstance(one, dict)] if isinstance(packages, list) else []
        yield from _known({str(one.get("name", "")): str(one.get("version", "")) for one in entries})
    yield from _known({name: version for path in ("requirements.lock",) for name, version in _PIN.findall(_text(tree, path))})
    yield from _package_lock(_text(tree, "package-lock.json"))


def _package_lock(text: str) -> Iterator[tuple[str, str]]:
    try:
        packages = json.loads(text or "{}").get("packages", {})
    except (ValueError, AttributeError):
        return
    for path, entry in packages.items() if isinstance(packages, dict) else ():
        name = path.removeprefix("node_modules/")
        if name in _SCRIPTS and isinstance(entry, dict) and entry.get("version"):
            yield f"npm:{name}", str(entry["version"])


def _known(found: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, version in found.items():
        plain = re.sub(r"[-_.]+", "-", name).lower()
        if plain in _TOOLS and version:
            yield plain, version


def _text(tree: Tree, path: str) -> str:
    file = tree.get(path)
    return file.text if file else ""
