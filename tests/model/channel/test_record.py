"""States and records: their words, and the broker that a record tells to close its topics."""

import pytest

from oneowner.model.channel.record import (
    ASSIGNING,
    FREE,
    OWNED,
    RELEASING,
    TOMBSTONE,
    Record,
    ServiceUnitState,
    loser,
)


def test_states_are_pulsars_own_words_in_pulsars_order() -> None:
    """channel.1: Init, Free, Owned, Assigning, Releasing, Splitting, Deleted."""
    words = [state.value for state in ServiceUnitState][1:]
    assert words == ["Init", "Free", "Owned", "Assigning", "Releasing", "Splitting", "Deleted"]


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
