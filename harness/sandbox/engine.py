"""The Docker engine: where it is, whether it answers, and its errors turned into ours. Starts nothing."""

from __future__ import annotations

import os
import socket
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import docker
from docker.context import ContextAPI
from docker.errors import DockerException
from docker.tls import TLSConfig
from docker.utils import kwargs_from_env
from requests.exceptions import RequestException

from harness.errors import DockerUnavailableError
from harness.ports import TrialEndedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.rollout import Ending

OLDEST_API = (1, 41)  # Docker 20.10
ANSWER_SECONDS = 4
DEFAULT = "unix:///var/run/docker.sock"
CALL_SECONDS = 120
FAULTS = (DockerException, RequestException, OSError)
HOW_TO_START = "start it (`make setup` installs and starts one on Debian or Ubuntu as root), or set DOCKER_HOST"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStatus:
    """What `doctor` tells of an engine: address, versions, storage, cgroup version, cores, bytes of memory, folder on disk."""

    endpoint: str
    version: str
    api: str
    storage: str
    cgroup: str
    cores: int
    memory: int
    folder: str


def endpoint() -> tuple[str | None, TLSConfig | None]:
    """Address and TLS of the engine: DOCKER_HOST, else the command line's current context; None means the default socket."""
    if host := os.environ.get("DOCKER_HOST"):
        return host, None
    context = ContextAPI.get_current_context()
    if context is None or context.name == "default" or not context.Host:
        return None, None
    tls = context.TLSConfig
    return context.Host, tls if isinstance(tls, TLSConfig) else None


def connect() -> docker.APIClient:
    """A client of the engine that any number of threads may use.

    Raises:
        DockerUnavailableError: within five seconds, if nothing answers there or the engine is too old.
    """
    host, tls = endpoint()
    where = host or "the default socket"
    try:
        _knock(host or DEFAULT)
        if host and os.environ.get("DOCKER_HOST"):
            found = docker.APIClient(**kwargs_from_env(), version="auto", timeout=ANSWER_SECONDS)
        else:
            found = docker.APIClient(base_url=host, tls=tls or False, version="auto", timeout=ANSWER_SECONDS)
    except FAULTS as error:
        raise DockerUnavailableError(f"Docker cannot be reached at {where}: {short(error)}; {HOW_TO_START}") from error
    found.timeout = CALL_SECONDS
    if tuple(int(part) for part in found.api_version.split(".")) < OLDEST_API:
        raise DockerUnavailableError(f"the Docker engine at {where} speaks API {found.api_version}; 20.10 or newer is needed")
    return found


def _knock(address: str) -> None:
    """Fail early on a socket file that nobody serves; the client itself would leave its own socket open."""
    scheme, _, path = address.partition("://")
    if scheme in {"unix", "http+unix"}:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(ANSWER_SECONDS)
            probe.connect(path if path.startswith("/") else f"/{path}")


def engine_status() -> EngineStatus:
    """Facts about the engine. Raises DockerUnavailableError as `connect` does."""
    client = connect()
    try:
        facts, version = client.info(), client.version()
    except FAULTS as error:
        raise DockerUnavailableError(f"Docker answers at {client.base_url}, but not to `info`: {short(error)}") from error
    finally:
        client.close()
    return EngineStatus(
        endpoint=endpoint()[0] or "default socket",
        version=str(version["Version"]),
        api=str(version["ApiVersion"]),
        storage=str(facts["Driver"]),
        cgroup=str(facts.get("CgroupVersion", "1")),
        cores=int(facts["NCPU"]),
        memory=int(facts["MemTotal"]),
        folder=str(facts["DockerRootDir"]),
    )


@contextmanager
def ending_as(ending: Ending, doing: str) -> Iterator[None]:
    """Turn a fault of the engine into a trial's ending; the engine's own error is the positive proof that it was ours."""
    try:
        yield
    except FAULTS as error:
        raise TrialEndedError(ending, f"{doing}: {short(error)}") from error


def short(error: Exception) -> str:
    """An error's words on one line, at most 300 characters."""
    return " ".join(str(error).split())[:300]
