"""Yield and speed of `harness suite mutate` on three well-known packages, fetched as source distributions and never kept.

python benchmarks/mutants.py [TASKS]      tasks wanted of each package, 4 unless given; needs Docker and a package index
"""

import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from pathlib import Path

from harness.config import load_config
from harness.testing import Notes
from harness.wiring.mutate import Made, Wanted, mutate

PACKAGES = ("inflection==0.5.1", "itsdangerous==2.2.0", "toolz==1.2.0")


def fetched(package: str, folder: Path) -> Path:
    """The unpacked source distribution of a package."""
    words = ["download", "-q", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:", "-d", str(folder), package]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as bundle:
        bundle.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


def told(package: str, made: Made, seconds: float) -> str:
    """One package's figures."""
    kept, tried = len(made.suite.tasks) if made.suite else 0, len(made.tried)
    dropped = Counter(one.reason for one in made.tried if one.entry is None)
    reasons = ", ".join(f"{count} {reason}" for reason, count in dropped.most_common())
    share = f"{kept} of {tried} mutants kept ({kept / tried:.0%})"
    return f"{package:<24} {share}, {seconds / tried:.1f} s a mutant, {seconds:.0f} s in all; {reasons}"


def main(tasks: int) -> None:
    """Print a line for each package."""
    for package in PACKAGES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            source = fetched(package, folder / "source")
            began = time.monotonic()
            wanted = Wanted(source=str(source), out=folder / "suite", limit=tasks, private=True)
            made = mutate(load_config(None, {"output": {"state": folder / "state"}}), wanted, Notes())
            print(told(package, made, time.monotonic() - began), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
