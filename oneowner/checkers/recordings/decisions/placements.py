"""
Compute each logged placement again, by the loads that the broker printed.

Loads are printed in percent with two digits, so a load close to the limit leaves the placement undecided.
"""

from typing import Final, NamedTuple

from oneowner.checkers.recordings.read.logged_placements import LoggedPlacements, Placement
from oneowner.checkers.verdict import Verdict
from oneowner.model.balancer.placement.least_usage_extensible import Candidates, least_usage

ROUNDING: Final = 0.5e-4
"""The error of a printed load; a load of 1.0 is a resource that is used up."""
STALE: Final = 60_000
"""Milliseconds: reports are sent when a load has changed, and every 15 minutes."""
TOO_COARSE: Final = "a load that was printed is too coarse to tell"
NOT_ALL_PRINTED: Final = "a load by which it was computed is not in the log"
UNDECIDED: Final = frozenset({TOO_COARSE, NOT_ALL_PRINTED})
"""The reasons that leave a placement undecided."""


class Recomputed(NamedTuple):
    """A placement as the strategy computes it."""

    computed: tuple[str, ...]
    """The best candidates by the printed loads."""
    why: str
    """The difference of the broker's choice; empty if there is none."""

    @property
    def verdict(self) -> Verdict:
        """Valid if the broker chose as computed, unknown if the log is not precise enough."""
        return Verdict.VALID if not self.why else Verdict.UNKNOWN if self.why in UNDECIDED else Verdict.INVALID


def recompute(placement: Placement) -> Recomputed:
    """Return the best candidates by the printed loads, and the difference of the broker's choice."""
    loads = tuple((name, placement.loads.get(name)) for name in placement.candidates)
    computed = least_usage(Candidates(loads, placement.difference))
    return Recomputed(computed, "" if agrees(placement, computed) else difference_of(placement))


def agrees(placement: Placement, computed: tuple[str, ...]) -> bool:
    """Return whether the broker printed the same best candidates, drew one of them, and printed the right average."""
    return (
        has_mean(placement)
        and set(computed) == set(placement.best)
        and (not placement.chosen or placement.chosen in placement.best)
    )


def has_mean(placement: Placement) -> bool:
    """Return whether the printed average is that of the printed loads."""
    if not placement.loads or placement.average is None:
        return not placement.loads and placement.average is None
    return abs(placement.average - mean_of(placement)) <= ROUNDING


def mean_of(placement: Placement) -> float:
    """Return the average of the printed loads."""
    return sum(placement.loads.values()) / len(placement.loads)


def lacks_a_line(placement: Placement) -> bool:
    """Return whether the log lacks the average, or the load of a candidate that has load data."""
    printed = {*placement.loads, *placement.blind}
    return placement.average is None or not printed.issuperset(placement.candidates)


def difference_of(placement: Placement) -> str:
    """Return the difference of a broker's choice, as far as its log shows."""
    if placement.chosen and placement.chosen not in placement.best:
        return f"{placement.chosen} was taken, which may not be drawn"
    if lacks_a_line(placement):
        return NOT_ALL_PRINTED
    if not has_mean(placement):
        mean = f"{mean_of(placement):.4f}" if placement.loads else "none"
        return f"the average is {placement.average}, of the loads that were printed it is {mean}"
    limit = mean_of(placement) - placement.difference / 100
    if any(abs(load - limit) <= 2 * ROUNDING for load in placement.loads.values()):
        return TOO_COARSE
    return "loads changed after the average was computed, or others may be drawn than by the loads"


def summary(path: str, logged: LoggedPlacements) -> list[str]:
    """Return lines on the placements of a log: how many are as computed, and each that is not."""
    found = logged.placements
    each = [(placement, recompute(placement)) for placement in found]
    others = [(placement, judgement) for placement, judgement in each if judgement.why]
    blind = sum(len(placement.loads) < len(placement.candidates) for placement in found)
    stale = sum(placement.oldest > STALE for placement in found)
    return [
        f"{path}: {len(found)} placements, {len(found) - len(others)} as computed;"
        f" {blind} with a candidate without load data, {stale} by a report older than a minute",
        *(
            f"{path}:{placement.number}: {placement.bundle or 'a bundle'}: {judgement.why};"
            f" drawn of {', '.join(placement.best)}; computed: {', '.join(judgement.computed)}"
            for placement, judgement in others
        ),
        *(f"{path}:{line.number}: {line.why}; what it says of placements is not known" for line in logged.broken),
    ]
