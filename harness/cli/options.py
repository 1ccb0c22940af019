"""Options that several commands share, and the way from them to a Config."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from harness.config import Config, Flags

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
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before spending.")]


@dataclass(frozen=True, kw_only=True)
class Given:
    """The shared options as given, None where not."""

    config: Path | None = None
    skill: Path | None = None
    suite: Path | None = None
    model: str | None = None
    agent: str | None = None
    command: str | None = None
    delivery: str | None = None
    jobs: int | None = None
    seed: int | None = None
    max_usd: float | None = None
    max_hours: float | None = None
    max_generations: int | None = None
    batch: int | None = None
    state: Path | None = None

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
