"""Is it a rule or a wish? Every rule of a pack over the project's own merged commits since the rule's text came in.

A contrast set of other projects, which never promised anything, tells which rules everybody keeps anyway.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.errors import SuiteError
from harness.rollout import Change
from harness.style.checks import FILE, ChangeCheck, CommitCheck, FileCheck, deltas
from harness.style.history import Step
from harness.style.host import lint_here
from harness.style.linter import linter_findings
from harness.style.measure import pack_findings
from harness.tree import Tree, difference, matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from harness.git_history import Commit
    from harness.ports import Json
    from harness.style.checks import FileDelta
    from harness.style.history import History
    from harness.style.packs import Pack, Rule

MOST_COMMITS = 200
# A rule counts as real from these shares on; chosen on eighteen projects' documents, where real rules lay well above.
_GENERAL = re.compile(r"[*?]|(?:tests?|docs?)/")  # paths that mean the same in any project
ENFORCED_SITES, ENFORCED_COMMITS, CUSTOMARY, FEWEST_SITES = 0.95, 0.90, 0.75, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """One rule's count: commits that it was about, those that kept it, places that it was about, and those broken.

    `broken_by` are the ids of the commits that broke it.
    """

    commits: int = 0
    kept: int = 0
    sites: int = 0
    broken: int = 0
    broken_by: tuple[str, ...] = ()

    def plus(self, commit: str, chances: int, violations: int) -> Tally:
        """With one commit's figures; an edit may break a rule where it made no new place for it."""
        chances = max(chances, violations)
        if not chances:
            return self
        return Tally(
            commits=self.commits + 1,
            kept=self.kept + (not violations),
            sites=self.sites + chances,
            broken=self.broken + violations,
            broken_by=(*self.broken_by, *([commit] if violations else [])),
        )

    @property
    def site_rate(self) -> float:
        """Share of places that keep the rule; 0 where there is none."""
        return 1 - self.broken / self.sites if self.sites else 0.0

    @property
    def commit_rate(self) -> float:
        """Share of commits that keep the rule; 0 where there is none."""
        return self.kept / self.commits if self.commits else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """One rule with what was counted, since when (ISO date, empty: always), on the contrast set, and the label that follows."""

    rule: Rule
    own: Tally
    since: str
    contrast: Tally

    @property
    def label(self) -> str:
        """enforced, customary, stated_only, free or unproven; a rule declared by hand stays so until history says more."""
        if self.own.sites < FEWEST_SITES:
            return "declared" if self.rule.label == "declared" else "unproven"
        if self.own.site_rate >= ENFORCED_SITES and self.own.commit_rate >= ENFORCED_COMMITS:
            free = self.contrast.sites >= FEWEST_SITES and self.contrast.site_rate >= ENFORCED_SITES
            return "free" if free else "enforced"
        return "customary" if self.own.site_rate >= CUSTOMARY else "stated_only"

    @property
    def written(self) -> Mapping[str, Json]:
        """The calibration as it stands in a pack."""
        found: dict[str, Json] = {"label": self.label, "commits": self.own.commits, "sites": self.own.sites}
        if self.own.sites:
            found |= {"site_rate": round(self.own.site_rate, 3), "commit_rate": round(self.own.commit_rate, 3)}
        return found | ({"contrast_rate": round(self.contrast.site_rate, 3)} if self.contrast.sites else {})


class Replay:
    """Counts a pack's rules over histories. `tell` hears what could not be counted."""

    def __init__(self, pack: Pack, tell: Callable[[str], None]) -> None:
        self._pack = pack
        self._tell = tell

    def own(self, history: History, *, most: int = MOST_COMMITS, commands: int = 0) -> tuple[Calibrated, ...]:
        """Each measured rule over the newest commits of the project, in the pack's order; nothing of the contrast set yet.

        `commands` is over how many of them rules that need another tool are run, whole trees each.
        """
        pack = self._pack
        rules = (*pack.checked, *pack.messages, *(pack.commands if commands else ()))
        since = {rule.id: history.introduced(rule.file, rule.quote) for rule in rules}
        tallies = {rule.id: Tally() for rule in rules}
        for number, commit in enumerate(history.commits(most=most)):
            due = [rule for rule in rules if commit.date >= since[rule.id]]
            step = history.step(commit)
            counts = dict(self._counted(step, due, commit.message))
            if number < commands:
                counts |= self._run(commit, history, step, [rule for rule in due if rule.kind == "command"])
            tallies |= {name: tallies[name].plus(commit.id, *count) for name, count in counts.items()}
        ordered = [rule for rule in pack.rules if rule.id in tallies]
        return tuple(Calibrated(rule=rule, own=tallies[rule.id], since=since[rule.id], contrast=Tally()) for rule in ordered)

    def contrast(
        self, found: Iterable[Calibrated], histories: Iterable[History], trees: Iterable[Tree], *, most: int = MOST_COMMITS
    ) -> tuple[Calibrated, ...]:
        """The same rules, counted over other projects too: commits of those with a history, files of those without.

        A project's own folder stands for any folder there; tests and docs stay tests and docs.
        """
        elsewhere = Replay(replace(self._pack, rules=tuple(_anywhere(rule) for rule in self._pack.rules)), self._tell)
        rules = elsewhere._pack.checked
        tallies = {rule.id: Tally() for rule in self._pack.rules}
        for history in histories:
            for commit in history.commits(most=most):
                for name, count in elsewhere._counted(history.step(commit), rules):
                    tallies[name] = tallies[name].plus(commit.id, *count)
        for tree in trees:
            whole = Step(base=Tree(), after=tree, renames=())
            for name, count in elsewhere._counted(whole, [rule for rule in rules if isinstance(rule.check, FileCheck)]):
                tallies[name] = tallies[name].plus("", *count)
        return tuple(replace(one, contrast=tallies[one.rule.id]) for one in found)

    def _counted(self, step: Step, rules: Iterable[Rule], message: str = "") -> Iterator[tuple[str, tuple[int, int]]]:
        """By rule, how many places the step made for it, and how often it broke it."""
        found = Counter(finding.rule for finding in pack_findings(self._pack, step.base, step.after, step.renames).new)
        change = deltas(step.base, step.after, step.renames)
        for rule in rules:
            if isinstance(rule.check, CommitCheck):
                yield rule.id, (int(bool(message)), len(list(rule.check.sites(message))))
            elif rule.kind != "command":
                yield rule.id, (_chances(rule, change), found[rule.id])

    def _run(self, commit: Commit, history: History, step: Step, rules: list[Rule]) -> dict[str, tuple[int, int]]:
        """Command rules on whole trees; one place for each touched file that the rule covers."""
        if not rules or not commit.parent:
            return {}
        base, after = history.tree(commit.parent), history.tree(commit.id)
        change = Change(files=difference(base, after), patch=b"", renames=step.renames)
        try:
            new, _ = linter_findings(lint_here(base, after, self._pack), base, after, change, self._pack.commands)
        except SuiteError as error:
            self._tell(f"commit {commit.id[:12]}: no tool was counted: {error}")
            return {}
        found = Counter(finding.rule for finding in new)
        touched = [item.path for item in change.files if item.new]
        covered = {rule.id: getattr(rule.check, "paths", ()) for rule in rules}
        return {name: (sum(matches(path, paths) for path in touched), found[name]) for name, paths in covered.items()}


def _anywhere(rule: Rule) -> Rule:
    if not isinstance(rule.check, FileCheck):
        return rule
    paths = tuple(path if _GENERAL.match(path) else f"**/{path.rpartition('/')[2]}" for path in rule.check.paths)
    return replace(rule, check=rule.check.model_copy(update={"paths": paths}))


def _chances(rule: Rule, change: tuple[FileDelta, ...]) -> int:
    if isinstance(rule.check, ChangeCheck):
        return rule.check.chances(change)
    if not isinstance(rule.check, FileCheck):
        return 0
    count = 0
    for file in change:
        if file.new is not None and matches(file.path, rule.check.paths):
            now = Counter(rule.check.chances(file.new))
            before = Counter(rule.check.chances(file.old) if file.old else ())
            count += now.total() if now.keys() == {FILE} else (now - before).total()
    return count
