"""Where promotions go beside the ledger: the state folder, and a branch where the configuration wants one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.audit.message import message_of
from harness.branches import Branch, Commit, branch_for, commit_skill, refuse_checked_out
from harness.ledger.history import read_history
from harness.publish import publish

if TYPE_CHECKING:
    from harness.config import Config
    from harness.ledger.store import Store
    from harness.skill import Variant


def branch_of(config: Config) -> Branch | None:
    """The branch that promotions are committed to, if the configuration wants one.

    Raises:
        ConfigError: it cannot be used.
    """
    if config.output.strategy != "branches":
        return None
    path = config.skill.path
    return branch_for(path, config.output.tag or (path.parent.resolve() if path.is_file() else path.resolve()).name)


def usable_branch(config: Config) -> Branch | None:
    """The branch that promotions are committed to, ready to be moved; asked for before anything is spent.

    Raises:
        ConfigError: it cannot be used, or is checked out.
    """
    branch = branch_of(config)
    if branch:
        refuse_checked_out(branch)
    return branch


def publish_variant(config: Config, store: Store, campaign: str, variant: Variant) -> None:
    """Write the baseline's files below the state folder, and with a branch also its commit; safe to repeat.

    Raises:
        ConfigError: the branch cannot be used.
        ReportError: git refused; the ledger is complete.
    """
    publish(config.output.state, variant)
    branch, history = branch_of(config), read_history(store, campaign)
    if branch is None or not history.promotions:
        return
    said = message_of(store, history, history.promotions[-1])
    commit_skill(branch, variant.skill, Commit(message=said.text, key=said.key, head=said.head, time=said.time))
