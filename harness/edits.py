"""One edit of a skill made, or refused with its kind: what a proposal must be before a single trial is spent on it. Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from harness.errors import SkillError
from harness.skill_io import make_skill
from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Collection

    from harness.ports import Growth, RejectedEdit
    from harness.skill import Skill, SkillEdit

BYTES_PER_TOKEN = 4  # English prose under today's tokenizers; an estimate, the same for every variant
SHRINKING = frozenset({"simplify"})  # operators whose edit must leave less text
REWRITING = frozenset({"simplify", "restart"})  # operators that may take much away
MOST_LOST, MOST_LOST_REWRITING = 0.3, 0.6  # shares of the skill's tokens


class Refusal(StrEnum):
    """The kinds of answer on which no trial is spent, beside a leak. The call that gave it is booked all the same."""

    NOT_WHOLE = "not whole"  # refused, cut off, or of another form
    NOT_APPLICABLE = "not applicable"  # the text to replace is not there once, or the file is not the skill's
    NO_OP = "no-op"  # nothing but white space changes, or a text that was there before
    REPEATED = "repeated"  # an exact edit rejected since the last promotion
    OUT_OF_BOUNDS = "out of bounds"  # grows too much, or loses what the skill says
    INVALID = "not a valid skill"  # no agent would read it


def tokens(tree: Tree) -> int:
    """About how many tokens all files of a skill hold."""
    return sum(len(file.content) for _, file in tree) // BYTES_PER_TOKEN


def simplicity(before: Tree, after: Tree) -> str:
    """A variant's size beside its parent's, in words: what every call of every trial will carry."""
    return f"about {tokens(after) - tokens(before):+d} tokens, {tokens(after)} in all"


def refused(kind: Refusal, why: str) -> str:
    """The words of a refusal."""
    return f"{kind}: {why}"


def edited_skill(skill: Skill, edit: SkillEdit, operator: str, growth: Growth, rejected: Collection[RejectedEdit]) -> Skill | str:
    """The skill with the edit made, or the refusal in words."""
    path = edit.file or skill.entry
    file = skill.tree.get(path)
    if file is None:
        return refused(
            Refusal.NOT_APPLICABLE, f"the skill has no file {path}; it has {', '.join(name for name, _ in skill.tree)}"
        )
    count = file.text.count(edit.find) if edit.find.strip() else 0
    if count != 1:
        return refused(Refusal.NOT_APPLICABLE, f"the text to replace occurs {count} times in {path}, not once")
    text = file.text.replace(edit.find, edit.replace)
    if text.split() == file.text.split():
        return refused(Refusal.NO_OP, "the edit changes nothing but white space")
    if gist(edit.find, edit.replace) in {gist(old.find, old.replace) for old in rejected}:
        return refused(Refusal.REPEATED, "the same edit was rejected since the last promotion")
    try:
        made = make_skill(skill.tree.overlaid(Tree.of({path: text})), skill.name, "the proposed skill")
    except (SkillError, UnicodeEncodeError) as error:
        return refused(Refusal.INVALID, str(error))
    return out_of_bounds(skill, made, operator, growth) or made


def out_of_bounds(before: Skill, after: Skill, operator: str, growth: Growth) -> str:
    """Why a variant is too large or too small for its operator, or nothing."""
    old, new = tokens(before.tree), tokens(after.tree)
    if new - old > growth.generation or (new > old and new > growth.total):
        limits = f"at most {growth.generation} more and {growth.total} in all"
        return refused(Refusal.OUT_OF_BOUNDS, f"about {new - old} tokens more, {new} in all; {limits}")
    if operator in SHRINKING and len(after.text) >= len(before.text) and new >= old:
        return refused(Refusal.OUT_OF_BOUNDS, f"{operator} must leave less text, and this leaves {new} tokens of {old}")
    most = MOST_LOST_REWRITING if operator in REWRITING else MOST_LOST
    if old - new > most * old:
        return refused(Refusal.OUT_OF_BOUNDS, f"loses {old - new} of {old} tokens; at most {most:.0%} may go at once")
    return ""


def gist(find: str, replace: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What an edit takes out and puts in, wherever it is anchored: words that both sides share at the ends are left out."""
    old, new = find.split(), replace.split()
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return tuple(old), tuple(new)
