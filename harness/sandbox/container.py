"""One locked-down container with its channel: made, frozen, read and removed; and why it ended, when it ended by itself.

Every container has no network, no capabilities (the grader's supervisor keeps two), a read-only root and limits on all else.
"""

from __future__ import annotations

import time
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from docker.errors import APIError, NotFound
from docker.types import DriverConfig, LogConfig, Mount, Ulimit

from harness.sandbox.channel import Channel

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from concurrent.futures import Executor
    from socket import SocketIO

    from docker import APIClient

    from harness.ports import Mounted
    from harness.sandbox.channel import Wire

MIB = 1024 * 1024
TMP = "/tmp"  # noqa: S108  (inside the container)
SETTLE_SECONDS = 3.0
FREEZE_TRIES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What one container may use. Files in memory count against its memory, so the engine's limit is the sum."""

    memory_mb: int = 768
    files_mb: int = 128
    inodes: int = 20_000
    scratch_mb: int = 64
    processes: int = 256
    descriptors: int = 1024
    cpus: float = 2.0

    @property
    def total(self) -> int:
        """The engine's memory limit in bytes."""
        return (self.memory_mb + self.files_mb + self.scratch_mb) * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A container to be made. `volume` is a sized, kill-proof folder of the agent; `private` a sized folder of root's.

    `mounts` are folders of this machine, for reading only.
    """

    image: str
    argv: tuple[str, ...]
    user: str
    labels: Mapping[str, str]
    bounds: Bounds
    volume: str = ""
    private: str = ""
    capabilities: tuple[str, ...] = ()
    mounts: tuple[Mounted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """Why a container is gone: killed or removed from outside, out of memory, or by itself with an exit code."""

    killed: bool
    out_of_memory: bool
    exit_code: str


class Container:
    """A running container. Errors of the engine pass through; callers turn them into endings."""

    def __init__(self, client: APIClient, spec: Spec) -> None:
        """Create, attach and start. What was made is removed again if any of it fails."""
        self._client = client
        self._since = int(time.time()) - 1
        self._attached: SocketIO | None = None
        self.bounds = spec.bounds
        self.id: str = client.create_container(
            spec.image,
            command=list(spec.argv),
            user=spec.user,
            stdin_open=True,
            labels=dict(spec.labels),
            host_config=_host_config(client, spec),
        )["Id"]
        try:
            streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
            attached: SocketIO = client.attach_socket(self.id, params=streams)
            self._attached = attached
            self.channel = Channel(cast("Wire", getattr(attached, "_sock", attached)))
            client.start(self.id)
        except BaseException:
            self.remove()
            raise

    def freeze(self) -> None:
        """Stop every process where it is. Tried again, since a busy machine's kernel does not always manage at once."""
        for left in reversed(range(FREEZE_TRIES)):
            try:
                self._client.pause(self.id)
            except APIError:
                if not left or not self._running():
                    raise
                time.sleep(0.1)
            else:
                return

    def archive(self, path: str) -> Generator[bytes]:
        """A folder as a tar stream. Not by the client's own call, which leaves the connection open if it is not read out."""
        client = self._client
        where = f"{client.base_url}/v{client.api_version}/containers/{self.id}/archive"
        with client.get(where, params={"path": path}, stream=True, timeout=client.timeout) as answer:
            answer.raise_for_status()
            yield from answer.iter_content(MIB)

    def remove(self) -> None:
        """Kill and remove, volume included; dead when this returns. One that is gone already is no error."""
        try:
            remove(self._client, self.id)
        finally:
            if self._attached is not None:
                self.channel.close()
                self._attached.close()

    def death(self) -> Death:
        """Why the container ended. Waits a moment for the engine to notice; reads the engine's own record of events."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while self._running() and time.monotonic() < deadline:
            time.sleep(0.02)
        wanted = {"container": [self.id], "event": ["kill", "oom", "die", "destroy"]}
        until = f"{time.time():.9f}"  # the engine knows fractions of a second, the client's types do not
        events = list(self._client.events(since=self._since, until=until, filters=wanted, decode=True))  # type: ignore[call-overload]
        actions = {str(event.get("Action")) for event in events}
        codes = [event["Actor"]["Attributes"].get("exitCode", "") for event in events if event.get("Action") == "die"]
        return Death(
            killed=bool(actions & {"kill", "destroy"}), out_of_memory="oom" in actions, exit_code=str(codes[-1]) if codes else ""
        )

    def _running(self) -> bool:
        try:
            return bool(self._client.inspect_container(self.id)["State"]["Running"])
        except NotFound:
            return False


def removal(container: Container, hands: Executor) -> Future[None]:
    """Removal beside other work; at once, where the sandbox has been closed already."""
    try:
        return hands.submit(container.remove)
    except RuntimeError:
        container.remove()
        done: Future[None] = Future()
        done.set_result(None)
        return done


def remove(client: APIClient, container: str) -> None:
    """Kill and remove one container with its volume; gone already, or being removed already, is no error."""
    try:
        client.remove_container(container, v=True, force=True)
    except NotFound:
        pass
    except APIError as error:
        if error.status_code != 409:  # noqa: PLR2004  (HTTP: the engine is removing it already)
            raise


def _host_config(client: APIClient, spec: Spec) -> dict[str, object]:
    bounds = spec.bounds
    tmpfs = {TMP: f"size={bounds.scratch_mb}m,mode=1777,exec,nosuid,nodev"}
    if spec.private:
        tmpfs[spec.private] = f"size={bounds.files_mb}m,mode=755,nosuid,nodev"
    config: dict[str, object] = client.create_host_config(
        network_mode="none",
        init=True,
        read_only=True,
        cap_drop=["ALL"],
        cap_add=list(spec.capabilities),
        security_opt=["no-new-privileges:true"],
        mem_limit=bounds.total,
        memswap_limit=bounds.total,
        nano_cpus=int(bounds.cpus * 1e9),
        pids_limit=bounds.processes,
        ulimits=[Ulimit(name="nofile", soft=bounds.descriptors, hard=bounds.descriptors), Ulimit(name="core", soft=0, hard=0)],
        log_config=LogConfig(type="none"),
        mounts=[*([_volume(spec)] if spec.volume else []), *map(_bind, spec.mounts)],
        tmpfs=tmpfs,
    )
    return config


def _bind(mounted: Mounted) -> Mount:
    """A folder of this machine, for reading; a socket in it can be connected to all the same."""
    return Mount(mounted.target, mounted.source, type="bind", read_only=True)


def _volume(spec: Spec) -> Mount:
    """A tmpfs volume of root's where the agent may make files: root's sticky mode cannot be changed by the agent.

    A `tmpfs=` mount would be sized too, but the engine reads the image's folder instead of it, without an error.
    """
    options = f"size={spec.bounds.files_mb}m,nr_inodes={spec.bounds.inodes},uid=0,gid=1000,mode=1775,nosuid,nodev"
    driver = DriverConfig("local", {"type": "tmpfs", "device": "tmpfs", "o": options})
    return Mount(spec.volume, None, type="volume", no_copy=True, labels=dict(spec.labels), driver_config=driver)
