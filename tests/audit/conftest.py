"""Ledgers with a whole synthetic campaign in them, made once; see tests/ledger/sample.py."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


def _load() -> ModuleType:
    path = Path(__file__).parents[1] / "ledger" / "sample.py"
    spec = importlib.util.spec_from_file_location("sample_campaign", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A campaign's ledger by kind: promoted, rehearsal, none (nothing promoted), screened (no holdout), private (a leak)."""
    sample = _load()
    made: dict[str, Path] = {}
    steps = {"none": sample.STEPS[:2] + sample.STEPS[3:], "screened": sample.STEPS[:2], "private": (sample.LEAKED,)}

    def get(kind: str) -> Path:
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp(kind) / "ledger.db"
            sample.fill(
                made[kind],
                steps.get(kind, sample.STEPS),
                rehearsal=kind == "rehearsal",
                private=kind == "private",
                seed=8 if kind == "rehearsal" else 7,
            )
        return made[kind]

    return get
