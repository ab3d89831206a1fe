"""Entries: cuts of a log, entries written by a compaction, and entries delivered to a reader."""

from oneowner.model.channel.compaction import PULSAR, Log, Setting
from oneowner.model.channel.entries import Written, compact_entries, cuts, read_by_entries, written
from oneowner.model.channel.parts import Message
from oneowner.model.channel.record import ASSIGNING, OWNED, TOMBSTONE, Record
from oneowner.model.channel.rules import Rules
from oneowner.model.kernel.language import Sequence

ASSIGNED, OWNED_1 = Record(ASSIGNING, 1, version=1), Record(OWNED, 1, version=2)
TWO_UNITS: Log = Sequence((Message(1, ASSIGNED), Message(2, ASSIGNED)))
DELETED: Log = Sequence((Message(1, ASSIGNED), Message(1, TOMBSTONE), Message(2, ASSIGNED)))


def units(entries: tuple[Written, ...]) -> list[tuple[int, list[int]]]:
    return [(entry.position, [kept.unit for kept in entry.kept]) for entry in entries]


def test_log_is_cut_in_every_way() -> None:
    assert len(list(cuts(5))) == 16
    assert all(ends[-1] == 5 and list(ends) == sorted(set(ends)) for ends in cuts(5))


def test_what_came_in_one_entry_is_written_in_one() -> None:
    kept = compact_entries(TWO_UNITS, (2,), 1)
    assert units(written(kept, (2,))) == [(2, [1, 2])]
    assert units(written(kept, (1, 2))) == [(1, [1]), (2, [2])]


def test_reader_stands_behind_the_position_that_it_was_given_so_a_second_entry_there_is_skipped() -> None:
    split = Setting(rules=Rules(batches_stay_whole=False))
    assert units(written(compact_entries(TWO_UNITS, (2,), 1), (2,), split)) == [(2, [1]), (2, [2])]
    assert read_by_entries(TWO_UNITS, (2,), 1, 2, split) == TOMBSTONE
    assert read_by_entries(TWO_UNITS, (2,), 1, 2) == ASSIGNED
    assert read_by_entries(TWO_UNITS, (1, 2), 2, 2, split) == ASSIGNED


def test_reader_whose_first_read_alone_is_of_what_was_kept_misses_the_rest() -> None:
    once = Setting(rules=Rules(reads_kept_again=False))
    assert [read_by_entries(TWO_UNITS, (1, 2), 2, unit, once) for unit in (1, 2)] == [ASSIGNED, TOMBSTONE]


def test_second_phase_that_begins_behind_a_tombstone_loses_what_shares_its_entry() -> None:
    late = Setting(rules=Rules(tombstone_spares_batch=False))
    assert compact_entries(DELETED, (1, 3), 2, late).length == 1  # the first entry has no tombstone
    assert compact_entries(DELETED, (3,), 1, late).length == 0
    assert compact_entries(DELETED, (3,), 1).length == 1


def test_tombstone_that_has_an_entry_for_itself_is_kept_by_who_does_not_know_it() -> None:
    unaware = Setting(rules=Rules(tombstone_is_empty=False))
    for setting, kept in ((PULSAR, [2]), (unaware, [1, 2])):
        assert [one.unit for one in compact_entries(DELETED, (1, 2, 3), 3, setting)] == kept
    assert [one.unit for one in compact_entries(DELETED, (2, 3), 2, unaware)] == [2]


def test_reader_goes_on_behind_the_horizon() -> None:
    log: Log = Sequence((Message(1, ASSIGNED), Message(1, OWNED_1)))
    assert read_by_entries(log, (1, 2), 1, 1) == OWNED_1
