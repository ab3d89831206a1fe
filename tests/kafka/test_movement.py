"""The leader's choice as it is traced is that of the assignor itself, on every group of tiny sizes."""

from collections.abc import Iterator
from itertools import combinations, islice, product
from typing import Final

import pytest

from oneowner.model.kafka.assignors.group import RUNNING, UNKNOWN, Assignment, Client, Config, Group
from oneowner.model.kafka.assignors.group import Rules as AssignorRules
from oneowner.model.kafka.assignors.high_availability import assign_highly_available
from oneowner.model.kafka.batch.assignors import RULES
from oneowner.model.kafka.rebalance.bounds import Bounds
from oneowner.model.kafka.rebalance.movement import Plan, is_choice, is_probing, planned_role
from oneowner.model.kafka.rebalance.placement import Role
from oneowner.model.kafka.rebalance.rules import RELEASES
from oneowner.model.kafka.rebalance.state import State, Store
from oneowner.model.kafka.task import TaskId

CAUGHT_UP, BEHIND, NOTHING = 1, 5, 9
"""Lags of a group in which a lag of 1 is acceptable."""
TOLD: Final = {
    RUNNING: (Role.ACTIVE, Store.CAUGHT_UP),
    CAUGHT_UP: (Role.STANDBY, Store.CAUGHT_UP),
    BEHIND: (Role.NONE, Store.BEHIND),
    NOTHING: (Role.NONE, Store.NONE),
}
"""A member's behaviour and tasks when it reports a lag."""
STRIDE = 53
"""Of the 4,368 groups of three members and two tasks every so many are judged: each takes milliseconds."""
SIZES = [
    Bounds(members=2, tasks=1, standbys=1),
    Bounds(members=2, tasks=2),
    Bounds(members=2, tasks=2, standbys=1, warmups=2),
    Bounds(members=2, tasks=2, older=1),
    Bounds(members=3, tasks=1, older=1),
    Bounds(members=3, tasks=1, standbys=1),
    Bounds(members=3, tasks=1, standbys=1, older=2),
    Bounds(members=3, tasks=2),
    Bounds(members=3, tasks=2, warmups=2),
    Bounds(members=3, tasks=2, standbys=1),
]


def groups(bounds: Bounds) -> Iterator[tuple[tuple[int, ...], dict[tuple[int, int], int]]]:
    """Yield every group that members may form, with the lags that they report."""
    numbers = range(1, bounds.members + 1)
    tasks = range(1, bounds.tasks + 1)
    for count in numbers:
        for listed in combinations(numbers, count):
            for lags in product(TOLD, repeat=count * bounds.tasks):
                yield listed, dict(zip(product(listed, tasks), lags, strict=True))


def state_of(bounds: Bounds, listed: tuple[int, ...], told: dict[tuple[int, int], int]) -> State:
    state = State(bounds)
    for member in range(1, bounds.members + 1):
        state.up[member] = state.listed[member] = member in listed
        for task in range(1, bounds.tasks + 1):
            role, store = TOLD[told.get((member, task), NOTHING)]
            state.role[member, task], state.store[member, task] = role, store
    return state


def group_of(bounds: Bounds, listed: tuple[int, ...], told: dict[tuple[int, int], int]) -> Group:
    def lag(member: int, task: int) -> int:
        number = told[member, task]
        is_unknown = member > bounds.members - bounds.older and number in (CAUGHT_UP, BEHIND)
        return UNKNOWN if is_unknown else number

    named = {task: TaskId(0, task - 1) for task in range(1, bounds.tasks + 1)}
    clients = tuple(
        Client(member, lags=tuple((name, lag(member, task)) for task, name in named.items())) for member in listed
    )
    config = Config(CAUGHT_UP, bounds.warmups, bounds.standbys)
    return Group(clients, tuple(named.values()), config=config, rules=assignor_rules(bounds))


def assignor_rules(bounds: Bounds) -> AssignorRules:
    """Return the assignor's rules of the release whose rules the bounds have."""
    return RULES[next(release for release, rules in RELEASES.items() if rules == bounds.rules)]


def plans(bounds: Bounds) -> list[Plan]:
    numbers = range(1, bounds.members + 1)
    return [(first, second) for first in numbers for second in (numbers if bounds.tasks > 1 else (0,))]


def answer(state: State, plan: Plan) -> tuple[object, ...]:
    numbers = range(1, state.bounds.tasks + 1)
    roles = {
        member: tuple(planned_role(state, member, task, plan) for task in numbers)
        for member in range(1, state.bounds.members + 1)
        if state.listed[member]
    }
    return roles, is_probing(state, plan)


def original(found: Assignment, bounds: Bounds) -> tuple[object, ...]:
    def role(active: bool, standby: bool) -> Role:
        return Role.ACTIVE if active else Role.STANDBY if standby else Role.NONE

    named = [TaskId(0, number) for number in range(bounds.tasks)]
    roles = {
        one.client: tuple(role(task in one.active, task in one.standby) for task in named) for one in found.clients
    }
    return roles, found.probing


@pytest.mark.sample(8)
@pytest.mark.parametrize("release", ["2.6.3", "4.1.1"])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_traced_choice_is_that_of_the_assignor(sizes: Bounds, release: str) -> None:
    bounds = with_release(sizes, release)
    judged = 0
    for listed, told in islice(groups(bounds), 0, None, STRIDE if bounds.members * bounds.tasks == 6 else 1):
        state, group = state_of(bounds, listed, told), group_of(bounds, listed, told)
        chosen = [plan for plan in plans(bounds) if is_choice(state, plan)]
        assert len(chosen) == 1, group
        found = assign_highly_available(group)
        assert isinstance(found, Assignment)
        assert answer(state, chosen[0]) == original(found, bounds), group
        judged += 1
    assert judged > 20


def with_release(sizes: Bounds, release: str) -> Bounds:
    return Bounds(sizes.members, sizes.tasks, sizes.running, sizes.standbys, sizes.warmups, sizes.older,
                  rules=RELEASES[release])  # fmt: skip


def test_every_release_has_the_rules_of_its_assignor() -> None:
    assert RELEASES.keys() == RULES.keys()
    assert {release: rules.least_lag for release, rules in RELEASES.items()} == {
        release: rules.least_lag for release, rules in RULES.items()
    }
