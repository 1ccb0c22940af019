"""The command line: one file per command. Sets exit codes and prints; nothing else."""
