"""The tables of KIP-441 are legal: its draft's learner tasks step by step, and those of the accepted text."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import pytest

from oneowner.checkers.documents import read_document
from oneowner.checkers.places import ROOT
from oneowner.model.kafka.assignors.group import Assigned, Assignment, Client, Config, Group
from oneowner.model.kafka.assignors.high_availability import assign_highly_available
from oneowner.model.kafka.assignors.series import caught_up, rebalances
from oneowner.model.kafka.task import TaskId
from oneowner.spec.kafka.assignment_laws import COMMON, the_ready_run, warm_ups_are_within_the_limit

DOCUMENT: Final = read_document(ROOT / "tests/vectors/kafka/kip-441-tables.yaml").data
DRAFT, TABLES = DOCUMENT["draft"], DOCUMENT["tables"]
END: Final = 20_000


def owners(row: Any) -> list[tuple[int, str]]:
    return sorted((task, name) for name, member in row.items() if name != "orphans" for task in member.get("A", ()))


@pytest.mark.parametrize("name", DRAFT)
def test_draft_gives_each_task_one_owner_at_every_step(name: str) -> None:
    rows = DRAFT[name]
    tasks = [task for task, _ in owners(rows[0])]
    assert all([task for task, _ in owners(row)] == tasks == sorted(set(tasks)) for row in rows)


def unlearned(name: str) -> list[int]:
    """Which tasks came to an owner that did not learn them before, though they had one that lived."""
    found = []
    for before, after in pairwise(DRAFT[name]):
        for task, member in set(owners(after)) - set(owners(before)):
            if task not in before.get(member, {}).get("L", ()) and task not in after.get("orphans", ()):
                found.append(task)
    return found


@pytest.mark.parametrize("name", DRAFT)
def test_draft_moves_a_task_only_to_a_member_that_learned_it_unless_nobody_runs_it(name: str) -> None:
    assert unlearned(name) == []


def test_draft_is_uneven_in_the_end_where_the_leader_cannot_tell_who_is_new() -> None:
    last = {name: rows[-1] for name, rows in DRAFT.items()}

    def spread(row: Any) -> int:
        loads = [len(member.get("A", ())) for name, member in row.items() if name != "orphans" and member]
        return max(loads) - min(loads)

    assert [name[:2] for name, row in last.items() if spread(row) > 1] == ["S6"]


def assignment(row: Any, probing: bool = False) -> Assignment:
    def tasks(numbers: list[int]) -> tuple[TaskId, ...]:
        return tuple(TaskId(0, number) for number in numbers)

    return Assignment(
        tuple(Assigned(one, tasks(active), tasks(standby)) for one, (active, standby) in row.items()), probing
    )


def group_of(table: Any) -> Group:
    """The group as it is when its members have what the table says, and nothing else."""
    tasks = tuple(sorted(task for one in assignment(table["before"]).clients for task in one.active))
    config = Config(num_standby_replicas=table["standbys"])
    group = Group(tuple(map(Client, table["before"])), tasks, config=config)
    return caught_up(group, assignment(table["before"]), END)


@pytest.mark.parametrize("name", TABLES)
def test_table_of_the_text_is_legal(name: str) -> None:
    group = group_of(TABLES[name])
    for row in map(assignment, TABLES[name]["kip"]):
        assert [law.name for law in COMMON if law.when(group, row) and not law.holds(group, row)] == []
        assert the_ready_run(group, row)
        assert warm_ups_are_within_the_limit(group, row)
        group = caught_up(group, row, END)


@pytest.mark.parametrize("name", TABLES)
def test_code_answers_as_it_was_seen_to(name: str) -> None:
    found = list(rebalances(group_of(TABLES[name]), (), assign_highly_available, END, budget=9))
    rows = TABLES[name]["code"]
    assert found == [assignment(row, probing=place < len(rows)) for place, row in enumerate(rows, 1)]


def test_code_is_where_the_text_ends_only_without_standbys() -> None:
    assert [name for name, table in TABLES.items() if table["kip"] == table["code"]] == ["a second node"]
