"""The command line: one file per command. Sets exit codes and prints; nothing else."""

from harness.cli.app import main

__all__ = ["main"]
