"""
``python -m oneowner.checkers.ledger.refinement_main [FAMILY]... [--fault NAME]...``: families against specifications.

Without a family: all that are small enough to be built whole, and all rows of faults that are pinned.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence

from oneowner.checkers.ledger.families import families, family_named
from oneowner.checkers.ledger.families import faults as known_faults
from oneowner.checkers.ledger.family import pick
from oneowner.checkers.ledger.refinement_pins import pins
from oneowner.checkers.ledger.refinement_rows import (
    Row,
    failure_in_words,
    is_small,
    never_taken,
    outcome,
    rows_of,
    rows_of_family,
    taken_in_words,
)
from oneowner.checkers.report import text
from oneowner.checkers.verdict import EXIT_CODES, MISUSE, EngineError, Misuse, Verdict


def rows_asked_for(names: Sequence[str], faults: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of the named families, or of all, with all faults that are pinned, where none is named."""
    pinned = pins()
    turned = tuple(pick(known_faults(), fault, "fault").name for fault in faults)
    if turned and not names:
        raise Misuse("--fault goes with a family")
    for name in names:
        yield from rows_of(family_named(name), turned, pinned)
    if not names:
        for family in families().values():
            if is_small(family):
                yield from rows_of_family(family, pinned)


def print_rows(rows: Sequence[Row]) -> None:
    """Print the table, then every failing run."""
    out = text.console()
    table = text.table("family", "refinement", "verdict", "as expected", "states>", "steps>", "abstract actions")
    for row in rows:
        counts = [f"{row.walked.states:,}", f"{row.walked.edges:,}"] if row.walked else ["", ""]
        taken = taken_in_words(row.walked) if row.walked else ""
        expected = text.styled("yes" if row.is_expected else "no")
        table.add_row(row.name, row.pin.refinement, text.styled(row.verdict), expected, *counts, taken)
    out.print(table)
    for row in rows:
        if row.words:
            out.print(f"{row.name}, {row.pin.refinement}: {row.words}")
        if row.walked is not None and row.walked.failure is not None:
            steps = len(row.walked.failure.steps)
            out.print(f"{row.name}, {row.pin.refinement}: fails at step {steps}")
            for line in failure_in_words(row.walked.failure):
                out.print(line)
    for refinement, actions in never_taken(rows).items():
        out.print(f"{refinement}: never taken in any of these: {', '.join(actions)}")


def main(arguments: Sequence[str]) -> int:
    """Print the table; return the exit code."""
    parser = ArgumentParser(prog="python -m oneowner.checkers.ledger.refinement_main", description=__doc__)
    parser.add_argument("names", metavar="FAMILY", nargs="*")
    parser.add_argument("--fault", dest="faults", metavar="NAME", action="append", default=[])
    asked = parser.parse_args(arguments)
    try:
        rows = list(rows_asked_for(asked.names, asked.faults))
    except Misuse as error:
        sys.stderr.write(f"error: {error}\n")
        return MISUSE
    except EngineError as error:
        sys.stderr.write(f"error: {error}\n")
        return EXIT_CODES[Verdict.UNKNOWN]
    print_rows(rows)
    sys.stdout.write(f"refinements: {outcome(rows)}\n")
    return EXIT_CODES[outcome(rows)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
