"""Configuration: harness.toml, HARNESS_* variables and flags into one frozen Config. The only settings parser.

Precedence: flag, then environment (HARNESS_AGENT__KIND), then file, then default. Unknown keys are errors.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from harness.decision.arms import BaselineArm
from harness.decision.multiplicity import Multiplicity
from harness.decision.options import Control, Options
from harness.errors import ConfigError

REHEARSAL = "rehearsal"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SkillSection(_Section):
    """`[skill]`: the skill under improvement."""

    path: Path = Field(default=Path("skills/coding"), description="Folder with SKILL.md, or an AGENTS.md or CLAUDE.md file")


class SuiteSection(_Section):
    """`[suite]`: the tasks."""

    path: Path = Field(default=Path("task_suites/pocket"), description="Folder with suite.toml")
    reserve: Path | None = Field(default=None, description="Folder of a suite whose tasks replace worn holdout tasks")
    deny: tuple[str, ...] = Field(default=(), description="Words that no statement of a task made here may carry")


class AgentSection(_Section):
    """`[agent]`: the coding program being driven, and what one rollout may spend."""

    kind: Literal["tool_loop", "claude_code", "command", "reference", "idle"] = Field(
        default="tool_loop", description="Which agent works"
    )
    delivery: Literal["system", "agents_md", "claude_md", "skill"] = Field(
        default="system", description="How the skill is handed over"
    )
    command: str = Field(default="", description="Shell command of the `command` agent; the task's statement is on its stdin")
    packages: tuple[str, ...] = Field(
        default=(), description="Python packages (name==version) that the `command` agent finds in /opt/agent"
    )
    relay: bool = Field(default=False, description="Whether the `command` agent may call the model, at ANTHROPIC_BASE_URL")
    cli: str = Field(default="", description="Claude Code's program; empty: the optional extra's, else `claude` on the PATH")
    seconds: float = Field(default=900.0, gt=0, description="Seconds one rollout may take in all (a task may ask for less)")
    idle_seconds: float = Field(default=300.0, gt=0, description="Seconds without a sign of life: output, for a program")
    calls: int = Field(default=60, gt=0, description="Model calls of one rollout")
    tokens: int = Field(default=200_000, gt=0, description="Output tokens of one rollout")
    trial_usd: float = Field(default=1.0, gt=0, description="US dollars one trial may cost; reserved before it starts")


class ModelSection(_Section):
    """`[model]`: which models."""

    id: str = Field(default=REHEARSAL, min_length=1, description="The agent's and proposer's model; `rehearsal` needs no key")
    reviewer: str = Field(default="", description="Replaces the model named in the reviewer files")
    allow_self_review: bool = Field(default=False, description="Whether the agent's own model may sit on the panel")
    seconds: float = Field(
        default=900.0, gt=0, description="Seconds until a reviewer's or proposer's answer must be there; a batch has 26 hours"
    )


class ReviewSection(_Section):
    """`[gates.review]`: the panel."""

    reviewers: Path = Field(default=Path("reviewers"), description="Folder of reviewer files")
    rule: Literal["majority", "unanimous", "veto"] = Field(default="majority", description="How votes become a verdict")
    batch: bool = Field(default=False, description="Half price by message batches where an answer may take hours")


class GatesSection(_Section):
    """`[gates]`."""

    review: ReviewSection = ReviewSection()


class DecisionSection(_Section):
    """`[decision]`: the promotion rule's numbers."""

    alpha: float = Field(default=0.05, gt=0, lt=0.5, description="Chance of a false promotion per confirmation and gate")
    looks: int = Field(default=8, ge=1, le=8, description="Sweeps of the holdout at most")
    saturated: Literal["block", "non_inferior"] = Field(default="block", description="What a gate without room means")
    margin: float = Field(default=0.0, ge=0, lt=1, description="Share that may be lost under non_inferior")
    multiplicity: Multiplicity = Field(
        default=Multiplicity.LEDGER,
        description="How alpha is given to many confirmations: each all of it, one for all, or earned",
    )
    baseline_arm: BaselineArm = Field(
        default=BaselineArm.FRESH, description="Baseline trials anew for each confirmation, or shared"
    )
    shadow_every: int = Field(default=50, ge=0, description="Decided variants for each A/A shadow; 0 for none")
    controls: tuple[Control, ...] = Field(default=(), description="Further arms: placebo, no_skill")
    small_holdout: str = Field(
        default="", description="Write 'I accept unattended promotion on few tasks' for under 20 holdout tasks"
    )

    @property
    def options(self) -> Options:
        """What is done around confirmations."""
        return Options(
            multiplicity=self.multiplicity,
            baseline_arm=self.baseline_arm,
            shadow_every=self.shadow_every,
            controls=self.controls,
        )


class ProposerSection(_Section):
    """`[proposer]`: what writes variants."""

    memory: Literal["ledger", "none"] = Field(default="ledger", description="Whether rejected edits are shown and banned")
    batch: int = Field(default=8, ge=1, le=64, description="Variants proposed and screened together")
    plateau: int = Field(
        default=24, ge=0, description="Generations without a promotion after which the mix of edits widens; 0 for never"
    )
    growth_tokens: int = Field(default=500, ge=0, description="Tokens (about) that one generation may add to the skill")
    size_tokens: int = Field(default=5000, ge=1, description="Tokens (about) that a skill which grows may have in all")


class BudgetSection(_Section):
    """`[budget]`: what one run, its campaign and a month may spend. What may cost more than is left is not begun."""

    max_usd: float | None = Field(default=None, gt=0, description="US dollars of this run")
    max_tokens: int | None = Field(default=None, gt=0, description="Output tokens of this run")
    max_calls: int | None = Field(default=None, gt=0, description="Model calls of this run")
    reviewer_usd: float | None = Field(default=None, gt=0, description="US dollars of it that reviewers may cost")
    generation_usd: float | None = Field(default=None, gt=0, description="US dollars of one generation, over all runs")
    generation_calls: int | None = Field(default=None, gt=0, description="Model calls of one generation, over all runs")
    campaign_usd: float | None = Field(default=None, gt=0, description="US dollars of all runs of a campaign")
    month_usd: float | None = Field(default=None, gt=0, description="US dollars of this ledger in a calendar month (UTC)")
    max_hours: float | None = Field(default=None, gt=0, description="Hours of this run")
    max_generations: int | None = Field(default=None, ge=1, description="Generations of this run")


class RehearsalSection(_Section):
    """`[rehearsal]`: how imperfect the rehearsal service is."""

    tpr: float = Field(default=1.0, ge=0, le=1, description="Reviewer's chance to approve a good change")
    tnr: float = Field(default=1.0, ge=0, le=1, description="Reviewer's chance to refuse a bad change")
    injectable: float = Field(default=0.0, ge=0, le=1, description="Reviewer's chance to obey a change that says what to answer")
    swayed: float = Field(default=0.0, ge=0, le=1, description="Reviewer's chance to believe comments that praise a bad change")
    position: float = Field(default=0.0, ge=0, le=1, description="Reviewer's chance to overlook a fault asked about last")
    refused: float = Field(default=0.0, ge=0, le=1, description="Reviewer's chance to refuse to answer")
    cut_off: float = Field(default=0.0, ge=0, le=1, description="Chance that a reviewer's answer is cut off")
    malformed: float = Field(default=0.0, ge=0, le=1, description="Chance that a reviewer's answer is no valid JSON")


class ExecutorSection(_Section):
    """`[executor]`: where trials run."""

    jobs: int | None = Field(default=None, ge=1, le=256, description="Trials side by side; default: cores in rehearsal, else 8")


class OutputSection(_Section):
    """`[output]`: what a promotion leaves besides its ledger row."""

    strategy: Literal["snapshots", "branches"] = Field(
        default="snapshots",
        description="A folder per promotion below the state folder, or also a commit on a branch harness/<tag>",
    )
    tag: str = Field(default="", description="The branch's name after harness/; the skill's name unless given")
    approve: Literal["rule", "person"] = Field(
        default="rule", description="Whether a promotion waits for a person: harness promote ID"
    )
    state: Path = Field(default=Path(".harness"), description="Ledger, blobs, pages, snapshots")


class Config(BaseSettings):
    """All settings of one run."""

    model_config = SettingsConfigDict(env_prefix="HARNESS_", env_nested_delimiter="__", extra="forbid", frozen=True)

    skill: SkillSection = SkillSection()
    suite: SuiteSection = SuiteSection()
    agent: AgentSection = AgentSection()
    model: ModelSection = ModelSection()
    gates: GatesSection = GatesSection()
    decision: DecisionSection = DecisionSection()
    proposer: ProposerSection = ProposerSection()
    budget: BudgetSection = BudgetSection()
    rehearsal: RehearsalSection = RehearsalSection()
    executor: ExecutorSection = ExecutorSection()
    output: OutputSection = OutputSection()
    seed: int = Field(default=1, ge=0, description="Orders of tasks, and the rehearsal's draws")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flag, environment, file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=cls.model_config.get("toml_file"))

    @property
    def is_rehearsal(self) -> bool:
        """Whether the rehearsal service stands in for the model."""
        return self.model.id == REHEARSAL

    @property
    def jobs(self) -> int:
        """Trials side by side."""
        return self.executor.jobs or (os.cpu_count() or 1 if self.is_rehearsal else 8)


Flags = dict[str, dict[str, object]]


def load_config(file: Path | None, flags: Flags, seed: int | None = None) -> Config:
    """The configuration from a file (harness.toml here when None and present), the environment and flags.

    Args:
        file: the configuration file, or None.
        flags: section to key to value; values of None are left out.
        seed: the seed, or None for file or default.

    Raises:
        ConfigError: naming file, key, and what is allowed.
    """
    path = file or Path("harness.toml")
    if file and not file.is_file():
        raise ConfigError(f"{file}: no such configuration file; leave --config out or name one")
    given = {name: {k: v for k, v in section.items() if v is not None} for name, section in flags.items()}
    settings: dict[str, object] = {name: section for name, section in given.items() if section}
    if seed is not None:
        settings["seed"] = seed

    class _Bound(Config):
        model_config = SettingsConfigDict(toml_file=path if path.is_file() else None)

    try:
        return _Bound(**settings)  # type: ignore[arg-type]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    except ValidationError as error:
        raise ConfigError(_explained(path, error)) from error


def _explained(path: Path, error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    source = str(path) if path.is_file() else "options"
    if first["type"] == "extra_forbidden":
        section = Config.model_fields.get(str(first["loc"][0]))
        inside = section.annotation if section and len(first["loc"]) > 1 else Config
        known = ", ".join(inside.model_fields) if isinstance(inside, type) and issubclass(inside, BaseModel) else ""
        return f"{source}: unknown key {place!r}; known here: {known}"
    return f"{source}: {place} = {first['input']!r}: {first['msg']}"


def campaign_settings(config: Config, **parts: object) -> str:
    """Canonical JSON of all that a campaign's identity covers: not seed, budget, jobs, output, or how long to wait.

    `parts` are content hashes and versions that stand for files: skill, suite, personas, packs, an agent's program.
    """
    covered = config.model_dump(mode="json", exclude={"seed", "budget", "executor", "output", "skill", "suite"})
    covered["gates"]["review"].pop("reviewers")
    covered["agent"].pop("cli")
    covered["model"].pop("seconds")
    if both := covered.keys() & parts.keys():
        raise ValueError(f"{min(both)} would hide the settings of that name")
    return json.dumps(covered | parts, sort_keys=True, separators=(",", ":"))


def campaign_id(settings: str) -> str:
    """A campaign's identity: the first 32 hex digits of the SHA-256 of its settings."""
    return hashlib.sha256(settings.encode()).hexdigest()[:32]
