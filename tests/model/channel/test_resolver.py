"""The resolver against facts copied from Pulsar (``tests/vectors``), for both storages."""

from collections import Counter
from itertools import pairwise

import pytest

from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    INIT,
    MAX_VERSION,
    MIN_VERSION,
    OWNED,
    RELEASING,
    SPLITTING,
    TOMBSTONE,
    Record,
    next_version,
)
from oneowner.model.channel.resolver import Refusal, moves, ownerless, refusal, state_of, unlawful
from oneowner.model.channel.rules import Rules, Storage
from tests.model.channel.vectors import GUARDS, RULES, STATES, Case, cases, pairs, vector

ST, MS = Storage.SYSTEM_TOPIC, Storage.METADATA_STORE


@pytest.mark.parametrize("storage", Storage)
def test_table_equals_the_matrix_of_the_note(storage: Storage) -> None:
    matrix = vector(f"transition-{storage}.yaml")
    assert matrix["storage"] == storage
    allowed = {
        (before, after)
        for before, row in matrix["rows"].items()
        for after, mark in zip(matrix["columns"], row, strict=True)
        if mark == "Y"
    }
    assert {(str(before), str(after)) for before, after, _ in moves(storage).rows} == allowed
    assert len(allowed) == matrix["legal"]


@pytest.mark.parametrize("storage", Storage)
def test_table_has_the_guard_of_the_note_beside_every_pair(storage: Storage) -> None:
    for before, after, guard in moves(storage).rows:
        assert guard.__name__ == GUARDS.get(f"{before} > {after}", "any_brokers")


@pytest.mark.parametrize("case", cases(), ids=str)
def test_resolver_decides_as_the_rule_says(case: Case) -> None:
    refused = refusal(case.held, case.proposed, case.storage)
    assert (refused.rule if refused else "") == case.refused
    if case.guard:
        assert refused is not None
        assert refused.guard == case.guard


def test_cases_show_every_rule_accepting_and_refusing() -> None:
    for storage in Storage:
        shown = [case for case in cases() if case.storage == storage]
        for number in range(1, 10):
            verdicts = {bool(case.refused) for case in shown if case.rule == f"R{number}"}
            assert verdicts == {True, False}, f"R{number} in {storage}"
    assert {case.refused for case in cases()} == {"", *RULES.values()}
    assert {case.guard for case in cases()} == {"", *GUARDS.values()}


def test_resolver_accepts_as_many_of_the_3135_pairs_as_upstream() -> None:
    counts = vector("resolver-pair-counts.yaml")
    domain = pairs()
    assert len(domain) == counts["pairs"]
    for storage in Storage:
        found = Counter(
            f"{held.state} > {proposed.state}" for held, proposed in domain if refusal(held, proposed, storage) is None
        )
        assert found == counts["accepted"]["both"] | counts["accepted"].get(storage.value, {})
        assert found.total() == counts["total"][storage.value]


@pytest.mark.parametrize("storage", Storage)
def test_refusal_names_rule_guard_both_records_and_storage(storage: Storage) -> None:
    for held, proposed in pairs():
        refused = refusal(held, proposed, storage)
        if refused is not None:
            assert refused[2:5] == (held, proposed, storage)
            assert refused.rule in ("transition", "broker")
            listed = moves(storage).get(held.state, proposed.state)
            assert (refused.rule == "broker") == (listed is not None)
            if listed is not None:
                assert refused.guard == listed.__name__


@pytest.mark.parametrize("storage", Storage)
def test_forced_record_with_the_next_version_is_always_accepted(storage: Storage) -> None:
    for held, proposed in pairs():
        assert refusal(held, proposed._replace(force=True), storage) is None


@pytest.mark.parametrize("storage", Storage)
def test_tombstone_is_always_accepted(storage: Storage) -> None:
    for held in [TOMBSTONE, *{held for held, _ in pairs()}]:
        assert refusal(held, TOMBSTONE, storage) is None


@pytest.mark.parametrize("storage", Storage)
def test_versions_wrap_from_the_largest_long_to_the_smallest(storage: Storage) -> None:
    chain = [
        Record(OWNED, 1, version=MAX_VERSION - 1),
        Record(RELEASING, 2, 1, version=MAX_VERSION),
        Record(ASSIGNING, 2, 1, version=MIN_VERSION),
        Record(OWNED, 2, 1, version=MIN_VERSION + 1),
    ]
    for held, proposed in pairwise(chain):
        assert next_version(held) == proposed.version
        assert refusal(held, proposed, storage) is None
        back = refusal(proposed, held, storage)
        if held.version == MAX_VERSION:  # from MIN back to MAX is the widest gap
            assert (back.rule if back else "") == ("gap" if storage == MS else "")
        else:
            assert back is not None
            assert back.rule == "version"


@pytest.mark.parametrize("storage", Storage)
def test_whole_transfer_and_unload_are_accepted_step_by_step(storage: Storage) -> None:
    """P1, P2, P4, P5, P2, P3, P6 of channel.5, with versions 1 to 7."""
    records = [
        (ASSIGNING, 1, 0), (OWNED, 1, 0), (RELEASING, 2, 1), (ASSIGNING, 2, 1), (OWNED, 2, 1), (RELEASING, 0, 2),
        (FREE, 0, 2), (ASSIGNING, 3, 0),
    ]  # fmt: skip
    held = TOMBSTONE
    for version, (state, destination, source) in enumerate(records, 1):
        proposed = Record(state, destination, source, version=version)
        assert refusal(held, proposed, storage) is None
        held = proposed


def test_first_record_of_a_unit_depends_on_the_storage() -> None:
    for state in STATES:
        for version in (1, 2, MAX_VERSION, MIN_VERSION):
            first = Record(state, 1, version=version)
            on_topic = refusal(TOMBSTONE, first, ST)
            assert (on_topic.rule if on_topic else "") == ("transition" if state == INIT else "")
            in_store = refusal(TOMBSTONE, first, MS)
            assert (in_store.rule if in_store else "") == ("" if version == 1 else "first-version")


def test_unlawful_looks_at_neither_version_nor_force() -> None:
    held, proposed = Record(OWNED, 1, version=9), Record(SPLITTING, 0, 1, version=3)
    assert unlawful(held, proposed) is None
    assert unlawful(held, proposed._replace(state=DELETED, force=True)) == Refusal(
        "transition", "the tables allow the move", held, proposed._replace(state=DELETED, force=True), ST
    )


def test_ownerless_refuses_an_owned_record_without_destination() -> None:
    """The contract: an Owned record without destination is refused as ``broker``; the resolver lets it through."""
    held = Record(ASSIGNING, 0, 1, version=1)
    proposed = Record(OWNED, 0, 1, version=2)
    assert refusal(held, proposed) is None
    refused = ownerless(held, proposed)
    assert refused is not None
    assert refused.rule == "broker"
    assert ownerless(held, Record(OWNED, 1, version=2)) is None
    assert ownerless(held, Record(FREE, 0, 1, version=2)) is None


def test_absent_entry_counts_as_init() -> None:
    assert state_of(TOMBSTONE) == INIT
    assert state_of(Record(FREE, version=3)) == FREE


def test_version_check_switched_off_lets_an_old_record_in() -> None:
    """bugs.R1: before #19620 the guard looked at states and brokers only."""
    held, stale = Record(OWNED, 1, version=5), Record(RELEASING, 0, 1, version=2)
    assert refusal(held, stale) is not None
    assert refusal(held, stale, rules=Rules(version_check=False)) is None


def test_broker_check_switched_off_lets_any_brokers_in() -> None:
    """The hook checkBrokers(false) disables R8 and nothing else (channel.3)."""
    off = Rules(broker_check=False)
    for held, proposed in pairs():
        refused = refusal(held, proposed)
        lenient = refusal(held, proposed, rules=off)
        assert (lenient is None) == (refused is None or refused.rule == "broker")
