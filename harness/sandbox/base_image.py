"""The base image: Debian with Python and git, obtained by the first way that works here, each try told.

Order: the configured image or archive, a pull, debootstrap, the host's own files. Results of different kinds are never compared.
Tasks whose project wants another Python have a base image of that Python, by the same ways but for the host's files.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from docker.errors import APIError

from harness.errors import DockerUnavailableError
from harness.sandbox.engine import FAULTS, connect, short
from harness.sandbox.host_files import host_archive
from harness.sandbox.images import build, has_image, image_id, python_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from docker import APIClient

REPOSITORY = "harness/base"
PULL_SECONDS = 20.0
PACKAGES = ("python3", "python3-venv", "git")
RELEASES = {"3.11": "bookworm", "3.13": "trixie"}  # Debian's releases by the Python that they package
PYTHONS = ("3.13", "3.12", "3.14", "3.10")  # beside the sandbox's own, first those that Debian has; pytest 9 runs on all of them
UNNEEDED = ("var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale", "dev")
_RECIPE = """\
FROM {image}
RUN apt-get update -q && apt-get install -y -q --no-install-recommends {packages} && rm -rf /var/lib/apt/lists/*
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseImage:
    """A base image: how it was obtained (configured, pull, debootstrap or host), and its id."""

    kind: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """What a base image is made from: an image to pull and the packages that it lacks, or a release for debootstrap ("": none).

    `python` is empty for the sandbox's own.
    """

    pulled: str
    lacking: tuple[str, ...]
    release: str
    python: str = ""


_OWN = _Source(pulled="debian:bookworm-slim", lacking=PACKAGES, release="bookworm")


class _NotHereError(Exception):
    """This way does not work on this machine, for the reason given."""


def base_image(client: APIClient, configured: str, tell: Callable[[str], None]) -> BaseImage:
    """The base image, made if there is none yet. `configured` is an image's name, an archive from `docker save`, or empty.

    Raises:
        DockerUnavailableError: no way works; the message lists what was tried and why it failed. Or the configured image is
            for other processors than the engine's.
    """
    if configured:
        return BaseImage(kind="configured", id=_native(client, configured, _configured(client, configured, tell)))
    return found_base(client) or _made(client, _OWN, tell)


def python_image(client: APIClient, python: str, tell: Callable[[str], None]) -> BaseImage:
    """A base image with this Python, such as "3.13": the sandbox's own where that has it, else one that is made if need be.

    Raises:
        DockerUnavailableError: no way works here; the message lists what was tried and why it failed.
    """
    source = _Source(pulled=f"python:{python}-slim", lacking=("git",), release=RELEASES.get(python, ""), python=python)
    return found_base(client, python) or _made(client, source, tell)


def found_base(client: APIClient, python: str = "") -> BaseImage | None:
    """The base image that stands here, of any kind: the sandbox's own, or one with this Python."""
    if python and (own := found_base(client)) and python_of(client, own.id) == python:
        return own
    for kind in (*_WAYS,) if python else ("configured", *_WAYS):
        tag = _tag(kind, python)
        if has_image(client, tag):
            return BaseImage(kind=kind, id=image_id(client, tag))
    return None


def _made(client: APIClient, source: _Source, tell: Callable[[str], None]) -> BaseImage:
    failures = []
    for kind, (what, make) in _WAYS.items():
        tag = _tag(kind, source.python)
        tell(f"sandbox base image: {what.format(source=source)}")
        try:
            make(client, tag, source)
        except (_NotHereError, DockerUnavailableError, *FAULTS) as error:
            failures.append(f"{kind}: {short(error)}")
            tell(f"  not here: {short(error)}")
            continue
        return BaseImage(kind=kind, id=image_id(client, tag))
    what = f"base image with Python {source.python}" if source.python else "base image"
    raise DockerUnavailableError(f"no sandbox {what} can be made here; {'; '.join(failures)}")


def _tag(kind: str, python: str) -> str:
    return f"{REPOSITORY}:{kind}-{python}" if python else f"{REPOSITORY}:{kind}"


def keep_configured(client: APIClient, found: BaseImage) -> None:
    """Use a configured image from now on, until the tag `harness/base:configured` is removed."""
    client.tag(found.id, REPOSITORY, "configured")


def _configured(client: APIClient, name: str, tell: Callable[[str], None]) -> str:
    if Path(name).is_file():
        tell(f"sandbox base image: loading {name}")
        with Path(name).open("rb") as archive:
            steps = client.load_image(archive) or ()  # type: ignore[no-untyped-call]  # the stubs do not type it
            loaded = [str(step.get("stream", "")) for step in steps]
        names = [line.partition(":")[2].strip() for line in loaded if line.startswith("Loaded image")]
        if not names:
            raise DockerUnavailableError(f"{name}: holds no image; make it with `docker save`")
        return image_id(client, names[0])
    if not has_image(client, name):
        tell(f"sandbox base image: pulling {name}")
        try:
            _pulled(name)
        except (_NotHereError, *FAULTS) as error:
            raise DockerUnavailableError(f"the configured base image {name} is not here: {short(error)}") from error
    return image_id(client, name)


def _native(client: APIClient, name: str, image: str) -> str:
    """The image, unless it is for other processors: it would not start, or run emulated, several times slower than its limits."""
    made = client.inspect_image(image)["Architecture"]  # type: ignore[no-untyped-call]  # the stubs do not type it
    here = client.version()["Arch"]
    if made != here:
        raise DockerUnavailableError(f"the base image {name} is for {made}, this engine is for {here}; name one for {here}")
    return image


def _pull(client: APIClient, tag: str, source: _Source) -> None:
    _pulled(source.pulled)
    recipe = _RECIPE.format(image=source.pulled, packages=" ".join(source.lacking))
    build(client, tag, {"Dockerfile": recipe.encode()})


def _pulled(name: str) -> None:
    """Pull by a thread of its own: the client has no limit for a pull, and an engine behind a silent wall never answers."""
    outcome: list[str] = []

    def work() -> None:
        try:
            for step in connect().pull(name, stream=True, decode=True):
                if "error" in step:
                    outcome.append(str(step["error"]))
                    return
            outcome.append("")
        except (DockerUnavailableError, *FAULTS) as error:
            outcome.append(short(error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(PULL_SECONDS)
    if not outcome or outcome[0]:
        raise _NotHereError(outcome[0] if outcome else f"no image after {PULL_SECONDS:.0f} s")


def _debootstrap(client: APIClient, tag: str, source: _Source) -> None:
    if not source.release:
        raise _NotHereError("no release of Debian packages it")
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        raise _NotHereError("needs root and the package debootstrap")
    with tempfile.TemporaryDirectory(prefix="harness-base-") as folder:
        root = Path(folder) / "root"
        command = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", source.release, str(root), *mirror()]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise _NotHereError(f"debootstrap: {' '.join((made.stdout + made.stderr).split())[-200:]}")
        excluded = [f"--exclude=./{path}/*" for path in UNNEEDED]
        _import(client, tag, ["tar", "-C", str(root), "-c", *excluded, "."])


def mirror() -> list[str]:
    """The mirror of Debian that this machine's apt uses, by apt's own reading; none, and so debootstrap's, without one.

    Every mirror has all releases that are supported, whichever this machine runs.
    """
    if not shutil.which("apt-get"):
        return []
    for release in RELEASES.values():
        wanted = ("Identifier: Packages", f"Release: {release}", "Component: main")
        command = ["apt-get", "indextargets", "--no-release-info", "--format", "$(REPO_URI)", *wanted]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        found = [line for line in said.stdout.split() if line.startswith(("http://", "https://"))]
        if found:
            return found[:1]
    return []


def _host(client: APIClient, tag: str, source: _Source) -> None:
    if source != _OWN:
        raise _NotHereError("this machine's own Python is another")
    with tempfile.TemporaryDirectory(prefix="harness-base-") as folder:
        archive = Path(folder) / "host.tar"
        host_archive(archive)
        _import(client, tag, ["cat", str(archive)])


def _import(client: APIClient, tag: str, command: list[str]) -> None:
    repository, _, name = tag.partition(":")
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        source = process.stdout
        if source is None:
            raise AssertionError
        chunks: Iterator[bytes] = iter(lambda: source.read(1024 * 1024), b"")
        try:
            said = client.import_image_from_stream(chunks, repository=repository, tag=name)
        except APIError as error:
            process.kill()
            raise _NotHereError(short(error)) from error
    if process.returncode != 0 or '"error"' in str(said):
        raise _NotHereError(f"import failed: {str(said)[-200:]}")


_WAYS: dict[str, tuple[str, Callable[[APIClient, str, _Source], None]]] = {
    "pull": (f"pulling {{source.pulled}} (at most {PULL_SECONDS:.0f} s)", _pull),
    "debootstrap": ("debootstrap {source.release} from a Debian mirror (a minute or two)", _debootstrap),
    "host": ("copying this machine's own Python, git and shell tools", _host),
}
