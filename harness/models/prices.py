"""Prices as data: what a call cost, or None where nobody told us. The figures and their date stand in `prices.toml`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.rollout import Usage

_MILLION = 1_000_000
_DATE = re.compile(r"-\d{8}$")


class _TierFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    above: int
    input: float
    cache_read: float
    cache_write_5m: float
    cache_write_1h: float
    output: float


class _PriceFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    model: str
    dated: str
    source: str
    tier: tuple[_TierFile, ...]


class _PricesFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    batch: float = 1.0
    price: tuple[_PriceFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """US dollars per million tokens of each billing class, for prompts of more than `above` tokens."""

    above: int
    input: float
    cache_read: float
    cache_write_5m: float
    cache_write_1h: float
    output: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Tiers by model. With `free`, every model costs nothing: a service of our own, such as the rehearsal.

    `batch` is the share of the price that a call in a batch costs.
    """

    tiers: Mapping[str, tuple[Tier, ...]]
    dated: str = ""
    free: bool = False
    batch: float = 1.0

    def knows(self, model: str) -> bool:
        """Whether the model has a price; a money budget must not start without one."""
        return self.free or _DATE.sub("", model) in self.tiers

    def cost(self, model: str, usage: Usage) -> float | None:
        """US dollars for one call, or None: an unknown model, or a call that reports no token at all, is never 0."""
        prompt = usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h
        if self.free:
            return 0.0
        if not self.knows(model) or not (prompt and usage.output):
            return None
        tier = max((tier for tier in self.tiers[_DATE.sub("", model)] if prompt > tier.above), key=lambda tier: tier.above)
        total = (
            usage.input * tier.input
            + usage.cache_read * tier.cache_read
            + usage.cache_write_5m * tier.cache_write_5m
            + usage.cache_write_1h * tier.cache_write_1h
            + usage.output * tier.output
        )
        return total / _MILLION


FREE = Prices(tiers={}, free=True)


@cache
def list_prices() -> Prices:
    """The prices that ship with this version."""
    return read_prices(files("harness.models").joinpath("prices.toml").read_text(encoding="utf-8"))


def read_prices(text: str) -> Prices:
    """Prices from TOML text in the form of `prices.toml`.

    Raises:
        ConfigError: if it is not TOML of that form, or a model has no tier that begins at 0.
    """
    try:
        file = _PricesFile.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise ConfigError(f"prices: {error}") from error
    bottomless = [price.model for price in file.price if all(tier.above for tier in price.tier)]
    if bottomless:
        raise ConfigError(f"prices: {bottomless[0]} needs a tier with above = 0")
    tiers = {price.model: tuple(Tier(**tier.model_dump()) for tier in price.tier) for price in file.price}
    return Prices(tiers=tiers, dated=max((price.dated for price in file.price), default=""), batch=file.batch)
