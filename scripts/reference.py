"""Writes docs/configuration.md from the configuration's models; a test compares the two."""

from pathlib import Path

from harness.starter.settings import reference

if __name__ == "__main__":
    Path(__file__).parents[1].joinpath("docs/configuration.md").write_text(reference(), encoding="utf-8")
