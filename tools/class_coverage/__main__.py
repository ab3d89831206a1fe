"""
``python -m tools.class_coverage [FAMILY]...`` measures the branches of Pulsar's channel classes that walks reach.

``--page`` writes docs/reference/class-coverage.md from the last run that was kept, and the reasons.
"""

import argparse
import sys
from pathlib import Path

from oneowner.checkers.native_code import cache
from oneowner.checkers.real_classes.jars import BASE, Missing, jars_of
from tools.class_coverage.branches import PAGE, page, read_measured, read_reasons, write_measured
from tools.class_coverage.jacoco import measured
from tools.mutation.classes.catalogue import BOUNDS


def main(arguments: list[str]) -> int:
    """Measure and keep, or write the page; return 3 if something to install is missing."""
    parser = argparse.ArgumentParser("python -m tools.class_coverage", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="FAMILY", help="families to walk (default: those of the mutants)")
    parser.add_argument("--edges", type=int, default=2_000, metavar="N", help="edges of each family that are chosen")
    parser.add_argument("--home", type=Path, default=cache() / "pulsar", metavar="DIR", help="where jars are kept")
    parser.add_argument("--page", action="store_true", help="write the page, measure nothing")
    asked = parser.parse_args(arguments)
    if asked.page:
        PAGE.write_text("\n".join([*page(read_measured(), read_reasons()), ""]), encoding="utf-8")
        return 0
    place = asked.home / "jacoco"
    place.mkdir(parents=True, exist_ok=True)
    try:
        found = measured(jars_of(BASE, asked.home), asked.names or BOUNDS, asked.edges, place)
    except Missing as missing:
        sys.stderr.write(f"unknown: {missing}\n")
        return 3
    write_measured(found)
    for line in found.lines:
        if line.missed:
            sys.stdout.write(f"{line.type}.{line.method}, line {line.number}: {line.missed} branches\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
