"""Which images `harness prune --images` keeps. Removing is not tried here: other suites' images on this machine are not ours."""

from pathlib import Path

import pytest

from harness.sandbox.docker_sandbox import DockerSandbox
from harness.sandbox.engine import connect
from harness.suites.catalog import load_suite
from harness.wiring.images import suite_images

pytestmark = pytest.mark.docker


def test_the_images_that_a_run_of_the_suite_uses_are_kept(tiny: Path, tmp_path: Path) -> None:
    suite = load_suite(tiny)
    sandbox = DockerSandbox(suite=suite, run_id="prune-test", state=tmp_path, jobs=1)
    try:
        sandbox.prepare()
        assert suite_images(connect(), suite) == set(sandbox.images.values())
    finally:
        sandbox.close()
