"""
An abstract specification of views: they are readers of one history.

There is one order of accepted entries. Each broker reads it from some place on, in order, without leaving any out and
without going back, until its process ends: a consistent prefix, with monotone reads (session guarantees of Terry and
others, one session per process). The time of its reads is left open.
"""

from typing import NamedTuple

from oneowner.model.channel.record import Record

__traced__ = False  # an abstract specification: it has states of its own


class Reader(NamedTuple):
    """A living broker: what its view shows, and the accepted entries that it has yet to read; per unit."""

    shows: tuple[Record, ...]
    unread: tuple[tuple[Record, ...], ...]


class Reads(NamedTuple):
    """One history, by its last entry per unit, and its readers; a dead broker reads nothing."""

    last: tuple[Record, ...]
    readers: tuple[Reader | None, ...]

    def __str__(self) -> str:
        words = [f"written last: {', '.join(map(str, self.last))}"]
        for broker, reader in enumerate(self.readers, 1):
            if reader is not None:
                unread = "; ".join(", ".join(map(str, entries)) or "nothing" for entries in reader.unread)
                words.append(f"broker {broker} shows {', '.join(map(str, reader.shows))} and has to read {unread}")
        return "; ".join(words)


WRITE, READ, START, STOP = "Write", "Read", "Start", "Stop"


def several_reads(before: Reads, after: Reads) -> tuple[str, ...] | None:
    """
    Return the steps of readers of one history that lead from *before* to *after*; none for a stutter, None if none do.

    Write adds an entry for all living readers to read; Read shows a reader the next one; Start is a new process that
    shows the last entries; Stop ends one. In this order, as often as need be.
    """
    written = [unit for unit, last in enumerate(before.last) if last != after.last[unit]]
    steps = [WRITE] * len(written)
    for old, new in zip(before.readers, after.readers, strict=True):
        if new is None:
            steps += [STOP] if old is not None else []
        elif old is None:
            if new != Reader(after.last, ((),) * len(after.last)):
                return None
            steps.append(START)
        else:
            for unit, last in enumerate(after.last):
                ahead = (*old.unread[unit], last) if unit in written else old.unread[unit]
                times = len(ahead) - len(new.unread[unit])
                if times < 0 or ahead[times:] != new.unread[unit]:
                    return None
                if new.shows[unit] != (ahead[times - 1] if times else old.shows[unit]):
                    return None
                steps += [READ] * times
    return tuple(steps)


def one_read(before: Reads, after: Reads) -> tuple[str, ...] | None:
    """Return the only step of readers of one history between the two, or None if there are more or none allowed."""
    steps = several_reads(before, after)
    return steps if steps is not None and len(steps) <= 1 else None
