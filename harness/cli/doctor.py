"""`harness doctor`: what is there and what is wrong, a line each, with the fix named."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli import options
from harness.cli.options import Given

if TYPE_CHECKING:
    from harness.config import Config

NAME = "doctor"
FREE_GB = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing looked at: whether it is well, what was found, and what to do where it is not and `found` does not say it."""

    name: str
    well: bool
    found: str
    fix: str = ""


def run(
    config: options.ConfigFile = None,
    skill: options.Skill = None,
    suite: options.Suite = None,
    model: options.Model = None,
    state: options.State = None,
    agent: options.Agent = None,
    live: Annotated[bool, typer.Option("--live", help="Also make one cheap call through each path to a model.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Machine, engine, and all that a run reads (what `harness init` wrote): a line each, fixes named. Exit 1 on a fault."""
    given = Given(config=config, skill=skill, suite=suite, model=model, state=state, agent=agent)
    checks = _all_checks(given, live=live)
    if as_json:
        from harness.cli.show import print_json

        print_json({"well": all(check.well for check in checks), "checks": [_document(check) for check in checks]})
    else:
        from harness.cli.show import say

        for check in checks:
            say(f"{'ok   ' if check.well else 'WRONG'} {check.name}: {check.found}" + (f" -> {check.fix}" if check.fix else ""))
    if not all(check.well for check in checks):
        raise typer.Exit(1)


def _all_checks(given: Given, *, live: bool) -> list[Check]:
    """The machine is looked at whatever the configuration says; what rests on a configuration only where there is one."""
    from harness.errors import ConfigError

    file = given.config or Path("harness.toml")
    try:
        settings = given.settings()
    except ConfigError as error:
        return [Check(name="configuration", well=False, found=str(error)), *_machine(given.state or Path(".harness")), *_engine()]
    told = str(file) if file.is_file() else "no harness.toml here, so the defaults hold; harness init writes one"
    checks = [Check(name="configuration", well=True, found=told), *_machine(settings.output.state), _key(settings), *_engine()]
    return [*checks, *_inputs(settings), *(_live(settings) if live else [])]


def _document(check: Check) -> dict[str, object]:
    return {"name": check.name, "well": check.well, "found": check.found, "fix": check.fix}


def _machine(state: Path) -> list[Check]:
    git = shutil.which("git")
    free = shutil.disk_usage(state if state.exists() else state.absolute().parent).free / 1e9
    python = ".".join(map(str, sys.version_info[:3]))
    return [
        Check(name="python", well=sys.version_info >= (3, 11), found=python, fix=""),
        Check(name="git", well=bool(git), found=git or "not found", fix="" if git else "install git"),
        Check(name="disk", well=free >= FREE_GB, found=f"{free:.0f} GB free", fix="" if free >= FREE_GB else "free some space"),
    ]


def _key(settings: Config) -> Check:
    key = bool(os.environ.get("ANTHROPIC_API_KEY"))
    need = not settings.is_rehearsal and not key
    return Check(
        name="key",
        well=not need,
        found="ANTHROPIC_API_KEY is set" if key else "no key" + ("" if need else ", and none is needed for the rehearsal"),
        fix="set ANTHROPIC_API_KEY, or use --model rehearsal" if need else "",
    )


def _engine() -> list[Check]:
    from harness.errors import HarnessError
    from harness.sandbox.base_image import found_base
    from harness.sandbox.engine import connect, engine_status

    try:
        status = engine_status()
    except HarnessError as error:
        return [Check(name="docker", well=False, found=str(error), fix="make setup installs and starts it on Debian and Ubuntu")]
    engine = f"{status.version} at {status.endpoint}, {status.storage}, cgroup {status.cgroup}, {status.cores} cores"
    base = found_base(connect()) is not None
    return [
        Check(name="docker", well=True, found=f"{engine}, {status.memory / 1e9:.0f} GB"),
        Check(name="base image", well=base, found="there" if base else "not made yet", fix="" if base else "run make setup"),
    ]


def _inputs(settings: Config) -> list[Check]:
    from harness.wiring.checks import pieces

    return [Check(name=piece.name, well=piece.well, found=piece.found) for piece in pieces(settings)]


def _live(settings: Config) -> list[Check]:
    from harness.cli.live import reached
    from harness.errors import HarnessError
    from harness.wiring.inputs import read_inputs

    try:
        found = reached(read_inputs(settings))
    except HarnessError as error:
        return [Check(name="live", well=False, found=str(error), fix="mend what is named")]
    fix = "check the key and the network, then the service's own status"
    return [Check(name=f"live {one.path}", well=one.well, found=one.told, fix="" if one.well else fix) for one in found]
