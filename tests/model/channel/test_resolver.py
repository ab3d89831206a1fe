"""The resolver against facts copied from Pulsar (``tests/vectors``), for both storages."""

import pytest

from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    OWNED,
    SPLITTING,
    Record,
)
from oneowner.model.channel.resolver import Refusal, moves, ownerless, refusal, unlawful
from oneowner.model.channel.rules import Rules, Storage
from tests.model.channel.vectors import GUARDS, RULES, Case, cases, pairs

ST, MS = Storage.SYSTEM_TOPIC, Storage.METADATA_STORE


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


def test_broker_check_switched_off_lets_any_brokers_in() -> None:
    """The hook checkBrokers(false) disables R8 and nothing else (channel.3)."""
    off = Rules(broker_check=False)
    for held, proposed in pairs():
        refused = refusal(held, proposed)
        lenient = refusal(held, proposed, rules=off)
        assert (lenient is None) == (refused is None or refused.rule == "broker")
