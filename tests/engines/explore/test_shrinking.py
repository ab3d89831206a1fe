"""Minimised counterexamples: never longer, 1-minimal, still runs that break the law; and a reader's order of them."""

from itertools import pairwise
from pathlib import Path

import pytest

from oneowner.checkers.catalogue.families import bounds_under, families, faults
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.engines.explore.native import confirm, explore
from oneowner.checkers.engines.explore.reading_order import actor, are_independent, breaks_at_its_end, in_reading_order
from oneowner.checkers.engines.explore.shrinking import broken, minimised
from oneowner.checkers.engines.walks.plan import Broken, Plan, Walks
from oneowner.checkers.engines.walks.python_walks import walk
from oneowner.checkers.engines.walks.stepping import Native
from oneowner.checkers.engines.walks.walk_findings import after, explored
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.verdict import EngineError
from oneowner.model.channel.bounds import Bounds
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.law import Law, LawKind, StateLaw
from oneowner.model.kernel.system import initial_states, step
from oneowner.spec.channel.registry import PROPERTIES
from tests.command_line import TINY, oneowner

LAWS = {law.name: law for law in PROPERTIES}
FAULT = faults()["cleanup_without_health_check"]
EXPIRY = bounds_under(families()["expiry"].bounds, "4.0.6", [FAULT.name])
SAVED = [fault for fault in faults().values() if fault.law in LAWS]


def found_by_walks(bounds: Bounds, name: str, seed: int) -> tuple[Action, ...]:
    law = LAWS[name]
    found = walk(Native(bounds, [law], ()), bounds, frozenset({name}), Plan(500, 60, seed)).broken
    return found[name].steps


def survives(bounds: Bounds, law: Law, steps: tuple[Action, ...]) -> bool:
    """True if the enabled ones of these steps break the law: written once more, without the optimisations."""
    (before,) = initial_states(bounds)
    for action in steps:
        try:
            now = step(before, action)
        except Disabled:
            continue
        if broken(law, before, action, now):
            return True
        before = now
    return False


@pytest.mark.parametrize("name", ["override-names-the-gone", "single-server-always"])
@pytest.mark.parametrize("seed", [1, 2, pytest.param(3, marks=pytest.mark.slow)])  # its walks are long
def test_minimised_walk_is_1_minimal_and_never_longer(name: str, seed: int) -> None:
    law, steps = LAWS[name], found_by_walks(EXPIRY, name, seed)
    short = minimised(EXPIRY, law, steps)
    confirm(EXPIRY, law, short)
    assert len(short) <= len(steps)
    rest = iter(steps)
    assert all(action in rest for action in short)  # in the order in which they were
    for number in range(len(short)):
        assert not survives(EXPIRY, law, short[:number] + short[number + 1 :])
    assert minimised(EXPIRY, law, short) == short


def test_minimising_drops_what_has_nothing_to_do_with_it() -> None:
    scenario = read_scenario(FAULT.scenario)
    law, state = LAWS[FAULT.law], initial_states(EXPIRY)[0]
    unload = next(action for action in Native(EXPIRY, [], ()).actions if str(action).startswith("unload(broker=2"))
    step(state, unload)  # it is enabled, and changes nothing that matters
    assert minimised(EXPIRY, law, (unload, *scenario.steps)) == scenario.steps


def test_minimising_of_a_law_broken_at_the_start_leaves_no_step() -> None:
    never = StateLaw("never", "", "", lambda _: True, lambda _: False, kind=LawKind.PROTOCOL)
    assert minimised(EXPIRY, never, found_by_walks(EXPIRY, "single-server-always", 1)) == ()


def test_minimising_of_what_breaks_nothing_leaves_it_to_be_refused() -> None:
    steps = read_scenario(FAULT.scenario).steps[:-1]
    assert minimised(EXPIRY, LAWS[FAULT.law], steps) == steps
    walks = Walks(Plan(1), exercised={FAULT.law: 1}, broken={FAULT.law: Broken(0, steps)})
    with pytest.raises(EngineError, match="holds after the steps"):
        explored(EXPIRY, [LAWS[FAULT.law]], walks)


@pytest.mark.sample(25)
@pytest.mark.parametrize("fault", SAVED, ids=lambda fault: fault.name)
def test_reading_order_is_the_same_run_with_fewer_changes_of_broker(fault: Fault) -> None:
    scenario = read_scenario(fault.scenario)
    assert scenario.expect is not None
    law = scenario.bounds.system.laws_by_name[scenario.expect.law or ""]
    order = in_reading_order(scenario.bounds, law, scenario.steps)
    confirm(scenario.bounds, law, order)
    assert breaks_at_its_end(scenario.bounds, law, order)
    assert sorted(map(str, order)) == sorted(map(str, scenario.steps))
    assert order[-1] == scenario.steps[-1]
    assert after(scenario.bounds, order) == after(scenario.bounds, scenario.steps)
    assert switches(order) <= switches(scenario.steps)
    assert in_reading_order(scenario.bounds, law, order) == order


def switches(steps: tuple[Action, ...]) -> int:
    return sum(actor(one) != actor(other) for one, other in pairwise(steps))


def test_reading_order_groups_what_two_brokers_do_on_their_own() -> None:
    scenario = read_scenario(faults()["no_broker_check"].scenario)
    order = in_reading_order(scenario.bounds, LAWS["single-server"], scenario.steps)
    assert (switches(scenario.steps), switches(order)) == (5, 1)


def test_steps_that_write_to_the_same_log_are_not_independent() -> None:
    state, actions = initial_states(TINY)[0], Native(TINY, [], ()).actions
    unload, transfer = (next(action for action in actions if str(action).startswith(name)) for name in
                        ("unload(broker=1", "transfer(broker=2, unit=1, destination=2"))  # fmt: skip
    assert are_independent(state, unload, transfer)
    published = step(step(state, unload), transfer)
    appends = [action for action in actions if action.name == "append"]
    assert not are_independent(published, *appends)
    assert not are_independent(state, unload, appends[0])  # the one is enabled by the other


def test_reading_order_keeps_a_law_from_breaking_before_the_last_step() -> None:
    # Two independent steps of two brokers, the law breaks once broker 2 has read: it must stay the last.
    scenario = read_scenario(faults()["no_broker_check"].scenario)
    early = StateLaw("early", "", "", lambda _: True, lambda state: not state.serving[1, 1], kind=LawKind.PROTOCOL)
    steps = explore(scenario.bounds, [early], stop_at=frozenset({"early"})).laws["early"].steps
    assert steps is not None
    idle = scenario.steps[1]  # look_up(broker=2)
    longer = (steps[0], idle, *steps[1:])
    order = in_reading_order(scenario.bounds, early, longer)
    assert order[-1] == steps[-1]
    assert breaks_at_its_end(scenario.bounds, early, order)


def test_explore_shows_and_saves_the_reading_order(tmp_path: Path) -> None:
    asked = ("explore", FAULT.family, "--fault", FAULT.name, "--walks", 500, "--save", tmp_path, "--json", "-")
    found = oneowner(*asked)
    saved = read_scenario(Path(found.json["counterexample"]["scenario"]))
    assert [str(action) for action in saved.steps] == found.json["counterexample"]["steps"]
    assert saved.expect is not None
    law = LAWS[saved.expect.law or ""]
    assert in_reading_order(saved.bounds, law, saved.steps) == saved.steps
    assert oneowner("replay", found.json["counterexample"]["scenario"]).code == 1
