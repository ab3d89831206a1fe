"""The page of assignments: the partitions that each client runs, and the client that ran each before."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from oneowner.checkers.cli.assignment_table import Held, assignments, known_of
from oneowner.checkers.results import Page, Result
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.batch import Row

MOST: Final = 200
"""Answers of a batch that a page shows."""


def page(answers: Sequence[tuple[Row, Row]], release: str) -> Result:
    """Return the answers to the lines of a batch as a result with a page."""
    shown = [
        {
            "id": answer["id"],
            "text": json.dumps({key: value for key, value in answer.items() if key != "id"}),
            "notes": [note.removeprefix(f"id {row['id']}: ") for note in known_of(row, answer, release)],
            "tables": [_table(title, held) for title, held in assignments(row, answer)],
        }
        for row, answer in answers[:MOST]
    ]
    figures = {"answers": shown, "more": len(answers) - len(shown)}
    return Result("assign", Verdict.VALID, [], page=Page(f"tasks, by the rules of {release}", figures=figures))


def _table(title: str, held: Sequence[Held]) -> dict[str, Any]:
    """Return an assignment as a table of clients by subtopologies; a cell lists partitions."""
    names = sorted({name for one in held for name in (*one.active, *one.standby)})
    before = {task: one.name for one in held for task in one.before}
    now = {(name, number): one.name for one in held for name, some in one.active.items() for number in some}
    rows = [
        {
            "client": one.name,
            "tasks": sum(map(len, (*one.active.values(), *one.standby.values()))),
            "cells": [list(_partitions(one, name, before, now)) for name in names],
        }
        for one in held
    ]
    moved = sum(before.get(task, client) != client for task, client in now.items())
    return {"title": title, "names": names, "rows": rows, "has_before": bool(before), "moved": moved}


def _partitions(
    one: Held, name: str, before: dict[tuple[str, int], str], now: dict[tuple[str, int], str]
) -> Iterator[dict[str, Any]]:
    """Yield the partitions of a cell: active ones, standbys, and those that the client ran and has lost."""
    for number in one.active.get(name, ()):
        last = before.get((name, number))
        kind = "kept" if last == one.name else "moved" if last else "new" if before else "active"
        yield {"number": number, "kind": kind, "other": last or ""}
    for number in one.standby.get(name, ()):
        yield {"number": number, "kind": "standby", "other": ""}
    for task in sorted(one.before):
        if task[0] == name and (owner := now.get(task)) != one.name:
            yield {"number": task[1], "kind": "lost", "other": owner or "nobody"}
