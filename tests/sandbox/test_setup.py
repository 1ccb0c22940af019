"""Set-up's decisions, without an engine: what is taken, and how it ends where nothing can be had."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from docker.errors import ImageNotFound

from harness.errors import DockerUnavailableError
from harness.sandbox.base_image import BaseImage, base_image, found_base, python_image

if TYPE_CHECKING:
    from pathlib import Path

NOWHERE = "unix:///nonexistent/docker.sock"


class Engine:
    """An engine that has some images and can make none."""

    def __init__(self, *images: str) -> None:
        self._images = images
        self._containers: dict[str, str] = {}

    def inspect_image(self, name: str) -> dict[str, str]:
        """As the client's, by name or id."""
        bare = name.removeprefix("id of ")
        if bare not in self._images:
            raise ImageNotFound(name)
        return {"Id": f"id of {bare}", "Architecture": "amd64"}

    def version(self) -> dict[str, str]:
        """As the client's."""
        return {"Arch": "amd64"}

    def create_container(self, image: str, *, name: str, **_: object) -> None:
        """As the client's."""
        self._containers[name] = image

    def start(self, container: str) -> None:
        """As the client's."""

    def wait(self, container: str) -> dict[str, int]:  # noqa: ARG002  (the client's signature)
        """As the client's."""
        return {"StatusCode": 0}

    def logs(self, container: str, **_: object) -> bytes:
        """As the client's: what the probe of an image says, which is 3.13 where its tag says so."""
        return b"git version 2\n3.13\n" if self._containers[container].endswith("-3.13") else b"git version 2\n3.11\n"

    def remove_container(self, container: str, **_: object) -> None:
        """As the client's."""


def chosen(configured: str, *images: str) -> tuple[BaseImage, list[str]]:
    told: list[str] = []
    return base_image(Engine(*images), configured, told.append), told  # type: ignore[arg-type]  # the part of a client it needs


@pytest.mark.parametrize(
    ("images", "kind"),
    [(("pull", "debootstrap", "host"), "pull"), (("host", "debootstrap"), "debootstrap"), (("host",), "host")],
)
def test_a_base_image_made_before_is_taken_in_the_order_of_the_ways_and_quietly(images: tuple[str, ...], kind: str) -> None:
    expected = BaseImage(kind=kind, id=f"id of harness/base:{kind}")
    assert chosen("", *(f"harness/base:{name}" for name in images)) == (expected, [])


def test_a_configured_base_image_comes_before_all_others() -> None:
    assert chosen("mine:1", "harness/base:pull", "mine:1") == (BaseImage(kind="configured", id="id of mine:1"), [])


def test_another_python_has_a_base_image_of_its_own_and_the_configured_one_is_none() -> None:
    engine = Engine("harness/base:configured", "harness/base:pull", "harness/base:debootstrap-3.13")
    made = python_image(engine, "3.13", lambda _: None)  # type: ignore[arg-type]  # the part of a client it needs
    assert made == BaseImage(kind="debootstrap", id="id of harness/base:debootstrap-3.13")


def test_the_sandboxs_own_base_image_serves_where_it_has_the_python_that_is_asked_for() -> None:
    engine = Engine("harness/base:pull", "harness/base:debootstrap-3.11")
    made = python_image(engine, "3.11", lambda _: None)  # type: ignore[arg-type]  # the part of a client it needs
    assert made == BaseImage(kind="pull", id="id of harness/base:pull")


def test_a_python_that_nothing_here_has_is_refused_with_every_way_that_was_tried() -> None:
    with pytest.raises(
        DockerUnavailableError, match=r"base image with Python 3\.10 can be made here; pull: .*debootstrap: no release.*host: "
    ) as caught:
        python_image(Engine("harness/base:pull"), "3.10", lambda _: None)  # type: ignore[arg-type]  # the part of a client it needs
    assert caught.value.exit_code == 3


def test_a_configured_archive_that_is_no_image_is_named(tmp_path: Path) -> None:
    (tmp_path / "image.tar").write_bytes(b"nothing")

    class Loading(Engine):
        def load_image(self, archive: object) -> list[dict[str, str]]:  # noqa: ARG002  (the client's signature)
            return [{"stream": "nothing"}]

    with pytest.raises(DockerUnavailableError, match=r"image\.tar: holds no image"):
        base_image(Loading(), str(tmp_path / "image.tar"), lambda _: None)  # type: ignore[arg-type]  # the part of a client it needs


def test_whether_there_is_a_base_image_is_told_for_any_way() -> None:
    assert found_base(Engine("harness/base:host"))  # type: ignore[arg-type]  # the part of a client it needs
    assert found_base(Engine("mine:1")) is None  # type: ignore[arg-type]  # the part of a client it needs


def test_with_an_engine_named_that_does_not_answer_set_up_installs_nothing_and_says_where_it_looked() -> None:
    command = [sys.executable, "-m", "harness.sandbox.setup"]
    done = subprocess.run(command, env=os.environ | {"DOCKER_HOST": NOWHERE}, capture_output=True, text=True, check=False)
    [line] = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (3, "")
    assert line.startswith(f"error: Docker cannot be reached at {NOWHERE}")
