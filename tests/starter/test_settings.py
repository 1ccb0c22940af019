import subprocess
import sys
import tomllib
from pathlib import Path

from harness.config import Config, load_config
from harness.starter.settings import settings_file

ROOT = Path(__file__).parents[2]
CHOSEN = {
    "skill": {"path": Path("skills/a b")},
    "agent": {"delivery": "skill", "calls": 5},
    "gates.review": {"rule": "veto"},
    "decision": {"controls": ("placebo",)},
}


def test_what_was_chosen_is_set_and_everything_else_keeps_its_default(tmp_path: Path) -> None:
    (tmp_path / "harness.toml").write_text(settings_file(CHOSEN))
    loaded = load_config(tmp_path / "harness.toml", {})
    assert (loaded.skill.path, loaded.agent.calls, loaded.gates.review.rule) == (Path("skills/a b"), 5, "veto")
    assert loaded.decision.controls == ("placebo",)
    assert loaded.model_dump(exclude={"skill", "agent", "gates", "decision"}) == Config().model_dump(
        exclude={"skill", "agent", "gates", "decision"}
    )


def test_every_line_in_front_of_which_the_mark_is_taken_away_is_a_setting_with_its_default(tmp_path: Path) -> None:
    lines = [line.removeprefix("# ") if " = " in line else line for line in settings_file({}).splitlines()]
    text = "\n".join(line for line in lines if not line.endswith(" ="))
    (tmp_path / "harness.toml").write_text(text)
    assert load_config(tmp_path / "harness.toml", {}).model_dump() == Config().model_dump()
    assert tomllib.loads(text)["gates"]["review"]["rule"] == "majority"


def test_the_references_in_the_docs_are_those_of_the_code() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts/reference.py", "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
