"""The files of a task and a suite on disk, as pydantic models: Harbor's task.toml (schema 1.4) with our `[metadata.harness]`.

Owns names and shapes only; `catalog` reads folders into values and `emit` writes them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from harness.tree import Edit


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class EditFile(_Strict):
    """One textual edit as it stands in TOML."""

    file: str
    find: str = ""
    replace: str = ""
    create: str | None = None
    delete: bool = False

    def value(self) -> Edit:
        """The edit as a value."""
        return Edit(file=self.file, find=self.find, replace=self.replace, create=self.create, delete=self.delete)


class SamplesFile(_Strict):
    """`rehearsal/samples.toml`: three independent edits of the reference."""

    behaviour: tuple[EditFile, ...] = Field(min_length=1)
    style: tuple[EditFile, ...] = Field(min_length=1)
    defect: tuple[EditFile, ...] = Field(min_length=1)


class SourceFile(_Strict):
    """A task's source in `projects/<project>/tasks/<slug>.toml`: what the build script turns into a task folder."""

    id: str
    title: str
    type: Literal["bug", "feature"]
    difficulty: Literal["easy", "medium", "hard"]
    split: Literal["dev", "holdout", "vault"]
    interface: tuple[str, ...]
    instruction: str
    undo: tuple[EditFile, ...] = Field(min_length=1)
    behaviour: tuple[EditFile, ...] = Field(min_length=1)
    style: tuple[EditFile, ...] = Field(min_length=1)
    defect: tuple[EditFile, ...] = Field(min_length=1)


class HarnessMetadata(_Strict):
    """`[metadata.harness]`: what this harness needs beyond Harbor. Hashes are tree ids, 64 hex digits."""

    source: Literal["written", "mined", "mutated", "session"]
    project: str
    split: Literal["dev", "holdout", "vault"]
    cluster: str = ""
    kind: Literal["behaviour", "import-level"] = "behaviour"
    difficulty: str = "medium"
    interface: tuple[str, ...] = ()
    pack: str = ""
    requirements: tuple[str, ...] = ()
    judge: Literal["in_process", "values"] = "in_process"
    base_commit: str = ""
    fix_commit: str = ""
    date: str = ""
    fixes: tuple[str, ...] = ()
    base_hash: str
    reference_hash: str
    hidden_hash: str


class _Metadata(_Open):
    harness: HarnessMetadata


class _Timeout(_Open):
    timeout_sec: float | None = None


class TaskFile(_Open):
    """`task.toml`. Sections that only Harbor reads are kept open."""

    schema_version: str = "1.4"
    metadata: _Metadata
    agent: _Timeout = _Timeout()
    verifier: _Timeout = _Timeout()
    environment: dict[str, JsonValue] = Field(default_factory=dict)


class SuiteFile(_Strict):
    """`suite.toml`: identity, tool versions, and the tasks with their hashes in order."""

    id: str
    version: str
    description: str = ""
    private: bool = False
    tools: dict[str, str] = Field(default_factory=dict)
    packs: dict[str, str] = Field(default_factory=dict)
    tasks: dict[str, str] = Field(default_factory=dict)
