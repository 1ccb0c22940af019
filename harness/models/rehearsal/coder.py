"""The coder's part: reads what skill it was shown, draws how well that makes it work, and then really works, by tool calls.

Three answers a task: look around, write the change, say what was done. One, where edit blocks are asked for and no tool is there.
"""

from __future__ import annotations

import base64
import re
import shlex
from functools import cache
from typing import TYPE_CHECKING

from harness.models.rehearsal.edit_blocks import blocks, wants_blocks
from harness.models.rehearsal.rates import rates
from harness.models.rehearsal.solutions import Label, solution
from harness.models.rehearsal.wire import Answer, says
from harness.suites.mutants import sources
from harness.tree import EXECUTABLE, FileChange, Tree, difference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.models.rehearsal.draws import Draws
    from harness.models.rehearsal.settings import BaseRates
    from harness.models.rehearsal.wire import MessagesRequest
    from harness.ports import Json
    from harness.task import Task

_END_OF_SKILL = "===== end of the skill ====="
# Where a skill's text stands in a request: our own frame; a file shown by a tool; what CLIs put around instruction files.
_SHOWN = (
    re.compile(r"<skill name=\"[^\"]*\">\n(.*?)\n</skill>", re.DOTALL),
    re.compile(rf"^---\nname: .*?(?={_END_OF_SKILL}|\Z)", re.DOTALL | re.MULTILINE),
    re.compile(r"Base directory for this skill:.*", re.DOTALL),
    re.compile(r"Contents of \S*(?:CLAUDE|AGENTS)\.md.*?(?=</system-reminder>|\Z)", re.DOTALL),
)
# How Claude Code lists skills, and the tool by which one is read.
_SKILL_TOOL = "Skill"
_OFFERED = re.compile(r"skills are available for use with the Skill tool:\n\n- ([a-z0-9-]+): ")
_LISTED = re.compile(r"\(file: (\.claude/skills/[a-z0-9-]+/SKILL\.md)\)")
_SHELLS = ("bash", "Bash")
_DONE_AFTER = 2  # answers: look around, write the change
_SUBMIT = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"  # mini-swe-agent's word for the end, which it asks for by a command


def play(request: MessagesRequest, task: Task, draws: Draws, base: BaseRates) -> Answer:
    """The next answer of a coder at work on a task."""
    tool = next((tool.name for tool in request.tools if tool.name in _SHELLS), None)
    if tool and request.calls == _DONE_AFTER and _SUBMIT in "".join(block.shown for block in request.messages[0].blocks):
        return _calls(tool, "The change is made.", f"echo {_SUBMIT}", draws, _DONE_AFTER)
    if tool is None and wants_blocks(request):
        label = drawn(shown_skill(request), task, draws, base)
        return says(f"I know where the behaviour lives; this is the change.\n\n{blocks(task.base, solution(task, label))}")
    if tool is None or request.calls >= _DONE_AFTER:
        return says("Done. The change follows the task's statement; the files it touches are listed above.")
    if request.calls == 0:
        looking = _calls(tool, "I will look at the project first.", _look(task, request.system_text), draws, 0)
        return _with_skill(looking, request, draws)
    label = drawn(shown_skill(request), task, draws, base)
    return _calls(
        tool, "I know where the behaviour lives; making the change.", _writing(task, label, plain=tool == "Bash"), draws, 1
    )


def drawn(skill_text: str, task: Task, draws: Draws, base: BaseRates) -> Label:
    """The outcome of one trial: three draws against the rates that the skill gives on this task."""
    rate = rates(skill_text, task.difficulty, base)
    return Label(
        tests=draws.uniform(0, "tests") < rate.tests,
        style=draws.uniform(0, "style") < rate.style,
        review=draws.uniform(0, "review") < rate.review_given_tests,
    )


def shown_skill(request: MessagesRequest) -> str:
    """All text of the request that is recognisably a skill; the project's own files and the task are never taken for one."""
    texts = [request.system_text, *(block.shown for turn in request.messages for block in turn.blocks if turn.role == "user")]
    return "\n".join(found.group(0) for text in texts for pattern in _SHOWN for found in pattern.finditer(text))


def _calls(tool: str, words: str, command: str, draws: Draws, call: int) -> Answer:
    text: Mapping[str, Json] = {"type": "text", "text": words}
    use_id = f"toolu_{draws.token(call, 'tool')}"
    use: Mapping[str, Json] = {"type": "tool_use", "id": use_id, "name": tool, "input": {"command": command}}
    return Answer(content=(text, use), stop_reason="tool_use")


def _with_skill(answer: Answer, request: MessagesRequest, draws: Draws) -> Answer:
    """The answer with a call that reads the skill on offer, beside its other one; as it is where none is on offer."""
    texts = [request.system_text, *(block.shown for turn in request.messages for block in turn.blocks)]
    offered = next((found for text in texts if (found := _OFFERED.search(text))), None)
    if offered is None or _SKILL_TOOL not in {tool.name for tool in request.tools}:
        return answer
    use: Mapping[str, Json] = {
        "type": "tool_use",
        "id": f"toolu_{draws.token(0, 'skill')}",
        "name": _SKILL_TOOL,
        "input": {"skill": offered.group(1)},
    }
    return Answer(content=(*answer.content, use), stop_reason=answer.stop_reason)


def _look(task: Task, system: str) -> str:
    listed = _LISTED.search(system)
    skill = f"cat {listed.group(1)}; echo; echo '{_END_OF_SKILL}'\n" if listed else ""
    shown = "".join(f"sed -n 1,80p {shlex.quote(path)}\n" for path in sources(task)[:1] if task.base.get(path))
    return f"{skill}ls\nhead -n 60 CONTRIBUTING.md 2>/dev/null\n{shown}"


@cache
def _writing(task: Task, label: Label, *, plain: bool) -> str:
    """One shell command that turns the base into the solution with this label."""
    return commands(task.base, solution(task, label), plain=plain) + "git status --short\n"


def commands(base: Tree, after: Tree, *, plain: bool = False) -> str:
    """Shell commands that turn one tree into another, file by file, run at the project's root.

    `plain` ones hold no code as text: a program that looks through commands before it runs them reads code as commands.
    """
    return "".join(_written(change, plain=plain) for change in difference(base, after))


def _written(change: FileChange, *, plain: bool) -> str:
    path = shlex.quote(f"./{change.path}")
    if change.new is None:
        return f"rm -f {path}\n"
    folder = f"mkdir -p {shlex.quote(f'./{parent}')}\n" if (parent := change.path.rpartition("/")[0]) else ""
    old_mode = change.old.mode if change.old else None
    mode = (
        "" if change.new.mode == (old_mode or 0o100644) else f"chmod {'+x' if change.new.mode == EXECUTABLE else '-x'} {path}\n"
    )
    body = _coded(change.new.content, path) if plain else _body(change.new.content, path)
    return f"{folder}{body}{mode}"


def _coded(content: bytes, path: str) -> str:
    return f"echo '{base64.b64encode(content).decode()}' | base64 -d > {path}\n"


def _body(content: bytes, path: str) -> str:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text or "\r" in text or not text.endswith("\n"):
        return f"base64 -d > {path} <<'END_OF_FILE'\n{base64.encodebytes(content).decode()}END_OF_FILE\n"
    end = "END_OF_FILE"
    while end in text:
        end += "_"
    return f"cat > {path} <<'{end}'\n{text}{end}\n"
