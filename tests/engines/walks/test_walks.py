"""Random walks: the compiled ones are refereed by the native interpreter, step for step and number for number."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from oneowner.checkers.catalogue.families import bounds_under, families, faults
from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.explore.native import confirm
from oneowner.checkers.engines.walks import compiled_walks
from oneowner.checkers.engines.walks.compiled_walks import class_masks, estimated, unpacked, walk_by, walk_compiled
from oneowner.checkers.engines.walks.plan import Pace, Plan, Walks, class_slots
from oneowner.checkers.engines.walks.python_walks import walk
from oneowner.checkers.engines.walks.stepping import Native
from oneowner.checkers.verdict import EngineError
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.channel.system import STATE_CLASS
from oneowner.model.kernel.language import Slot
from oneowner.model.kernel.law import LawKind, StateLaw
from oneowner.model.kernel.system import initial_states, step
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES
from tests.command_line import oneowner

HARD = frozenset(law.name for law in PROPERTIES if not law.status.is_violated)
WIDE = Bounds(brokers=2, units=2, owner=1, unloads=1, transfers=2, window=2)
STORE = Bounds(brokers=2, owner=1, storage=Storage.METADATA_STORE, unloads=1, transfers=2, pending=2, versions=6)


def walked(bounds: Bounds, plan: Plan, engine: str = "c", ends: frozenset[str] = HARD, laws: Any = PROPERTIES) -> Walks:
    return walk_by(engine, bounds, laws, WITNESSES, ends, plan)[0]


def result_of(walks: Walks) -> object:
    """The results of walks, without differences between engines and runs."""
    return replace(walks, seconds=0, memory=0, distinct=0, is_estimate=False)


@pytest.mark.parametrize(
    "bounds", [pytest.param(WIDE, id="wide", marks=pytest.mark.slow), pytest.param(STORE, id="store")]
)
def test_engines_take_the_same_walks(bounds: Bounds) -> None:
    by_c, by_python, natively = (walked(bounds, Plan(20, 60, 7), engine) for engine in ("c", "python", "native"))
    assert by_c.steps > 200
    assert result_of(by_c) == result_of(by_python) == result_of(natively)
    assert by_python.distinct == natively.distinct
    assert by_c.distinct == pytest.approx(natively.distinct, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["no_version_check", "cleanup_without_health_check"])
def test_fault_that_breadth_first_search_finds_is_found_by_walks(fault: str) -> None:
    found = oneowner("explore", faults()[fault].family, "--fault", fault, "--walks", 1_000_000, "--json", "-")
    assert (found.code, found.json["verdict"]) == (1, "invalid")
    assert faults()[fault].law in {row["law"] for row in found.json["laws"] if row["verdict"] == "invalid"}
    example = found.json["counterexample"]
    assert faults()[fault].steps <= len(example["steps"]) <= found.json["walks"]["violations"][example["law"]]["steps"]


def test_walk_never_takes_a_disabled_step_and_ends_in_the_same_state() -> None:
    for number in range(4):
        found = walked(WIDE, Plan(1, 80, 3, first=number))
        (state,) = initial_states(WIDE)
        for action in found.last:
            state = step(state, action)  # raises Disabled if it is not enabled
        assert found.state == bytes(state.codes())
        assert len(found.last) == found.steps == found.longest > 0


def test_coverage_of_one_walk_is_what_a_native_recount_finds() -> None:
    found = walked(WIDE, Plan(1, 80, 5))
    (state,) = initial_states(WIDE)

    def kind(of: State) -> object:
        return [record.state for record in of.base], list(of.serving)

    seen, classes, pairs = [state.key()], [kind(state)], []
    for action in found.last:
        if (kind(state), action.name) not in pairs:
            pairs.append((kind(state), action.name))
        state = step(state, action)
        seen.append(state.key())
        if kind(state) not in classes:
            classes.append(kind(state))
    assert found.classes == len(classes) > 3
    assert found.pairs == {name: sum(name == taken for _, taken in pairs) for name in found.fired}
    assert {name: n for name, n in found.fired.items() if n} == Counter(action.name for action in found.last)
    assert found.distinct == len(set(seen))  # few enough for the estimate to be exact


def test_walk_is_the_same_whatever_walks_came_before() -> None:
    together, alone = walked(WIDE, Plan(20, 60, 11)), walked(WIDE, Plan(1, 60, 11, first=19))
    assert together.last == alone.last
    assert walked(WIDE, Plan(20, 60, 12)).last != together.last


def test_same_seed_gives_the_same_output() -> None:
    def output_of(seed: int) -> str:
        out = oneowner("explore", "expiry", "--walks", 40, "--seed", seed).out
        return "".join(line.partition(", in ")[0] for line in out.splitlines())

    assert output_of(4) == output_of(4) != output_of(5)


PLANS = Plan(500), Plan(500, goes_on=True)


def test_walks_end_at_their_depth_and_at_the_first_violation() -> None:
    assert walked(WIDE, Plan(50, 7)).longest == 7
    bounds = bounds_under(families()["transfer"].bounds, "4.0.6", ["assign_before_close"])
    law = [law for law in PROPERTIES if law.name == "single-writer"]
    first, on = (walked(bounds, plan, ends=frozenset({"single-writer"}), laws=law) for plan in PLANS)
    assert first.walks == first.broken["single-writer"].walk + 1 < on.walks == 500
    assert len(on.broken["single-writer"].steps) < len(first.broken["single-writer"].steps)


def test_walk_goes_on_past_a_documented_violation() -> None:
    found = walked(families()["expiry"].bounds, Plan(300))
    steps = found.broken["single-server-always"].steps
    assert found.walks == 300
    law = next(law for law in PROPERTIES if law.name == "single-server-always")
    confirm(families()["expiry"].bounds, law, steps)
    alone = walked(families()["expiry"].bounds, Plan(1, first=found.broken[law.name].walk))
    assert len(alone.last) > len(steps)
    assert alone.last[: len(steps)] == steps


def test_bound_that_is_used_up_is_told() -> None:
    narrow = Bounds(brokers=2, owner=1, storage=Storage.METADATA_STORE, transfers=2, versions=4)
    for engine in ("c", "native"):
        found = walked(narrow, Plan(20), engine, laws=PROPERTIES[:1])
        assert "the bound versions is used up" in found.stopped


def test_law_broken_at_the_start_ends_the_first_walk() -> None:
    bounds = Bounds(owner=1, unloads=1)
    never = StateLaw("never", "", "", lambda _: True, lambda _: False, kind=LawKind.PROTOCOL)
    found = walk(Native(bounds, [never], ()), bounds, frozenset({"never"}), Plan(5))
    assert (found.walks, found.steps, found.broken["never"].steps) == (1, 0, ())


def test_budget_of_time_ends_the_walks() -> None:
    for engine in ("c", "native"):
        found = walked(WIDE, Plan(10**9, seconds=0.2), engine)
        assert found.stopped == "the budget of time is used up"
        assert 0 < found.walks < 10**9


def test_without_a_compiler_python_takes_over_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_walks, "compiler", lambda: None)
    bounds = Bounds(owner=1, unloads=1)
    found, which = walk_by("auto", bounds, PROPERTIES[:3], (), HARD, Plan(3))
    assert (found.walks, which.startswith("python (no C compiler is found")) == (3, True)
    law = StateLaw("untraceable", "", "", lambda _: True, lambda _: True, kind=LawKind.PROTOCOL)
    assert walk_by("auto", bounds, [law], (), HARD, Plan(3))[1].startswith("native (")


@pytest.mark.parametrize("distinct", [0, 1, 1_000, 100_000])
def test_estimate_of_distinct_states_is_within_its_error(distinct: int) -> None:
    registers = [0] * 2**14
    for number in range(distinct):
        hashed = hash_of(number)
        rest = (hashed << 14 | 1 << 13) & 2**64 - 1
        registers[hashed >> 50] = max(registers[hashed >> 50], 65 - rest.bit_length())
    ranks = Counter(registers)
    assert estimated([ranks[rank] for rank in range(66)]) == pytest.approx(distinct, rel=0.03)


def hash_of(number: int) -> int:
    z = (number + 1) * 0x9E3779B97F4A7C15 & 2**64 - 1
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & 2**64 - 1
    z = (z ^ z >> 27) * 0x94D049BB133111EB & 2**64 - 1
    return z ^ z >> 31


def test_class_of_a_state_is_made_of_the_slots_that_the_model_names() -> None:
    slots = initial_states(WIDE)[0].slots()
    chosen = [slots[number].name for number in class_slots(slots, STATE_CLASS)]
    assert chosen[:2] == ["base[1].state", "base[2].state"]
    assert len(chosen) == 2 + 2 * 2
    assert class_slots([Slot("base[1].version", 3), Slot("rebase[1].state", 3)], STATE_CLASS) == []
    for bounds in (family.bounds for family in families().values()):
        named = bounds.system.state_class
        assert len(class_slots(initial_states(bounds)[0].slots(), named)) >= len(named)


def test_masks_pick_the_slots_of_the_packed_state() -> None:
    every = unpacked(WIDE, [2**64 - 1] * len(class_masks(WIDE)))
    chosen = unpacked(WIDE, class_masks(WIDE))
    slots = class_slots(initial_states(WIDE)[0].slots(), STATE_CLASS)
    assert [number for number, code in enumerate(chosen) if code] == slots
    assert all(chosen[slot] == every[slot] for slot in slots)
    assert [place.size for place in trace(WIDE, (), ()).places] == [s.size for s in initial_states(WIDE)[0].slots()]


def test_progress_is_told_once_a_second() -> None:
    times: list[float] = []

    def tell(pace: Pace) -> None:
        times.extend([] if pace.before else [pace.seconds])  # it may take a second to get ready, too
        if len(times) == 2:
            raise EngineError("enough")

    with pytest.raises(EngineError, match="enough"):
        walk_compiled(WIDE, PROPERTIES, WITNESSES, HARD, Plan(10**9), tell)
    assert times[1] - times[0] >= 0.99
