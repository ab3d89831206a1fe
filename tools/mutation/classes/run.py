"""
``python -m tools.mutation classes [NAME]...`` walks families on changed classes of Pulsar until one differs.

Without a name the declared mutants run; with ``--every`` each so-many-th of all that the operators yield, or of those
whose name begins with a NAME.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from oneowner.checkers.native_code import cache
from oneowner.checkers.real_classes.jars import BASE, Missing, jars_of
from oneowner.checkers.verdict import Misuse
from tools.mutation.classes.catalogue import BOUNDS, CLASSES, WITHOUT, declared
from tools.mutation.classes.judging import By, Family, Judge, Kill
from tools.mutation.classes.mutator import Mutant, Mutator

EDGES = 400


class Families:
    """The families, planned when they are first walked."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._planned: dict[str, Family] = {}

    def of(self, mutant: Mutant, first: Sequence[str]) -> Iterator[Family]:
        """Yield every family, those that are named *first* and those that fit the mutant before others."""
        for name in sorted(BOUNDS, key=lambda name: (name not in first, -fit(mutant, name))):
            if name not in self._planned:
                self._planned[name] = Family(name, BASE, self._budget)
            yield self._planned[name]


def fit(mutant: Mutant, family: str) -> int:
    """
    Return how many of some traits a mutant and a family share.

    >>> fit(Mutant("MetadataStoreTableViewImpl.put negate 2", 414, ""), "split-metadata-store")
    1
    """
    in_store = "MetadataStore" in mutant.name and "metadata-store" in family
    splits = any(word in mutant.method for word in ("plit", "hild")) and "split" in family
    looks_up = "Owner" in mutant.method.partition(".")[2] and "lookup" in family
    cleans = any(word in mutant.method for word in ("leanup", "override", "monitor")) and "failure" in family
    return sum((in_store, splits, looks_up, cleans))


def main(arguments: Sequence[str]) -> int:
    """Run the requested mutants; return 1 if some survive, 3 if the classes cannot run."""
    parser = argparse.ArgumentParser("python -m tools.mutation classes", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="mutants, by the beginning of their names")
    parser.add_argument("--every", type=int, metavar="N", help="each N-th mutant of the operators")
    parser.add_argument("--edges", type=int, default=EDGES, metavar="N", help="edges of each family that are chosen")
    parser.add_argument("--home", type=Path, default=cache() / "pulsar", metavar="DIR", help="where jars are kept")
    parser.add_argument("--list", action="store_true", help="list the mutants, run none")
    asked = parser.parse_args(arguments)
    known = {one.name: one for one in declared()}
    try:
        jars = jars_of(BASE, asked.home)
    except Missing as missing:
        sys.stderr.write(f"unknown: {missing}\n")
        return 3
    with Mutator(jars.path, CLASSES) as mutator, Judge(jars, mutator.original()) as judge:
        every = [one for one in mutator.mutants() if one.method.partition(".")[2] not in WITHOUT]
        chosen = chosen_of(every, asked.names, asked.every, known)
        if asked.list:
            sys.stdout.writelines(f"{one.name}, line {one.line}: {one.change}\n" for one in chosen)
            return 0
        folders, families, tally = mutator.written([one.name for one in chosen]), Families(asked.edges), Counter[By]()
        for one in chosen:
            began = time.monotonic()
            first = known[one.name].families if one.name in known else ()
            result = judge.kill(folders[one.name], families.of(one, first), is_static=".tables " in one.name)
            tally[result.by] += 1
            says = known[one.name].says if one.name in known else one.change
            sys.stdout.write(f"{one.name}, line {one.line}: {says}\n  {words(result)}"
                             f" ({time.monotonic() - began:.0f} s)\n")  # fmt: skip
            sys.stdout.flush()
    sys.stdout.write(f"{tally.total()} mutants: " + ", ".join(f"{tally[by]} {by}" for by in By) + "\n")
    return 1 if tally[By.NOTHING] else 0


def chosen_of(
    every: Sequence[Mutant], names: Sequence[str], step: int | None, known: Mapping[str, object]
) -> list[Mutant]:
    """Return the mutants whose names begin so, or the declared ones; raise Misuse if there are none."""
    if lacking := sorted(known.keys() - {one.name for one in every}):
        raise Misuse(f"declared.yaml: these classes have no mutant {lacking[0]}")
    if not names and step is None:
        return [one for one in every if one.name in known]
    found = [one for one in every if one.name.startswith(tuple(names) or "")]
    if not found:
        raise Misuse(f"no mutant begins so: {', '.join(names)}; --list prints the names")
    return found[:: step or 1]


def words(result: Kill) -> str:
    """Return a result in words: the family, the shortest path, the first difference."""
    if result.difference is None:
        return f"{result.by}{', ' + result.family if result.family else ''} {result.words[:160]}".rstrip()
    one, side = result.difference, result.difference.sides[0]
    path = ", ".join(str(action) for action in one.path)
    return (
        f"{result.by}, {result.family}: {len(one.path)} steps: {path}\n"
        f"  {side.part}: {side.model or '-'}; real: {side.real[:160] or '-'}"
    )
