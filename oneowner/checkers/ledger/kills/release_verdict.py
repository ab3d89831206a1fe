"""The verdict on the law of a bug in one release, and the one that the catalogue pins."""

from collections.abc import Sequence
from dataclasses import dataclass

from oneowner.checkers.catalogue.affected import affected_releases, idle_releases, with_switches
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.verdict import Verdict


@dataclass(frozen=True, slots=True)
class ReleaseVerdict:
    """The verdict on the law of one fault under the rules of one release."""

    release: str
    verdict: Verdict
    steps: int
    """The length of the shortest counterexample; 0 if there is none."""
    why: str = ""
    """The reason that the verdict is unknown."""


NO_OCCASION = "no state gives the law an occasion"
"""The reason for a release that has other bugs, which is pinned; any other reason is not."""


def pinned_verdicts(fault: Fault, asked: Sequence[str] = ()) -> list[ReleaseVerdict]:
    """
    Return the pinned verdict of every release with the switches of *fault*, or of those *asked* for, in order.

    The steps are those of the saved counterexample, which is of one release: another may need more or fewer.
    """
    affected, idle = set(affected_releases(fault)), set(idle_releases(fault))
    return [
        ReleaseVerdict(release, Verdict.INVALID, fault.steps)
        if release in affected
        else ReleaseVerdict(release, Verdict.UNKNOWN, 0, NO_OCCASION)
        if release in idle
        else ReleaseVerdict(release, Verdict.VALID, 0)
        for release in with_switches(fault)
        if not asked or release in asked
    ]
