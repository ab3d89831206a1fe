"""The suite is measured by its kills: properties of faults and counterexamples that the gate does not check."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.catalogue.families import bounds_under, catalogue, families, faults, log_faults, variants
from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.catalogue.faults import Fault, Unkilled
from oneowner.checkers.engines.explore.engine_choice import explore_by
from oneowner.checkers.engines.liveness.check import check_liveness
from oneowner.checkers.places import TOP
from oneowner.checkers.scenarios.replay import Replay, replay
from oneowner.checkers.scenarios.scenario import Scenario, read_scenario
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import Run
from oneowner.model.channel.record import ASSIGNING, OWNED, RELEASING, Record
from oneowner.model.channel.requests import carries_out, redirect
from oneowner.model.channel.resolver import refusal, unlawful
from oneowner.model.channel.rules import Rules
from oneowner.model.channel.state import State
from oneowner.model.channel.system import SWITCHES
from oneowner.model.channel.topics import holds_ledger
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import System, actions, initial_states, step
from tests.channel import SYSTEM

pytestmark = pytest.mark.slow

FAULTS = list(faults().values())
"""Of every system: most questions to them are the same."""
OF_CHANNEL = [fault for fault in FAULTS if fault.system == SYSTEM.name]
OF_LOGS = list(log_faults().values())
COUNTEREXAMPLES = TOP / "traces" / "counterexamples"


FAMILIES = families()


def system_of(fault: Fault) -> System:
    return FAMILIES[fault.family].system


each_fault = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
each_safety_fault = pytest.mark.parametrize(
    "fault", [fault for fault in FAULTS if fault.law in system_of(fault).laws_by_name], ids=lambda fault: fault.name
)

SMALL = 5_000
"""States that the interpreter visits sooner than a model is traced."""

REPAIRS = ["clean_up_asks_again", "unregistered_may_lead"]
"""Switches that mend what 4.0.6 does (``test_repairs``)."""

DEPARTS = {
    "assign_after_disable": "lookups-go-by-rule",
    "cleanup_no_retry": "shutdowns-go-on",
    "dead_broker_selected": "lookups-go-on",
    "draining_leader_ends_flight": "monitor-runs",
    "hung_leader_keeps_channel": "role-steps-are-whole",
    "lists_what_it_knew": "storages-are-read",
    "no_leader_recheck": "commands-are-served",
    "outage_stops_service": "storages-are-read",
    "seek_past_horizon": "compactions-go-on",
    "shedding_stops_recovery": "work-goes-on",
    "split_gives_up": "splits-go-on",
    "split_timed_out_overlaps": "monitor-runs",
    "start_keeps_old_node": "begins-with-what-is-there",
    "unregistered_leads": "roles-follow",
    "retry_owns_anything": "retry-is-accepted",
}
"""
Faults, each with the law that its run breaks without it too.

It states exactly the behaviour of released brokers, from which the repair departs; the last one is guarded: it holds
where nothing is taken from a member, as here something is.
"""

NEEDS = {"refresh_ends_early": "override_when_caught_up", "failed_flush_ignored": "override_when_caught_up"}
"""Of faults, a switch that is as the release has it: in releases without it the fault is idle."""

REORDERED = {
    "call_off_hits_newer", "early_retry_answered", "split_timed_out_overlaps", "stale_time_out_drops_wait",
    "unregistered_leads", "waiter_forgotten",
}  # fmt: skip
"""Faults whose saved run has the steps of the one found first in another order, which reads or drives better."""

ANSWERED = {"gone_are_sorted", "missing_is_served"}
"""Faults of other systems that change what is answered in a state, and no state."""

HYPOTHETICAL = ["destination_sends_back", "oracle_legacy_cache"]
"""Faults in a broker's potential answer: the law asks all of them, the run need not."""


def turned_by(fault: Fault) -> dict[str, bool]:
    """Return the switches that a fault turns, without what it needs."""
    return {name: value for name, value in fault.rules.items() if name != NEEDS.get(fault.name)}


def bounds_of(fault: Fault, faulty: Sequence[str] = (), repaired: Sequence[str] = ()) -> Any:
    bounds = bounds_with(families()[fault.family].bounds, fault.settings)
    return bounds_under(bounds, system_of(fault).default_release, faulty, repaired)


def test_every_switch_is_turned_by_exactly_one_fault_alone_or_by_a_variant_a_release_or_a_repair() -> None:
    """A fault with two switches is one story that needs both; switches of releases alone break no law so far."""
    turned = [turned_by(fault) for fault in OF_CHANNEL] + [fault.rules for fault in OF_LOGS]
    alone = [name for rules in turned if len(rules) == 1 for name in rules]
    assert len(alone) == len(set(alone))
    others = {name for name, switch in SWITCHES.items() if switch.turned}
    others |= {name for one in variants().values() for name in one.rules}
    repairs = set(REPAIRS) | {name for fault in OF_CHANNEL for name in fault.repaired}
    assert set(alone) | others | repairs == {field.name for field in fields(Rules)}


@each_fault
def test_fault_or_its_repair_turns_a_switch_away_from_the_release(fault: Fault) -> None:
    turned, release = turned_by(fault), system_of(fault).releases[system_of(fault).default_release]
    assert all(value == getattr(release, name) for name, value in fault.rules.items() if name not in turned)
    assert bool(turned) != bool(fault.repaired)
    for name, value in {**turned, **fault.repaired}.items():
        assert isinstance(value, bool)
        assert value != getattr(release, name)


def offered(scenario: Scenario, bounds: Any) -> tuple[Action, ...]:
    """Return the first steps of a run, up to one that is no action in other bounds: rules may limit the actions."""
    there = {str(action) for action in actions(bounds)}
    return tuple(takewhile(lambda taken: str(taken) in there, scenario.steps))


def shortest_run(fault: Fault) -> tuple[Sequence[Action], int | None]:
    """Return the steps of the run that is found first with the fault, and the first of those that it repeats."""
    bounds, system = bounds_of(fault, [fault.name]), system_of(fault)
    if fault.law in system.liveness_by_name:
        lasso = check_liveness(bounds, [system.liveness_by_name[fault.law]])[1][fault.law].lasso
        assert lasso is not None, "the fault survives"
        return lasso.steps, lasso.loop
    engine = "native" if families()[fault.family].states < SMALL else "python"  # which find the same
    found, _ = explore_by(engine, bounds, [system.laws_by_name[fault.law]], stop_at=frozenset({fault.law}))
    steps = found.laws[fault.law].steps
    assert steps is not None, "the fault survives"
    return steps, None


@pytest.mark.parametrize("fault", OF_CHANNEL, ids=lambda fault: fault.name)
def test_saved_counterexample_is_the_run_that_is_found_first(fault: Fault) -> None:
    """Every night the gate checks that it is as long as pinned, and that the law holds without the fault."""
    assert system_of(fault).statuses[fault.law].is_violated <= bool(fault.repaired)
    scenario = read_scenario(fault.scenario)
    steps, loop = shortest_run(fault)
    assert loop == scenario.loop
    assert Counter(map(str, steps)) == Counter(map(str, scenario.steps))
    assert (tuple(steps) != scenario.steps) == (fault.name in REORDERED)


@each_fault
def test_counterexample_breaks_nothing_without_the_fault(fault: Fault) -> None:
    bounds, scenario = bounds_of(fault, repaired=[fault.name]), read_scenario(fault.scenario)
    steps = offered(scenario, bounds)
    loop = scenario.loop if len(steps) == len(scenario.steps) else None
    replayed = replay(replace(scenario, faults=(), bounds=bounds, steps=steps, expect=None, loop=loop))
    assert replayed.broken.get(fault.law) is None
    assert replayed.steps, "no step is enabled: the scenario is of another family"

    known = {name for name, verdict in families()[fault.family].laws.items() if verdict == Verdict.INVALID}
    violated = {name for name, status in system_of(fault).statuses.items() if status.is_violated}
    departs = {DEPARTS[fault.name]} if fault.name in DEPARTS else set()
    assert departs <= set(replayed.broken) <= known | violated | departs


def test_every_saved_counterexample_belongs_to_a_fault_a_family_or_a_variant() -> None:
    folders = {path.name for path in COUNTEREXAMPLES.iterdir() if path.is_dir()}
    names = {family.name for family in families().values()} | variants().keys()
    assert folders - names == {*faults(), *log_faults()}
    for fault in faults().values():
        assert fault.scenario.is_file()
        assert fault.scenario.parent == COUNTEREXAMPLES / fault.name


def replay_of(name: str) -> tuple[Scenario, Replay]:
    scenario = read_scenario(faults()[name].scenario)
    return scenario, replay(scenario)


def test_no_version_check_tells_the_story_of_r1() -> None:
    """
    bugs.R1: a command computed from an old view is held back; the owner changes until it is the same one again;
    then the command arrives: its states and brokers fit, only its version would have dropped it, and the newer
    owner is torn down.
    """
    scenario, replayed = replay_of("no_version_check")
    before, after = replayed.states[-2], replayed.states[-1]
    late = scenario.steps[-1].argument("broker")
    held_back = before.outbox[late][1]
    published = next(
        number for number, state in enumerate(replayed.states) if held_back in list(state.outbox[late])
    )  # fmt: skip
    first_owner = entry(replayed.states[published - 1], 1)
    assert (first_owner.state, first_owner.version) == (OWNED, 2)
    assert held_back.basis == first_owner
    assert held_back.record.state == RELEASING
    assert held_back.record.source == first_owner.destination
    owners = [entry(state, 1).destination for state in replayed.states if entry(state, 1).state == OWNED]
    assert first_owner.destination in owners
    assert len(set(owners)) > 1  # it went to another broker, and came back
    newer = entry(before, 1)
    assert newer.state == OWNED
    assert newer.destination == first_owner.destination
    assert newer.version > held_back.record.version
    assert unlawful(newer, held_back.record) is None  # the transition and the brokers fit
    refused = refusal(newer, held_back.record)
    assert refused is not None
    assert refused.rule == "version"
    assert entry(after, 1) == held_back.record  # and so the newer owner is told to release
    assert not before.tainted[1]


def test_assign_before_close_lets_the_destination_open_while_the_source_closes() -> None:
    """models.H1: the destination owns and serves before the source has closed."""
    _, replayed = replay_of("assign_before_close")
    state = replayed.states[-1]
    (job,) = state.closing[1]
    assert job.record.state == RELEASING
    assert [bool(state.serving[broker, 1]) for broker in (1, 2)] == [False, True]
    assert holds_ledger(state, 1, 1)
    assert not state.tainted[1]


def test_no_broker_check_assigns_a_unit_that_its_owner_still_serves() -> None:
    """models.H2: a lookup during an unload; the arrow fits, the brokers do not."""
    _, replayed = replay_of("no_broker_check")
    entries = list(dict.fromkeys(entry(state, 1) for state in replayed.states))
    refused = [found.rule for held, proposed in pairwise(entries) if (found := refusal(held, proposed)) is not None]
    assert refused == ["broker"]


def test_orphan_by_source_takes_a_healthy_unit_because_of_where_it_came_from() -> None:
    """bugs.R10: the owner lives and is registered; only the source of its Owned record is gone."""
    scenario, replayed = replay_of("orphan_by_source")
    before, override = replayed.states[-2], scenario.steps[-1]
    taken = before.view[override.argument("broker"), 1]
    assert override.name == "override"
    assert taken.state == OWNED
    assert before.known[override.argument("broker"), taken.destination]
    assert not before.known[override.argument("broker"), taken.source]


def test_cleanup_without_health_check_acts_on_an_outdated_notice() -> None:
    """bugs.R41: the leader has noticed the deletion; the broker has registered again since."""
    scenario, replayed = replay_of("cleanup_without_health_check")
    names = [action.name for action in scenario.steps]
    assert names == ["expire", "reestablish", "notice", "register", "override"]
    assert entry(replayed.states[-2], 1) == Record(OWNED, 2, version=2)


def answers(state: State) -> list[tuple[int, bool]]:
    """Return each broker's redirection of a client of unit 1, and whether it carries out an admin call itself."""
    return [
        (redirect(state, broker, 1), carries_out(state, broker, 1)) for broker in range(1, state.bounds.brokers + 1)
    ]


@each_safety_fault
def test_last_step_of_a_counterexample_is_what_the_fault_allows_or_leads_to(fault: Fault) -> None:
    """Without the fault the run ends otherwise: a step is not enabled, or the last state or what it answers differs."""
    scenario, bounds = read_scenario(fault.scenario), bounds_of(fault, repaired=[fault.name])
    if len(offered(scenario, bounds)) < len(scenario.steps):
        return
    (state,) = initial_states(bounds)
    try:
        for action in scenario.steps:
            state = step(state, action)
    except Disabled:
        return
    last = replay(scenario).states[-1]
    if system_of(fault) is not SYSTEM:
        assert (state.key() == last.key()) == (fault.name in ANSWERED)
        return
    if fault.name in HYPOTHETICAL:
        assert answers(state) != answers(last)
        return
    assert state.key() != last.key() or entry(state, 1) != entry(last, 1)


def test_no_force_publishes_the_same_override_for_ever() -> None:
    """channel.R6 taken away: Owned after Owned is no arrow, so every override of an owner that is gone loses."""
    scenario, replayed = replay_of("no_force")
    assert scenario.loop is not None
    loop = scenario.steps[scenario.loop - 1 :]
    assert [action.name for action in loop] == ["override", "append", "consume", "consume"]
    gone = entry(replayed.states[-1], 1)
    assert gone.state == OWNED
    assert replayed.states[-1].run[gone.destination] == Run.DOWN
    override = replayed.states[scenario.loop].outbox[1][1].record
    refused = refusal(gone, override, rules=scenario.bounds.rules)
    assert refused is not None
    assert refused.rule == "transition"
    assert refusal(gone, override) is None


def test_stale_session_event_leaves_a_hand_over_with_a_dead_broker() -> None:
    """bugs.R42: the destination is dead, everybody has noticed, and the leader does nothing."""
    _, replayed = replay_of("stale_session_event")
    held = entry(replayed.states[-1], 1)
    assert held.state == ASSIGNING
    assert replayed.states[-1].run[held.destination] == Run.DOWN
    assert not any(replayed.states[-1].known[observer, held.destination] for observer in (1, 3))


KNOWN = faults()
STORIES = [path for path in sorted(COUNTEREXAMPLES.glob("*/*.yaml")) if path.parent.name not in KNOWN]
"""Violations of the release as it is, of laws that are holes or documented as broken: a folder a family or variant."""


@pytest.mark.parametrize("path", STORIES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_story_without_a_fault_is_told(path: Path) -> None:
    """The gate checks that it breaks its law at its last step, as its family or variant pins."""
    scenario = read_scenario(path)
    assert scenario.title
    assert scenario.story


PROTOCOL = [f"bugs.R{number}" for number in range(1, 50) if number not in (19, 22)] + ["bugs.R59", "bugs.R62"]
"""The records whose bug is one of the protocol: the channel, views, compaction, sessions."""


def test_catalogue_speaks_of_every_record_and_kills_those_of_the_protocol() -> None:
    rows = catalogue().values()
    assert {row.record for row in rows} >= {f"bugs.R{number}" for number in range(1, 74)}
    killed = {row.record for row in rows if not isinstance(row, Unkilled)}
    assert len(PROTOCOL) == 49
    assert set(PROTOCOL) <= killed
