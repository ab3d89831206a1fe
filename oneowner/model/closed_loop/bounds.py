"""``Bounds`` say how many brokers and bundles there are, how much bundles take, who sheds, and what is waited for."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from oneowner.model.closed_loop.rules import Rules
from oneowner.model.kernel.action import Sort
from oneowner.model.kernel.bounds import Bounds as KernelBounds
from oneowner.model.kernel.bounds import budget, choice, limit, size, word


class Shedder(StrEnum):
    """``loadBalancerLoadSheddingStrategy``; TRANSFER is that of the extensible manager, all others of the modular."""

    OVERLOAD = "overload"
    THRESHOLD = "threshold"
    UNIFORM = "uniform"
    AVG = "avg"
    TRANSFER = "transfer"


@dataclass(frozen=True, slots=True)
class Bounds(KernelBounds):
    """The size of a closed loop."""

    declared_in: ClassVar[str] = "oneowner.spec.closed_loop.system"

    shedder: Shedder = word(Shedder.OVERLOAD, "Who decides what is unloaded")
    brokers: int = size(2, "brokers", least=2)
    bundles: int = size(3, "bundles of one namespace, of constant load", least=1)
    heavies: int = size(1, "bundles that are heavy at most, the first ones")
    fewest: int = size(0, "bundles that are heavy at least")
    heavy: int = size(60, "what a heavy bundle takes of a broker, per cent")
    light: int = size(10, "what any other bundle takes of a broker, per cent")
    grace: int = size(1, "cycles in which a bundle that was unloaded stays (..SheddingGracePeriodMinutes)", least=1)
    hits: int = size(1, "cycles in a row that avg and transfer wait for before they move")
    delay: int = size(1, "cycles that transfer waits for after it has moved (loadBalanceSheddingDelayInSeconds)")
    lag: int = limit(0, "cycles in a row in which the leader decides by reports that are not those of now")
    window: int = size(0, "cycles within which a bundle should not come back to the broker that it has left")
    horizon: int = size(0, "cycles after which nothing should move any more")
    races: int = budget("a bundle that was unloaded is looked up twice, and the second lookup is served first")
    dealt: int = choice("bundles are dealt out in turn at the start; else each may be anywhere")
    uneven: int = choice("loadBalancerDistributeBundlesEvenlyEnabled is false: bundles are not counted")
    lower_boundary: int = choice("lowerBoundarySheddingEnabled: threshold sheds where some broker is idle, too")
    rules: Rules = Rules()

    def __post_init__(self) -> None:
        """Raise ValueError for bounds that say nothing, or are not modelled together."""
        self.check_ranges()
        if self.heavies > self.bundles:
            raise ValueError(f"heavies refused: {self.heavies}; there are {self.bundles} bundles")
        if self.fewest > self.heavies:
            raise ValueError(f"fewest refused: {self.fewest}; {self.heavies} are heavy at most")
        if self.lag and self.shedder in (Shedder.AVG, Shedder.TRANSFER):
            raise ValueError(f"lag refused: {self.lag}; {self.shedder} is modelled with the reports of now")
        if self.races and self.shedder == Shedder.TRANSFER:
            raise ValueError(f"races refused: {self.races}; a destination of transfer is in the channel")
        if self.lower_boundary and self.shedder != Shedder.THRESHOLD:
            raise ValueError(f"lower_boundary refused: {self.shedder} has no such setting")


BROKER = Sort("broker", lambda bounds: bounds.brokers)
BUNDLE = Sort("bundle", lambda bounds: bounds.bundles)


def dealt_to(bounds: Bounds, bundle: int) -> int:
    """Return to which broker a bundle comes that is dealt out in turn."""
    return 1 + (bundle - 1) % bounds.brokers
