"""The results as a file that people read, and the score that comes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from oneowner.checkers.yaml_text import data_of
from tools.mutation.judging import Fate, Outcome
from tools.mutation.mutants import Mutant
from tools.mutation.summary import Row


@dataclass(frozen=True, slots=True, order=True)
class Result:
    """One mutant and its result; empty fields are left out of the file."""

    number: int
    file: str
    line: int
    kind: str
    old: str
    new: str
    outcome: str
    by: str = ""
    test: str = ""
    """The test of ``tests/model`` that fails though no row of the ledger does."""
    differs: str = ""
    """The rows that are another model, and as pinned all the same."""
    same_graph: int = 0
    """The number of rows that are another model with the same graph."""
    seconds: float = 0.0

    @classmethod
    def of(cls, mutant: Mutant, fate: Fate) -> Result:
        """Return the result of a mutant."""
        told = mutant.number, mutant.file, mutant.line, mutant.kind.value, mutant.old, mutant.new
        differs = ", ".join(fate.differs)
        return cls(*told, fate.outcome.value, fate.by, fate.test, differs, len(fate.same_graph), fate.seconds)


def read_results(path: Path) -> dict[int, Result]:
    """Return the results of a file by number; none if there is no file."""
    if not path.exists():
        return {}
    rows: list[dict[str, Any]] = data_of(path.read_text(encoding="utf-8")) or []
    return {row["number"]: Result(**row) for row in rows}


def write_results(path: Path, results: Sequence[Result]) -> None:
    """Write results as YAML, a line for each of a mutant's fields that is not empty."""
    usual = {one.name: one.default for one in fields(Result)}
    rows = [{name: value for name, value in asdict(one).items() if value != usual[name]} for one in results]
    text = yaml.safe_dump(rows, sort_keys=False, width=1000, allow_unicode=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text("# Written by `make mutants`; see README.md.\n" + text, encoding="utf-8")
    new.replace(path)


def rows_of(results: Sequence[Result]) -> Mapping[str, Row]:
    """Return a row for each file of the model: its mutants by outcome, and those that are left."""
    rows: dict[str, dict[str, Any]] = {}
    for file in dict.fromkeys(one.file for one in results):
        own = [one for one in results if one.file == file]
        tally = Counter("killed by a test alone" if one.test else str(one.outcome) for one in own)
        rows[file] = {"mutants": len(own), **dict(sorted(tally.items()))}
        if left := [f"{one.outcome}, line {one.line}: {one.old} -> {one.new}" for one in own if is_left(one)]:
            rows[file]["left"] = left
    return rows


def is_left(one: Result) -> bool:
    """Return whether nothing distinguishes a mutant from the model, and nothing proves it equivalent."""
    return not one.test and one.outcome not in (Outcome.KILLED, Outcome.ERROR, Outcome.EQUIVALENT)


def summary(results: Sequence[Result]) -> str:
    """Return the score in words."""
    tally = Counter(one.outcome for one in results)
    by_tests = [one for one in results if one.test]
    left = [one for one in results if is_left(one)]
    equivalent = sum(one.outcome == Outcome.EQUIVALENT and not one.test for one in results)
    killed, errors = tally[Outcome.KILLED], tally[Outcome.ERROR]
    share = 100 * (len(results) - len(left)) / max(1, len(results))
    lines = [
        f"{len(results)} mutants: {killed} killed by a row of the ledger, {errors} killed by an error,"
        f" {len(by_tests)} killed by a test of tests/model alone, {equivalent} equivalent within the ledger,"
        f" {len(left)} left; killed or equivalent: {share:.1f} %",
        *(f"  {one.number} {one.file}:{one.line} {one.outcome}: {one.old} -> {one.new}" for one in left),
    ]
    return "\n".join(lines) + "\n"
