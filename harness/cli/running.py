"""One run of the loop, for `evolve` and `nightly`: estimate, progress, tables, page, the end in words or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from harness.config import Config


def run_loop(settings: Config, *, yes: bool, quiet: bool, as_json: bool, summary: Path | None = None) -> None:
    """Run, or go on with, the loop of a configuration; with `summary` also write it as Markdown.

    Raises:
        HarnessError: as the loop and its set-up.
    """
    from harness.cli.money import agreed, batch_of
    from harness.cli.page import write_page, write_summary
    from harness.cli.progress import progress_for
    from harness.cli.show import print_json, say
    from harness.cli.summary import campaign_document, print_campaign
    from harness.loop import evolve
    from harness.wiring.inputs import read_inputs
    from harness.wiring.publishing import usable_branch
    from harness.wiring.session import opened

    inputs = read_inputs(settings, holdout=True)
    usable_branch(settings)
    agreed(inputs, batch_of(inputs), yes=yes)
    with progress_for(quiet=quiet) as progress, opened(inputs, progress, "evolve") as session:
        campaign = session.campaign(inputs.skill)
        try:
            ended = evolve(campaign, settings.budget.max_generations)
        finally:
            progress.close()
            print_campaign(campaign, as_json=as_json)
        page = ""
        try:
            page = str(write_page(session.store, campaign.ledger.campaign, settings.output.state))
            if summary:
                write_summary(session.store, campaign.ledger.campaign, summary)
        finally:  # what was decided is told even where its page fails
            if as_json:
                print_json(campaign_document(campaign) | {"ended": ended.reason, "page": page})
            else:
                say(f"Ended: {ended.reason}.")
                say(f"Page:  {page or 'none'}")
