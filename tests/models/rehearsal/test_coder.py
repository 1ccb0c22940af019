from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.agents.tool_loop import ToolLoop
from harness.delivery import MODES, deliver
from harness.models.anthropic_api import AnthropicModel
from harness.models.prices import FREE
from harness.models.rehearsal.coder import commands, drawn, shown_skill
from harness.models.rehearsal.deck import deck
from harness.models.rehearsal.draws import Draws
from harness.models.rehearsal.settings import BaseRates
from harness.models.rehearsal.solutions import Label, solution
from harness.models.rehearsal.wire import MessagesRequest
from harness.ports import AgentReport, Assignment, Limits, ModelRequest
from harness.rollout import Ending
from harness.skill import Skill, Variant
from harness.task import Task
from harness.testing import LocalWorkspace
from harness.tree import EXECUTABLE, File, Tree
from harness.tree_io import read_tree, write_tree
from harness.trial import Arm, Stage, TrialKey

HELPFUL = next(card.text for card in deck() if card.opening and card.kind == "helpful")


def skill(body: str) -> Skill:
    entry = f"---\nname: coding\ndescription: How we work.\n---\n\n# Coding\n\n{body}\n"
    return Skill(name="coding", description="How we work.", entry="SKILL.md", tree=Tree.of({"SKILL.md": entry}))


def worked(model: AnthropicModel, task: Task, place: Path, mode: str, repeat: int) -> tuple[AgentReport, Tree]:
    """One trial in a folder: the report and what the agent left, without what was delivered."""
    variant = Variant(skill=skill("Look first."))
    delivered = deliver(variant, mode)
    for name in ("project", "scratch"):
        (place / name).mkdir(parents=True)
    write_tree(place / "project", task.base.overlaid(delivered.inject))
    key = TrialKey(stage=Stage.ADHOC, confirmation="", arm=Arm.VARIANT, variant=variant.id, task=task.id, repeat=repeat)
    order = Assignment(key=key, task=task, variant=variant, delivered=delivered, limits=Limits())
    report = ToolLoop(model, "claude-sonnet-5-5", FREE.cost).run(LocalWorkspace(place / "project", place / "scratch"), order)
    left = {path: file for path, file in read_tree(place / "project") if not delivered.inject.get(path)}
    return report, Tree.of(left)


@pytest.mark.parametrize("mode", MODES)
def test_it_reads_its_skill_and_leaves_exactly_one_sample_solution(
    model: AnthropicModel, task: Task, tmp_path: Path, mode: str
) -> None:
    samples = {
        solution(task, Label(tests=tests, style=style, review=review)).id
        for tests in (True, False)
        for style in (True, False)
        for review in (True, False)
    }
    for repeat in (1, 2, 3):
        report, left = worked(model, task, tmp_path / str(repeat), mode, repeat)
        assert (report.ending, report.load.loaded, len(report.calls)) == (Ending.FINISHED, True, 3)
        assert left.id in samples


def test_the_same_trial_ends_the_same_way(model: AnthropicModel, task: Task, tmp_path: Path) -> None:
    runs = [worked(model, task, tmp_path / name, "system", 1) for name in ("once", "again")]
    assert runs[0][1] == runs[1][1]
    assert runs[0][0].transcript == runs[1][0].transcript


def test_outcomes_come_as_often_as_the_rates_say(task: Task) -> None:
    trials = [drawn(HELPFUL, task, Draws(seed=1, subject=str(n), role="coder"), BaseRates()) for n in range(4000)]
    counted = Counter((label.tests, label.style) for label in trials)
    approved = sum(label.tests and label.review for label in trials)
    assert counted[True, True] / 4000 == pytest.approx(0.87 * 0.82, abs=0.03)
    assert approved / 4000 == pytest.approx(0.78, abs=0.03)


def test_words_of_the_project_or_the_task_are_not_taken_for_the_skill(
    received: Callable[[ModelRequest], MessagesRequest], task: Task
) -> None:
    delivered = deliver(Variant(skill=skill("Look first.")), "system")
    request = received(
        ModelRequest(
            role="coder",
            subject="s",
            task=task.id,
            model="m",
            system=[{"type": "text", "text": delivered.system}],
            messages=[{"role": "user", "content": [{"type": "text", "text": HELPFUL}]}],
            max_tokens=100,
        )
    )
    assert ("Look first." in shown_skill(request), HELPFUL in shown_skill(request)) == (True, False)


@pytest.mark.parametrize(
    "after",
    [
        Tree.of({"made/deep.txt": "a\n", "it's odd": "EOF\nEND_OF_FILE\n"}),
        Tree.of({"no-end": "no newline", "binary": b"\xff\0\xfe", "windows": "a\r\n", "empty": ""}),
        Tree.of({"run.sh": File(content=b"#!/bin/sh\n", mode=EXECUTABLE), "kept": "$HOME `x`\n"}),
        Tree(),
    ],
)
def test_its_commands_write_any_tree(tmp_path: Path, after: Tree) -> None:
    base = Tree.of({"kept": "old\n", "-gone": "x\n"})
    (tmp_path / "project").mkdir()
    write_tree(tmp_path / "project", base)
    workspace = LocalWorkspace(tmp_path / "project", tmp_path)
    assert workspace.run(("bash", "-e"), stdin=commands(base, after).encode(), seconds=20).exit_code == 0
    assert read_tree(tmp_path / "project") == after


def test_without_a_shell_it_only_talks(received: Callable[[ModelRequest], MessagesRequest], model: AnthropicModel) -> None:
    request = ModelRequest(
        role="coder",
        subject="s",
        task="basket-discount",
        model="claude-sonnet-5-5",
        system=(),
        messages=[{"role": "user", "content": [{"type": "text", "text": "Title, please."}]}],
        max_tokens=100,
    )
    assert received(request).calls == 0
    assert model.send(replace(request, tools=())).stop_reason == "end_turn"
