"""Pins for requirements, by this machine's pip and for the image's Python: from wheels alone, so that no package's code runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from harness.sandbox.images import wheel_options
from harness.suites.environment import Resolution

SECONDS = 120.0


def pip_resolve(requirements: tuple[str, ...], constraints: tuple[str, ...], python: str) -> Resolution:
    """Ask this machine's pip, by metadata of wheels alone; nothing is installed, and no package's code runs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report, bounds = folder / "report.json", folder / "constraints.txt"
        bounds.write_text("".join(f"{pin}\n" for pin in constraints), encoding="utf-8")
        words = ["install", "-q", "--disable-pip-version-check", "--dry-run", "--ignore-installed", f"--report={report}"]
        words += [f"--target={folder / 'none'}", f"--constraint={bounds}", *wheel_options(python), *requirements]
        variables = {key: value for key, value in os.environ.items() if key != "PIP_FIND_LINKS"}
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pip", *words], env=variables, capture_output=True, text=True, check=False, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            return Resolution(pins=None, said=f"pip gave no answer in {SECONDS:g} s\n")
        said = "".join(line for line in done.stderr.splitlines(keepends=True) if "ERROR" in line)
        if done.returncode:
            return Resolution(pins=None, said=said or done.stderr[-1000:])
        entries = [entry["metadata"] for entry in json.loads(report.read_text(encoding="utf-8"))["install"]]
    return Resolution(pins=tuple(f"{entry['name']}=={entry['version']}" for entry in entries), said=said)
