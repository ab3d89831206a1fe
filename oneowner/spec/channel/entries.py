"""
Laws of compaction judge logs in which several records share an entry (``model/channel/entries.py``).

Like those of ``compaction.py`` they are laws of logs; each asks for every way to cut the log into entries, and for
every entry as the last one that is compacted.
"""

from collections.abc import Iterator

from oneowner.model.channel.compaction import Log, Setting, fold, number_of
from oneowner.model.channel.entries import Ends, compact_entries, cuts, read_by_entries
from oneowner.model.channel.record import TOMBSTONE, is_absent
from oneowner.model.kernel.law import LawKind, Status
from oneowner.spec.channel.compaction import UNITS, current, has_no_init
from oneowner.spec.channel.log_law import LogLaw

__traced__ = False  # laws of whole logs, cut in every way


def compactions(log: Log) -> Iterator[tuple[Ends, int]]:
    """Yield every way to cut *log* into entries, with how many of them are compacted."""
    for ends in cuts(log.length):
        for count in range(1, len(ends) + 1):
            yield ends, count


def reader_by_entries_is_current(log: Log, setting: Setting) -> bool:
    return all(
        read_by_entries(log, ends, count, unit, setting) == current(log, unit, setting)
        for ends, count in compactions(log)
        for unit in range(1, UNITS + 1)
    )


ENTRIES_TRANSPARENT = LogLaw(
    "entries-transparent",
    "Whatever records share an entry: a new reader that is given what a compaction kept, an entry at a time, and then"
    " the log behind its horizon, holds what a reader of the whole log does, unless a literal Init record is in the"
    " log.",
    # models.S8 (E1), bugs.S6
    "CompactedTopicUtils.asyncReadCompactedEntries, RawBatchMessageContainerImpl; apache/pulsar#21091",
    when=has_no_init,
    holds=reader_by_entries_is_current,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)


def has_deleted(log: Log) -> bool:
    return any(is_absent(message.record) for message in log)


def nothing_is_kept_of_what_is_deleted(log: Log, setting: Setting) -> bool:
    return not any(
        number_of(compact_entries(log, ends, count, setting), unit) > 0
        for ends, count in compactions(log)
        for unit in range(1, UNITS + 1)
        if is_absent(fold(log, unit, TOMBSTONE, 1, ends[count - 1], setting))
    )


DELETED_IS_NOT_KEPT = LogLaw(
    "deleted-is-not-kept",
    "Whatever records share an entry: of a unit whose entry is deleted a compaction keeps nothing.",
    # models.L10, models.S9, bugs.S6
    "StrategicTwoPhaseCompactor.doCompactMessage; apache/pulsar#25817 (of AbstractTwoPhaseCompactor)",
    when=has_deleted,
    holds=nothing_is_kept_of_what_is_deleted,
    kind=LawKind.PROTOCOL,
)
