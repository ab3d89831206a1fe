"""Inputs of ``TransferShedder``: one cycle of a few brokers, after as many with an imbalance as it takes."""

from dataclasses import dataclass
from typing import Final

from oneowner.model.balancer.shedding.transfer_cycle import Broker, Bundle, Cycle, Outcome, Reason, Rules, Settings
from oneowner.model.balancer.shedding.transfer_shedder import shed
from oneowner.model.java.arithmetic import added
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

LOADS: Final = (0.05, 0.36, 0.9)
THROUGHPUTS: Final = (1.0, 5.0)


@dataclass(frozen=True, slots=True)
class CycleSizes(Bounds):
    """The size of a cluster."""

    brokers: int = size(3, "how many brokers report at most", least=1)
    reporting: int = size(2, "how many of them, the first ones, report bundles")
    bundles: int = size(3, "how many bundles such a broker reports at most")


OTHERS: Final = (
    Settings(hits=1),
    Settings(hits=0, transfers=False),
    Settings(hits=0, excluded=frozenset({"t/n"})),
    Settings(hits=0, time_to_live=60),
)
"""Questions about two brokers alone; with the last one a report is just as old as it may be."""


def some_cycle(choose: Choose, sizes: CycleSizes) -> Cycle:
    """Return a cycle; of its brokers the last one may have gone."""
    which = choose(0, 1 + len(OTHERS))
    settings = (Settings(hits=0), Settings(debug=True, hits=0), *OTHERS)[which]
    age = settings.time_to_live if which == 1 + len(OTHERS) else 0.0
    count = choose(1, sizes.brokers if which < 2 else min(2, sizes.brokers))
    brokers, bundles = list[Broker](), list[tuple[str, tuple[Bundle, ...]]]()
    for number in range(1, count + 1):
        load = LOADS[choose(0, len(LOADS) - 1)]
        reported = some_bundles(choose, number, sizes.bundles) if number <= sizes.reporting else ()
        throughput = added(one.throughput for one in reported)
        brokers.append(Broker(f"b{number}", load, throughput, throughput, age if number == 1 else 0.0))
        bundles.append((f"b{number}", reported))
    gone = choose(0, 1) if count > 1 else 0
    available = tuple(one.name for one in brokers[: count - gone])
    return Cycle(
        tuple(brokers), available, tuple(bundles), settings, Rules(excludes_namespaces=bool(settings.excluded))
    )


def some_bundles(choose: Choose, broker: int, most: int) -> tuple[Bundle, ...]:
    """Return the bundles that a broker reports, the lightest first."""
    which, found = 0, list[Bundle]()
    for number in range(choose(0, most)):
        which = choose(which, len(THROUGHPUTS) - 1)
        found.append(Bundle(f"t/n/{broker}-{number}", THROUGHPUTS[which]))
    return tuple(found)


NOTHING: Final = Outcome((), Reason.HIT_COUNT, 0, 0.0, 0.0, 0.0)
"""The memory of a leader that has just begun."""


def decide(cycle: Cycle) -> Outcome:
    """Return what the first cycle of a leader decides."""
    return shed(cycle, NOTHING)
