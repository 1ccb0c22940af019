"""What can go wrong with a set-up, each kind with its exit code. A bad trial is data, never an exception of these.

HarnessError                  1   a check found faults, or --exit-code was given and nothing was promoted
├── InputError                2   usage, configuration or input is wrong
│   ├── ConfigError               harness.toml or an option
│   ├── SkillError                a skill folder
│   ├── SuiteError                a suite, a task or a rule pack
│   └── PersonaError              a reviewer file
├── UnavailableError          3   something outside is missing
│   ├── DockerUnavailableError    the engine, an image, the disk
│   ├── ServiceUnavailableError   the model's service, after retries
│   └── KeyMissingError           no API key
├── IncompleteError           4   a registered confirmation was cut, or too much is missing
├── ReportError               5   the decision stands, its page could not be written
├── LedgerError               1   the ledger's chain, a blob or a row is not as it was written
└── StoppedError            130   interrupted
"""

from __future__ import annotations


class HarnessError(Exception):
    """The root: one message that says what, where and what to do, and the exit code that goes with it."""

    exit_code = 1


class InputError(HarnessError):
    """Usage, configuration or input is wrong; nothing was spent."""

    exit_code = 2


class ConfigError(InputError):
    """A configuration file or an option is wrong."""


class SkillError(InputError):
    """A skill folder cannot be read as a skill."""


class SuiteError(InputError):
    """A suite, a task or a rule pack is not valid."""


class PersonaError(InputError):
    """A reviewer file is not valid."""


class UnavailableError(HarnessError):
    """Something outside this program is missing."""

    exit_code = 3


class DockerUnavailableError(UnavailableError):
    """The Docker engine, an image or the engine's disk cannot be used."""


class ServiceUnavailableError(UnavailableError):
    """The model's service did not answer, or refused us, after its retries."""


class KeyMissingError(UnavailableError):
    """No key for the model's service."""


class IncompleteError(HarnessError):
    """A registered confirmation was cut, nothing was decided, or too much is missing."""

    exit_code = 4


class ReportError(HarnessError):
    """The decision is recorded, but a page could not be written."""

    exit_code = 5


class LedgerError(HarnessError):
    """The ledger is not as it was written: chain, row or blob."""


class StoppedError(HarnessError):
    """Interrupted by the user or by a signal."""

    exit_code = 130
