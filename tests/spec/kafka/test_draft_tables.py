"""The step tables of KIP-441's draft follow by its rule; the shipped assignor differs for the same events."""

import re
from fractions import Fraction
from itertools import pairwise
from typing import Final

import pytest

from oneowner.checkers.places import TOP
from oneowner.model.kafka.learners.assignor import assign_learners, every_assignment
from oneowner.model.kafka.learners.group import LearnerGroup, Share, fair_share, is_balanced
from oneowner.model.kafka.learners.rebalances import told_at_join
from oneowner.spec.kafka.learners import LEARNERS
from tests.spec.kafka.draft_tables import (
    DOCUMENT,
    DRAFT,
    Seen,
    Step,
    balancing,
    of_draft,
    of_shipped,
    shipped,
    steps_of,
)

STEPS: Final = [(name, place, step) for name in DRAFT for place, step in enumerate(steps_of(name), 1)]
IDS: Final = [f"{name[:2]}-{place}" for name, place, _ in STEPS]
PAGE: Final = (TOP / "docs/assign.md").read_text()
ROWS: Final = {
    row[0]: tuple(row[2:4]) for row in re.findall(r"^\| (S\d) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)
}
"""The page's text by table, on the draft, and on the shipped assignor."""


def test_draft_has_all_its_tables() -> None:
    assert [name[:2] for name in (*DRAFT, *DOCUMENT["balance"])] == [f"S{number}" for number in range(1, 8)] == [*ROWS]
    assert len(STEPS) == 16


@pytest.mark.parametrize(("name", "place", "step"), STEPS, ids=IDS)
def test_step_follows_by_the_rule_of_the_draft(name: str, place: int, step: Step) -> None:
    assert step.gives in set(every_assignment(step.group))


@pytest.mark.parametrize(("name", "place", "step"), STEPS, ids=IDS)
def test_members_tell_what_the_text_says(name: str, place: int, step: Step) -> None:
    assert told_at_join(step.group) == step.told


def moved_early(step: Step) -> list[tuple[Share, ...]]:
    """The assignment, but each time one task that is learned runs already where it is learned."""
    found = []
    for one in step.gives:
        for task in one.learning:
            found.append(
                tuple(
                    share._replace(
                        active=tuple(sorted({*share.active, task} if share == one else {*share.active} - {task})),
                        learning=tuple(other for other in share.learning if other != task),
                    )
                    for share in step.gives
                )
            )
    return found


@pytest.mark.parametrize(("name", "place", "step"), STEPS, ids=IDS)
def test_step_that_gives_a_task_before_it_is_learned_or_forgets_a_learner_does_not_follow(
    name: str, place: int, step: Step
) -> None:
    allowed = set(every_assignment(step.group))
    forgets = tuple(one._replace(learning=()) for one in step.gives)
    assert not allowed & set(moved_early(step))
    assert forgets not in allowed or forgets == step.gives


def test_steps_of_the_tables_are_not_the_only_ones_that_follow() -> None:
    """The draft leaves open who of equal members learns which task."""
    ways = {f"{name[:2]}-{place}": len(set(every_assignment(step.group))) for name, place, step in STEPS}
    assert {step: count for step, count in ways.items() if count > 1} == {
        "S1-1": 4, "S1-2": 2, "S2-2": 60, "S3-1": 3, "S4-1": 8, "S4-2": 2, "S5-1": 4, "S5-2": 2, "S6-1": 2,
    }  # fmt: skip


def broken(group: LearnerGroup, found: tuple[Share, ...]) -> set[str]:
    return {law.name for law in LEARNERS.laws if law.when(group, found) and not law.holds(group, found)}


def test_steps_break_laws_where_a_leader_is_lost_and_nowhere_else() -> None:
    found = {f"{name[:2]}-{place}": broken(step.group, step.gives) for name, place, step in STEPS}
    assert {step: laws for step, laws in found.items() if laws} == {
        "S2-1": {"who-runs-is-ready"},
        "S5-2": {"who-runs-is-ready"},
        "S6-1": {"who-runs-is-ready", "loads-are-even-or-learned"},
    }


def test_each_table_goes_on_where_it_was() -> None:
    """The assignment of a step is the members' state when they join the next."""
    for name in DRAFT:
        for before, step in pairwise(steps_of(name)):
            had = {one.member: (one.active, one.learning) for one in before.gives}
            there = {one.number: (one.runs, one.learns) for one in step.group.members}
            new = set(step.event.joins)
            assert there == {number: had[number] for number in there.keys() - new} | dict.fromkeys(new, ((), ()))


# ---- the balancing factor ----


def test_balancing_factor_is_kept_by_the_stable_loads_of_the_text() -> None:
    table = DOCUMENT["balance"]["S7 balancing factor"]
    group, given = balancing()
    assert [fair_share(group, one) for one in group.members] == [Fraction(share) for share in table["even"]]
    assert is_balanced(group, {one.member: len(one.active) for one in given})
    assert set(every_assignment(group)) == {given}


def test_balancing_factor_is_left_by_one_task_more() -> None:
    group, _ = balancing()
    first, second, *others = group.members
    uneven = (first._replace(runs=(*first.runs, second.runs[0])), second._replace(runs=second.runs[1:]), *others)
    found = assign_learners(group._replace(members=uneven))
    assert [len(one.learning) for one in found] == [0, 1, 0, 0]


# ---- what ships ----


def in_words(found: Seen) -> str:
    return f"{found.rebalances}; {found.moved}; {found.unready}; {found.at_once}; {', '.join(map(str, found.loads))}"


@pytest.mark.parametrize("name", DRAFT)
def test_page_says_what_the_draft_does_and_what_ships(name: str) -> None:
    assert ROWS[name[:2]] == (in_words(of_draft(name)), in_words(of_shipped(name)))


def test_page_says_what_ships_where_the_balancing_factor_moves_nothing() -> None:
    group, given = balancing()
    threads = {one.number: one.capacity for one in group.members}
    stays = Seen(1, 0, 0, 0, tuple(len(one.active) for one in given))
    assert ROWS["S7"] == (in_words(stays), in_words(shipped(given, group.tasks, [], threads)))
