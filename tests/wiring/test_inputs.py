import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.config import AgentSection, BudgetSection, Config, campaign_id, campaign_settings
from harness.errors import ConfigError
from harness.models.prices import list_prices
from harness.models.relay.server import Upstream
from harness.review.personas import load_personas
from harness.rollout import Change
from harness.skill import Skill
from harness.task import Suite, Task
from harness.testing import ScriptedModel
from harness.tree import Tree, difference
from harness.trial import Arm, Stage, TrialKey
from harness.wiring.inputs import Inputs, changed_reviewers, check_limits
from harness.wiring.review import panel_of
from harness.wiring.service import Service


def settings(**parts: object) -> str:
    return campaign_settings(Config(), **{"skill": "s", "personas": {"a": "1", "b": "2"}} | parts)


def test_a_changed_reviewer_file_makes_another_campaign_and_is_named() -> None:
    before, now = settings(), settings(personas={"a": "1", "b": "3"})
    assert campaign_id(before) != campaign_id(now)
    assert changed_reviewers([before], now) == ("b",)
    assert changed_reviewers([before], settings(personas={"a": "1"})) == ("b",)


def test_a_veto_lost_or_earned_is_told_as_well() -> None:
    assert changed_reviewers([settings()], settings(provisional=["a"])) == ("a",)


def test_a_campaign_that_goes_on_and_one_that_differs_otherwise_are_no_news() -> None:
    before = settings()
    assert changed_reviewers([before], before) == ()
    assert changed_reviewers([settings(personas={"a": "9"}), before], before) == ()
    assert changed_reviewers([before], settings(skill="other", personas={"a": "9"})) == ()
    assert json.loads(before)["personas"] == {"a": "1", "b": "2"}


@pytest.mark.parametrize("name", ["max_calls", "generation_calls"])
def test_a_limit_under_one_trials_own_is_refused_since_nothing_could_ever_begin(name: str) -> None:
    agent = AgentSection(calls=10)
    check_limits(Config(agent=agent, budget=BudgetSection.model_validate({name: 10})))
    with pytest.raises(ConfigError, match=rf"{name} = 9 is less than one trial may need \(\[agent\] calls = 10\)"):
        check_limits(Config(agent=agent, budget=BudgetSection.model_validate({name: 9})))


QUOTE = "Every change adds a line to CHANGELOG.md."
PACK = f"""
spec = 1
[[rule]]
id = "plain"
kind = "judge"
calibration = {{ label = "declared" }}
provenance = {{ file = "CONTRIBUTING.md", line = 3, quote = "{QUOTE}" }}
"""


def asked(task: Task, dropped: dict[str, tuple[str, ...]]) -> str:
    """A campaign's first question to its reviewers about a task whose pack has one judge rule."""
    model = ScriptedModel(lambda _: ("refusal", ""))
    task = replace(task, pack="p")
    inputs = Inputs(
        config=Config(),
        suite=Suite(id="s", version="1", tasks=(task,), packs=(("p", PACK),), tools=()),
        skill=Skill(name="s", description="", entry="SKILL.md", tree=Tree.of({"SKILL.md": ""})),
        personas=load_personas(Path("reviewers")),
        prices=list_prices(),
        dropped=dropped,
    )
    upstream = Upstream(api_key="", base_url="", models=frozenset())
    panel = panel_of(inputs, Service(model=model, batched=model, upstream=upstream, announce=lambda *_: None), {})
    key = TrialKey(stage=Stage.CONFIRM, confirmation="c", arm=Arm.VARIANT, variant="v", task=task.id, repeat=1)
    panel.review(task, Change(files=difference(task.base, task.reference), patch=b""), key)
    return json.dumps(model.requests[0].messages)


def test_a_judge_rule_reaches_the_reviewers_of_every_task_but_one_that_drops_it(task: Task) -> None:
    assert QUOTE in asked(task, {})
    assert QUOTE in asked(task, {"another": ("plain",)})
    assert "None." in asked(task, {task.id: ("plain",)})
    assert QUOTE not in asked(task, {task.id: ("plain",)}).partition("# Change")[0]
