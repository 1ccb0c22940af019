"""The command line: arguments in, lines out, and an exit code."""

import argparse
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TextIO

from ledgerline.balances import account_balances, at_depth, render_balances
from ledgerline.entries import Entry
from ledgerline.errors import LedgerError
from ledgerline.export import write_csv
from ledgerline.filters import Filter, first_day, last_day
from ledgerline.journal import load_journal


def build_parser() -> argparse.ArgumentParser:
    """Describe the commands ``balance``, ``export`` and ``check``."""
    parser = argparse.ArgumentParser(prog="ledgerline")
    commands = parser.add_subparsers(dest="command", required=True)
    balance = commands.add_parser("balance", help="what each account holds")
    balance.add_argument("--depth", type=int, help="add deeper accounts to this level")
    export = commands.add_parser("export", help="postings as CSV")
    export.add_argument("--running", action="store_true", help="add account balances")
    check = commands.add_parser("check", help="read the ledger and count its entries")
    for command in (balance, export, check):
        command.add_argument("ledger", type=Path)
        command.add_argument("--begin", help="first day, month or year to include")
        command.add_argument("--end", help="last day, month or year to include")
        command.add_argument("--account", default="", help="this account and below")
        command.add_argument("--text", default="", help="part of the description")
    return parser


def main(argv: Sequence[str], out: TextIO, err: TextIO) -> int:
    """Run one command; 0 is success, 1 a ledger or an argument that cannot be used."""
    arguments = build_parser().parse_args(argv)
    try:
        entries = load_journal(arguments.ledger.read_text(encoding="utf-8"))
        _report(arguments, entries, out)
    except (LedgerError, OSError) as error:
        err.write(f"ledgerline: {error}\n")
        return 1
    return 0


def _report(
    arguments: argparse.Namespace, entries: tuple[Entry, ...], out: TextIO
) -> None:
    query = Filter(
        begin=first_day(arguments.begin) if arguments.begin else date.min,
        end=last_day(arguments.end) if arguments.end else date.max,
        account=arguments.account,
        text=arguments.text,
    )
    if arguments.command == "export":
        write_csv(entries, query, out, running=arguments.running)
    elif arguments.command == "balance":
        balances = account_balances(entries, query)
        if arguments.depth is not None:
            balances = at_depth(balances, arguments.depth)
        out.writelines(f"{line}\n" for line in render_balances(balances))
    else:
        count = sum(query.keeps_entry(entry) for entry in entries)
        out.write(f"{count} entries\n")


def run() -> None:
    """Run the command line of this process."""
    sys.exit(main(sys.argv[1:], sys.stdout, sys.stderr))
