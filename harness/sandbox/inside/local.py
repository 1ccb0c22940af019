"""The judge and its subject on this machine, without container or second user: for finding out which tasks values can judge.

python -m harness.sandbox.inside.local '{"import_path": [...], "packages": [...], "classes": [...]}' PYTEST-ARGUMENT...
"""

from __future__ import annotations

import json
import os
import sys

import pytest

from .judge import attach
from .subject import serve
from .worker import Fitting


def main() -> None:
    """Run pytest with stand-ins; its exit code is ours."""
    order = {**json.loads(sys.argv[1]), "environment": dict(os.environ)}
    theirs, requests = os.pipe()
    answers, ours = os.pipe()
    if os.fork() == 0:
        os.close(requests)
        os.close(answers)
        serve(os.fdopen(theirs, "rb"), ours)
    os.close(theirs)
    os.close(ours)
    attach(order, requests, answers)
    raise SystemExit(pytest.main(sys.argv[2:], plugins=[Fitting()]))


if __name__ == "__main__":
    main()
