"""Load evidence: the proof that an agent was shown the variant's text, taken from what was really sent.

An agent that lists skills by itself chooses by its own listing: one with other words than those meant is no proof.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.rollout import LoadEvidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.ports import Delivered


def evidence(delivered: Delivered, how: str) -> LoadEvidence:
    """The evidence for a delivery that was seen in the place `how`, or never where `how` is empty."""
    if not how:
        return LoadEvidence(delivery=delivered.mode, loaded=False, how="never seen in what the agent was sent")
    text_hash = hashlib.sha256(delivered.proof.encode("utf-8", "surrogateescape")).hexdigest()
    return LoadEvidence(delivery=delivered.mode, loaded=True, text_hash=text_hash, how=how)


def as_listed(load: LoadEvidence, delivered: Delivered, found: Sequence[str]) -> LoadEvidence:
    """The evidence, void where the agent lists the skill (`found`, "name: description" each) in other words than those meant."""
    if not delivered.listing or delivered.listing in found:
        return load
    if not found:
        return replace(load, how=f"{load.how}; the agent did not list it")
    return LoadEvidence(delivery=load.delivery, loaded=False, how=f"the agent lists {found[0]!r}, not {delivered.listing!r}")
