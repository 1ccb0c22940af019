"""From what a tree needs to a Python and pinned packages, by a resolver such as pip.

Versions are those of the lock where there is one, else the newest. What cannot be had is loosened, then left out, and told.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from harness.suites.needs import OWN_TOOLS, Needs, name_of
from harness.suites.rejected import Reason, Rejected

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_TRIES = 8
_CULPRIT = re.compile(r"(?:No matching distribution found for|satisfies the requirement) ([A-Za-z0-9][\w.-]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """pip's answer: pins (`name==version`), or None with what it said."""

    pins: tuple[str, ...] | None
    said: str = ""


Resolver = Callable[[tuple[str, ...], tuple[str, ...], str], Resolution]  # of requirements under constraints, for a Python


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Pinned packages beside the suite's own tools; `fixes` are departures from what the project declares, `log` pip's words."""

    pins: tuple[str, ...]
    fixes: tuple[str, ...] = ()
    log: str = ""


def resolved(needs: Needs, python: str, resolve: Resolver) -> Environment:
    """Pins for what a project needs on a Python such as "3.11"; the suite's own tools are left to the resolver.

    Raises:
        Rejected: pip finds no way.
    """
    wanted, constraints = list(needs.requirements), needs.constraints
    fixes: list[str] = []
    log = ""
    for _ in range(MOST_TRIES):
        found = resolve(tuple(wanted), constraints, python)
        log += found.said
        if found.pins is not None:
            pins = tuple(pin for pin in sorted(found.pins) if name_of(pin) not in OWN_TOOLS)
            return Environment(pins=pins, fixes=tuple(fixes), log=log)
        culprit = next((item for name in _CULPRIT.findall(found.said) for item in wanted if name_of(item) == name_of(name)), "")
        if constraints:
            constraints = ()
            fixes.append("versions of the lock file left aside")
        elif culprit and Requirement(culprit).specifier:
            wanted[wanted.index(culprit)] = _loose(culprit)
            fixes.append(f"{culprit} in its newest version")
        elif culprit:
            wanted.remove(culprit)
            fixes.append(f"{culprit} left out")
        elif any(Requirement(item).specifier for item in wanted):
            wanted = [_loose(item) for item in wanted]
            fixes.append("all packages in their newest versions")
        else:
            break
    raise Rejected(Reason.ENVIRONMENT, "pip finds no set of packages that fits", log)


def chosen(needs: Needs, pythons: Sequence[str], has: Callable[[str], bool]) -> str:
    """The first of these Pythons that the project wants and that can be had; the sandbox's own, the first, can always.

    Raises:
        Rejected: there is none.
    """
    fitting = [python for python in pythons if _fits(needs.interpreter, python)]
    for python in fitting:
        if python == pythons[0] or has(python):
            return python
    had = f"{' and '.join(fitting)} cannot be had here" if fitting else f"the sandbox has {', '.join(pythons)}"
    raise Rejected(Reason.INTERPRETER, f"the project wants Python {needs.interpreter}, and {had}")


def _fits(wanted: str, python: str) -> bool:
    try:
        return SpecifierSet(wanted).contains(f"{python}.99")  # whatever its last number is: tests will tell
    except InvalidSpecifier:
        return True


def _loose(requirement: str) -> str:
    found = Requirement(requirement)
    found.specifier = SpecifierSet()
    return str(found)
