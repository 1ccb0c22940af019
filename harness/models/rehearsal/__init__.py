"""The rehearsal: a local service that speaks the Messages API and plays coder, proposer and reviewer from a seed.

Only wiring imports this package. Everything made with it proves the pipeline, never a skill.
"""

from harness.models.rehearsal.rates import Rates, truth
from harness.models.rehearsal.service import Rehearsal

__all__ = ["Rates", "Rehearsal", "truth"]
