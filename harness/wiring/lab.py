"""The place where suites are made: `suites.probing.Lab` on the Docker sandbox, with this machine's pip as the resolver."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from harness.errors import DockerUnavailableError
from harness.sandbox.base_image import PYTHONS
from harness.sandbox.order import packages_of
from harness.sandbox.packages import pip_resolve
from harness.task import Suite
from harness.wiring.images import sandbox_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness.config import Config
    from harness.evaluate import Progress
    from harness.ports import Graded
    from harness.rollout import Change
    from harness.sandbox.docker_sandbox import DockerSandbox
    from harness.suites.environment import Resolution
    from harness.task import Task

TOOLS = (("pytest", "9.2.0"), ("ruff", "0.17.6"))  # of every suite that is made; those of the bundled one


class DockerLab:
    """Implements `Lab`."""

    def __init__(self, sandbox: DockerSandbox, tell: Callable[[str], None]) -> None:
        self._sandbox, self._tell = sandbox, tell
        self._had: dict[str, bool] = {}  # a Python that could not be had once is not tried again
        own = sandbox.python()
        self.pythons = (own, *(python for python in PYTHONS if python != own))

    def has(self, python: str) -> bool:
        """Whether a base image with that Python is there or can be made."""
        if python not in self._had:
            try:
                self._had[python] = bool(self._sandbox.python(python, self._tell))
            except DockerUnavailableError as error:
                self._tell(str(error))
                self._had[python] = False
        return self._had[python]

    def resolve(self, requirements: tuple[str, ...], constraints: tuple[str, ...], python: str) -> Resolution:
        """By pip, together with the tools of every suite."""
        tools = tuple(f"{name}=={version}" for name, version in TOOLS)
        return pip_resolve((*tools, *requirements), constraints, python)

    def provide(self, task: Task) -> None:
        """Have the image, without the packages that the task is about."""
        self._sandbox.provide(task.requirements)
        self._sandbox.require_alone(task.requirements, packages_of(task))

    def grade(self, task: Task, change: Change) -> Graded:
        """Grade in a fresh container."""
        return self._sandbox.grade(task, change)


@contextmanager
def lab(config: Config, progress: Progress) -> Iterator[DockerLab]:
    """A lab; its containers are removed on leaving.

    Raises:
        DockerUnavailableError: the engine cannot be used.
    """
    with ExitStack() as stack:
        nothing = Suite(id="probe", version="", tasks=(), packs=(), tools=TOOLS)
        yield DockerLab(sandbox_of(config, nothing, progress, stack), progress.note)
