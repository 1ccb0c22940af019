"""Personas: who reviews. Reads `reviewers/<name>.md` into frozen values; the id is the hash of the file's bytes.

Personas come from the harness's side only, never from a workspace.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError

from harness.errors import PersonaError
from harness.tree import matches

if TYPE_CHECKING:
    from pathlib import Path

View = Literal["original", "stripped"]
VIEWS: tuple[View, ...] = ("original", "stripped")
_FENCE = "---\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One rubric item: a question, the answer that means a defect, and whether such a defect decides the vote."""

    id: str
    ask: str
    fail_when: str
    blocking: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """One reviewer: model, weight, veto, scope, views, rubric, and guidance in words. `id` is the hash of `content`."""

    name: str
    id: str
    version: int
    model: str
    effort: str
    weight: float
    veto: bool
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    views: tuple[View, ...]
    calibrate_on: tuple[str, ...]
    min_tpr: float
    min_tnr: float
    rubric: tuple[Question, ...]
    guidance: str
    content: bytes = field(default=b"", repr=False)  # the file as it was read

    def sees(self, path: str) -> bool:
        """Whether a path is within this reviewer's scope."""
        return matches(path, self.include) and not matches(path, self.exclude)


def load_personas(folder: Path) -> tuple[Persona, ...]:
    """Every `*.md` of a folder as a persona, by name.

    Raises:
        PersonaError: no file, or one that is not valid, naming it.
    """
    files = sorted(folder.glob("*.md"))
    if not files:
        raise PersonaError(f"{folder}: no reviewer files (*.md); `harness init` writes three")
    return tuple(parse_persona(path.read_bytes(), str(path)) for path in files)


def parse_persona(content: bytes, where: str) -> Persona:
    """One persona from its file's bytes. `where` is its path; its stem must be the persona's name.

    Raises:
        PersonaError: front matter missing or not YAML, unknown or repeated keys, an empty text, a wrong name.
    """
    head, body = _split(content, where)
    try:
        file = _PersonaFile.model_validate(yaml.load(head, _UniqueKeys))  # noqa: S506  (a SafeLoader)
    except (yaml.YAMLError, ValidationError) as error:
        raise PersonaError(f"{where}: {_short(error)}") from error
    ids = [question.id for question in file.rubric]
    if len(set(ids)) != len(ids):
        raise PersonaError(f"{where}: rubric ids stand twice: {', '.join(ids)}")
    if file.name != PurePosixPath(where).stem:
        raise PersonaError(f"{where}: the persona is named {file.name!r}; file and persona have one name")
    if not body.strip():
        raise PersonaError(f"{where}: no text below the front matter: say what to look at, and what not to flag")
    return replace(_persona(file, body.strip(), hashlib.sha256(content).hexdigest()), content=content)


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Question(_Strict):
    id: str = Field(pattern=r"^[A-Z]{2,5}-[0-9]+$")
    ask: str = Field(min_length=10)
    fail_when: Literal["yes", "no"] = "yes"
    blocking: bool = True


class _Scope(_Strict):
    include: tuple[str, ...] = Field(default=("**",), min_length=1)
    exclude: tuple[str, ...] = ()


class _Minimum(_Strict):
    tpr: float = Field(ge=0, le=1)
    tnr: float = Field(ge=0, le=1)


class _PersonaFile(_Strict):
    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    version: PositiveInt
    model: str = Field(min_length=1)
    effort: Literal["", "low", "medium", "high"] = "low"
    weight: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    veto: bool = False
    scope: _Scope = _Scope()
    passes: tuple[Literal["original"]] | tuple[Literal["original"], Literal["stripped"]] = ("original", "stripped")
    calibrate_on: tuple[Literal["behaviour", "security", "scope", "debris"], ...] = ()
    min_calibration: _Minimum = _Minimum(tpr=0.8, tnr=0.8)
    rubric: tuple[_Question, ...] = Field(min_length=1)


class _UniqueKeys(yaml.SafeLoader):
    """YAML keeps the last of two equal keys; a persona with two is a mistake."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[object, object]:  # noqa: FBT001, FBT002
        """The mapping, or an error where a key stands twice."""
        keys = [key.value for key, _ in node.value]
        twice = sorted({str(key) for key in keys if keys.count(key) > 1})
        if twice:
            raise yaml.constructor.ConstructorError(None, None, f"keys stand twice: {', '.join(twice)}", node.start_mark)
        mapping: dict[object, object] = super().construct_mapping(node, deep=deep)
        return mapping


def _split(content: bytes, where: str) -> tuple[str, str]:
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise PersonaError(f"{where}: not UTF-8") from error
    start, found, rest = text.partition(_FENCE)
    head, closed, body = rest.partition(f"\n{_FENCE}")
    if start or not found or not closed:
        raise PersonaError(f"{where}: front matter between two lines of --- must come first")
    return head, body


def _persona(file: _PersonaFile, guidance: str, identity: str) -> Persona:
    return Persona(
        name=file.name,
        id=identity,
        version=file.version,
        model=file.model,
        effort=file.effort,
        weight=file.weight,
        veto=file.veto,
        include=file.scope.include,
        exclude=file.scope.exclude,
        views=file.passes,
        calibrate_on=file.calibrate_on,
        min_tpr=file.min_calibration.tpr,
        min_tnr=file.min_calibration.tnr,
        rubric=tuple(Question(**question.model_dump()) for question in file.rubric),
        guidance=guidance,
    )


def _short(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
    return str(error)
