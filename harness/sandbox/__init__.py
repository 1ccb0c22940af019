"""Docker sandbox: images, the containers of a trial, change capture and grading."""

from __future__ import annotations

from harness.sandbox.docker_sandbox import DockerSandbox

__all__ = ["DockerSandbox"]
