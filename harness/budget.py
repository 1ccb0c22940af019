"""Budget: what a run, its campaign, a month and each generation may spend, in money, tokens, calls and hours.

Reserved before it is begun, at the most that it may cost: an agent's work on a task, also when it is tried again after a fault of
ours, a proposal, each call of a reviewer. Booked after it, at what it did cost. Refused at the line. What comes on top is the
prompt of an answer that broke before its first word and was asked for again by the client.

What the end of a night needs is kept back while it goes on, so that a limit does not take the vault test with it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.errors import ConfigError
from harness.ports import TrialEndedError
from harness.spending import most, prompt_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from harness.ports import Model, ModelReply, ModelRequest, Price, Proposal, ProposalRequest, Proposer
    from harness.rollout import Call


AGAIN = "the same command goes on from here"


class BudgetSpentError(Exception):
    """A limit is reached: what is left is not run.

    `calls` were made, and paid, by what was given up half-way; `then` is the one thing that is said of how to go on.
    """

    def __init__(self, words: str, calls: tuple[Call, ...] = (), then: str = AGAIN) -> None:
        super().__init__(words)
        self.calls = calls
        self.then = then

    def within(self, calls: tuple[Call, ...] = (), words: str = "") -> BudgetSpentError:
        """The same limit as what surrounds it tells it: with the calls made before, and with further words."""
        return BudgetSpentError(f"{self}{words}", (*calls, *self.calls), self.then)


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """US dollars (None: nobody knows), output tokens, model calls."""

    usd: float | None = 0.0
    tokens: int = 0
    calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The most that may be spent under one name (run, campaign, month, reviewers, generation 7).

    `before` is what was spent of it before this run; `then` is how a person goes on from the line.
    """

    name: str
    usd: float | None = None
    tokens: int | None = None
    calls: int | None = None
    before: Amount = Amount()
    then: str = AGAIN


def amount(calls: Iterable[Call]) -> Amount:
    """What some calls come to; the money is unknown where one's price is."""
    usd: float | None = 0.0
    tokens = count = 0
    for call in calls:
        usd = None if usd is None or call.cost_usd is None else usd + call.cost_usd
        tokens += call.usage.output
        count += call.usage.calls
    return Amount(usd=usd, tokens=tokens, calls=count)


class Budget:
    """Limits and what goes from them. Thread-safe.

    Args:
        limits: any number, each held.
        max_hours: hours from now, or None.
        clock: seconds from any origin, monotonic.
        part: a budget of a part of this run, which must have something left too; it is booked by who spends it.
    """

    def __init__(
        self, limits: Sequence[Limit], *, max_hours: float | None, clock: Callable[[], float], part: Budget | None = None
    ) -> None:
        self._limits = tuple(limits)
        self._part = part
        self._clock = clock
        self._began = clock()
        self._until = None if max_hours is None else self._began + max_hours * 3600
        self._spent = Amount()
        self._reserved = Amount()
        self._most_reserved = Amount()
        self._trials = 0
        self._kept = 0
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """US dollars booked so far in this run."""
        return self._spent.usd or 0.0

    @property
    def in_flight(self) -> float:
        """US dollars reserved for what is on its way."""
        return self._reserved.usd or 0.0

    def keep_back(self, trials: int) -> None:
        """Keep back from now on what so many trials come to, by the mean of those booked so far; 0 gives it free."""
        with self._lock:
            self._kept = trials

    def reserve(self, most: Amount, *, begun: bool = False) -> None:
        """Set aside the most that something may cost; the end of what was `begun` is not held up by time or by what is kept back.

        Raises:
            BudgetSpentError: if it could pass a limit, the time is over, or what is kept back would be touched.
        """
        if self._part:
            self._part.reserve(Amount())
        with self._lock:
            kept, seconds = (Amount(), 0.0) if begun else self._kept_back()
            if not begun and self._until is not None and self._clock() + seconds >= self._until:
                raise BudgetSpentError("the hours of this run are used up" + self._for_the_end())
            for limit in self._limits:
                self._check(limit, most, kept)
            self._reserved = _sum(self._reserved, most)
            self._most_reserved = _most(self._most_reserved, self._reserved)

    def _kept_back(self) -> tuple[Amount, float]:
        """Amount and seconds. Trials side by side each reserve more than they cost, so that much is needed on top."""
        if not self._kept or not self._trials:
            return Amount(), 0.0
        share = self._kept / self._trials
        spent = Amount(
            usd=(self._spent.usd or 0.0) * share, tokens=int(self._spent.tokens * share), calls=int(self._spent.calls * share)
        )
        return _sum(spent, self._most_reserved), (self._clock() - self._began) * share

    def _for_the_end(self) -> str:
        return f", but for {counted(self._kept, 'trial')} at the night's end" if self._kept else ""

    def book(self, reserved: Amount, actual: Amount, *, trials: int = 0) -> None:
        """Replace a reservation by what it did cost; `trials` says whether it was one.

        Raises:
            ConfigError: if the cost is unknown while money is limited, since the limit could then not be kept.
        """
        with self._lock:
            self._reserved = _sum(self._reserved, reserved, -1)
            self._spent = _sum(self._spent, actual)
            self._trials += trials
            if actual.usd is None and any(limit.usd is not None for limit in self._limits):
                raise ConfigError("a model's price is unknown, so a limit in dollars cannot be kept; add it to prices.toml")

    def _check(self, limit: Limit, most: Amount, kept: Amount) -> None:
        gone = _sum(limit.before, self._spent)
        going = _sum(_sum(gone, self._reserved), kept)
        if limit.usd is not None and (gone.usd or 0.0) >= limit.usd:
            raise BudgetSpentError(f"${gone.usd or 0.0:.2f} of {_whose(limit)} ${limit.usd:.2f} are spent", then=limit.then)
        if limit.usd is not None and (going.usd or 0.0) + (most.usd or 0.0) > limit.usd:
            raise BudgetSpentError(
                f"${gone.usd or 0.0:.2f} of {_whose(limit)} ${limit.usd:.2f} are spent and ${self.in_flight:.2f} are on "
                f"their way, and the next step may cost ${most.usd or 0.0:.2f}{self._for_the_end()}",
                then=limit.then,
            )
        for unit, line, used, more in (
            ("output tokens", limit.tokens, going.tokens, most.tokens),
            ("model calls", limit.calls, going.calls, most.calls),
        ):
            if line is not None and used + more > line:
                words = f"{used} of {_whose(limit)} {line} {unit} are used or spoken for"
                raise BudgetSpentError(f"{words}, and the next step may use {more}{self._for_the_end()}", then=limit.then)


class Generations:
    """What each generation may spend: a budget of its own, found by whoever works for it. Thread-safe.

    Args:
        limit_of: the limit of a generation by its number, with what was spent before this run; asked once each.
    """

    def __init__(self, limit_of: Callable[[int], Limit]) -> None:
        self._limit_of = limit_of
        self._budgets: dict[int, Budget] = {}
        self._subjects: dict[str, Budget] = {}
        self._lock = threading.Lock()

    def enter(self, subject: str, generation: int) -> None:
        """From now on what `subject` (a trial's key) spends is this generation's."""
        with self._lock:
            if generation not in self._budgets:
                self._budgets[generation] = Budget((self._limit_of(generation),), max_hours=None, clock=lambda: 0.0)
            self._subjects[subject] = self._budgets[generation]

    def of(self, subject: str) -> tuple[Budget, ...]:
        """The budget of the generation that a subject works for; none where it works for no single one."""
        with self._lock:
            return (self._subjects[subject],) if subject in self._subjects else ()


class Purse:
    """What one trial spends beside its reviewers, who pay for themselves: its agent's most until the agent is done."""

    def __init__(self, budgets: Sequence[Budget], most: Amount) -> None:
        self._budgets = tuple(budgets)
        self._most = most
        self._held = Amount()

    def open(self) -> None:
        """Before an agent is started. Raises BudgetSpentError."""
        _reserve(self._budgets, self._most)
        self._held = self._most

    def settle(self, calls: Iterable[Call], *, trials: int = 0) -> None:
        """What the agent's calls came to, in place of what was reserved; once more, with none, when it never came so far."""
        held, self._held = self._held, Amount()
        for budget in self._budgets:
            budget.book(held, amount(calls), trials=trials)


class Metered:
    """`ports.Model` whose calls are reserved in budgets before they are made, and booked after, also those without an answer.

    Args:
        model: what answers.
        budgets: each is asked.
        price: what a call costs.
        generations: further budgets by a request's subject.
    """

    def __init__(self, model: Model, budgets: Sequence[Budget], price: Price, generations: Generations | None = None) -> None:
        self._model = model
        self._budgets = tuple(budgets)
        self._price = price
        self._generations = generations

    def send(self, request: ModelRequest) -> ModelReply:
        """The model's answer. Raises as the model does.

        Raises:
            BudgetSpentError: the call could pass a limit; it was not made.
        """
        budgets = (*self._budgets, *(self._generations.of(request.subject) if self._generations else ()))
        usd = most(self._price, request.model, prompt_bytes(request), request.max_tokens)
        reserved = Amount(usd=usd, tokens=request.max_tokens, calls=1)
        _reserve(budgets, reserved, begun=True)
        actual = Amount()
        try:
            reply = self._model.send(request)
            actual = amount((reply.call,))
        except TrialEndedError as error:
            actual = amount(error.calls)
            raise
        finally:
            for budget in budgets:
                budget.book(reserved, actual)
        return reply


def _reserve(budgets: Sequence[Budget], amount: Amount, *, begun: bool = False) -> None:
    """In all of them, or in none."""
    for place, budget in enumerate(budgets):
        try:
            budget.reserve(amount, begun=begun)
        except BudgetSpentError:
            for earlier in budgets[:place]:
                earlier.book(amount, Amount())
            raise


class BudgetedProposer:
    """`ports.Proposer` that reserves before another one is asked, and books what it did cost."""

    def __init__(self, proposer: Proposer, budget: Budget, most: Amount) -> None:
        self._proposer = proposer
        self._budget = budget
        self._most = most

    def propose(self, request: ProposalRequest) -> Proposal:
        """As the other one's. Raises as it does.

        Raises:
            BudgetSpentError: a limit of the run is reached; nothing was asked.
        """
        self._budget.reserve(self._most)
        spent = Amount()
        try:
            proposal = self._proposer.propose(request)
            spent = amount(proposal.calls)
        except TrialEndedError as error:
            spent = amount(error.calls)
            raise
        finally:
            self._budget.book(self._most, spent)
        return proposal


def _sum(one: Amount, other: Amount, sign: int = 1) -> Amount:
    """Money that nobody knows adds nothing: it is told where it is booked."""
    return Amount(
        usd=(one.usd or 0.0) + sign * (other.usd or 0.0),
        tokens=one.tokens + sign * other.tokens,
        calls=one.calls + sign * other.calls,
    )


def _whose(limit: Limit) -> str:
    article = "" if limit.name[-1:].isdigit() else "the "
    return f"{article}{limit.name}'{'' if limit.name.endswith('s') else 's'}"


def _most(one: Amount, other: Amount) -> Amount:
    return Amount(
        usd=max(one.usd or 0.0, other.usd or 0.0), tokens=max(one.tokens, other.tokens), calls=max(one.calls, other.calls)
    )
