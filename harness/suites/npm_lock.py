"""A suite's `package-lock.json`: every package that its npm tools need, pinned and hashed, and no other goes into an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, ValidationError

from harness.errors import SuiteError

if TYPE_CHECKING:
    from collections.abc import Mapping

NPM = "npm:"  # in front of a tool's name under [tools] of suite.toml
_MAKE = "npm install --package-lock-only --save-exact --ignore-scripts --omit-lockfile-registry-resolved"


class _Package(BaseModel):
    dependencies: dict[str, str] = {}
    version: str = ""
    integrity: str = ""
    bundled: bool = Field(default=False, alias="inBundle")


class _Lock(BaseModel):
    version: int = Field(alias="lockfileVersion", ge=2)
    packages: dict[str, _Package]


def check_lock(text: str, tools: Mapping[str, str], where: str) -> None:
    """Whether a lock is that of the suite's npm tools. `tools` are versions by name, npm's with their prefix.

    Raises:
        SuiteError: not a lock of npm 7 or later, one of other tools, or a package in it has no hash.
    """
    wanted = {name.removeprefix(NPM): version for name, version in tools.items() if name.startswith(NPM)}
    make = f"in an empty folder: {_MAKE} {' '.join(f'{name}@{version}' for name, version in sorted(wanted.items()))}"
    try:
        lock = _Lock.model_validate_json(text)
    except ValidationError as error:
        raise SuiteError(f"{where}: not a package-lock.json ({error.errors()[0]['msg']}); make it anew, {make}") from error
    root = lock.packages.get("", _Package())
    if root.dependencies != wanted:
        raise SuiteError(
            f"{where}: locks {_named(root.dependencies)}, and suite.toml pins {_named(wanted)}; make it anew, {make}"
        )
    bare = [name for name, one in lock.packages.items() if name and not (one.integrity or one.bundled)]
    if bare:
        raise SuiteError(f"{where}: {bare[0]} has no integrity hash; make it anew, {make}")


def _named(tools: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(tools.items())) or "nothing"
