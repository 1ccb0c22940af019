from __future__ import annotations

from pathlib import Path

from hypothesis import configuration, settings

# The same examples in every run, and none kept: a test that fails here fails everywhere.
settings.register_profile("decision", derandomize=True, database=None, deadline=None)
settings.load_profile("decision")
configuration.set_hypothesis_home_dir(Path(".pytest_cache", "hypothesis"))  # what it still writes goes to the other caches
