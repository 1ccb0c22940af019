"""`harness prune`: blobs that no row needs."""

from __future__ import annotations

from dataclasses import asdict

from harness.cli import options
from harness.cli.options import Given

NAME = "prune"


def run(config: options.ConfigFile = None, state: options.State = None, as_json: options.AsJson = False) -> None:
    """Remove blobs that no row of the ledger needs, as killed runs leave them. Rows and what they need stay."""
    from datetime import UTC, datetime

    from harness.cli.show import print_json, say
    from harness.ledger.prune import prune
    from harness.ledger.store import Store

    folder = Given(config=config, state=state).settings().output.state
    Store.read(folder / "ledger.db").close()  # says so where there is none, instead of making one
    with Store.open(folder / "ledger.db", lambda: datetime.now(UTC)) as store:
        found = prune(store)
    if as_json:
        print_json(asdict(found))
    else:
        say(f"{found.blobs} blobs removed ({found.size:,} bytes), {found.kept} kept.")
