"""
``python -m tools.mutation protocol [NAME]... [--budget S] [--list]`` runs the mutants of the protocol.

Each is judged in a process of its own, two at a time; results are written as they come, and a run resumes from them. A
mutant whose patch, or whose rows, have changed since is judged again. Files of the model whose mutants are those of the
summary are skipped unless a mutant is named.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from oneowner.checkers.yaml_text import data_of
from tools.mutation.catalogue import Wrong, named
from tools.mutation.kills import By, Kill
from tools.mutation.mutants import MODEL, ROOT, path_of
from tools.mutation.original import WORKERS
from tools.mutation.overlay import overlaid
from tools.mutation.running import ran
from tools.mutation.summary import RESULTS, Row, digest_of, read_summary, write_summary

BUDGET = 120.0
"""Seconds of one processor after which no further row is asked."""
PATIENCE = 900.0
"""Seconds of the clock for all rows that are owed, and for those that the budget admits."""
LAW_LIKE = (By.LAW, By.LIVENESS, By.VECTOR)


@dataclass(frozen=True, slots=True)
class Result:
    """A mutant of the protocol and its result."""

    name: str
    by: str
    where: str
    words: str
    of: str
    """The change and the rows that were judged: another one is judged again."""
    equivalent: bool = False
    """True if it is declared equivalent, and the graphs of its families are the same."""


def main(arguments: Sequence[str]) -> int:
    """Run the requested mutants that are not decided yet; print the table, and those that no law killed."""
    parser = argparse.ArgumentParser("python -m tools.mutation protocol", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="mutants of the protocol; default: all")
    parser.add_argument("--budget", type=float, default=BUDGET, metavar="S", help="seconds of one processor for each")
    parser.add_argument(
        "--results", type=Path, default=RESULTS / "protocol.yaml", metavar="FILE", help="where results are written"
    )
    parser.add_argument("--again", action="store_true", help="judge also what no law killed before")
    parser.add_argument("--list", action="store_true", help="list the mutants, run none")
    asked = parser.parse_args(arguments)
    chosen = named(asked.names)
    if asked.list:
        sys.stdout.writelines(f"{one.name}: {one.says} ({one.file}; {one.law})\n" for one in chosen)
        return 0
    files, known = by_file(named([])), read_summary("protocol")
    skipped = () if asked.names or asked.again else [file for file in files if is_current(known.get(file), files[file])]
    every = {one.name for mutants in files.values() for one in mutants}
    done = {one.name: one for one in read(asked.results) if one.name in every}
    waiting = [
        one for one in chosen if place_of(one) not in skipped and not _is_done(done.get(one.name), one, asked.again)
    ]
    with ThreadPoolExecutor(WORKERS) as pool:
        futures = {pool.submit(judged, one, asked.budget): one for one in waiting}
        for count, future in enumerate(as_completed(futures), 1):
            result = done[futures[future].name] = future.result()
            write(asked.results, list(done.values()))
            sys.stderr.write(f"{count} of {len(waiting)}: {result.name}: {result.by} {result.where} {result.words}\n")
            sys.stderr.flush()
    rows = {file: row for file, mutants in files.items() if (row := _row(mutants, done, known.get(file))) is not None}
    if asked.results == RESULTS / "protocol.yaml":
        write_summary("protocol", rows)
    chosen_rows = {file: row for file, row in rows.items() if file in {place_of(one) for one in chosen}}
    sys.stdout.write(summary(chosen_rows))
    return 1 if any(is_left(row) for row in chosen_rows.values()) else 0


def by_file(mutants: Sequence[Wrong]) -> dict[str, list[Wrong]]:
    """Return mutants by their file of the model."""
    files: dict[str, list[Wrong]] = {}
    for one in mutants:
        files.setdefault(place_of(one), []).append(one)
    return files


def place_of(mutant: Wrong) -> str:
    """Return the file of a mutant by its place in ``model``."""
    return path_of(mutant.file).relative_to(MODEL.parent).as_posix()


def is_current(row: Row | None, mutants: Sequence[Wrong]) -> bool:
    """Return whether a row of the summary is about these mutants, as they are now."""
    return row is not None and row["digest"] == digest_of(f"{one.name}: {_told(one)}" for one in mutants)


def is_left(row: Row) -> bool:
    """Return whether a mutant of a row survives, or moves a count and breaks nothing."""
    return By.COUNT in row or By.NOTHING in row


def _row(mutants: Sequence[Wrong], done: Mapping[str, Result], known: Row | None) -> Row | None:
    """Return the row of a file: from the results if all its mutants have one, else the known one if it is current."""
    if all(_is_done(done.get(one.name), one, again=False) for one in mutants):
        return row_of(mutants, [done[one.name] for one in mutants])
    return known if is_current(known, mutants) else None


def row_of(mutants: Sequence[Wrong], results: Sequence[Result]) -> Row:
    """Return the row of a file: the kinds of kills with their numbers, then the mutants that no law killed."""
    judged_ones = [one for one in results if not one.equivalent]
    tally = Counter(one.by for one in judged_ones)
    row: dict[str, Any] = {
        "mutants": len(results),
        "digest": digest_of(f"{one.name}: {_told(one)}" for one in mutants),
        **{str(by): tally[by] for by in By if tally[by]},
    }
    if equivalent := [one.name for one in results if one.equivalent]:
        row["equivalent"] = sorted(equivalent)
    if weak := {one.name: f"{one.where}: {one.words[:160]}" for one in judged_ones if one.by not in LAW_LIKE}:
        row["not by a law"] = weak
    return row


def _is_done(result: Result | None, wrong: Wrong, again: bool) -> bool:
    if result is None or result.of != _told(wrong):
        return False
    return not again or result.equivalent or result.by in LAW_LIKE


def _told(wrong: Wrong) -> str:
    return " ".join(f"{wrong.old} -> {wrong.new} in {wrong.decision or ' '.join(wrong.families)}".split())


def judged(wrong: Wrong, budget: float) -> Result:
    """Judge a mutant in an overlay and a process of its own."""
    with overlaid(wrong) as place:
        command = [sys.executable, "-m", "tools.mutation.kills"]
        kill = Kill(By.ERROR, "loading")
        try:
            done = ran([*command, wrong.name, str(budget), wrong.function()], place, PATIENCE)
            kill = Kill(**json.loads(done.stdout.splitlines()[-1]))
        except subprocess.TimeoutExpired:
            kill = Kill(By.NOTHING, "", "the time is used up")
        except (ValueError, IndexError):
            kill = Kill(By.ERROR, "loading", " ".join(done.stderr.split())[-300:])
        is_same = False
        if wrong.equivalent and kill.by == By.NOTHING:
            asked = [*command, "--graph", wrong.name]
            here, there = (ran(asked, folder, PATIENCE).stdout for folder in (ROOT, place))
            is_same = bool(here) and here == there
    return Result(wrong.name, str(kill.by), kill.where, kill.words, _told(wrong), is_same)


def read(path: Path) -> list[Result]:
    """Return the results of a file; none if there is no file."""
    rows: list[dict[str, Any]] = data_of(path.read_text(encoding="utf-8")) if path.exists() else []
    return [Result(**row) for row in rows or []]


def write(path: Path, results: Sequence[Result]) -> None:
    """Write results as YAML, in the order of the names."""
    rows = [asdict(one) for one in sorted(results, key=lambda one: one.name)]
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    text = yaml.safe_dump(rows, sort_keys=False, width=1000, allow_unicode=True)
    new.write_text("# Written by `python -m tools.mutation protocol`; see README.md.\n" + text, encoding="utf-8")
    new.replace(path)


def summary(rows: Mapping[str, Row]) -> str:
    """Return the score of some files as a table, and the mutants that no law killed."""
    tally = Counter({by: sum(row.get(by, 0) for row in rows.values()) for by in By})
    mutants, total = sum(row["mutants"] for row in rows.values()), max(1, tally.total())
    lines = [
        f"{'killed by ' + by if by != By.NOTHING else 'survived':28}{tally[by]:4}{100 * tally[by] / total:7.1f} %"
        for by in By
    ]
    by_law = sum(tally[by] for by in LAW_LIKE)
    lines.append(
        f"{mutants} mutants of the protocol, {mutants - tally.total()} equivalent;"
        f" by a law, liveness or a vector {100 * by_law / total:.1f} %"
    )
    weak = {name: words for row in rows.values() for name, words in row.get("not by a law", {}).items()}
    lines += [f"  {name}: {words}" for name, words in weak.items()]
    return "\n".join(lines) + "\n"
