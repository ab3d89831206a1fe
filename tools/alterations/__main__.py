"""The command: ``python -m tools.alterations [FOLDER...]``."""

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from multiprocessing import Pool
from pathlib import Path

from tools.alterations.kinds import KINDS
from tools.alterations.trying import Trial, rows_of, table, trials

Row = tuple[int, str, str, tuple[str, ...]]


def _all(folder: Path, kinds: list[int], times: int, seed: int, is_alone: bool) -> list[Row]:
    chosen = [KINDS[number] for number in kinds]
    return [
        (KINDS.index(one.kind), one.recording, one.what, one.by)
        for one in trials(folder, chosen, times, seed, is_alone)
    ]


def main(arguments: list[str] | None = None) -> int:
    """Alter recordings, audit them, print the table; exit code 1 if a kind that can be noticed was not."""
    parser = argparse.ArgumentParser(prog="python -m tools.alterations", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="recorded runs (all of traces/real)")
    parser.add_argument("--times", type=int, default=1, help="alterations of each kind in each recording (1)")
    parser.add_argument("--seed", type=int, default=1, help="what picks the places (1)")
    parser.add_argument("--only", default="", help="kinds whose source and name hold this text")
    parser.add_argument("--alone", action="store_true", help="audit the dump of the channel without the other files")
    parser.add_argument("--missed", action="store_true", help="list every alteration that nobody noticed")
    parser.add_argument("--workers", type=int, default=1, help="processes (1)")
    asked = parser.parse_args(arguments)
    folders = asked.folders or sorted(path.parent for path in Path("traces/real").glob("*/expectation.yaml"))
    kinds = [number for number, kind in enumerate(KINDS) if asked.only in f"{kind.source} {kind.name}"]
    if asked.alone:
        kinds = [number for number in kinds if KINDS[number].source == "channel"]
    work = partial(_all, kinds=kinds, times=asked.times, seed=asked.seed, is_alone=asked.alone)
    found = list(_trials(folders, work, asked.workers))
    rows = rows_of(found)
    print("\n".join(table(rows)))
    if asked.missed:
        for row in rows:
            for trial in row.missed:
                print(f"missed: {trial.recording}: {trial.kind.source}: {trial.what[:400]}")
    return int(not asked.alone and any(row.missed and not row.kind.cannot for row in rows))


def _trials(folders: list[Path], work: partial[list[Row]], workers: int) -> Iterator[Trial]:
    with Pool(workers) as pool:
        for some in pool.imap(work, folders):
            yield from (Trial(KINDS[number], recording, what, by) for number, recording, what, by in some)


if __name__ == "__main__":
    sys.exit(main())
