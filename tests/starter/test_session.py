"""What the documentation says that commands print: every command is shown, and each prints that."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.starter.test_docs import known

ROOT = Path(__file__).parents[2]


def test_every_command_is_shown_with_what_it_prints() -> None:
    commands = {name: text for name, text in known().items() if not any(other.startswith(f"{name} ") for other in known())}
    assert [
        name for name, text in commands.items() if not re.search(rf"^\$ harness {name}(?! \[OPTIONS)", text, re.MULTILINE)
    ] == []


@pytest.mark.docker
@pytest.mark.soak
def test_commands_print_what_the_documentation_says() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts/record.py", "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
