"""Inputs of ``top_bundles``: a few bundles whose traffic is near enough that comparing them is no order."""

from dataclasses import dataclass
from typing import Final

from oneowner.model.balancer.bundle_stats import BundleStats
from oneowner.model.balancer.top_bundles import Held, Rules
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

THROUGHPUTS: Final = (0.0, 60_000.0, 120_000.0, 180_000.0)
"""Of these each is near the next, but not the second next."""
BOUND: Final = "t/bound"


@dataclass(frozen=True, slots=True)
class ReportSizes(Bounds):
    """The size of a broker."""

    bundles: int = size(4, "how many bundles it has at most, and reports at most")


def some_bundles(choose: Choose, sizes: ReportSizes) -> Held:
    """Return bundles, by 4.0.6 or 4.0.8; the last one may be of a namespace with a policy."""
    rules = Rules(rounds=choose(0, 1) == 1)
    most, count = choose(0, sizes.bundles), choose(0, sizes.bundles)
    bundles = []
    for number in range(count):
        namespace = BOUND if number == count - 1 and choose(0, 1) else "t/n"
        throughput = THROUGHPUTS[choose(0, len(THROUGHPUTS) - 1)]
        bundles.append(BundleStats(f"{namespace}/{number}", throughput_in=throughput))
    bound = {one.namespace for one in bundles} & {BOUND}
    return Held(tuple(bundles), most, bound=frozenset(bound), rules=rules)
