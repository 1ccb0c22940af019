"""The sandbox and its images for a suite, and what admits tasks in it."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from harness.agents.claude_cli import INSIDE
from harness.executors.local import LocalExecutor
from harness.ports import Mounted
from harness.sandbox.base_image import found_base
from harness.sandbox.docker_sandbox import DockerSandbox
from harness.sandbox.docker_sandbox import Settings as SandboxSettings
from harness.sandbox.engine import connect
from harness.sandbox.images import environment_tag, remove_unused
from harness.style.measure import StyleInstrument, pack_commands
from harness.suites.admit import Admissions
from harness.task import interpreter
from harness.wiring.inputs import read_suite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docker import APIClient

    from harness.agents.claude_cli import Cli
    from harness.config import Config
    from harness.evaluate import Progress
    from harness.task import Suite


@contextmanager
def admissions(config: Config, suite: Suite, progress: Progress) -> Iterator[Admissions]:
    """What admits tasks; the engine's side is ended on leaving.

    Raises:
        DockerUnavailableError: the engine cannot be used.
    """
    with ExitStack() as stack:
        sandbox = sandbox_of(config, suite, progress, stack)
        yield Admissions(sandbox, StyleInstrument(suite), LocalExecutor(config.jobs), progress.note)


def prune_images(config: Config) -> tuple[str, ...]:
    """Remove the environment images that the configured suite's next run would not use; the removed tags.

    One in use by a container stays.

    Raises:
        SuiteError: the suite is not valid.
        DockerUnavailableError: the engine cannot be used.
    """
    suite, client = read_suite(config), connect()
    return remove_unused(client, suite_images(client, suite)) if found_base(client) else ()


def suite_images(client: APIClient, suite: Suite) -> frozenset[str]:
    """The tags of the environment images that a suite's tasks use on this machine's base images, built or not."""
    wanted = {task.requirements for task in suite.tasks}
    bases = {one: found_base(client, interpreter(one)) for one in wanted}
    return frozenset(environment_tag(base.id, (*suite.pins, *one)) for one, base in bases.items() if base)


def sandbox_of(config: Config, suite: Suite, progress: Progress, stack: ExitStack, cli: Cli | None = None) -> DockerSandbox:
    """The sandbox, its images made; closed with the stack."""
    run = f"{os.getpid()}-{int(time.time())}"
    mounts = (Mounted(source=str(cli.path), target=INSIDE),) if cli else ()
    packages = config.agent.packages if config.agent.kind == "command" else ()
    settings = SandboxSettings(commands=pack_commands(suite), mounts=mounts, packages=packages)
    sandbox = DockerSandbox(suite=suite, run_id=run, state=config.output.state, jobs=config.jobs, settings=settings)
    stack.callback(sandbox.close)
    sandbox.prepare(progress.note)
    return sandbox
