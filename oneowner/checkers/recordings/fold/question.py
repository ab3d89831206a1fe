"""A question describes the audit of one run: the reading of its records, the limits, and the scope of the report."""

from dataclasses import dataclass
from typing import Any

from oneowner.checkers.recordings.fold.recorded_law import Excuse
from oneowner.checkers.recordings.fold.time_range import ALL, Scope
from oneowner.model.channel.rules import Storage


@dataclass(frozen=True, slots=True)
class Question:
    """The settings of the audit of one run."""

    storage: Storage
    is_history: bool
    """True if the events are writes that took effect (ZooKeeper), not messages that readers may refuse."""
    in_flight_limit: int  # milliseconds
    partial: bool
    one_phase: bool = False
    """True if a source closes its topics whole before it publishes (loadBalancerMultiPhaseBundleUnload is off)."""
    intervals: bool = False
    unit: str | None = None
    """Report intervals of this unit only."""
    at: int | None = None
    """Report every unit's owner at this time."""
    scope: Scope = ALL
    vocabulary: bool = False
    """Report the names of all units, brokers and producers."""
    left_out: Excuse[Any] | None = None
    """The excuse that laws do not apply; None: they apply all."""

    @property
    def follows_owners(self) -> bool:
        """Return whether more than findings is wanted."""
        return self.intervals or self.at is not None
