"""`harness prune`: blobs that no row needs, and environment images that the suite does not use."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from harness.cli import options
from harness.cli.options import Given
from harness.counted import counted

NAME = "prune"
Images = Annotated[bool, typer.Option("--images", help="Also environment images that the configured suite does not use.")]


def run(
    config: options.ConfigFile = None,
    suite: options.Suite = None,
    state: options.State = None,
    images: Images = False,
    as_json: options.AsJson = False,
) -> None:
    """Remove blobs that no row of the ledger needs, as killed runs leave them. Rows and what they need stay."""
    from datetime import UTC, datetime

    from harness.cli.show import print_json, say
    from harness.ledger.prune import prune
    from harness.ledger.store import Store

    settings = Given(config=config, suite=suite, state=state).settings()
    ledger = settings.output.state / "ledger.db"
    Store.read(ledger).close()  # says so where there is none, instead of making one
    removed: tuple[str, ...] = ()
    if images:
        from harness.wiring.images import prune_images

        removed = prune_images(settings)
    with Store.open(ledger, lambda: datetime.now(UTC)) as store:
        found = prune(store)
    if as_json:
        print_json(asdict(found) | {"images": list(removed)})
        return
    say(f"{counted(found.blobs, 'blob')} removed ({counted(found.size, 'byte')}), {found.kept} kept.")
    if images:
        say(
            f"{counted(len(removed), 'image')} removed{': ' if removed else ''}{', '.join(removed)}. "
            "A suite that needs one builds it again."
        )
