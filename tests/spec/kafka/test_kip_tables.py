"""KIP-441's accepted text: its tables are legal, the code answers otherwise; which of its requirements hold."""

import re
from typing import Any, Final

import pytest

from oneowner.checkers.documents import read_document
from oneowner.checkers.ledger.decision_pins import decision_rows
from oneowner.checkers.places import TOP
from oneowner.checkers.verdict import Verdict
from oneowner.model.kafka.assignors.group import Assigned, Assignment, Client, Config, Group
from oneowner.model.kafka.assignors.high_availability import assign_highly_available
from oneowner.model.kafka.assignors.series import caught_up, rebalances
from oneowner.model.kafka.task import TaskId
from oneowner.spec.kafka.assignment_laws import (
    COMMON,
    the_least_behind_have_copies,
    the_least_behind_run,
    the_ready_run,
    warm_ups_are_within_the_limit,
)

TABLES: Final = read_document(TOP / "tests/vectors/kafka/kip-441-tables.yaml").data["tables"]
END: Final = 50_000
"""The lag of a client without a copy."""
REQUIREMENTS: Final = re.findall(
    r"^\| ([1-6]) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", (TOP / "docs/assign.md").read_text(), re.MULTILINE
)
"""The page's rows: number, text, laws, and remarks."""


def assignment(row: Any, probing: bool = False) -> Assignment:
    def tasks(numbers: list[int]) -> tuple[TaskId, ...]:
        return tuple(TaskId(0, number) for number in numbers)

    return Assignment(
        tuple(Assigned(one, tasks(active), tasks(standby)) for one, (active, standby) in row.items()), probing
    )


def group_of(table: Any) -> Group:
    """The group whose members have the tasks of the table, and nothing else."""
    before, behind = assignment(table["before"]), table.get("behind", {})
    tasks = tuple(sorted({task for one in before.clients for task in (*one.active, *one.standby)}))
    config = Config(num_standby_replicas=table["standbys"])
    group = caught_up(Group(tuple(map(Client, table["before"])), tasks, config=config), before, END)
    clients = (
        client._replace(
            lags=tuple((task, behind.get(client.number, {}).get(task.partition, lag)) for task, lag in client.lags)
        )
        for client in group.clients
    )
    return group._replace(clients=tuple(clients))


def unlawful(group: Group, row: Assignment) -> list[str]:
    """The requirements of an assignment that a row of a table breaks."""
    found = [law.name for law in COMMON if law.when(group, row) and not law.holds(group, row)]
    more = (the_ready_run, the_least_behind_run, the_least_behind_have_copies, warm_ups_are_within_the_limit)
    return found + [holds.__name__ for holds in more if not holds(group, row)]


def test_kip_has_three_examples_in_five_tables() -> None:
    assert len(TABLES) == 5


@pytest.mark.parametrize("name", TABLES)
def test_table_of_the_text_is_legal(name: str) -> None:
    group = group_of(TABLES[name])
    for row in map(assignment, TABLES[name]["kip"]):
        assert unlawful(group, row) == []
        group = caught_up(group, row, END)


@pytest.mark.parametrize("name", TABLES)
def test_rows_of_a_table_in_the_wrong_order_are_not_legal(name: str) -> None:
    """The text's final assignment may not be given at once: somebody is not ready."""
    rows = TABLES[name]["kip"]
    assert len(rows) == 1 or unlawful(group_of(TABLES[name]), assignment(rows[-1])) != []


@pytest.mark.parametrize("name", TABLES)
def test_code_answers_as_it_was_seen_to(name: str) -> None:
    found = list(rebalances(group_of(TABLES[name]), (), assign_highly_available, END, budget=9))
    rows = TABLES[name]["code"]
    assert found == [assignment(row, probing=place < len(rows)) for place, row in enumerate(rows, 1)]


def test_code_is_where_the_text_ends_only_without_standbys() -> None:
    assert [name for name, table in TABLES.items() if table["kip"] == table["code"]] == ["a second node"]


# ---- the requirements ----


def test_page_has_the_six_requirements() -> None:
    assert [number for number, *_ in REQUIREMENTS] == list("123456")


@pytest.mark.parametrize(("number", "text", "laws", "told"), REQUIREMENTS)
def test_requirement_holds_or_not_as_the_page_says(number: str, text: str, laws: str, told: str) -> None:
    pins = decision_rows()["kafka/high-availability"].laws
    names = re.findall(r"`([a-z-]+)`", laws)
    broken = [name for name in names if pins[name].verdict == Verdict.INVALID]
    assert names
    assert all(pins[name].verdict != Verdict.UNKNOWN for name in names)
    assert re.findall(r"`([a-z-]+)`", told) == broken
    assert told.startswith("holds") == (len(broken) < len(names))
