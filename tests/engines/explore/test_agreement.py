"""The compiled search is refereed by the native one: the same counts, laws, witnesses and counterexamples."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneowner.checkers.catalogue.families import bounds_under, families, faults
from oneowner.checkers.engines.explore import engine_choice as engines
from oneowner.checkers.engines.explore.building import Build
from oneowner.checkers.engines.explore.compiled import explore_compiled
from oneowner.checkers.engines.explore.engine_choice import disagreement, explore_by
from oneowner.checkers.engines.explore.exploration import Limits
from oneowner.checkers.engines.explore.generated import explore_generated
from oneowner.checkers.engines.explore.native import confirm, explore
from oneowner.checkers.verdict import EngineError
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import LawKind, StateLaw
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES

pytestmark = pytest.mark.slow

SMALL = {
    "metadata store": Bounds(brokers=2, owner=1, storage=Storage.METADATA_STORE, unloads=1, transfers=1),
    "two units": Bounds(brokers=2, units=2, owner=1, unloads=1, transfers=1, window=2, pending=2),
    "two of everything under way": Bounds(brokers=2, owner=2, unloads=1, transfers=1, pending=2, closings=2),
    "a session ends": Bounds(brokers=2, owner=1, expiries=1, unloads=1, window=2),
    "a crash": Bounds(brokers=2, owner=2, crashes=1, window=2),
    "lookups and lost acknowledgements": Bounds(brokers=2, assigns=1, resends=1, window=2),
}


def test_search_by_columns_keeps_the_least_violation_of_a_law_whatever_is_judged_together() -> None:
    # Steps with the same checks are judged at once; here the least violation of version-chain is in a later bundle.
    bounds = Bounds(owner=1, assigns=2, unloads=1, tombstones=1, window=1)
    assert disagreement(explore_generated(bounds, PROPERTIES, WITNESSES), explore(bounds, PROPERTIES, WITNESSES)) == ""


@pytest.mark.parametrize("name", SMALL)
def test_compiled_search_finds_what_the_native_one_finds(name: str) -> None:
    bounds = SMALL[name]
    native = explore(bounds, PROPERTIES, WITNESSES)
    assert native.distinct > 50
    assert disagreement(explore_compiled(bounds, PROPERTIES, WITNESSES), native) == ""
    assert disagreement(explore_by("python", bounds, PROPERTIES, WITNESSES)[0], native) == ""


@pytest.mark.parametrize("name", ["assign_before_close", "cleanup_without_health_check"])
def test_compiled_search_finds_the_same_counterexample(name: str) -> None:
    fault = faults()[name]
    bounds = bounds_under(families()[fault.family].bounds, "4.0.6", [name])
    ends = frozenset([fault.law])
    compiled = explore_compiled(bounds, PROPERTIES, WITNESSES, ends)
    assert compiled.laws[fault.law].steps is not None
    assert disagreement(compiled, explore(bounds, PROPERTIES, WITNESSES, ends)) == ""
    assert disagreement(compiled, explore_by("python", bounds, PROPERTIES, WITNESSES, ends)[0]) == ""


@pytest.mark.parametrize("most", [1, 10, 80])
def test_budget_of_states_stops_both_with_the_same_words(most: int) -> None:
    bounds = SMALL["metadata store"]
    compiled, native = (run(bounds, PROPERTIES, WITNESSES, limits=Limits(most)) for run in (explore_compiled, explore))
    generated, _ = explore_by("python", bounds, PROPERTIES, WITNESSES, limits=Limits(most))
    assert compiled.stopped == native.stopped == generated.stopped == f"there are more than {most} distinct states"
    assert compiled.distinct == native.distinct == most
    assert not compiled.finished


def test_bound_that_is_used_up_stops_both_with_the_same_words() -> None:
    bounds = replace(SMALL["metadata store"], versions=4)
    compiled, native = (run(bounds, PROPERTIES, WITNESSES) for run in (explore_compiled, explore))
    assert "the bound versions is used up" in compiled.stopped
    assert disagreement(compiled, native) == ""
    assert disagreement(explore_by("python", bounds, PROPERTIES, WITNESSES)[0], native) == ""


def test_disagreement_names_what_differs() -> None:
    bounds = SMALL["metadata store"]
    one, other = explore(bounds, PROPERTIES), explore(bounds, PROPERTIES)
    other.fired["append"] += 1
    assert disagreement(one, other).startswith("fired: ")


def test_counterexample_that_the_native_interpreter_does_not_confirm_is_an_error() -> None:
    fault = faults()["assign_before_close"]
    bounds = bounds_under(families()[fault.family].bounds, "4.0.6", [fault.name])
    law = next(law for law in PROPERTIES if law.name == fault.law)
    steps = explore(bounds, [law], (), frozenset([law.name])).laws[law.name].steps
    assert steps is not None
    confirm(bounds, law, steps)
    with pytest.raises(EngineError, match="holds after the steps"):
        confirm(bounds, law, steps[:-1])
    with pytest.raises(EngineError, match="cannot be taken"):
        confirm(replace(bounds, rules=families()[fault.family].bounds.rules), law, steps)


def test_auto_says_which_engine_it_took_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = SMALL["a crash"]
    monkeypatch.setattr(Build, "is_made", False)
    assert explore_by("auto", bounds, PROPERTIES, WITNESSES)[1] == "native (a small model)"
    monkeypatch.setattr(engines, "NATIVE_FIRST", 10)
    found, why = explore_by("auto", bounds, PROPERTIES, WITNESSES)
    assert (found.finished, why) == (True, "c")
    monkeypatch.setenv("CC", "no-such-compiler")
    found, why = explore_by("auto", bounds, PROPERTIES, WITNESSES)
    assert (found.finished, why) == (True, "python (no C compiler is found; sudo apt-get install gcc)")


def test_law_that_cannot_be_traced_is_left_to_the_native_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "NATIVE_FIRST", 10)
    law = StateLaw(
        "untraceable", "Of no engine but one.", "this test", lambda _: True, lambda _: True, kind=LawKind.PROTOCOL
    )
    found, why = explore_by("auto", SMALL["a crash"], [law])
    assert found.finished
    assert why.startswith("native (")


@st.composite
def bounds(draw: st.DrawFn) -> Bounds:
    brokers = draw(st.integers(1, 3))
    storage = draw(st.sampled_from(Storage))
    on_topic = storage == Storage.SYSTEM_TOPIC
    names = {"assigns": 2, "unloads": 1, "transfers": 2, "resends": 1, "owner": brokers}
    names |= {"crashes": 2, "expiries": 1} if on_topic else {}
    counts: dict[str, Any] = {name: draw(st.integers(0, most)) for name, most in names.items()}
    for name, most in (("units", 2), ("window", 4), ("pending", 2), ("closings", 2)):
        counts[name] = draw(st.integers(1, most))
    drawn = Bounds(brokers=brokers, storage=storage, versions=draw(st.sampled_from([5, 9])), **counts)
    of_the_channel = [name for name, fault in faults().items() if fault.system == drawn.system.name]
    faulty = draw(st.sampled_from(["", *of_the_channel]))
    return bounds_under(drawn, "4.0.6", [faulty] if faulty else [])


@given(bounds())
@settings(max_examples=8, deadline=None)
def test_traced_model_finds_what_the_native_one_finds_in_any_bounds(drawn: Bounds) -> None:
    limits = Limits(300)
    (traced, _), (native, _) = (
        explore_by(engine, drawn, PROPERTIES, WITNESSES, limits=limits) for engine in ("python", "native")
    )
    assert disagreement(traced, native) == ""
