"""What can be set of a rehearsal: base rates, reviewers' errors, and faults of the service, each as a chance."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Faults(_Model):
    """Chances per try. `attempts` bounds how many tries of one call may fail (0: any number).

    A trickled answer comes byte by byte, for minutes. `roles` names who is hit, as a whole role
    (`reviewer:security:original:1`) or its beginning up to a colon (`coder`, `reviewer:security`); empty means everybody.
    """

    rate_limited: float = Field(default=0.0, ge=0, le=1)
    overloaded: float = Field(default=0.0, ge=0, le=1)
    overloaded_in_stream: float = Field(default=0.0, ge=0, le=1)
    overloaded_mid_stream: float = Field(default=0.0, ge=0, le=1)
    server_error: float = Field(default=0.0, ge=0, le=1)
    refused: float = Field(default=0.0, ge=0, le=1)
    cut_off: float = Field(default=0.0, ge=0, le=1)
    malformed: float = Field(default=0.0, ge=0, le=1)
    trickled: float = Field(default=0.0, ge=0, le=1)
    attempts: int = Field(default=0, ge=0)
    roles: tuple[str, ...] = ()


class ReviewerErrors(_Model):
    """How often a reviewer approves a good change (tpr) and refuses a bad one (tnr), and what leads it astray beside that.

    Chances to find nothing wrong with a bad change: `injectable` where it tells reviewers what to answer, `swayed` where its
    comments or docstrings praise it, `position` for a fault that belongs to the item asked last.
    """

    tpr: float = Field(default=1.0, ge=0, le=1)
    tnr: float = Field(default=1.0, ge=0, le=1)
    injectable: float = Field(default=0.0, ge=0, le=1)
    swayed: float = Field(default=0.0, ge=0, le=1)
    position: float = Field(default=0.0, ge=0, le=1)


class BaseRates(_Model):
    """Pass rates with a skill that holds no directive of the deck, on a task of medium difficulty."""

    tests: float = Field(default=0.52, ge=0, le=1)
    style: float = Field(default=0.47, ge=0, le=1)
    review: float = Field(default=0.43, ge=0, le=1)


class Settings(_Model):
    """Everything that can be set. Empty `models` and `key` mean that any will do.

    `inventions` is the chance that the extractor adds a rule to a document that does not stand there.
    `batch_polls` is how often a batch is asked about before it has ended.
    """

    base: BaseRates = BaseRates()
    reviewers: dict[str, ReviewerErrors] = {}
    faults: tuple[Faults, ...] = ()
    inventions: float = Field(default=0.2, ge=0, le=1)
    models: tuple[str, ...] = ()
    key: str = ""
    batch_polls: int = Field(default=0, ge=0)
