"""A synthetic campaign: four generations, one promoted, written through the store as the loop writes it. Seeded, no clock."""

import hashlib
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from harness.decision.policy import decide
from harness.decision.record import decision_record, to_json
from harness.decision.result import Decision, DecisionKind, untested
from harness.decision.rules import Rules
from harness.decision.scorecard import Outcome
from harness.evidence import Evidence, Finding, Item, PanelReport, StyleReport, TestReport, TestResult, Vote
from harness.gates import judge
from harness.ledger.chain import canonical
from harness.ledger.rows import call_rows, pack_tree, trial_rows
from harness.ledger.schema import CampaignRow, ConfirmationRow, DecisionRow, EventRow, PromotionRow, VariantRow
from harness.ledger.store import CampaignLedger, Store
from harness.rollout import Call, Change, Ending, LoadEvidence, Rollout, Usage
from harness.tree import File, FileChange, Tree
from harness.trial import Arm, Stage, Trial, TrialKey

CAMPAIGN = "3dc260b2470f4f5f" * 4
HOLDOUT = (
    "cache-ttl-negative", "retry-jitter-cap", "parse-duration-zero", "csv-bom-header", "slug-unicode-fold", "token-bucket-burst",
    "path-join-trailing", "yaml-anchor-loop", "http-range-open", "tz-fold-ambiguous", "chunk-last-partial", "lru-evict-order",
    '<script>alert("holdout")</script>', "semver-prerelease", "glob-hidden-files", "url-idna-host", "decimal-round-half",
    "queue-drain-cancel", "env-expand-nested", "json-pointer-tilde", "log-redact-nested", "config-merge-lists",
    "pager-empty-page", "etag-weak-compare",
)  # fmt: skip
DEV = tuple(f"dev-{name}" for name in ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"))
MODEL = "claude-sonnet-5-5"

START = """---
name: py-change
description: How to make a small change in a Python project
---

## Before you edit

- Read the module you will change, and one caller of it.
- Look for tests that cover it.

## While you edit

- Write clean, well-documented code.
- Keep functions short.

## Before you finish

- Make sure that everything works.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One generation to be played: its edit, the chances it gives on tests, style and review, and how it is to end."""

    edit: tuple[str, str]
    name: str
    operator: str
    chances: tuple[float, float, float]
    refused: str = ""
    screened_out: str = ""


BASE_CHANCES = (0.45, 0.5, 0.4)
BETTER = """- Find the tests that cover it and run them once, unchanged. Note which fail already.
- Read CONTRIBUTING.md and the linter section of pyproject.toml. They win over habit.
"""
LEAKED = Step(
    edit=("- Keep functions short.\n", "- Keep functions short; zero is `if not total: return None`.\n"),
    name="Say that parse_duration_zero returns None",
    operator="reflect",
    chances=BASE_CHANCES,
    refused="Not tried: leak: text 'if not total: return None'.",
)
PROMOTED = Step(
    edit=("- Look for tests that cover it.\n", BETTER),
    name="Tests first, CONTRIBUTING read",
    operator="reflect",
    chances=(0.82, 0.95, 0.78),
)
REWORDED = Step(
    edit=(
        "- Write clean, well-documented code.\n- Keep functions short.\n",
        (
            "- Write clean code, and document what it promises.\n- Change only what the task asks for.\n"
            "- Keep functions short: ten lines.\n"
        ),
    ),
    name="Two lines in other words, one between them",
    operator="reflect",
    chances=PROMOTED.chances,
)
REWRITTEN = Step(
    edit=(
        START.partition("---\n\n")[2],
        "".join(f"- Rule {number}: keep function {number} short, and say why it is there.\n" for number in range(1, 71)),
    ),
    name="Seventy rules in place of the text",
    operator="restart",
    chances=PROMOTED.chances,
)
STEPS = (
    Step(
        edit=("- Keep functions short.\n", "- Keep functions short.\n- Write a plan before every edit.\n"),
        name="Ask for a written plan before every edit",
        operator="checklist",
        chances=(0.4, 0.5, 0.35),
        screened_out="Dropped after 15 dev trials: tests passed less often than with the baseline.",
    ),
    Step(
        edit=("- Make sure that everything works.\n", "- Make   sure that everything works.\n"),
        name="The same, worded again",
        operator="restructure",
        chances=BASE_CHANCES,
        refused="Not tried: after normalising white space its text is that of the baseline.",
    ),
    PROMOTED,
    Step(
        edit=("- Write clean, well-documented code.\n", "- Copy the nearest existing function as a pattern \u202e<b>.\n"),
        name="Copy the nearest function\u200b <i>as a pattern</i>",
        operator="examples",
        chances=(0.45, 0.7, 0.4),
    ),
)


def identity(number: int) -> str:
    """The id of a generation's decision."""
    return hashlib.sha256(f"decision {number}".encode()).hexdigest()[:16]


def ticking() -> Iterator[datetime]:
    """Times from ten in the evening on, 1.7 seconds apart."""
    start = datetime(2026, 11, 29, 22, 0, tzinfo=UTC)
    number = 0
    while True:
        yield start + timedelta(seconds=1.7 * number)
        number += 1


def fill(  # noqa: PLR0913  (what may differ between two campaigns)
    path: Path,
    steps: tuple[Step, ...] = STEPS,
    *,
    rehearsal: bool = False,
    private: bool = False,
    seed: int = 7,
    patches: Mapping[str, bytes] | None = None,
    baseline: tuple[float, float, float] = BASE_CHANCES,
) -> None:
    """Write the whole campaign into a new ledger at `path`; where `patches` are given they are the holdout, by task.

    `baseline` are the chances that the skill of the start gives on tests, style and review.
    """
    times = ticking()
    with Store.open(path, lambda: next(times)) as store:
        night = _Night(store.campaign(CAMPAIGN), rehearsal=rehearsal, private=private, seed=seed, patches=patches or {})
        night.chances = baseline
        night.play(steps)


class _Night:
    def __init__(
        self, ledger: CampaignLedger, *, rehearsal: bool, private: bool, seed: int, patches: Mapping[str, bytes]
    ) -> None:
        self.ledger, self.rehearsal, self.private, self.rules = ledger, rehearsal, private, Rules()
        self.random = random.Random(seed)
        self.patches, self.holdout = patches, tuple(patches) or HOLDOUT
        self.hard = {task: self.random.gauss(0, 0.18) for task in (*self.holdout, *DEV)}
        self.baseline, self.text, self.chances = "", START, BASE_CHANCES
        self.alpha_sum, self.confirmations = 0.0, 0

    def play(self, steps: tuple[Step, ...]) -> None:
        tree = Tree.of({"SKILL.md": self.text})
        self.baseline = tree.id
        self.ledger.add(
            CampaignRow(
                key=CAMPAIGN,
                settings=canonical(
                    {"command": "evolve", "model": {"id": MODEL, "reviewer": ""}, "personas": {"correctness": "f645" * 16}}
                ),
                skill="py-change",
                suite="ledgerkit 14",
                suite_hash="f8eb" * 16,
                holdout_hash="ad1a" * 16,
                rehearsal=self.rehearsal,
                private=self.private,
                versions={"harness": "0.1.0", "python": "3.11.7", "ruff": "0.17.6", "model": MODEL},
            ),
            self._variant(0, Step(edit=("", ""), name="The start", operator="given", chances=BASE_CHANCES), tree, ""),
            EventRow(key="run/1", name="run began", data="1"),
        )
        for task in DEV:
            for repeat in (1, 2):
                self._trial(self._key(Stage.PREFLIGHT, self.baseline, task, repeat), self.chances)
        for number, step in enumerate(steps, start=1):
            self._generation(number, step)
        self.ledger.add(EventRow(key="run/1/end", name="run ended", data=""))

    def _generation(self, number: int, step: Step) -> None:
        text = self.text.replace(*step.edit)
        tree = Tree.of({"SKILL.md": text})
        self.ledger.add(
            self._variant(number, step, tree, self.baseline),
            *call_rows(f"proposal/{CAMPAIGN}/{number}", (self._call("proposer", 2800, 600),)),
        )
        if step.refused:
            self._decide(number, tree.id, untested(DecisionKind.REJECT, step.refused), ())
            return
        for place in range(15 if step.screened_out else 24):
            self._trial(self._key(Stage.SCREEN, tree.id, DEV[place % len(DEV)], place // len(DEV) + 1), step.chances)
        if step.screened_out:
            self._decide(number, tree.id, untested(DecisionKind.REJECT, step.screened_out), ())
            return
        decision, outcomes = self._confirm(number, step, tree.id)
        self._decide(number, tree.id, decision, outcomes)
        if decision.promoted:
            self.ledger.add(
                PromotionRow(key=identity(number), generation=number, old=self.baseline, new=tree.id, reason=decision.reason)
            )
            self.baseline, self.text, self.chances = tree.id, text, step.chances

    def _confirm(self, number: int, step: Step, variant: str) -> tuple[Decision, tuple[Outcome, ...]]:
        self.confirmations += 1
        self.alpha_sum += self.rules.alpha
        name = f"confirmation-{number}"
        self.ledger.add(
            ConfirmationRow(
                key=name, generation=number, baseline=self.baseline, variant=variant, number=self.confirmations,
                alpha=self.rules.alpha, alpha_sum=self.alpha_sum, holdout_hash="ad1a" * 16, orders=(self.holdout,),
            )
        )  # fmt: skip
        outcomes: list[Outcome] = []
        for look in range(1, self.rules.looks + 1):
            for task in self.holdout:
                for arm, who, chances in ((Arm.BASELINE, self.baseline, self.chances), (Arm.VARIANT, variant, step.chances)):
                    key = self._key(Stage.CONFIRM, who, task, look)
                    outcomes.append(self._trial(replace(key, confirmation=name, arm=arm), chances))
            decision = decide(outcomes, self.rules)
            if decision.closed:
                break
        return decision, tuple(outcomes)

    def _decide(self, number: int, variant: str, decision: Decision, outcomes: tuple[Outcome, ...]) -> None:
        context = {
            "baseline": self.baseline, "variant": variant, "suite": "f8eb" * 16, "loaded": str(len(outcomes) // 2),
            "confirmation": str(self.confirmations), "alpha_sum": f"{self.alpha_sum:.4f}",
        }  # fmt: skip
        record = to_json(decision_record(outcomes, self.rules, context)) if outcomes else '{"stage": "screen"}'
        self.ledger.add(
            DecisionRow(
                key=f"generation/{number}",
                id=identity(number),
                generation=number,
                confirmation=f"confirmation-{number}" if outcomes else "",
                baseline=self.baseline,
                variant=variant,
                decision=decision.kind,
                stage="confirm" if outcomes else "screen",
                reason=decision.reason,
                record=record,
                right=True if self.rehearsal else None,
            )
        )

    def _variant(self, number: int, step: Step, tree: Tree, parent: str) -> VariantRow:
        return VariantRow(
            key=f"generation/{number}",
            generation=number,
            batch=1,
            variant=tree.id,
            parent=parent,
            operator=step.operator,
            rationale=step.name,
            find=step.edit[0],
            replace=step.edit[1],
            name="py-change",
            tree_blob=self.ledger.put_blob(pack_tree(tree)),
            refused=step.refused,
            truth=" ".join(f"{chance:.4f}" for chance in step.chances) if self.rehearsal else "",
        )

    @staticmethod
    def _key(stage: Stage, variant: str, task: str, repeat: int) -> TrialKey:
        arm = Arm.VARIANT if stage is Stage.SCREEN else Arm.BASELINE
        return TrialKey(stage=stage, confirmation="", arm=arm, variant=variant, task=task, repeat=repeat)

    def _trial(self, key: TrialKey, chances: tuple[float, float, float]) -> Outcome:
        ok = [self.random.random() < chance + self.hard[key.task] for chance in chances]
        lost = (key.stage, key.task, key.repeat, key.arm) == (Stage.CONFIRM, "decimal-round-half", 2, Arm.BASELINE)
        trial = _trial(key, ok, (self._call("coder", 21_000, 900),), lost=lost)
        if patch := self.patches.get(key.task):
            trial = _with_patch(trial, patch)
        self.ledger.add(*trial_rows(trial, self.ledger.put_blob, (self._call("reviewer:correctness:original:1", 3_000, 200),)))
        tests, style, review = (verdict.passed for verdict in trial.verdicts)
        return Outcome(
            arm=key.arm,
            task=key.task,
            repeat=key.repeat,
            tests=tests,
            style=style,
            review=review,
            cause=trial.rollout.ending if lost else "",
            flagged=bool(trial.flags),
        )

    def _call(self, role: str, read: int, written: int) -> Call:
        usage = Usage(input=read // 10, cache_read=read - read // 10, output=written, calls=1)
        cost = 0.0 if self.rehearsal else usage.input * 3e-6 + usage.cache_read * 3e-7 + written * 15e-6
        return Call(role=role, model="rehearsal" if self.rehearsal else MODEL, usage=usage, cost_usd=cost, request_id="")


def _trial(key: TrialKey, ok: list[bool], calls: tuple[Call, ...], *, lost: bool) -> Trial:
    tests, style, review = ok
    body = "    parts = PATTERN.findall(text)\n    if not parts:\n" if review else "    total = 0\n    if not total:\n"
    doc = '    """\n    Parse a duration.\n    """\n' if style else '    """Parse a duration."""\n'
    source = f"def parse_duration(text: str) -> timedelta:\n{doc}{body}        raise ValueError(f'no duration in {{text!r}}')\n"
    flags = ("edited tests/conftest.py",) if key.task == "cache-ttl-negative" and key.arm is Arm.BASELINE else ()
    evidence = Evidence(tests=_tests(passed=tests), style=_style(passed=style), review=_review(passed=review))
    ending, cause = (Ending.MISSING_API, "the API answered 529 three times") if lost else (Ending.FINISHED, "")
    return Trial(
        key=key,
        rollout=Rollout(
            change=Change(
                files=(FileChange(path="src/durations.py", old=None, new=File(content=source.encode())),), patch=_patch(source)
            ),
            transcript='{"role": "assistant", "text": "done"}\n',
            calls=calls,
            ending=ending,
            cause=cause,
            load=LoadEvidence(delivery="system", loaded=True, text_hash=key.variant, how="text found in the first request"),
        ),
        evidence=Evidence() if lost else evidence,
        verdicts=judge(ending, cause, Evidence() if lost else evidence),
        flags=flags,
        events=("network: git fetch",) if key.task == "cache-ttl-negative" else (),
        cost_usd=sum(call.cost_usd or 0 for call in calls),
        seconds=(("agent", 41.0), ("grade", 0.5)),
    )


def _with_patch(trial: Trial, patch: bytes) -> Trial:
    """The same trial of another change, each quote another of its added lines, each violation a hundred times."""
    lines = [line[1:] for line in patch.decode().splitlines() if re.match(r"\+\s*\w{3}", line)]
    report = trial.evidence.review
    if report is None:
        return trial
    votes = tuple(
        replace(vote, items=tuple(replace(item, quote=lines[7 * len(vote.reviewer) % len(lines)]) for item in vote.items))
        for vote in report.votes
    )
    style = StyleReport(new=_many(trial.evidence.style))
    evidence = replace(trial.evidence, style=style, review=replace(report, votes=votes))
    return replace(trial, evidence=evidence, rollout=replace(trial.rollout, change=Change(files=(), patch=patch)))


def _many(report: StyleReport | None) -> tuple[Finding, ...]:
    return tuple(finding for finding in (report.new if report else ()) for _ in range(100))


def _patch(source: str) -> bytes:
    lines = source.splitlines()
    added = "".join(f"+{line}\n" for line in lines)
    return (
        "diff --git a/src/durations.py b/src/durations.py\nnew file mode 100644\nindex 0000000..1111111\n"
        f"--- /dev/null\n+++ b/src/durations.py\n@@ -0,0 +1,{len(lines)} @@\n{added}"
    ).encode()


def _tests(*, passed: bool) -> TestReport:
    results = (TestResult(id="t::zero", outcome="passed" if passed else "failed"), TestResult(id="t::unit", outcome="passed"))
    return TestReport(expected=("t::zero", "t::unit"), tests=results, canaries=32, canaries_failed=32, exit_code=1)


def _style(*, passed: bool) -> StyleReport:
    finding = Finding(
        rule="docstring-quotes-own-lines", path="src/durations.py", line=2, message="quotes on lines of their own", key="k",
        quote="Put the opening and closing quotes on lines of their own.",
    )  # fmt: skip
    reported = Finding(
        rule="no-ternary", path="src/durations.py", line=4, message="conditional expression", key="r", gating=False
    )
    return StyleReport(new=(reported,) if passed else (finding, reported), dropped=("COM812",))


def _review(*, passed: bool) -> PanelReport:
    votes = []
    for reviewer in ("correctness", "security", "maintainer"):
        bad = not passed and reviewer != "security"
        item = Item(
            id="COR-1",
            answer="yes" if bad else "no",
            finding="Zero is a duration that the task allows, and this raises <b>ValueError</b>."
            if bad
            else "Tests for a missing match.",
            trigger='"0s"' if bad else "",
            file="src/durations.py",
            quote="if not total:" if bad else "if not parts:",
            supported=not (reviewer == "security" and not passed),
            failed=bad,
        )
        votes += [
            Vote(reviewer=reviewer, persona_id="f645" * 16, view=view, answer="no" if bad else "yes",
                 reason="COR-1" if bad else "", items=(item,), raw='{"items": []}', model=MODEL)
            for view in ("original", "stripped")
        ]  # fmt: skip
    outcome, reason = (
        ("pass", "3 of 3 approve, no veto") if passed else ("fail", "a confirmed veto by correctness; 1 of 3 approve")
    )
    return PanelReport(votes=tuple(votes), outcome=outcome, reason=reason)
