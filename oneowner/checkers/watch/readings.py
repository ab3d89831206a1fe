"""The present reading of each cluster, written by its watch and read by displays."""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from oneowner.checkers.collect.admin import now
from oneowner.checkers.recordings.live.channel_watch import Counts


class Reading(NamedTuple):
    """The reading of one cluster."""

    is_up: bool = False
    """True if its channel is readable now."""
    is_at_end: bool = False
    lag: float = 0.0
    """Seconds since the publishing of the last record that was read, while there are more; else 0."""
    counts: Counts = Counts(0, {}, {}, 0, 0)
    explained: int = 0
    """Units whose records the model has all explained."""
    behind: int = 0
    """Units that moved and are not explained yet, or not as a whole."""
    doubts: tuple[str, ...] = ()
    """The reasons why laws of states have not judged all units as a whole."""


def reading_of(is_up: bool, is_at_end: bool, last: int | None, counts: Counts) -> Reading:
    """Return the reading of a cluster; *last* is the time at which the last record that was read was published."""
    lag = 0.0 if is_at_end or last is None else max(0, now() - last) / 1000
    return Reading(is_up, is_at_end, lag, counts)


@dataclass(slots=True)
class Readings:
    """The readings of all clusters, and the findings of each, for several threads."""

    of: dict[str, Reading] = field(default_factory=dict)
    told: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    """Findings by law and severity."""
    say: Callable[[str], None] = print
    """Prints that a cluster was lost, or can be read again."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def set(self, cluster: str, reading: Reading, told: Counter[tuple[str, str]]) -> None:
        """Replace the previous reading."""
        with self._lock:
            before = self.of.get(cluster)
            if before is not None and before.is_up != reading.is_up:
                state = "can be read again" if reading.is_up else "cannot be read any more; reading is tried again"
                self.say(f"{cluster}: its channel {state}")
            self.of[cluster], self.told[cluster] = reading, Counter(told)

    def lose(self, cluster: str) -> None:
        """Mark a cluster as unreadable, for a reason that its watch prints; its counts stay."""
        with self._lock:
            self.of[cluster] = self.of.get(cluster, Reading())._replace(is_up=False, is_at_end=False)
            self.told.setdefault(cluster, Counter())

    def now(self) -> list[tuple[str, Reading, Counter[tuple[str, str]]]]:
        """Return the readings, by cluster."""
        with self._lock:
            return [(cluster, reading, self.told[cluster]) for cluster, reading in sorted(self.of.items())]
