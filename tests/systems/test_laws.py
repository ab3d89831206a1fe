"""Every law of every system is broken by a crafted or a changed step, and every switch is turned by a fault."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from oneowner.checkers.catalogue.families import catalogue
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.decisions.release_diff import said_below
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.law import LivenessLaw, StateLaw, StepLaw
from oneowner.model.kernel.releases import switches_in
from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import actions, domains, step
from oneowner.spec.systems import systems
from tests.cells import where
from tests.closed_loop.law_cases import CASES as CLOSED_LOOP
from tests.crafted_laws import Cells, LawCases, Step
from tests.elasticsearch.law_cases import CASES as ELASTICSEARCH
from tests.kafka.law_cases import CASES as KAFKA
from tests.leader_election.law_cases import CASES as LEADER_ELECTION
from tests.load_data.law_cases import CASES as LOAD_DATA
from tests.lock_manager.law_cases import CASES as LOCK_MANAGER
from tests.locks.law_cases import CASES as LOCKS
from tests.redis.law_cases import CASES as REDIS
from tests.streams_group.law_cases import CASES as STREAMS_GROUP

SYSTEMS = (
    CLOSED_LOOP, ELASTICSEARCH, KAFKA, LEADER_ELECTION, LOAD_DATA, LOCK_MANAGER, LOCKS, REDIS, STREAMS_GROUP,
)  # fmt: skip
"""All but the channel, whose cases are in `tests/spec`."""


def each_law(kind: str) -> pytest.MarkDecorator:
    rows = [(cases, name) for cases in SYSTEMS for name in getattr(cases, kind)]
    return pytest.mark.parametrize(("cases", "name"), rows, ids=[f"{cases.system.name}/{name}" for cases, name in rows])


each_system = pytest.mark.parametrize("cases", SYSTEMS, ids=[cases.system.name for cases in SYSTEMS])


def runs(start: State) -> Iterator[tuple[State, Action, State]]:
    """Yield the steps of random runs, each from the start again."""
    chance = Random(1)
    for _ in range(4):
        state = start
        for _ in range(40):
            for action in chance.sample(actions(start.bounds), len(actions(start.bounds))):
                with suppress(Disabled, BoundReached):
                    after = step(state, action)
                    yield state, action, after
                    state = after
                    break


def with_one_change(state: State) -> Iterator[State]:
    """Yield the states that differ in the value of one leaf of one cell."""
    codes = iter(state.codes())
    for name, domain in domains(state.bounds).items():
        slots = list(domain.slots(name))
        own = [next(codes) for _ in slots]
        for place, slot in enumerate(slots):
            for code in {*range(slot.size)} - {own[place]}:
                changed_ = state.copy()
                setattr(changed_, name, domain.value(iter([*own[:place], code, *own[place + 1 :]])))
                yield changed_


def is_broken(law: Any, before: State, action: Action, after: State) -> bool:
    judged = (before, action, after) if isinstance(law, StepLaw) else (after,)
    with suppress(IndexError):  # the changed value may number what is not there
        return law.when(*judged) and not (law.good if isinstance(law, LivenessLaw) else law.holds)(*judged)
    return False


@each_system
def test_every_law_is_crafted_or_broken_by_a_step_of_which_one_value_is_changed(cases: LawCases) -> None:
    crafted = {*cases.states, *cases.steps, *cases.taken, *cases.liveness}
    laws = {law.name: law for law in (*cases.system.laws, *cases.system.liveness)}
    assert crafted <= set(laws)
    for bounds in dict.fromkeys([cases.start.bounds, *cases.in_bounds.values()]):
        for before, action, after in runs(type(cases.start)(bounds)):
            for changed_ in with_one_change(after) if crafted < set(laws) else ():
                crafted |= {name for name in laws.keys() - crafted if is_broken(laws[name], before, action, changed_)}
    assert set(laws) - crafted == set()


@each_law("states")
def test_state_breaks_its_law(cases: LawCases, name: str) -> None:
    law, start = cases.system.laws_by_name[name], cases.start_of(name)
    assert isinstance(law, StateLaw)
    assert law.holds(start) or not law.when(start)
    broken = where(start, **cases.states[name])
    assert broken.in_domain()
    assert law.when(broken)
    assert not law.holds(broken)


def each_change(kind: str) -> pytest.MarkDecorator:
    rows = [
        pytest.param(cases, name, cells, id=f"{cases.system.name}/{name}-{'-'.join(cells)}")
        for cases in SYSTEMS
        for name, changes in getattr(cases, kind).items()
        for cells in changes
    ]
    return pytest.mark.parametrize(("cases", "name", "cells"), rows)


@each_change("excused")
def test_excused_state_keeps_its_law(cases: LawCases, name: str, cells: Cells) -> None:
    excused = changed(cases, name, cells)
    law = cases.system.laws_by_name.get(name)
    assert law.holds(excused) if isinstance(law, StateLaw) else cases.system.liveness_by_name[name].good(excused)


@each_change("unasked")
def test_state_is_no_occasion_while_something_is_under_way(cases: LawCases, name: str, cells: Cells) -> None:
    law = cases.system.laws_by_name.get(name, cases.system.liveness_by_name.get(name))
    assert isinstance(law, StateLaw | LivenessLaw)
    assert not law.when(changed(cases, name, cells))


def changed(cases: LawCases, name: str, cells: Cells) -> State:
    """Return the state of a law's case with other cells, in its domains."""
    found = where(where(cases.start_of(name), **(cases.states | cases.liveness)[name]), **cells)
    assert found.in_domain()
    return found


@each_law("steps")
def test_step_breaks_its_law(cases: LawCases, name: str) -> None:
    law, start = cases.system.laws_by_name[name], cases.start_of(name)
    assert isinstance(law, StepLaw)
    before, action, after = crafted(start, cases.steps[name])
    assert name in cases.innocent or law.holds(start, action, start) or not law.when(start, action, start)
    assert law.when(before, action, after)
    assert not law.holds(before, action, after)


@each_law("innocent")
def test_innocent_step_keeps_its_law(cases: LawCases, name: str) -> None:
    law = cases.system.laws_by_name[name]
    assert isinstance(law, StepLaw)
    before, action, after = crafted(cases.start_of(name), cases.innocent[name])
    assert law.when(before, action, after)
    assert law.holds(before, action, after)


@each_law("taken")
def test_enabled_step_breaks_its_law_with_changes_alone(cases: LawCases, name: str) -> None:
    law = cases.system.laws_by_name[name]
    assert isinstance(law, StepLaw)
    cells, taken, changes = cases.taken[name]
    before = where(cases.start_of(name), **cells)
    action, after = first_step(before, taken)
    broken = where(after, **changes)
    assert before.in_domain()
    assert broken.in_domain()
    assert law.when(before, action, after)
    assert law.holds(before, action, after)
    assert not law.holds(before, action, broken)


@each_law("liveness")
def test_state_may_not_last(cases: LawCases, name: str) -> None:
    law, start = cases.system.liveness_by_name[name], cases.start_of(name)
    assert law.good(start) or not law.when(start)
    lasting = where(start, **cases.liveness[name])
    assert law.when(lasting)
    assert not law.good(lasting)


def crafted(start: State, case: Step) -> tuple[State, Action, State]:
    """Return the state, the action and the changed state of a case; neither state may leave its domains."""
    cells, name, changes = case
    action = next(one for one in actions(start.bounds) if name in ("", one.name, str(one)))
    before = where(start, **cells)
    after = where(before, **changes)
    assert before.in_domain()
    assert after.in_domain()
    return before, action, after


def first_step(state: State, name: str) -> tuple[Action, State]:
    """Return the first instance of an action that is enabled in *state*, and the state after it."""
    for one in actions(state.bounds):
        if one.name == name:
            with suppress(Disabled):
                return one, step(state, one)
    raise AssertionError(f"{name} is not enabled")


@pytest.mark.parametrize("name", sorted(systems()))
def test_switch_is_a_field_of_the_rules_with_one_meaning(name: str) -> None:
    system = systems()[name]
    fields = {*system.rules.__dataclass_fields__}
    declared = {*switches_in(system.modules)}
    described = {*said_below(system.rules)}
    assert declared <= fields, "a Switch without a field of the rules"
    assert fields <= declared | described, "a field of the rules without a Switch or a docstring"
    assert not declared & described, "a switch with two meanings"


@each_system
def test_every_switch_is_turned_once_by_a_fault_or_its_repair(cases: LawCases) -> None:
    rows = [row for row in catalogue().values() if row.system == cases.system.name and isinstance(row, Fault)]
    turned = Counter(switch for row in rows for switch in (*row.rules, *row.repaired))
    switches = set(type(cases.start.bounds.rules).__dataclass_fields__)
    assert set(turned) == switches - cases.spare_switches
    assert cases.spare_switches <= switches
    assert {switch for switch, times in turned.items() if times > 1} == cases.shared_switches
