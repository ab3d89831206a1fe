"""``Bounds`` hold the number of brokers, the budgets of failures, and the rules of a release."""

from dataclasses import dataclass
from typing import ClassVar

from oneowner.model.kernel.action import Sort
from oneowner.model.kernel.bounds import Bounds as KernelBounds
from oneowner.model.kernel.bounds import budget, size
from oneowner.model.load_data.rules import Rules


@dataclass(frozen=True, slots=True)
class Bounds(KernelBounds):
    """The size of a model of load data."""

    declared_in: ClassVar[str] = "oneowner.spec.load_data.system"

    brokers: int = size(2, "brokers, of which the first leads at the start", least=1)
    crashes: int = budget("a broker crashes")
    shutdowns: int = budget("a broker shuts down in good order")
    losses: int = budget("a broker is not given the tombstone that a clean-up published: the topic is non-persistent")
    rules: Rules = Rules()


BROKER = Sort("broker", lambda bounds: bounds.brokers)
