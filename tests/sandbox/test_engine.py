from __future__ import annotations

import hashlib
import json
import time
from typing import TYPE_CHECKING

import pytest

from harness.errors import DockerUnavailableError
from harness.sandbox.engine import connect, endpoint, engine_status

if TYPE_CHECKING:
    from pathlib import Path


def test_an_engine_that_is_not_there_is_one_line_in_under_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent.sock")
    started = time.monotonic()
    with pytest.raises(
        DockerUnavailableError, match=r"Docker cannot be reached at unix:///nonexistent\.sock: .*; start it"
    ) as error:
        connect()
    assert "\n" not in str(error.value)
    assert time.monotonic() - started < 5


def test_the_command_lines_current_context_says_where_the_engine_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "config.json").write_text('{"currentContext": "far"}', encoding="utf-8")
    meta = tmp_path / "contexts/meta" / hashlib.sha256(b"far").hexdigest()
    meta.mkdir(parents=True)
    text = json.dumps(
        {"Name": "far", "Metadata": {}, "Endpoints": {"docker": {"Host": "unix:///far.sock", "SkipTLSVerify": False}}}
    )
    (meta / "meta.json").write_text(text, encoding="utf-8")
    assert endpoint() == ("unix:///far.sock", None)
    with pytest.raises(DockerUnavailableError, match=r"unix:///far\.sock"):
        connect()


@pytest.mark.docker
def test_status_tells_what_doctor_prints() -> None:
    found = engine_status()
    assert found.cores >= 1
    assert found.version.split(".")[0].isdigit()
