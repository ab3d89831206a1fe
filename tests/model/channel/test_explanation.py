"""Refusals in words: they name the right things, and the repair that they offer works."""

from itertools import combinations, product
from typing import Any

import pytest

from oneowner.model.channel.explanation import reason, repair, why
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    TOMBSTONE,
    Record,
    ServiceUnitState,
    next_version,
)
from oneowner.model.channel.resolver import Refusal, ownerless, refusal
from oneowner.model.channel.rules import Dialect, Storage
from tests.model.channel.vectors import STATES, cases, constructible, pairs

ST, MS = Storage.SYSTEM_TOPIC, Storage.METADATA_STORE
FIELDS = {"state": "state", "dstBroker": "destination", "sourceBroker": "source", "versionId": "version"}


def refused(held: Record, proposed: Record, storage: Storage = ST) -> Refusal:
    found = refusal(held, proposed, storage)
    assert found is not None
    return found


def every_refusal() -> list[Refusal]:
    """Every refusable pair of the check domain, also after no entry and with stale or skipping versions."""
    domain = pairs()
    proposals = list(dict.fromkeys(proposed for _, proposed in domain))
    domain += [(TOMBSTONE, proposed) for proposed in proposals]
    domain += [(held._replace(version=5), proposed) for held, proposed in domain[::7]]
    domain += [(held, proposed._replace(version=4)) for held, proposed in domain[::7]]
    found = (refusal(held, proposed, storage) for storage in Storage for held, proposed in domain)
    return [one for one in found if one is not None]


def edits(words: str) -> dict[str, Any]:
    """Read a repair back: the fields that it changes."""
    changes: dict[str, Any] = {}
    for edit in words.split(" and "):
        name, value, *_ = edit.split()
        if name == "force":
            changes["force"] = True
        elif name == "state":
            changes["state"] = ServiceUnitState(value)
        else:
            changes[FIELDS[name]] = NOBODY if value == "nobody" else int(value)
    return changes


def test_repair_is_accepted_by_the_resolver_for_every_refusable_pair() -> None:
    refusals = every_refusal()
    assert {one.rule for one in refusals} == {"version", "transition", "broker", "first-version", "gap"}
    for one in refusals:
        changes = edits(repair(one))
        assert refusal(one.held, one.proposed._replace(**changes), one.storage) is None, one


def test_repair_makes_a_record_that_pulsar_can_build() -> None:
    """ServiceUnitStateData throws ``Empty broker`` if both are blank, except for Free (channel.2)."""
    unbuildable = []
    for one in every_refusal():
        repaired = one.proposed._replace(**edits(repair(one)))
        if not constructible(repaired) or ownerless(one.held, repaired) is not None:
            unbuildable.append(f"{one.storage}: {one.held}, then {one.proposed}: {repair(one)}")
    assert unbuildable == []


def test_repair_changes_as_few_fields_as_possible() -> None:
    for one in every_refusal():
        count = len(edits(repair(one)))
        for fewer in range(1, count):
            assert not [edit for edit in possible(one, fewer) if accepted(one, edit)], one


def possible(one: Refusal, count: int) -> list[dict[str, Any]]:
    """Every way to change *count* fields within the check domain."""
    values: dict[str, list[Any]] = {
        "state": list(STATES),
        "destination": [0, 1, 2],
        "source": [0, 1, 2],
        "force": [True],
        "version": [next_version(one.held)],
    }
    return [
        dict(zip(fields, chosen, strict=True))
        for fields in combinations(values, count)
        for chosen in product(*(values[field] for field in fields))
    ]


def accepted(one: Refusal, edit: dict[str, Any]) -> bool:
    attempt = one.proposed._replace(**edit)
    sound = constructible(attempt) and ownerless(one.held, attempt) is None
    return sound and refusal(one.held, attempt, one.storage) is None


def test_repair_forces_only_where_no_other_single_change_helps() -> None:
    for one in every_refusal():
        if edits(repair(one)) == {"force": True}:
            assert [edit for edit in possible(one, 1) if accepted(one, edit)] == [{"force": True}], one


@pytest.mark.parametrize("one", [case for case in cases() if case.refused], ids=str)
def test_why_names_both_records_and_one_reason(one: Any) -> None:
    found = refused(one.held, one.proposed, one.storage)
    words = why(found)
    held = "nothing" if one.held == TOMBSTONE else str(one.held)
    assert words == f"{one.proposed} refused after {held}: {reason(found)}"
    assert "\n" not in words


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (refused(Record(OWNED, 2, version=4), Record(OWNED, 3, version=4)), "version 4 is not above the held 4"),
        (refused(Record(OWNED, 2, version=4), Record(OWNED, 3, version=6), MS), "version 6 is not the next one, 5"),
        (
            refused(TOMBSTONE, Record(ASSIGNING, 2, version=3), MS),
            "the first record of a unit must have version 1, not 3",
        ),
        (
            refused(Record(RELEASING, 2, 1, version=4), Record(OWNED, 2, 1, version=5)),
            "no move from Releasing to Owned; allowed is Assigning or Free",
        ),
        (
            refused(Record(OWNED, 2, version=4), Record(SPLITTING, 0, 1, version=5)),
            "the source must be the held owner 2, with no destination",
        ),
        (
            refused(Record(OWNED, 2, version=4), Record(RELEASING, 2, 2, version=5)),
            "the source must be the held owner 2, and the destination another broker or none",
        ),
        (
            refused(Record(SPLITTING, 0, 2, version=4), Record(DELETED, 0, 1, version=5)),
            "destination and source must stay nobody and 2",
        ),
        (
            refused(Record(RELEASING, 2, 1, version=4), Record(ASSIGNING, 3, 1, version=5)),
            "destination and source must stay 2 and 1, and there must be a destination",
        ),
        (
            refused(Record(FREE, 0, 1, version=4), Record(ASSIGNING, 2, 1, version=5)),
            "there must be a destination and no source",
        ),
    ],
    ids=lambda value: f"{value.rule} {value.guard}" if isinstance(value, Refusal) else "",
)
def test_reason_says_what_was_looked_at_and_what_was_allowed(one: Refusal, words: str) -> None:
    assert reason(one) == words


def test_reason_of_an_owned_record_without_destination_asks_for_its_owner() -> None:
    found = ownerless(Record(ASSIGNING, 0, 1, version=1), Record(OWNED, 0, 1, version=2))
    assert found is not None
    assert reason(found) == "an Owned record must name its owner as destination"


def test_repair_keeps_to_the_dialect_that_refused() -> None:
    held, proposed = Record(OWNED, 1, version=2), Record(RELEASING, 2, 1, version=3)
    refused = refusal(held, proposed, dialect=Dialect.GENERATION_1)
    assert refused is not None
    assert repair(refused) == "state Assigning instead of Releasing"
    assert refusal(held, proposed._replace(state=ASSIGNING), dialect=Dialect.GENERATION_1) is None
