import re
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from harness.delivery import deliver
from harness.models.rehearsal import coder
from harness.models.rehearsal.draws import Draws
from harness.models.rehearsal.edit_blocks import blocks
from harness.models.rehearsal.settings import BaseRates
from harness.models.rehearsal.solutions import Label, solution
from harness.models.rehearsal.wire import MessagesRequest
from harness.ports import ModelRequest
from harness.skill import Skill, Variant
from harness.task import Task
from harness.tree import Tree

BLOCK = re.compile(r"^(\S+)\n```\n<<<<<<< SEARCH\n(.*?)^=======\n(.*?)^>>>>>>> REPLACE\n```$", re.DOTALL | re.MULTILINE)
LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "\n"]), max_size=25)


def applied(base: Tree, text: str) -> Tree:
    """As a program that speaks the format does it: each text is found exactly once, an empty one makes a file."""
    files = {path: file.text for path, file in base}
    for path, search, replace in BLOCK.findall(text):
        assert files.get(path, "").count(search) == 1 if search else path not in files or not files[path]
        files[path] = files[path].replace(search, replace) if search else replace
    return Tree.of(files)


@given(LINES, LINES)
def test_the_blocks_of_any_change_turn_the_old_text_into_the_new(old: list[str], new: list[str]) -> None:
    base, after = Tree.of({"src/a.py": "".join(old), "b.md": "same\n"}), Tree.of({"src/a.py": "".join(new), "b.md": "same\n"})
    assert applied(base, blocks(base, after)) == after


def test_where_a_piece_would_be_found_twice_the_whole_file_is_the_block() -> None:
    base, after = Tree.of({"a.py": "a\n" * 20}), Tree.of({"a.py": "a\n" * 10 + "b\n" + "a\n" * 10})
    assert applied(base, blocks(base, after)) == after
    assert blocks(base, after).count("SEARCH") == 1


def test_a_new_file_is_a_block_that_looks_for_nothing_and_a_last_line_without_an_end_gets_one() -> None:
    base, after = Tree.of({"a.py": "x = 1"}), Tree.of({"a.py": "x = 2", "new.py": "y = 1\n"})
    assert applied(Tree.of({"a.py": "x = 1\n"}), blocks(base, after)) == Tree.of({"a.py": "x = 2\n", "new.py": "y = 1\n"})


def asked(system: str) -> ModelRequest:
    delivered = deliver(
        Variant(skill=Skill(name="coding", description="d", entry="SKILL.md", tree=Tree.of({"SKILL.md": "x"}))), "system"
    )
    example = {"role": "assistant", "content": "Ok, I will use that format."}
    messages = [{"role": "user", "content": "Use it."}, example, {"role": "user", "content": f"{delivered.system}\n\nDo it."}]
    return ModelRequest(
        role="coder",
        subject="s",
        task="t",
        model="m",
        system=({"type": "text", "text": system},),
        messages=messages,
        max_tokens=9,
    )


def test_a_program_that_asks_for_blocks_gets_one_sample_solution_in_them(
    task: Task, received: Callable[[ModelRequest], MessagesRequest]
) -> None:
    request = received(asked("Every change must be a *SEARCH/REPLACE block*."))
    wanted = {
        solution(task, Label(tests=a, style=b, review=c)).id for a in (True, False) for b in (True, False) for c in (True, False)
    }
    for seed in range(5):
        draws = Draws(seed=seed, subject="s", role="coder")
        answer = coder.play(request, task, draws, BaseRates())
        assert answer.stop_reason == "end_turn"
        [said] = answer.content
        assert applied(task.base, str(said["text"])).id in wanted


def test_a_program_that_offers_no_tool_and_asks_for_no_blocks_is_told_that_it_is_done(
    task: Task, received: Callable[[ModelRequest], MessagesRequest]
) -> None:
    answer = coder.play(received(asked("Help.")), task, Draws(seed=1, subject="s", role="coder"), BaseRates())
    assert str(answer.content[0]["text"]).startswith("Done.")
