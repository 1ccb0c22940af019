"""Suites: reading, writing, admitting and splitting sets of tasks."""
