"""`python -m harness.sandbox.setup`: engine and base image for `make setup`. Quiet when there is nothing to do."""

from __future__ import annotations

import os
import sys

from harness.errors import HarnessError
from harness.sandbox.base_image import base_image, found_base, keep_configured
from harness.sandbox.engine import connect
from harness.sandbox.install import ensure_debootstrap, ensure_engine


def main() -> int:
    """Set up; the exit code of the error otherwise."""
    try:
        ensure_engine(_tell)
        client = connect()
        configured = os.environ.get("HARNESS_BASE_IMAGE", "")
        if configured:
            keep_configured(client, base_image(client, configured, _tell))
        elif not found_base(client):
            ensure_debootstrap(_tell)
            base_image(client, "", _tell)
        client.close()
    except HarnessError as error:
        _tell(f"error: {error}")
        return error.exit_code
    return 0


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
