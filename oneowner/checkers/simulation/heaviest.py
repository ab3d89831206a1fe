"""
``Heaviest`` computes the bundles that a broker publishes as its heaviest, by numbers instead of names for speed.

It answers as ``top_bundles`` does of bundles that take bytes and messages in and nothing else; a test compares the two.
"""

from collections.abc import Sequence

from oneowner.checkers.simulation.traces import Loads
from oneowner.model.balancer.bundle_stats import RESOLUTIONS, BundleStats
from oneowner.model.balancer.top_bundles import Held, heaviest_first, is_left_out, is_namespace
from oneowner.model.java.arithmetic import rounded
from oneowner.model.java.tim_sort import Compare, NoOrder

BYTES, MESSAGES = RESOLUTIONS[0], RESOLUTIONS[2]


class Heaviest:
    """The bundle loads that brokers report, by settings and rules."""

    def __init__(self, names: Sequence[str], held: Held) -> None:
        self.held = held
        some = [BundleStats(name) for name in names]
        self.left_out = frozenset(number for number, one in enumerate(some) if is_left_out(one, held))
        self.losing = frozenset(
            number
            for number, one in enumerate(some)
            if not held.with_policies and not is_namespace(one.namespace, held.rules)
        )
        """A report of one of them is lost."""

    def of(self, bundles: Sequence[int], loads: Loads) -> list[int]:
        """Return the heaviest of a broker's bundles, the lightest of them first; none if its report is lost."""
        idle, rules = not self.held.rules.skips_idle, self.held.rules
        listed = [one for one in bundles if (idle or loads[one][0]) and one not in self.left_out]
        if not listed or not self.losing.isdisjoint(listed):
            return []
        most = min(self.held.most, len(listed))
        try:
            heaviest_first(listed, most, by_rounded(loads, listed) if rules.rounds else by_difference(loads))
        except NoOrder:
            return []
        return listed[: max(most, 0)][::-1]


def by_difference(loads: Loads) -> Compare:
    """Return ``compareTo`` until 4.0.7: values near each other are equal."""

    def compare(one: int, other: int) -> int:
        mine, theirs = loads[one], loads[other]
        more = mine[0] - theirs[0]
        if more > BYTES:
            return 1
        if more < -BYTES:
            return -1
        more = mine[1] - theirs[1]
        return (more > MESSAGES) - (more < -MESSAGES)

    return compare


def by_rounded(loads: Loads, listed: Sequence[int]) -> Compare:
    """Return ``compareTo`` since 4.0.7: rounded values are compared."""
    keys = {one: (rounded(loads[one][0] / BYTES), rounded(loads[one][1] / MESSAGES)) for one in listed}
    return lambda one, other: (keys[one] > keys[other]) - (keys[one] < keys[other])
