"""
Judge all readers of a growing log at once, by the laws of ``spec.channel.compaction``.

For each unit there is the reader of the whole log, and one reader for each way to come by its end: new or lagging, by
each horizon. A reader that once holds what the first one holds agrees with it for ever, so only the others are kept,
and only by what they hold. A record of another unit changes nobody's entry of this one, so a unit's own records
are all that its readers need. ``tests/compaction_logs/test_logs.py`` compares the answers
with the laws as they are written.
"""

from collections.abc import Hashable
from typing import NamedTuple

from oneowner.model.channel.compaction import KEEPS_LAST, PULSAR, STRICT_VERSIONS, Compactor, Setting
from oneowner.model.channel.record import INIT, MAX_VERSION, TOMBSTONE, Record, is_absent
from oneowner.model.channel.resolver import refusal

NOTHING = 0
"""The number of "no entry" and of a tombstone."""

HAS_TOMBSTONE, HAS_INIT, HAS_WRAP = 1, 2, 4
NOBODY_ELSE: frozenset[int] = frozenset()


class Numbered:
    """Records as small numbers, and the resolver as a table that is filled as it is asked."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self.records = [TOMBSTONE]
        self._numbers: dict[Hashable, int] = {TOMBSTONE: NOTHING}
        self.rows: list[dict[int, bool]] = [{}]

    def number(self, record: Record) -> int:
        found = self._numbers.get(record)
        if found is None:
            found = self._numbers[record] = len(self.records)
            self.records.append(record)
            self.rows.append({})
        return found

    def takes(self, held: int, proposed: int) -> bool:
        """Return whether a reader that holds *held* accepts *proposed*."""
        row = self.rows[held]
        answer = row.get(proposed)
        if answer is None:
            refused = refusal(self.records[held], self.records[proposed], rules=self._setting.rules)
            answer = row[proposed] = refused is None
        return answer


class Readers(NamedTuple):
    """The readers of one unit's log; those that agree with the reader of the whole log are left out."""

    log: tuple[int, ...] = ()
    current: tuple[int, ...] = (NOTHING,)
    """The entry of the reader of the whole log before each record, and in the end."""
    new: frozenset[int] = NOBODY_ELSE
    """The entries of other new readers, each by another horizon."""
    lagging: frozenset[int] = NOBODY_ELSE
    old: frozenset[int] = NOBODY_ELSE
    """The entries of new readers that see a newer ledger than horizon."""
    fired: bool = False
    """True if one of those accepted a record from before the horizon."""


class Reading:
    """The reading of logs in one setting; *old* also follows readers with an old horizon, which takes longest."""

    def __init__(self, setting: Setting = PULSAR, old: bool = True) -> None:
        self._numbered = Numbered(setting)
        self._keeps_last = setting.compactor == Compactor.LAST_VALUE
        self._old = old
        self.number = self._numbered.number

    def grown(self, before: Readers, record: int) -> Readers:
        """Return the readers of the log that has one more record."""
        held = before.current[-1]
        now = self._after(held, record)
        log = (*before.log, record)
        kept = record if self._keeps_last else now
        new, lagging, old = (
            {self._after(other, record) for other in others} if others else set()
            for others in (before.new, before.lagging, before.old)
        )
        first = self._after(NOTHING, kept) if kept else NOTHING
        new.add(first)
        lagging |= {self._after(other, kept) if kept else other for other in before.current[1:]}
        fired = before.fired
        if self._old:
            old, fired = self._with_old_horizons(log, first, old, fired)
        for others in (new, lagging, old):
            others.discard(now)
        return Readers(log, (*before.current, now), frozenset(new), frozenset(lagging), frozenset(old), fired)

    def _after(self, held: int, record: int) -> int:
        return record if self._numbered.takes(held, record) else held

    def _with_old_horizons(self, log: tuple[int, ...], first: int, old: set[int], fired: bool) -> tuple[set[int], bool]:
        """Add the readers that hold *first* by the kept records and go on anywhere in *log*."""
        takes = self._numbered.takes
        for resumes in range(len(log) - 1, -1, -1):
            if not takes(first, log[resumes]):
                continue  # it goes on as if it resumed one later
            held, quiet = first, True
            for record in log[resumes:]:
                if takes(held, record):
                    quiet = quiet and record == NOTHING
                    held = record
            old.add(held)
            fired = fired or not quiet
        if not takes(first, log[-1]):
            old.add(first)
        return old, fired


class Course(NamedTuple):
    """One unit's log, read in all dialects."""

    pulsar: Readers = Readers()
    keep_last: Readers = Readers()
    no_gaps: Readers = Readers()
    holds: int = 0
    """The content of the log: HAS_TOMBSTONE, HAS_INIT, HAS_WRAP."""


class Courses:
    """The growth of courses, and the laws that one breaks."""

    def __init__(self) -> None:
        self._pulsar = Reading()
        self._keep_last = Reading(KEEPS_LAST, old=False)
        self._no_gaps = Reading(STRICT_VERSIONS, old=False)

    def grown(self, before: Course, record: Record) -> Course:
        return Course(
            self._pulsar.grown(before.pulsar, self._pulsar.number(record)),
            self._keep_last.grown(before.keep_last, self._keep_last.number(record)),
            self._no_gaps.grown(before.no_gaps, self._no_gaps.number(record)),
            before.holds | content(record),
        )


def content(record: Record) -> int:
    """Return what a log holds once it holds *record*."""
    if is_absent(record):
        return HAS_TOMBSTONE
    return (HAS_INIT if record.state == INIT else 0) | (HAS_WRAP if record.version == MAX_VERSION else 0)


GROWS = HAS_TOMBSTONE | HAS_INIT | HAS_WRAP

FOLLOWED: dict[str, tuple[int, str, str]] = {
    "compaction-transparent": (HAS_INIT, "pulsar", "new"),
    "compaction-transparent-always": (0, "pulsar", "new"),
    "keep-last-transparent": (HAS_INIT, "keep_last", "new"),
    "old-horizon-current": (HAS_INIT | HAS_WRAP, "pulsar", "old"),
    "old-horizon-current-always": (0, "pulsar", "old"),
    "old-horizon-quiet": (GROWS, "pulsar", "fired"),
    "old-horizon-quiet-always": (0, "pulsar", "fired"),
    "lagging-reader-current": (GROWS, "pulsar", "lagging"),
    "lagging-reader-current-always": (0, "pulsar", "lagging"),
    "lagging-reader-without-gap-rule": (GROWS, "no_gaps", "lagging"),
}
"""By law: excluded content of the log, the readers that decide it, and excluded content of these."""
