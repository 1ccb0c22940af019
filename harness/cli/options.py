"""Options that several commands share, and the way from them to a Config."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from datetime import date
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_type_hints

import typer

from harness.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.config import Config, Flags


def day(text: str) -> str:
    """A day as YYYY-MM-DD, or nothing.

    Raises:
        InputError: it is something else.
    """
    try:
        return date.fromisoformat(text).isoformat() if text else ""
    except ValueError as error:
        raise InputError(f"--since {text!r}: is no day; write it as YYYY-MM-DD") from error


ConfigFile = Annotated[Path | None, typer.Option("--config", help="Configuration file; harness.toml here when present.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, progress on stderr.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
Model = Annotated[str | None, typer.Option("--model", help="Model id, or `rehearsal` (no key, no cost).")]
Agent = Annotated[str | None, typer.Option("--agent", help="tool_loop, claude_code, command, reference or idle.")]
Command = Annotated[str | None, typer.Option("--command", help="Shell command of the `command` agent.")]
Delivery = Annotated[str | None, typer.Option("--delivery", help="system, agents_md, claude_md or skill.")]
Suite = Annotated[Path | None, typer.Option("--suite", help="Folder with suite.toml.")]
Skill = Annotated[Path | None, typer.Option("--skill", help="Skill folder, or an AGENTS.md or CLAUDE.md file.")]
Jobs = Annotated[int | None, typer.Option("--jobs", help="Trials side by side.")]
Seed = Annotated[int | None, typer.Option("--seed", help="Orders of tasks, and the rehearsal's draws.")]
MaxUsd = Annotated[float | None, typer.Option("--max-usd", help="US dollars this run may cost.")]
MaxHours = Annotated[float | None, typer.Option("--max-hours", help="Hours this run may take.")]
MaxGenerations = Annotated[int | None, typer.Option("--max-generations", help="Generations of this run.")]
Batch = Annotated[int | None, typer.Option("--batch", help="Variants proposed and screened together.")]
State = Annotated[Path | None, typer.Option("--state", help="Folder of ledger, blobs, pages and snapshots.")]
Since = Annotated[
    str, typer.Option("--since", callback=day, help="Only from this day on, YYYY-MM-DD (UTC); everything unless given.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before spending.")]


@dataclass(frozen=True, kw_only=True)
class Given:
    """The shared options as given, None where not."""

    config: ConfigFile = None
    skill: Skill = None
    suite: Suite = None
    model: Model = None
    agent: Agent = None
    command: Command = None
    delivery: Delivery = None
    jobs: Jobs = None
    seed: Seed = None
    max_usd: MaxUsd = None
    max_hours: MaxHours = None
    max_generations: MaxGenerations = None
    batch: Batch = None
    state: State = None

    def settings(self) -> Config:
        """The configuration with these options over it.

        Raises:
            ConfigError: as `load_config`.
        """
        from harness.config import load_config

        flags: Flags = {
            "skill": {"path": self.skill},
            "suite": {"path": self.suite},
            "model": {"id": self.model},
            "agent": {"kind": self.agent, "command": self.command, "delivery": self.delivery},
            "executor": {"jobs": self.jobs},
            "budget": {"max_usd": self.max_usd, "max_hours": self.max_hours, "max_generations": self.max_generations},
            "proposer": {"batch": self.batch},
            "output": {"state": self.state},
        }
        return load_config(self.config, flags, self.seed)


# What every command that runs trials takes.
RUN = ("config", "suite", "model", "agent", "command", "delivery", "jobs", "seed", "max_usd", "max_hours", "state")
LOOP = ("config", "skill", *RUN[1:-1], "max_generations", "batch", "state")


def takes(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the shared options of these names (fields of `Given`): it gets them together, as its argument `given`."""
    hints = get_type_hints(Given, include_extras=True)
    shared = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hints[name]) for name in names]

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        own = [it.replace(kind=it.KEYWORD_ONLY) for it in signature.parameters.values() if it.name != "given"]
        arguments, rest = ([it for it in own if (it.default is it.empty) is bare] for bare in (True, False))
        parameters = [*arguments, *shared, *rest]

        @wraps(command)
        def run(**values: object) -> None:
            command(given=Given(**{name: values.pop(name) for name in names}), **values)  # type: ignore[arg-type]

        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # what typer reads
        run.__annotations__ = {it.name: it.annotation for it in parameters}
        return run

    return decorated
