"""States and records: the classes of channel.1, and who owns a unit."""

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
    ServiceUnitState,
    is_absent,
    is_active,
    is_in_flight,
    loser,
    next_version,
    owner,
)


def test_states_are_pulsars_own_words_in_pulsars_order() -> None:
    """channel.1: Init, Free, Owned, Assigning, Releasing, Splitting, Deleted."""
    words = [state.value for state in ServiceUnitState][1:]
    assert words == ["Init", "Free", "Owned", "Assigning", "Releasing", "Splitting", "Deleted"]


@pytest.mark.parametrize(
    ("state", "in_flight", "active"),
    [
        (INIT, False, False),
        (FREE, False, False),
        (OWNED, False, True),
        (ASSIGNING, True, True),
        (RELEASING, True, True),
        (SPLITTING, True, True),
        (DELETED, False, False),
        (ServiceUnitState.NOTHING, False, False),
    ],
)
def test_state_is_in_flight_and_active_as_the_note_says(state: ServiceUnitState, in_flight: bool, active: bool) -> None:
    assert is_in_flight(Record(state)) == in_flight
    assert is_active(Record(state)) == active
    assert is_absent(Record(state)) == (state == ServiceUnitState.NOTHING)


@pytest.mark.parametrize(
    ("record", "who"),
    [
        (Record(OWNED, 2, 1), 2),
        (Record(SPLITTING, 0, 1), 1),
        (Record(ASSIGNING, 2, 1), 0),
        (Record(RELEASING, 2, 1), 0),
        (Record(FREE, 0, 1), 0),
        (TOMBSTONE, 0),
    ],
    ids=str,
)
def test_owner_is_the_destination_of_owned_or_the_source_of_splitting(record: Record, who: int) -> None:
    """The contract: a unit has an owner while its record is Owned (destination) or Splitting (source)."""
    assert owner(record) == who


@pytest.mark.parametrize(
    ("record", "who"),
    [
        (Record(OWNED, 2, 1), 1),
        (Record(OWNED, 2, 1, True), 1),
        (Record(OWNED, 2), 0),
        (Record(OWNED, 2, 2), 0),
        (Record(FREE, 0, 1, True), 1),
        (Record(FREE, 0, 1), 0),
        (Record(ASSIGNING, 2, 1), 0),
        (TOMBSTONE, 0),
    ],
    ids=str,
)
def test_loser_is_the_source_that_must_close_its_topics(record: Record, who: int) -> None:
    """channel.6: the source of Owned closes; the source of Free only if it is forced."""
    assert loser(record) == who


def test_next_version_counts_from_one_and_wraps() -> None:
    assert next_version(TOMBSTONE) == 1
    assert next_version(Record(OWNED, 1, version=7)) == 8
    assert next_version(Record(OWNED, 1, version=MAX_VERSION)) == MIN_VERSION
    assert next_version(Record(OWNED, 1, version=MIN_VERSION)) == MIN_VERSION + 1


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (TOMBSTONE, "nothing"),
        (Record(ASSIGNING, 2, version=1), "Assigning(2) v1"),
        (Record(OWNED, 2, 1, True, 5), "Owned(2, from 1) v5 forced"),
        (Record(RELEASING, 0, 1, version=3), "Releasing(from 1) v3"),
    ],
)
def test_record_reads_as_a_sentence(record: Record, words: str) -> None:
    assert str(record) == words
