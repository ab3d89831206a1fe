"""State machines find nothing against the release as it is, and soon find planted faults."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneowner.checkers.catalogue.families import faults
from oneowner.checkers.places import TOP
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import find_action, read_scenario
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.bounds import Bounds
from oneowner.model.kernel.law import LawKind, StateLaw
from oneowner.model.kernel.system import actions
from tests.channel import LAWS, channel_families
from tests.command_line import oneowner
from tests.model.channel.strategies import steadily
from tools.attacks import machines
from tools.attacks.attacking import PROFILE, PROFILES, attack
from tools.attacks.fault_table import PLANTED, SAFETY, WALKS, target_of
from tools.attacks.machines import Tally, Target
from tools.attacks.strategies import LARGEST, MOST, Swarm, allowed, ranges, sizes, swarms
from tools.attacks.walking import walked

FAMILIES = channel_families()
MORE = 5
"""The factor by which a family is run more often that has a witness which was not reached yet."""
SOON = (
    "assign_before_close", "boundaries_before_children", "cas_retry_keeps_value", "cleanup_without_health_check",
    "cursor_before_horizon", "destination_returns", "keep_last_compaction", "lookup_waits_everywhere", "no_cancel",
    "no_onload_on_replay", "override_tells_nobody", "phase_two_overrun", "prep_timeout_continues",
    "shutdown_only_unregisters", "shutdown_takes_over",
)  # fmt: skip
"""Faults of different kinds that take few runs; ``python -m tools.attacks.fault_table`` tries them all."""


SHORTER = {"clean_up_between_elections": 7}
"""Faults that a machine finds in fewer steps than a search, at greater sizes: a third broker need not register."""

NOT_RUN = frozenset(
    {
        "no_version_check",
        "no_broker_check",
        "arrows_only",
        "call_off_hits_newer",
        "waiter_forgotten",
        "seek_persists_markdelete",
        "cursor_properties_lost",
        "stale_cursor_reset",
        "stale_time_out_drops_wait",
        "clean_drops_open_topic",
    }
)
"""Faults that 300 runs of a machine do not show; its longer runs, walks of the compiled engine, do."""


@cache
def tally_of(name: str) -> Tally:
    return attack(Target(FAMILIES[name]), PROFILES[PROFILE])


@pytest.mark.sample(3)
@pytest.mark.parametrize(  # the gate visits all states of these families: here every eighth is met
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (at % 8 > 0)) for at, name in enumerate(FAMILIES)]
)
def test_machine_breaks_no_law_that_is_asserted(name: str) -> None:
    tally = tally_of(name)
    assert not tally.scenarios, "; ".join(f"oneowner replay {path}" for path in tally.scenarios.values())
    assert tally.examples >= PROFILES[PROFILE].runs
    assert set(tally.fired) <= tally.known


@pytest.mark.slow
@pytest.mark.parametrize("name", SOON)
def test_planted_fault_is_found_and_shrunk_to_at_most_twice_the_shortest(name: str, tmp_path: Path) -> None:
    fault = SAFETY[name]
    tally = attack(target_of(name), PLANTED, tmp_path, enough=2 * fault.steps)
    assert list(tally.broken) == [fault.law]
    assert fault.steps <= tally.shrunk[fault.law] <= 2 * fault.steps
    scenario = read_scenario(tally.scenarios[fault.law])
    assert scenario.faults == (name,)
    replayed = replay(scenario)
    assert replayed.verdict == Verdict.INVALID
    assert replayed.broken[fault.law] == len(scenario.steps)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(NOT_RUN))
def test_fault_that_no_run_shows_is_found_by_walks(name: str) -> None:
    found = walked(target_of(name), WALKS)
    assert set(found) == {SAFETY[name].law}
    assert len(found[SAFETY[name].law].steps) >= SAFETY[name].steps


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SAFETY if name not in NOT_RUN and name not in SOON])
def test_every_other_fault_is_found_by_a_run(name: str, tmp_path: Path) -> None:
    tally = attack(target_of(name), PLANTED, tmp_path, enough=60)
    assert list(tally.broken) == [SAFETY[name].law]
    assert tally.shrunk[SAFETY[name].law] >= SHORTER.get(name, SAFETY[name].steps)


@pytest.mark.slow
def test_longer_walks_find_what_runs_of_a_machine_miss(tmp_path: Path) -> None:
    fault = SAFETY["arrows_only"]
    short = PLANTED._replace(runs=10)
    assert attack(target_of("arrows_only"), short, tmp_path).broken == {}
    tally = attack(target_of("arrows_only"), short._replace(walks=WALKS), tmp_path)
    assert (list(tally.broken), tally.is_walked) == ([fault.law], True)
    assert fault.steps <= tally.shrunk[fault.law] <= 2 * fault.steps


def test_table_has_every_safety_fault_and_some_way_other_than_a_search_finds_each() -> None:
    lines = (TOP / "docs" / "reference" / "planted-faults.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    assert rows[0][:2] == ["fault", "law"]
    assert [row[0] for row in rows[1:]] == list(SAFETY)
    for name, law, *cells in rows[1:]:
        _, fewest, _, _, walked_steps, _, runs, run_steps, _ = cells
        assert law == SAFETY[name].law
        assert fewest in ("-", str(SAFETY[name].steps)), name
        assert (run_steps == "not found") == (name in NOT_RUN), name
        assert int(runs) <= PLANTED.runs
        assert walked_steps in ("-", "not found") or int(walked_steps) >= SAFETY[name].steps, name
        fewest_run = SHORTER.get(name, SAFETY[name].steps)
        assert run_steps in ("-", "not found") or int(run_steps) >= fewest_run, name
        assert {walked_steps, run_steps} - {"-", "not found"}, name


def test_scenario_of_a_failure_is_replayed_by_the_command_line_with_exit_1(tmp_path: Path) -> None:
    tally = attack(target_of("destination_returns"), PLANTED, tmp_path)
    (path,) = tally.scenarios.values()
    assert oneowner("replay", str(path)).code == 1


def test_machine_finds_the_same_every_time(tmp_path: Path) -> None:
    first, second = (attack(target_of("destination_returns"), PLANTED, tmp_path / n) for n in "ab")
    assert first.broken == second.broken
    assert first.fired == second.fired


def test_law_that_is_known_to_fail_is_not_asserted() -> None:
    expiry = Target(FAMILIES["expiry"])
    assert "single-server" in expiry.asserted
    assert "single-server-always" not in expiry.asserted
    forced_free = Target(FAMILIES["forced-free"])
    assert "version-chain" not in forced_free.asserted
    assert Target(FAMILIES["expiry"], faults()["cleanup_without_health_check"]).asserted == {"override-names-the-gone"}


def test_law_that_is_broken_from_the_start_is_found_in_an_initial_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = StateLaw("type-ok", "nothing is", "here", when=lambda _: True, holds=lambda _: False, kind=LawKind.PROTOCOL)
    monkeypatch.setattr(machines, "PROPERTIES", (never,))
    monkeypatch.setitem(LAWS, "type-ok", never)
    machines._model.cache_clear()
    tally = attack(Target(FAMILIES["pip-192"]), PROFILES["ci"], tmp_path)
    machines._model.cache_clear()
    assert tally.shrunk == {"type-ok": 0}


@steadily
@given(st.sampled_from(sorted(FAMILIES)).flatmap(lambda name: st.tuples(st.just(name), sizes(FAMILIES[name].bounds))))
def test_sizes_are_allowed_and_never_below_the_family(drawn: tuple[str, dict[str, int]]) -> None:
    name, grown = drawn
    own, bounds = FAMILIES[name].bounds, Target(FAMILIES[name]).bounds(grown)
    for size, value in grown.items():
        assert getattr(own, size) < value == getattr(bounds, size)
    assert bounds.brokers <= LARGEST["brokers"]


def test_sizes_reach_the_largest_that_the_bounds_allow() -> None:
    for family in FAMILIES.values():
        wanted = {name: most for name, (_, most) in ranges(family.bounds).items()}
        bounds = Target(family).bounds(allowed(family.bounds, wanted))
        assert bounds.brokers == LARGEST["brokers"]
        stays = family.bounds.splits or family.bounds.lookups or (family.bounds.compactions and family.bounds.owner)
        assert bounds.units == (family.bounds.units if stays else LARGEST["units"])
        assert bounds.versions == 99
        assert not family.bounds.crashes or bounds.crashes == MOST


@settings(steadily, max_examples=25)
@given(st.data(), st.integers(0, 99), st.integers(0, 99))
def test_swarm_tries_every_action(data: st.DataObject, name: int, place: int) -> None:
    known = actions(Bounds(brokers=3, owner=1, unloads=1, transfers=1))
    order = list(data.draw(swarms(known)).order(name, place))
    assert set(order) == set(range(len(known)))


def test_swarm_tries_what_is_held_back_last() -> None:
    known = actions(Bounds(brokers=2, owner=1, unloads=1))
    swarm = Swarm(known, ["consume", "append"], frozenset({("broker", 2)}))
    first = [str(known[number]) for number in swarm.order(0, 0)][:3]
    assert first == ["consume(broker=1)", "append(broker=1)", "unload(broker=1, unit=1)"]
    assert find_action(Bounds(brokers=2, owner=1, unloads=1), "consume(broker=2)") in known


@pytest.mark.skipif(PROFILE != "nightly", reason="needs the runs of the nightly profile")
def test_every_law_pinned_valid_has_an_occasion_and_every_witness_is_reached_in_some_family() -> None:
    owed = {law for family in FAMILIES.values() for law in Target(family).owed}
    witnesses = {witness for family in FAMILIES.values() for witness in family.witnesses}
    assert owed - {law for name in FAMILIES for law in tally_of(name).exercised} == set()
    missed = witnesses - {witness for name in FAMILIES for witness in tally_of(name).witnesses}
    for family in FAMILIES.values():
        for _ in range(MORE):  # what is rare may take some luck
            if missed & set(family.witnesses):
                missed -= attack(Target(family), PROFILES[PROFILE]).witnesses
    assert missed == set()
