"""
``python -m tools.mutation protocol [NAME]... [--budget S] [--list]`` runs the mutants of the protocol.

Each is judged in a process of its own, two at a time; results are written as they come, and a run goes on there. A
mutant whose patch, or whose rows, have changed since is judged again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from oneowner.checkers.yaml_text import data_of
from tools.mutation.catalogue import FOLDER, Wrong, named
from tools.mutation.kills import By, Kill
from tools.mutation.mutants import ROOT
from tools.mutation.original import WORKERS
from tools.mutation.overlay import overlaid
from tools.mutation.running import ran

RESULTS = FOLDER.with_name("protocol-results.yaml")
BUDGET = 120.0
"""Seconds of one processor after which no further row is asked."""
PATIENCE = 900.0
"""Seconds of the clock for all rows that are owed, and for what the budget lets begin."""
LAW_LIKE = (By.LAW, By.LIVENESS, By.VECTOR)


@dataclass(frozen=True, slots=True)
class Result:
    """A mutant of the protocol and what came of it."""

    name: str
    by: str
    where: str
    words: str
    of: str
    """The change and the rows that were judged: another one is judged again."""
    equivalent: bool = False
    """Whether it is said to be equivalent, and the graphs of its families are the same."""


def main(arguments: Sequence[str]) -> int:
    """Run what is still to be run of the mutants asked for; print the table, and what no law killed."""
    parser = argparse.ArgumentParser("python -m tools.mutation protocol", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="mutants of the protocol; default: all")
    parser.add_argument("--budget", type=float, default=BUDGET, metavar="S", help="seconds of one processor for each")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE", help="where results are written")
    parser.add_argument("--again", action="store_true", help="judge also what no law killed before")
    parser.add_argument("--list", action="store_true", help="list the mutants, run none")
    asked = parser.parse_args(arguments)
    chosen = named(asked.names)
    if asked.list:
        sys.stdout.writelines(f"{one.name}: {one.says} ({one.file}; {one.law})\n" for one in chosen)
        return 0
    known = {one.name: one for one in read(asked.results)}
    every = {one.name for one in named([])}
    done = {name: one for name, one in known.items() if name in every}
    waiting = [one for one in chosen if not _is_done(done.get(one.name), one, asked.again)]
    with ThreadPoolExecutor(WORKERS) as pool:
        futures = {pool.submit(judged, one, asked.budget): one for one in waiting}
        for count, future in enumerate(as_completed(futures), 1):
            result = done[futures[future].name] = future.result()
            write(asked.results, list(done.values()))
            sys.stderr.write(f"{count} of {len(waiting)}: {result.name}: {result.by} {result.where} {result.words}\n")
            sys.stderr.flush()
    results = [done[one.name] for one in chosen]
    sys.stdout.write(summary(results))
    return 1 if any(not one.equivalent and one.by in (By.COUNT, By.NOTHING) for one in results) else 0


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
    new = path.with_suffix(".new")
    text = yaml.safe_dump(rows, sort_keys=False, width=1000, allow_unicode=True)
    new.write_text("# Written by `python -m tools.mutation protocol`; see README.md.\n" + text, encoding="utf-8")
    new.replace(path)


def summary(results: Sequence[Result]) -> str:
    """Return the score as a table, and what no law killed."""
    judged_ones = [one for one in results if not one.equivalent]
    tally = Counter(one.by for one in judged_ones)
    total = max(1, len(judged_ones))
    lines = [
        f"{'killed by ' + by if by != By.NOTHING else 'survived':28}{tally[by]:4}{100 * tally[by] / total:7.1f} %"
        for by in By
    ]
    by_law = sum(tally[by] for by in LAW_LIKE)
    lines.append(
        f"{len(results)} mutants of the protocol, {len(results) - len(judged_ones)} equivalent;"
        f" by a law, liveness or a vector {100 * by_law / total:.1f} %"
    )
    weak = [one for one in judged_ones if one.by not in LAW_LIKE]
    lines += [f"  {one.name}: {one.by} {one.where}: {one.words[:160]}" for one in weak]
    return "\n".join(lines) + "\n"
