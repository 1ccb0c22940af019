from __future__ import annotations

import hashlib
import io
import json
import shutil
import tarfile
from typing import TYPE_CHECKING, cast

import pytest

from harness.errors import DockerUnavailableError
from harness.gates import judge_tests
from harness.sandbox.base_image import base_image, mirror
from harness.sandbox.docker_sandbox import DockerSandbox, Settings
from harness.sandbox.engine import connect
from harness.sandbox.host_files import host_archive
from harness.sandbox.images import environment_tag, python_of
from harness.sandbox.labels import HOST, OWNER, RUN
from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from docker import APIClient

    from harness.task import Suite
    from harness.trial import TrialKey


@pytest.fixture
def client() -> Iterator[APIClient]:
    """The engine's client."""
    found = connect()
    yield found
    found.close()


def test_an_environment_is_named_by_all_that_it_is_made_of() -> None:
    tag = environment_tag("sha256:a", ("pytest==9.2.0", "ruff==0.17.6"))
    assert environment_tag("sha256:a", ("ruff==0.17.6", "pytest==9.2.0")) == tag
    assert environment_tag("sha256:b", ("pytest==9.2.0", "ruff==0.17.6")) != tag
    assert environment_tag("sha256:a", ("pytest==9.2.1", "ruff==0.17.6")) != tag


SOURCES = """\
Types: deb
# http://archive.example/debian/20250520T000000Z
URIs: http://mirror.example/debian
Suites: bookworm-security bookworm
Components: main
"""


@pytest.mark.skipif(not shutil.which("apt-get"), reason="the package sources of Debian's apt")
def test_the_mirror_is_the_one_that_apt_reads_from_its_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "debian.sources").write_text(SOURCES)
    (tmp_path / "apt.conf").write_text(f'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "{tmp_path}";\n')
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
    assert mirror() == ["http://mirror.example/debian/"]


def test_anybody_may_write_to_the_temporary_folder_of_the_machines_own_files(tmp_path: Path) -> None:
    host_archive(tmp_path / "host.tar")
    with tarfile.open(tmp_path / "host.tar") as archive:
        assert archive.getmember("tmp").mode == 0o1777


@pytest.mark.docker
def test_the_base_image_that_is_there_is_taken_without_a_word(client: APIClient) -> None:
    told: list[str] = []
    first, second = (base_image(client, "", told.append) for _ in range(2))
    assert (first, told) == (second, [])
    assert python_of(client, first.id).startswith("3.")


class Interrupted:
    """The engine's client before a person who presses Ctrl-C as soon as a container is made."""

    def __init__(self, client: APIClient) -> None:
        self._client = client
        self.labels: Mapping[str, str] = {}

    def __getattr__(self, name: str) -> object:
        return getattr(self._client, name)

    def create_container(self, image: str, **given: Mapping[str, str]) -> None:
        """Make it; its id is told to nobody."""
        self.labels = given["labels"]
        self._client.create_container(image, **given)  # type: ignore[arg-type]  # as the product calls it
        raise KeyboardInterrupt


@pytest.mark.docker
def test_a_look_into_an_image_that_is_interrupted_leaves_no_container(client: APIClient) -> None:
    interrupted = Interrupted(client)
    with pytest.raises(KeyboardInterrupt):
        python_of(cast("APIClient", interrupted), base_image(client, "", lambda _: None).id)
    assert interrupted.labels.keys() >= {RUN, OWNER, HOST}  # by which the next run removes what a killed process left
    assert client.containers(all=True, filters={"label": f"{RUN}={interrupted.labels[RUN]}"}) == []


@pytest.mark.docker
def test_a_configured_archive_that_is_none_is_refused_by_name(client: APIClient, tmp_path: Path) -> None:
    (tmp_path / "empty.tar").write_bytes(bytes(10240))
    with pytest.raises(DockerUnavailableError, match=r"empty\.tar"):
        base_image(client, str(tmp_path / "empty.tar"), lambda _: None)


def saved(path: Path, tag: str, architecture: str) -> None:
    """An archive as `docker save` writes it, of an image with one empty layer for some kind of processor."""
    layer = bytes(10240)
    rootfs = {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]}
    config = {"architecture": architecture, "os": "linux", "config": {}, "rootfs": rootfs}
    manifest = [{"Config": "config.json", "RepoTags": [tag], "Layers": ["layer.tar"]}]
    contents = {"layer.tar": layer, "config.json": json.dumps(config).encode(), "manifest.json": json.dumps(manifest).encode()}
    with tarfile.open(path, "w") as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


@pytest.mark.docker
def test_an_image_for_other_processors_is_refused_with_both_named(client: APIClient, tmp_path: Path) -> None:
    tag, here = "harness/test-base:foreign", client.version()["Arch"]
    saved(tmp_path / "foreign.tar", tag, "s390x")
    try:
        with pytest.raises(DockerUnavailableError, match=rf"foreign\.tar is for s390x, this engine is for {here}"):
            base_image(client, str(tmp_path / "foreign.tar"), lambda _: None)
    finally:
        client.remove_image(tag)


@pytest.mark.soak
@pytest.mark.docker
def test_an_image_of_the_machines_own_files_serves_as_the_configured_one(
    client: APIClient, suite: Suite, key: TrialKey, run_id: str, tmp_path: Path
) -> None:
    host_archive(tmp_path / "host.tar")
    client.import_image_from_file(str(tmp_path / "host.tar"), repository="harness/test-base", tag="host")
    settings = Settings(base_image="harness/test-base:host")
    made = DockerSandbox(suite=suite, run_id=f"host-{run_id}", state=tmp_path, jobs=1, settings=settings)
    try:
        with made:
            made.prepare()
            with made.open(suite.tasks[0], Tree(), key) as box:
                box.workspace.run(("sed", "-i", "s/a - b/a + b/", "src/calc/__init__.py"), seconds=10)
                report = box.grade(box.take_out()).tests
        assert judge_tests(report).reason == "all 5 tests passed"
    finally:
        for tag in (*made.images.values(), "harness/test-base:host"):
            client.remove_image(tag)
