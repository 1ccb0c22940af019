"""Installs and starts a Docker engine on Debian or Ubuntu as root; elsewhere says what to install.

A second engine is never started beside a running one: it can delete the first one's network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import DockerUnavailableError
from harness.sandbox.engine import HOW_TO_START, connect

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGES = ("docker.io", "debootstrap")
PID_FILE = Path("/var/run/docker.pid")
LOG = Path("/var/log/harness-dockerd.log")
START_SECONDS = 60.0
ANSWER_SECONDS = 30.0


def ensure_engine(tell: Callable[[str], None]) -> None:
    """Return when an engine answers, having installed and started one if that is possible here.

    Raises:
        DockerUnavailableError: if none answers and none can be had; the message says what to do.
    """
    try:
        connect().close()
    except DockerUnavailableError as error:
        if os.environ.get("DOCKER_HOST"):
            raise
        seen = error
    else:
        return
    if not shutil.which("dockerd"):
        if not _can_install():
            raise DockerUnavailableError(f"{seen}. Install Docker Engine 20.10 or newer and run this again.") from seen
        tell(f"installing {' and '.join(PACKAGES)} (a minute)")
        _apt("update", "-q")
        _apt("install", "-y", "-q", *PACKAGES)
    _start(tell)


def ensure_debootstrap(tell: Callable[[str], None]) -> None:
    """Install debootstrap where that is possible; without it the base image is made in another way."""
    if _can_install() and not shutil.which("debootstrap"):
        tell("installing debootstrap")
        _apt("update", "-q")
        _apt("install", "-y", "-q", "debootstrap")


def _can_install() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _apt(*words: str) -> None:
    variables = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(["apt-get", *words], env=variables, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = " ".join((done.stdout + done.stderr).split())[-400:]
        raise DockerUnavailableError(f"`apt-get {' '.join(words)}` failed: {said}")


def _start(tell: Callable[[str], None]) -> None:
    if os.geteuid() != 0:
        raise DockerUnavailableError(f"the Docker engine is installed but does not answer; {HOW_TO_START}")
    if _engine_runs():
        if not _answers(ANSWER_SECONDS):
            raise DockerUnavailableError(
                "a dockerd is running but does not answer; look at its log, or end it and run this again"
            )
        return
    tell("starting the Docker engine")
    if Path("/run/systemd/system").is_dir():
        subprocess.run(["systemctl", "start", "docker"], capture_output=True, check=False)
    else:
        PID_FILE.unlink(missing_ok=True)  # no dockerd runs: the file is what an unclean stop left, and would prevent the start
        with LOG.open("ab") as log:
            subprocess.Popen(
                ["dockerd"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True, close_fds=True
            )
    if not _answers(START_SECONDS):
        tail = " ".join(LOG.read_text(encoding="utf-8", errors="replace").split())[-600:] if LOG.is_file() else ""
        raise DockerUnavailableError(f"the Docker engine did not start within {START_SECONDS:.0f} s: {tail}")


def _engine_runs() -> bool:
    """Whether a process of that name is alive, whoever started it."""
    for entry in Path("/proc").glob("[0-9]*/comm"):
        try:
            if entry.read_text(encoding="utf-8").strip() == "dockerd":
                return True
        except OSError:
            continue
    return False


def _answers(seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            connect().close()
        except DockerUnavailableError:
            time.sleep(0.2)
        else:
            return True
    return False
