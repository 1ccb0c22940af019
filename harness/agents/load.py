"""Load evidence: the proof that an agent was shown the variant's text, taken from what was really sent."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from harness.rollout import LoadEvidence

if TYPE_CHECKING:
    from harness.ports import Delivered


def evidence(delivered: Delivered, how: str) -> LoadEvidence:
    """The evidence for a delivery that was seen in the place `how`, or never where `how` is empty."""
    if not how:
        return LoadEvidence(delivery=delivered.mode, loaded=False, how="never seen in what the agent was sent")
    text_hash = hashlib.sha256(delivered.proof.encode("utf-8", "surrogateescape")).hexdigest()
    return LoadEvidence(delivery=delivered.mode, loaded=True, text_hash=text_hash, how=how)
