"""Compaction of whole logs: the records kept, the readers' entries, and a mutant's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneowner.model.channel.compaction import (
    PULSAR,
    Compactor,
    Kept,
    Log,
    Setting,
    compact,
    fires_again,
    fold,
    jumped,
    read_kept,
)
from oneowner.model.channel.parts import Message
from oneowner.model.channel.record import (
    ASSIGNING,
    FREE,
    INIT,
    OWNED,
    RELEASING,
    TOMBSTONE,
    Record,
    ServiceUnitState,
    is_buildable,
)
from oneowner.model.channel.rules import Rules, Storage
from oneowner.model.kernel.language import Sequence
from oneowner.spec.channel.compaction import COMPACTION_COMPOSES, COMPACTION_IDEMPOTENT, COMPACTION_ORDER
from oneowner.spec.channel.log_law import LogLaw
from oneowner.spec.channel.registry import LOG_LAWS
from tests.model.channel.strategies import steadily

BY_NAME = {law.name: law for law in LOG_LAWS}
COMPACTION_TRANSPARENT = BY_NAME["compaction-transparent"]
LAGGING_READER = BY_NAME["lagging-reader-current"]
OLD_HORIZON = BY_NAME["old-horizon-current"]
OLD_HORIZON_QUIET = BY_NAME["old-horizon-quiet"]
ASSIGNED = Record(ASSIGNING, 1, version=1)
RIVAL = Record(ASSIGNING, 2, version=1)
OWNED_1 = Record(OWNED, 1, version=2)
TRANSFER = Record(RELEASING, 2, 1, version=3)
LAST_VALUE = Setting(Compactor.LAST_VALUE)
NO_GAPS = Setting(rules=Rules(gap_rule=False))
WITH_THE_STORES_TABLE = Setting(compactor_storage=Storage.METADATA_STORE)


def log_of(*records: Record, unit: int = 1) -> Log:
    return Sequence(Message(unit, record) for record in records)


@st.composite
def logs(draw: st.DrawFn) -> Log:
    """Any log of up to six records about two units on two brokers, without Init."""
    states = [state for state in ServiceUnitState if state not in (INIT, TOMBSTONE.state)]
    record = st.builds(
        Record, st.sampled_from(states), st.integers(0, 2), st.integers(0, 2), st.booleans(), st.integers(1, 5)
    ).filter(is_buildable)
    message = st.builds(Message, st.integers(1, 2), st.one_of(st.just(TOMBSTONE), record, record, record))
    return Sequence(draw(st.lists(message, max_size=6)))


def test_compaction_drops_what_is_refused_and_takes_a_tombstoned_unit_out() -> None:
    assert compact(log_of(ASSIGNED, RIVAL, OWNED_1), 3) == (Kept(3, 1, OWNED_1),)
    assert compact(log_of(ASSIGNED, RIVAL), 2) == (Kept(1, 1, ASSIGNED),)
    assert compact(log_of(ASSIGNED, TOMBSTONE), 2) == ()


def test_reader_that_lags_takes_the_kept_record_behind_a_gap() -> None:
    log = log_of(ASSIGNED, OWNED_1, TRANSFER)
    assert jumped(log, 1, 1, 3, 3) == TRANSFER
    assert jumped(log, 1, 1, 3, 3, NO_GAPS) == ASSIGNED


def test_reader_that_lags_never_hears_of_a_tombstone_that_was_compacted_away() -> None:
    log = log_of(ASSIGNED, OWNED_1, TOMBSTONE, RIVAL)
    assert fold(log, 1, TOMBSTONE, 1, 4) == RIVAL
    assert jumped(log, 1, 2, 4, 4) == OWNED_1


def test_reader_with_the_old_horizon_handles_again_what_a_tombstone_ended() -> None:
    log = log_of(ASSIGNED, TOMBSTONE)
    assert fires_again(log, 1, 2, 0)
    assert not fires_again(log_of(ASSIGNED, OWNED_1), 1, 2, 0)
    assert not fires_again(log_of(TOMBSTONE), 1, 1, 0)  # nobody handles a tombstone of nothing
    assert jumped(log, 1, 0, 2, 0) == TOMBSTONE


@steadily
@given(logs(), st.integers(0, 6), st.integers(0, 6))
def test_kept_records_before_the_readers_place_change_nothing(log: Log, at: int, horizon: int) -> None:
    """A reader ends the same with all of a batch, or with the records at its position and behind it."""
    horizon = min(horizon, log.length)
    at = min(at, horizon)
    ledger = compact(log, horizon)
    for unit in (1, 2):
        held = fold(log, unit, TOMBSTONE, 1, at)
        assert read_kept(ledger, unit, held, 0) == read_kept(ledger, unit, held, at)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "law",
    [
        COMPACTION_TRANSPARENT,
        OLD_HORIZON,
        OLD_HORIZON_QUIET,
        LAGGING_READER,
        COMPACTION_IDEMPOTENT,
        COMPACTION_COMPOSES,
        COMPACTION_ORDER,
    ],
    ids=lambda law: law.name,
)
def test_law_holds_of_any_log_with_an_occasion(law: LogLaw) -> None:
    @steadily
    @given(logs())
    def holds(log: Log) -> None:
        if law.when(log):
            assert law.holds(log, PULSAR)

    holds()


INIT_KEPT = log_of(Record(FREE, source=1, version=4), Record(INIT, 1, version=5))
TWO_UNITS = Sequence((Message(1, ASSIGNED), Message(2, ASSIGNED), Message(1, OWNED_1)))


@pytest.mark.parametrize(
    ("law", "mutant", "log"),
    [
        (COMPACTION_TRANSPARENT, LAST_VALUE, log_of(ASSIGNED, RIVAL)),
        (OLD_HORIZON, LAST_VALUE, log_of(ASSIGNED, RIVAL, OWNED_1)),
        (OLD_HORIZON_QUIET, LAST_VALUE, log_of(OWNED_1, ASSIGNED, TRANSFER)),
        (LAGGING_READER, NO_GAPS, log_of(ASSIGNED, OWNED_1, TRANSFER)),
        (COMPACTION_IDEMPOTENT, WITH_THE_STORES_TABLE, log_of(ASSIGNED, OWNED_1)),
        (COMPACTION_COMPOSES, WITH_THE_STORES_TABLE, log_of(ASSIGNED, OWNED_1, TRANSFER)),
        (COMPACTION_ORDER, Setting(Compactor.IN_PLACE), TWO_UNITS),
    ],
    ids=lambda value: value.name if isinstance(value, LogLaw) else "",
)
def test_law_has_a_mutant_that_breaks_it(law: LogLaw, mutant: Setting, log: Log) -> None:
    assert law.when(log)
    assert law.holds(log, PULSAR)
    assert not law.holds(log, mutant)


@pytest.mark.parametrize(
    "law", [COMPACTION_TRANSPARENT, COMPACTION_IDEMPOTENT, COMPACTION_COMPOSES], ids=lambda law: law.name
)
def test_literal_init_is_why_a_law_excludes_it(law: LogLaw) -> None:
    """A kept Init is refused from nothing: models.S8 holds without literal Init records only."""
    log = Sequence((*INIT_KEPT, Message(1, ASSIGNED)))  # comes too late, but not for a reader that holds nothing
    assert not law.when(log)
    assert not law.holds(log, PULSAR)
