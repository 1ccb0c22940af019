"""An agent's own packages beside a task's environment: in a folder that only the agent's containers have, never the grader's."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import DockerUnavailableError
from harness.sandbox.images import REPOSITORY, build, download, has_image, python_of
from harness.sandbox.labels import first_stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from docker import APIClient

FOLDER = "/opt/agent"
_RECIPE = """\
FROM {environment} AS packages
LABEL {label}
COPY . /build
RUN /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin python3 -m venv {folder} \\
    && {folder}/bin/pip install -q --no-cache-dir --no-index --find-links=/build {pins}
FROM {environment}
COPY --from=packages {folder} {folder}
"""


def build_agent_image(client: APIClient, environment: str, pins: tuple[str, ...], tell: Callable[[str], None]) -> str:
    """The tag of a task's environment image with the agent's packages (`name==version` each) in `FOLDER`, built if not there yet.

    Raises:
        DockerUnavailableError: a package has no wheel for the image's Python, or the image cannot be built.
    """
    digest = hashlib.sha256("\0".join([environment, _RECIPE, *sorted(pins)]).encode()).hexdigest()
    tag = f"{REPOSITORY}:agent-{digest[:12]}"
    if has_image(client, tag):
        return tag
    tell(f"building the image {tag} with {', '.join(sorted(pins))} for the agent")
    with tempfile.TemporaryDirectory() as folder:
        wheels = Path(folder)
        if not download(wheels, pins, python_of(client, environment)):
            raise DockerUnavailableError(
                f"no wheels for {', '.join(pins)} and the image's Python; name others under [agent] packages"
            )
        quoted = " ".join(f"'{pin}'" for pin in pins)
        context = {path.name: path.read_bytes() for path in wheels.iterdir()}
        with first_stage(client) as label:
            recipe = _RECIPE.format(environment=environment, label=label, folder=FOLDER, pins=quoted)
            build(client, tag, {**context, "Dockerfile": recipe.encode()}, network="none")
    return tag
