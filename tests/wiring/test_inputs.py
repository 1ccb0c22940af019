import json

from harness.config import Config, campaign_id, campaign_settings
from harness.wiring.inputs import changed_reviewers


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
