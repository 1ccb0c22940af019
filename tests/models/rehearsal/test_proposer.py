import json
from collections.abc import Callable, Sequence

import pytest

from harness.models.rehearsal import proposer
from harness.models.rehearsal.deck import deck, standing
from harness.models.rehearsal.draws import Draws
from harness.models.rehearsal.wire import MessagesRequest
from harness.ports import Growth, ModelRequest, Proposal, ProposalRequest, RejectedEdit
from harness.proposers.model_edit import ModelProposer
from harness.skill import Skill, Variant
from harness.task import Suite, Task
from harness.testing import QueuedModel
from harness.tree import Tree

ENTRY = "---\nname: coding\ndescription: How we work.\n---\n\n# Coding\n\nLook first.\n\nLook again.\n"
Propose = Callable[..., Proposal]


def variant(text: str) -> Variant:
    return Variant(skill=Skill(name="coding", description="How we work.", entry="SKILL.md", tree=Tree.of({"SKILL.md": text})))


@pytest.fixture
def propose(task: Task, received: Callable[[ModelRequest], MessagesRequest]) -> Propose:
    """A proposal for a generation, made by the real proposer and answered by the rehearsal's part."""
    suite = Suite(id="basket", version="1", tasks=(task,), packs=(), tools=())

    def made(generation: int, text: str = ENTRY, rejected: Sequence[RejectedEdit] = (), seed: int = 1) -> Proposal:
        request = ProposalRequest(
            generation=generation, campaign="c", baseline=variant(text), failures=(), rejected=tuple(rejected)
        )
        recorder = QueuedModel([([{"type": "text", "text": "x"}], "end_turn")])
        ModelProposer(recorder, "m").propose(request)
        asked = recorder.requests[0]
        answer = proposer.play(received(asked), suite, Draws(seed=seed, subject=asked.subject, role=asked.role))
        return ModelProposer(QueuedModel([(answer.content, answer.stop_reason)]), "m").propose(request)

    return made


def kind_of(proposal: Proposal) -> str:
    return ",".join(card.kind for card in standing(proposal.replace) if card not in standing(proposal.find))


def rejected(proposal: Proposal) -> RejectedEdit:
    return RejectedEdit(find=proposal.find, replace=proposal.replace, near_miss=False, figures="")


def test_the_first_four_generations_are_one_of_each_kind_in_an_order_of_the_seed(propose: Propose) -> None:
    orders = {tuple(kind_of(propose(generation, seed=seed)) for generation in (1, 2, 3, 4)) for seed in range(1, 7)}
    assert {tuple(sorted(order)) for order in orders} == {("harmful", "helpful", "neutral", "trade-off")}
    assert len(orders) > 1


def test_every_edit_makes_a_valid_variant_that_holds_its_directive(propose: Propose) -> None:
    for generation in range(1, 5):
        made = propose(generation)
        assert made.problem == ""
        assert made.variant is not None
        assert standing(made.variant.skill.text) == standing(made.replace) != ()


def test_a_batch_that_knows_nothing_of_itself_is_still_all_different(propose: Propose) -> None:
    assert len({propose(generation).replace for generation in range(1, 13)}) == 12


def test_no_card_is_dealt_twice_while_its_rejection_is_remembered_and_paraphrases_follow(propose: Propose) -> None:
    tried: list[RejectedEdit] = []
    dealt: list[str] = []
    for generation in range(1, len(deck()) + 4):
        made = propose(generation, rejected=tried)
        tried.append(rejected(made))
        dealt += [card.id for card in standing(made.replace)]
    assert sorted(dealt) == sorted(card.id for card in deck())
    assert "Reminder" in tried[-1].replace


def test_a_directive_that_stands_in_the_skill_is_not_proposed_again(propose: Propose) -> None:
    everything = ENTRY + "\n" + "\n".join(f"- {card.text}" for card in deck() if card.kind != "helpful") + "\n"
    assert {kind_of(propose(generation, everything)) for generation in range(1, 9)} == {"helpful"}


def test_the_leaking_edit_quotes_the_reference_of_a_task(propose: Propose, task: Task) -> None:
    leaking = [made for made in map(propose, range(5, 17)) if kind_of(made) == "leaking"]
    quoted = leaking[0].replace.partition("`")[2].rstrip("`")
    assert len(quoted.split()) >= 8
    assert quoted in " ".join(task.reference.by_path["src/basket/prices.py"].text.split())


def test_the_bloating_edit_is_refused_for_its_size(propose: Propose) -> None:
    (bloating,) = [made for made in map(propose, range(5, 17)) if kind_of(made) == "bloating"]
    assert (bloating.variant, bloating.problem.split(":")[0]) == (None, "out of bounds")
    assert len(bloating.replace) > 4 * Growth().generation


def test_an_anchor_that_occurs_twice_is_made_longer(propose: Propose) -> None:
    made = propose(1, ENTRY + "\n## End\n\nLook again.\n")
    assert (made.problem, made.find) == ("", "## End\n\nLook again.")


def test_points_after_points_make_one_list(propose: Propose) -> None:
    made = propose(1, f"{ENTRY}\n- One point.\n")
    assert made.replace.startswith("- One point.\n- ")


def test_a_request_without_instructions_gets_no_edit(received: Callable[[ModelRequest], MessagesRequest], task: Task) -> None:
    asked = ModelRequest(
        role="proposer",
        subject="proposal/c/1",
        task="",
        model="m",
        system=(),
        messages=[{"role": "user", "content": "Propose!"}],
        max_tokens=10,
    )
    suite = Suite(id="basket", version="1", tasks=(task,), packs=(), tools=())
    answer = proposer.play(received(asked), suite, Draws(seed=1, subject=asked.subject, role="proposer"))
    with pytest.raises(json.JSONDecodeError):
        json.loads(str(answer.content[0]["text"]))
