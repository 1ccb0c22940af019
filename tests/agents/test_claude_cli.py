import sys
from pathlib import Path

import pytest

from harness.agents.claude_cli import find_cli
from harness.errors import ConfigError


def test_a_program_that_is_not_there_is_named_with_the_ways_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere: no such program.*pip install.*npm install"):
        find_cli(str(tmp_path / "nowhere"))


def test_a_script_is_refused_since_a_container_may_have_no_node(tmp_path: Path) -> None:
    (tmp_path / "claude").write_text("#!/usr/bin/env node\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="no native Linux program"):
        find_cli(str(tmp_path / "claude"))


def test_a_native_program_tells_its_version() -> None:
    assert find_cli(sys.executable).version == "Python"
