"""Mutated suites: one fault put into a healthy tree at a time, kept where the project's own tests notice it.

Of a task the base is the tree with the fault, the reference the healthy one, the hidden tests the project's. The agent does not
see the test modules that fail: what their tests say of themselves is the statement. Equivalent and untested mutants drop out by
being run.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from harness.counted import counted
from harness.suites.emit import Entry, Origin
from harness.suites.mutants import is_source
from harness.suites.mutations import Mutation, Operator, mutated, mutations
from harness.suites.privacy import redacted, secrets_in, secrets_of
from harness.suites.probing import TEST_MODULE, Bench, hidden_tests, is_test, outcomes, proven
from harness.suites.rejected import Reason, Rejected
from harness.suites.symptoms import statement, symptoms
from harness.task import Split, Task
from harness.tree import File, Tree, matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from harness.evaluate import Executor
    from harness.suites.equip import Equipped, Equipper
    from harness.suites.privacy import Secret
    from harness.suites.probing import Lab, Outcomes, Proof

LEAST_SECONDS = 30.0  # of a task's time limit for hidden tests
PATIENCE, GRACE = 5.0, 15.0  # a mutant may take so many times the healthy run, and so many seconds: failures are slow to tell
TRIES = 12  # mutants run at most for each task that is wanted
FEW_TESTS, LONG_BODY = 3, 8  # where a task counts as harder
_NO_PRODUCT = re.compile(
    r"(^|/)(docs?|examples?|benchmarks?|scripts?|tools?|setup\.py|noxfile\.py|conf\.py|conftest\.py|_version\.py)(/|$)"
)


class Drop(StrEnum):
    """Why a mutant is no task, beside the reasons that any candidate has."""

    UNSEEN = "no test sees it"
    NOTHING_PASSES = "no test passes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A fault in one file of the healthy tree."""

    path: str
    mutation: Mutation

    @property
    def cluster(self) -> str:
        """What near-duplicates share: the function around the fault."""
        return f"{self.path}:{self.mutation.function}"

    @property
    def mark(self) -> str:
        """An identity that says nothing of the place: eight hex digits."""
        fault = f"{self.cluster} {self.mutation.start} {self.mutation.end} {self.mutation.new!r}"
        return hashlib.sha256(fault.encode("utf-8", "surrogatepass")).hexdigest()[:8]

    def __str__(self) -> str:
        return f"{self.path}:{self.mutation.first_line}: {self.mutation.operator}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One mutant's outcome: its task, or the reason why it is none with one line of detail."""

    mutant: Mutant
    entry: Entry | None = None
    reason: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is wanted: `limit` tasks of a project, drawn by `seed`, without the owner's denied words.

    `harmless` are patterns of paths whose secrets are none, by the owner's word.
    """

    project: str
    limit: int
    seed: int = 1
    deny: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    seconds: float = 120.0  # of the healthy tests' first run


@dataclass(frozen=True, slots=True, kw_only=True)
class Healthy:
    """A tree whose tests run and are stable: what its mutants are measured against."""

    tree: Tree
    bench: Bench
    equipped: Equipped
    passing: frozenset[str]
    proof: Proof


class Memory(Protocol):
    """What mutants came to in a run that was stopped."""

    def known(self, healthy: Healthy, mutant: Mutant) -> Tried | None:
        """What a mutant came to, if it was tried before. Each call may come from another thread."""
        ...

    def add(self, healthy: Healthy, tried: Tried) -> Tried:
        """Keep what a mutant came to; it comes back as it is kept."""
        ...


@dataclass(frozen=True, kw_only=True)
class Mutator:
    """Makes tasks of one healthy tree; what `memory` knows is not run again."""

    lab: Lab
    equipper: Equipper
    plan: Plan
    memory: Memory
    tell: Callable[[str], None] = field(default=lambda _: None)

    def run(self, healthy: Healthy, executor: Executor) -> tuple[Tried, ...]:
        """Every mutant that was tried, at most `limit` kept ones first, each group in the order of the draw.

        The same tree, plan and tools give the same tasks, however many run side by side.

        Raises:
            Rejected: the tree has nothing to mutate.
            DockerUnavailableError: the engine fails.
        """
        drawn = draw(mutants_of(healthy.tree), self.plan.seed)
        if not drawn:
            raise Rejected(Reason.NO_SOURCE, "no Python source outside tests and tools with anything to mutate")
        self.tell(f"{counted(len(healthy.passing), 'stable test')}; {counted(len(drawn), 'mutant')} to draw from")
        found: list[Tried] = []
        for tried in executor.map(lambda mutant: self.tried(healthy, mutant), self._wanted(drawn, found), lambda: None):
            one = self.memory.add(healthy, tried)
            found.append(one)
            self.tell(f"{one.mutant}: {one.reason or 'kept'}{f': {one.detail}' if one.detail else ''}")
        order = {mutant: place for place, mutant in enumerate(drawn)}
        found.sort(key=lambda one: (one.entry is None, order[one.mutant]))
        kept = [one for one in found if one.entry]
        return (*kept[: self.plan.limit], *found[len(kept) :])

    def healthy(self, tree: Tree) -> Healthy:
        """The tree with its tests running, its unstable tests left out.

        Raises:
            Rejected: it holds a secret, or its tests do not run, or tell nothing.
        """
        if found := self._meant(secrets_in(tree)):
            raise Rejected(Reason.PRIVATE, str(found[0]), "\n".join(map(str, found)))
        bench = Bench(project=self.plan.project, hidden=hidden_tests(tree), seconds=self.plan.seconds)
        equipped = self.equipper.equipped(tree, bench)
        whole = tree.overlaid(equipped.support)
        hollow = Tree(files=tuple((path, file) for path, file in whole if not _is_product(path)))
        proof = proven(self.lab, equipped.bench, hollow, whole, first=equipped.first)
        seconds = min(self.plan.seconds, PATIENCE * proof.seconds + GRACE)
        return Healthy(
            tree=whole,
            bench=replace(equipped.bench, hidden=proof.hidden, seconds=seconds),
            equipped=equipped,
            passing=frozenset((*proof.fail_to_pass, *proof.pass_to_pass)),
            proof=proof,
        )

    def tried(self, healthy: Healthy, mutant: Mutant) -> Tried:
        """One mutant's outcome."""
        try:
            return self.memory.known(healthy, mutant) or self._kept(healthy, mutant)
        except Rejected as error:
            return Tried(mutant=mutant, reason=error.reason, detail=error.detail)

    def _kept(self, healthy: Healthy, mutant: Mutant) -> Tried:
        content = mutated(healthy.tree.by_path[mutant.path].content, mutant.mutation)
        if content is None:
            return Tried(mutant=mutant, reason=Reason.SAME_CODE, detail="the mutant is the same program, or none")
        file = File(content=content, mode=healthy.tree.by_path[mutant.path].mode)
        sick = healthy.tree.overlaid(Tree.of({mutant.path: file}))
        first = outcomes(self.lab, healthy.bench, sick)
        failing = healthy.passing - first.passed
        if not failing:
            return Tried(
                mutant=mutant, reason=Drop.UNSEEN, detail=counted(len(first.passed), "test passes with it", "tests pass with it")
            )
        if not healthy.passing & first.passed:
            return Tried(
                mutant=mutant,
                reason=Drop.NOTHING_PASSES,
                detail=_line(first.problem) or counted(len(failing), "test fails of it", "tests fail of it"),
            )
        again = outcomes(self.lab, healthy.bench, sick)
        if again.passed != first.passed:
            raise Rejected(Reason.UNSTABLE, f"{min(again.passed ^ first.passed)} does not fail every time")
        task = self._task(healthy, mutant, sick, first)
        whole = replace(task, base=sick, reference=healthy.tree)  # with the tests, which no task of ours has added
        if found := self._meant(secrets_of(whole)):
            raise Rejected(Reason.PRIVATE, str(found[0]))
        return Tried(mutant=mutant, entry=entry_of(healthy, mutant, task))

    def _task(self, healthy: Healthy, mutant: Mutant, sick: Tree, run: Outcomes) -> Task:
        plan, failing = self.plan, tuple(sorted(healthy.passing - run.passed))
        told = symptoms(failing, healthy.bench.hidden, run.others, mutant.mutation)
        telling = {name.partition("::")[0] for name in failing}
        base, reference = (
            Tree(files=tuple((path, file) for path, file in tree if path not in telling or not TEST_MODULE.search(path)))
            for tree in (sick, healthy.tree)
        )
        return Task(
            id=f"{plan.project}-mutant-{mutant.mark}",
            project=plan.project,
            split=Split.DEV,
            instruction=redacted(statement(plan.project, told), plan.deny),
            difficulty=_difficulty(mutant.mutation, len(failing)),
            kind="behaviour",
            interface=(),
            base=base,
            reference=reference,
            hidden=healthy.bench.hidden,
            fail_to_pass=failing,
            pass_to_pass=tuple(sorted(healthy.passing & run.passed)),
            pack="",
            requirements=healthy.bench.requirements,
            tests_seconds=max(LEAST_SECONDS, float(round(10 * healthy.proof.seconds))),
        )

    def _meant(self, found: Iterable[Secret]) -> list[Secret]:
        return [one for one in found if not matches(one.where, self.plan.harmless)]

    def _wanted(self, drawn: Iterable[Mutant], found: list[Tried]) -> Iterator[Mutant]:
        """Mutants until as many are kept as wanted, in no case more than TRIES for each of these."""
        for mutant in islice(drawn, TRIES * self.plan.limit):
            if sum(one.entry is not None for one in found) >= self.plan.limit:
                return
            yield mutant


def entry_of(healthy: Healthy, mutant: Mutant, task: Task) -> Entry:
    """A mutant's task as it is written into a suite."""
    origin = Origin(cluster=mutant.cluster, fixes=healthy.equipped.fixes)
    return Entry(task=task, title=_title(task.instruction), source="mutated", origin=origin)


def mutants_of(tree: Tree) -> tuple[Mutant, ...]:
    """Every mutant within a function of the tree's own code, in the order of files and text."""
    paths = [path for path, _ in tree if _is_product(path)]
    return tuple(
        Mutant(path=path, mutation=one) for path in paths for one in mutations(tree.by_path[path].content) if one.function
    )


def draw(found: Iterable[Mutant], seed: int) -> tuple[Mutant, ...]:
    """The mutants in an order that visits every function before any twice, and every operator among equals; fixed by the seed."""
    shuffled = list(found)
    random.Random(seed).shuffle(shuffled)  # noqa: S311  (a draw of tasks, no secret)
    functions, operators = Counter[str](), Counter[Operator]()
    ranked = []
    for place, mutant in enumerate(shuffled):
        functions[mutant.cluster] += 1
        operators[mutant.mutation.operator] += 1
        ranked.append((functions[mutant.cluster], operators[mutant.mutation.operator], place, mutant))
    return tuple(mutant for *_, mutant in sorted(ranked, key=lambda rank: rank[:3]))


def split_by_cluster(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Every third function's tasks for dev, the others for the holdout, so that no function stands on both sides."""
    listed = list(entries)
    places = {cluster: place for place, cluster in enumerate(dict.fromkeys(entry.origin.cluster for entry in listed))}
    splits = {cluster: Split.HOLDOUT if place % 3 else Split.DEV for cluster, place in places.items()}
    return tuple(replace(entry, task=replace(entry.task, split=splits[entry.origin.cluster])) for entry in listed)


def _line(text: str) -> str:
    return text.partition("\n")[0]


def _is_product(path: str) -> bool:
    return is_source(path) and not is_test(path) and not _NO_PRODUCT.search(path)


def _difficulty(mutation: Mutation, failing: int) -> str:
    """By what has to be written or found: a body anew, or one place, which few failing tests narrow down less."""
    if mutation.operator is Operator.BODY:
        return "hard" if mutation.last_line - mutation.first_line >= LONG_BODY else "medium"
    return "medium" if failing <= FEW_TESTS else "easy"


def _title(instruction: str) -> str:
    return next((line.removeprefix("- ") for line in instruction.splitlines() if line.startswith("- ")), "A fault")[:100]
