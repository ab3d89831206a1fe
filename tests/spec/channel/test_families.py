"""Families against their ledger: the explorer finds what is pinned, and says which pin is wrong."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from typing import Any

import pytest

from oneowner.checkers.cli.explore import parse_settings
from oneowner.checkers.engines.explore.exploration import Exploration, Limits
from oneowner.checkers.ledger.exploration_verdict import judge, pinned
from oneowner.checkers.ledger.family import Family, bounds_with
from oneowner.checkers.ledger.family_search import Asked, search
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Dialect, Rules, Storage
from oneowner.spec.channel.registry import PROPERTIES
from tests.channel import channel_families

SMOKE = [family for family in channel_families().values() if family.profile == "smoke"]
TINY = replace(
    channel_families()["transfer-metadata-store"],
    bounds=Bounds(storage=Storage.METADATA_STORE, owner=1, transfers=1, versions=9),
    witnesses=("transfer-ends",),
)
"""A family small enough to be explored in no time; nothing is pinned for it."""


def reasons_against(family: Family, exploration: Exploration) -> tuple[Verdict, list[str]]:
    result = judge(family, exploration, pinned(family, True), True).result
    return result.verdict, list(result.reasons)


@cache
def tiny() -> Family:
    """The tiny family with what exploring it finds as its pins."""
    judged = search(TINY, Asked(settings={"transfers": "1"}))
    found = judged.exploration
    laws = {row.law: row.verdict for row in judged.result.laws}
    return replace(TINY, laws=laws, states=found.distinct, transitions=found.transitions, depth=found.depth)


@cache
def explored() -> Exploration:
    return search(tiny()).exploration


@pytest.mark.parametrize("family", SMOKE, ids=lambda family: family.name)
def test_family_is_explored_to_what_its_file_pins(family: Family) -> None:
    judged = search(family)
    found = judged.exploration
    assert (found.distinct, found.transitions, found.depth) == (family.states, family.transitions, family.depth)
    assert {row.law: row.verdict for row in judged.result.laws} == {**family.laws, **family.liveness}
    assert [name for name in family.witnesses if not found.witnesses[name]] == []
    assert found.finished
    assert judged.result.reasons == []
    assert judged.result.verdict == Verdict.VALID


def test_ledger_has_the_families_of_the_issue() -> None:
    """The families of this version; smoke ones are quick enough to explore in a test."""
    names = {"assignment", "transfer", "transfer-metadata-store", "failure", "expiry"}
    assert names <= channel_families().keys()
    assert len(SMOKE) >= 2
    assert all(family.bounds.rules == Rules() for family in channel_families().values())


def test_ledger_holds_release_4_0_6_to_its_single_server() -> None:
    """models.S23: reachable after an expiry, a crash, a shutdown, a time-out or a revival; models.S22 holds."""
    released = {name: row for name, row in channel_families().items() if row.bounds.dialect == Dialect.RELEASED}
    for name, row in released.items():
        assert row.laws["single-server"] == Verdict.VALID, name
        faulty = row.bounds.expiries + row.bounds.crashes + row.bounds.pauses + row.bounds.outages > 0
        late = row.bounds.tombstones > 0 and row.bounds.assigns > 1  # models.H3: no fault at all is needed
        revived = row.bounds.splits > 0 and row.bounds.assigns > 0  # stale boundaries: nor here
        given_away = row.bounds.shutdowns > 0  # a unit in flight is given away by a forced Owned
        timed_out = row.bounds.flight_timer + row.bounds.slow_closes > 0  # while topics are still being closed
        parted = row.bounds.synced > 0  # models.S50: two storages, each with an owner
        wrapped = row.bounds.wraps > 0 and row.bounds.assigns > 1  # by a record from before the wrap
        dual = faulty or late or revived or given_away or timed_out or parted or wrapped
        assert (row.laws["single-server-always"] == Verdict.INVALID) == dual, name
        assert ("untainted-served-after-fault" in row.witnesses) == faulty, name


def test_right_pins_are_valid() -> None:
    assert reasons_against(tiny(), explored()) == (Verdict.VALID, [])


@pytest.mark.parametrize("pin", ["states", "transitions", "depth"])
def test_wrong_count_is_unknown_and_shows_both_counts(pin: str) -> None:
    wrong = replace(tiny(), **{pin: getattr(tiny(), pin) + 1})
    verdict, reasons = reasons_against(wrong, explored())
    found = (tiny().states, tiny().transitions, tiny().depth)
    want = (wrong.states, wrong.transitions, wrong.depth)
    assert verdict == Verdict.UNKNOWN
    assert reasons == [f"states, transitions, depth are {found}, but the ledger pins {want}"]


@pytest.mark.parametrize("law", [law.name for law in PROPERTIES])
def test_wrong_verdict_is_not_valid_and_names_the_law(law: str) -> None:
    right = tiny().laws[law]
    for pin in set(Verdict) - {right}:
        verdict, reasons = reasons_against(replace(tiny(), laws={**tiny().laws, law: pin}), explored())
        assert verdict == Verdict.UNKNOWN
        assert reasons == [f"{law}: {right}, but the ledger pins {pin}"]


def test_missed_witness_is_unknown_and_named() -> None:
    missing = replace(tiny(), witnesses=("transfer-ends", "override-wins"))
    assert reasons_against(missing, explored()) == (Verdict.UNKNOWN, ["never reached: witness override-wins"])


def test_violation_of_a_law_that_is_pinned_valid_is_invalid_with_its_counterexample() -> None:
    expiry = channel_families()["expiry"]
    hopeful = replace(expiry, laws={**expiry.laws, "single-server-always": Verdict.VALID})
    judged = search(hopeful)
    assert judged.result.verdict == Verdict.INVALID
    assert judged.result.reasons == ["single-server-always is violated"]
    assert judged.counterexample == "single-server-always"
    steps = judged.exploration.laws["single-server-always"].steps
    assert steps is not None
    assert str(steps[0]) == "expire(broker=2)"
    assert not judged.exploration.finished  # the search ends with the level of the violation


@pytest.mark.parametrize("most", [1, 10])
def test_hit_budget_is_unknown_and_says_so(most: int) -> None:
    judged = search(tiny(), Asked(limits=Limits(most)))
    assert judged.result.verdict == Verdict.UNKNOWN
    assert judged.result.reasons == [f"not all states were visited: there are more than {most:,} distinct states"]
    assert {row.verdict for row in judged.result.laws} == {Verdict.UNKNOWN}


def test_budget_of_exactly_the_states_is_not_hit() -> None:
    assert search(tiny(), Asked(limits=Limits(tiny().states))).result.verdict == Verdict.VALID
    assert search(tiny(), Asked(limits=Limits(tiny().states - 1))).result.verdict == Verdict.UNKNOWN


def test_action_that_never_fires_makes_the_family_unknown() -> None:
    """With one broker there is nobody to transfer to."""
    alone = replace(tiny(), bounds=Bounds(brokers=1, owner=1, transfers=1, unloads=1, assigns=1), witnesses=())
    judged = search(alone, Asked(settings={"brokers": "1"}))
    assert judged.exploration.fired["transfer"] == 0
    assert judged.result.verdict == Verdict.UNKNOWN
    assert judged.result.reasons == ["no step was enabled: transfer"]


def test_set_changes_a_bound_and_lifts_the_pins() -> None:
    settings = parse_settings(["transfers=2", "brokers=3"])
    assert bounds_with(TINY.bounds, settings) == replace(TINY.bounds, transfers=2, brokers=3)
    judged = search(tiny(), Asked(settings=settings))
    assert judged.exploration.bounds == replace(TINY.bounds, transfers=2, brokers=3)
    assert judged.exploration.distinct > tiny().states
    assert judged.result.verdict == Verdict.VALID


def test_set_changes_the_storage() -> None:
    bounds = bounds_with(TINY.bounds, {"storage": "system-topic"})
    assert bounds == replace(TINY.bounds, storage=Storage.SYSTEM_TOPIC)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("broker", "3", "no such bound: broker; did you mean brokers?"),
        ("rules", "3", "no such bound: rules"),
        ("brokers", "0", "bound refused: brokers=0; a whole number from 1 to 99 is allowed"),
        ("unloads", "-1", "bound refused: unloads=-1"),
        ("unloads", "many", "bound refused: unloads=many"),
        ("unloads", True, "bound refused: unloads=true"),
        ("owner", "9", "owner refused: 9; there are 2 brokers"),
        ("storage", "zookeeper", "no such storage: zookeeper"),
        ("expiries", "1", "expiries refused: 1; in the metadata store they need safe_mode: 1"),
    ],
)
def test_set_refuses_what_does_not_fit(name: str, value: Any, words: str) -> None:
    with pytest.raises(Misuse) as refused:
        bounds_with(TINY.bounds, {name: value})
    assert str(refused.value).startswith(words)


def test_exploring_twice_finds_the_same() -> None:
    again = search(tiny()).exploration
    for field in fields(Exploration):
        if field.name not in ("seconds", "memory"):
            assert getattr(again, field.name) == getattr(explored(), field.name)
