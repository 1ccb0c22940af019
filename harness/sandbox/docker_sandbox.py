"""DockerSandbox: makes trials' containers from prepared images, and removes them whatever happens."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import SystemRandom
from typing import TYPE_CHECKING, Self

from harness.counted import counted
from harness.errors import DockerUnavailableError, SuiteError
from harness.rollout import Ending
from harness.sandbox.agent_image import build_agent_image
from harness.sandbox.base_image import BaseImage, base_image, python_image
from harness.sandbox.container import Bounds, Container, Spec
from harness.sandbox.engine import connect, ending_as
from harness.sandbox.grading import Grader
from harness.sandbox.images import ENVIRONMENT, build_environment, copies, python_of
from harness.sandbox.labels import labels, remove_orphans, remove_run
from harness.sandbox.order import ROOT, packages_of
from harness.sandbox.repository import Repository
from harness.sandbox.trial import DockerTrial, Graders, Grading, Tools
from harness.sandbox.workspace import FOLDER, DockerWorkspace
from harness.task import interpreter
from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from docker import APIClient

    from harness.ports import Graded, Mounted
    from harness.rollout import Change
    from harness.task import Suite, Task
    from harness.trial import TrialKey

AGENT = "1000:1000"
EXCLUDE = ".git/info/exclude"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What may be set: a base image (a name, or an archive from `docker save`), a container's bounds, what agents have beside it.

    That is folders of this machine, and packages (`name==version`). `commands` are the rule packs' command lines, by pack.
    """

    base_image: str = ""
    bounds: Bounds = field(default_factory=Bounds)
    commands: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    mounts: tuple[Mounted, ...] = ()
    packages: tuple[str, ...] = ()


class DockerSandbox:
    """The Sandbox port on a Docker engine. `prepare` before `open`, and `close` on every way out, as `with` does."""

    def __init__(self, *, suite: Suite, run_id: str, state: Path, jobs: int, settings: Settings | None = None) -> None:
        self._bases: dict[str, BaseImage] = {}
        self._settings = settings or Settings()
        self._bounds = self._settings.bounds
        self._suite = suite
        self._run = run_id
        self._folder = state / "sandbox" / run_id
        self._labels = labels(run_id)
        self._client: APIClient | None = None
        self.images: dict[tuple[str, ...], str] = {}
        self._agents: dict[tuple[str, ...], str] = {}
        self._histories: dict[str, Tree] = {}
        self._hands = ThreadPoolExecutor(max(2, 2 * jobs), thread_name_prefix="sandbox")
        self._tools = Tools(
            repository=Repository(self._folder / "changes.git"),
            linter=dict(suite.tools).get("ruff", ""),
            base_lint={},
            random=SystemRandom(),
            commands=self._settings.commands,
        )

    def prepare(self, tell: Callable[[str], None] = lambda _: None) -> None:
        """Remove what dead runs left, and build the images of the suite that are not there yet.

        Raises:
            DockerUnavailableError: no engine, or an image cannot be made.
            SuiteError: an image holds a package that its tasks are about.
        """
        self._client = client = connect()
        left = remove_orphans(client)
        if left:
            tell(f"removed {counted(left, 'container')} that an earlier run left behind")
        cores = min(self._bounds.cpus, float(client.info()["NCPU"]))  # the engine refuses more than it has
        self._bounds = replace(self._bounds, cpus=cores)
        self._base("", tell)
        for requirements in sorted({task.requirements for task in self._suite.tasks}):
            self.provide(requirements, tell)
            tasks = [task for task in self._suite.tasks if task.requirements == requirements]
            self.require_alone(requirements, {name for task in tasks for name in packages_of(task)})

    def provide(self, requirements: tuple[str, ...], tell: Callable[[str], None] = lambda _: None) -> None:
        """Make the image of one more set of requirements (`name==version`), if it is not there yet.

        Raises:
            DockerUnavailableError: it cannot be built.
        """
        if requirements in self.images:
            return
        base = self._base(interpreter(requirements), tell)
        image = build_environment(self._engine, base.id, (*self._suite.pins, *requirements), tell)
        packages = self._settings.packages
        self._agents[requirements] = build_agent_image(self._engine, image, packages, tell) if packages else image
        self.images[requirements] = image

    @property
    def base(self) -> BaseImage | None:
        """The sandbox's own base image, once it is prepared."""
        return self._bases.get("")

    def python(self, version: str = "", tell: Callable[[str], None] = lambda _: None) -> str:
        """The version of the sandbox's own Python, as "3.11"; or another one, whose base image is made where there is none.

        Raises:
            DockerUnavailableError: that Python cannot be had here.
        """
        return python_of(self._engine, self._base(version, tell).id)

    def require_alone(self, requirements: tuple[str, ...], packages: Iterable[str]) -> None:
        """Refuse an image that has the packages under test already. Raises SuiteError."""
        client, packages = self._engine, sorted(packages)
        for image in dict.fromkeys((self.images[requirements], self._agents[requirements])):
            if found := copies(client, image, packages):
                raise SuiteError(
                    f"the image for {requirements or 'no requirements'} already holds {found[0]}, which its tasks are about"
                )

    @contextmanager
    def open(self, task: Task, inject: Tree, key: TrialKey, mounts: Sequence[Mounted] = ()) -> Iterator[DockerTrial]:
        """A started trial. Raises TrialEndedError(MISSING_CONTAINER) on entering."""
        image = self._agents[task.requirements]
        grading, first = self._grading(task)
        workspace: DockerWorkspace | None = None
        try:
            with ending_as(Ending.MISSING_CONTAINER, f"{key}: the container does not start"):
                workspace = DockerWorkspace(Container(self._engine, self._agent(image, mounts)), self._hands)
            workspace.fill(self._start(task, inject))
            yield DockerTrial(task, inject, workspace, grading, self._tools)
        finally:
            if workspace is not None:
                workspace.release()
            first.add_done_callback(_discard)

    def grade(self, task: Task, change: Change) -> Graded:
        """Grade a change without any agent. Raises TrialEndedError as `DockerTrial.grade`."""
        grading, first = self._grading(task)
        try:
            return grading.grade(change)
        finally:
            first.add_done_callback(_discard)

    def close(self) -> None:
        """Remove every container and volume of this run; safe to call twice, and while trials run: they end as killed.

        An interrupt in the middle does not leave the rest: it goes on once all is removed.
        """
        try:
            self._close()
        except KeyboardInterrupt:
            self._close()
            raise

    def _close(self) -> None:
        if self._client is not None:
            remove_run(self._client, self._run)
        self._hands.shutdown(wait=True)
        if self._client is not None:
            remove_run(self._client, self._run)  # what was being started meanwhile
            self._client.close()
            self._client = None
        self._tools.repository.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _base(self, python: str, tell: Callable[[str], None]) -> BaseImage:
        """The base image with that Python; with the sandbox's own for an empty one."""
        if python not in self._bases:
            configured = self._settings.base_image
            made = python_image(self._engine, python, tell) if python else base_image(self._engine, configured, tell)
            self._bases[python] = made
        return self._bases[python]

    @property
    def _engine(self) -> APIClient:
        if self._client is None:
            raise DockerUnavailableError("the sandbox is not prepared; call prepare() first")
        return self._client

    def _grading(self, task: Task) -> tuple[Grading, Future[Grader]]:
        """What grades the task, and its first grader, starting."""
        image = self.images[task.requirements]
        first = self._hands.submit(self._grader, image)
        return Grading(task, Graders(first=first, another=lambda: self._grader(image)), self._tools), first

    def _grader(self, image: str) -> Grader:
        with ending_as(Ending.MISSING_GRADER, "the grading container does not start"):
            return Grader(
                Container(
                    self._engine,
                    Spec(
                        image=image,
                        argv=(f"{ENVIRONMENT}/bin/python", "-I", "-m", "harness_inside.grader"),
                        user="0:0",
                        labels=self._labels,
                        bounds=self._bounds,
                        private=ROOT,
                        capabilities=("SETUID", "SETGID"),
                    ),
                ),
                self._hands,
            )

    def _agent(self, image: str, mounts: Sequence[Mounted]) -> Spec:
        return Spec(
            image=image,
            argv=(f"{ENVIRONMENT}/bin/python", "-I", "-m", "harness_inside.agent"),
            user=AGENT,
            labels=self._labels,
            bounds=self._bounds,
            volume=FOLDER,
            mounts=(*self._settings.mounts, *mounts),
        )

    def _start(self, task: Task, inject: Tree) -> Tree:
        """Base, injected files hidden from git's eyes, and a one-commit history."""
        if task.base.id not in self._histories:
            self._histories[task.base.id] = self._tools.repository.history(task.base)
        history = self._histories[task.base.id]
        hidden = "".join(f"/{path}\n" for path, _ in inject)
        return task.base.overlaid(inject).overlaid(history).overlaid(Tree.of({EXCLUDE: hidden}))


def _discard(started: Future[Grader]) -> None:
    if started.exception() is None:
        started.result().release()
