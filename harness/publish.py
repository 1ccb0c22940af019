"""Publishes a promoted variant as files: a snapshot folder per generation, and `best`, swapped atomically."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harness.skill_io import write_skill

if TYPE_CHECKING:
    from pathlib import Path

    from harness.skill import Variant


def publish(state: Path, variant: Variant) -> None:
    """Write `snapshots/gen<N>/<skill>/` and point the link `best` at it; safe to repeat, never half-done for a reader."""
    target = state / "snapshots" / f"gen{variant.generation}"
    write_skill(target / variant.skill.name, variant.skill)
    fresh = state / f"best.{os.getpid()}"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target.relative_to(state), target_is_directory=True)
    fresh.replace(state / "best")
