"""``AvgShedder`` as a placement strategy: a bundle goes where it was planned to go, or anywhere."""

from typing import NamedTuple

from oneowner.model.balancer.local_broker_data import BundleData
from oneowner.model.balancer.shedding.avg_shedder import Rules, planned
from oneowner.model.kernel.decision import Thrown


class Candidates(NamedTuple):
    """The brokers that could be given a bundle, and the plan of the shedder; loads are not looked at."""

    candidates: tuple[str, ...]
    bundle: BundleData
    plan: tuple[tuple[BundleData, str], ...] = ()
    """Bundles, each with the broker that should have it; a later entry replaces one of the same bundle."""
    rules: Rules = Rules()


def avg_placement(given: Candidates) -> tuple[str, ...] | Thrown:
    """Return the candidates of which one is drawn at random, and planned for the bundle: the planned one, or all."""
    plan = {planned(bundle, given.rules): broker for bundle, broker in given.plan}
    chosen = plan.get(planned(given.bundle, given.rules))
    if chosen in given.candidates:
        return (chosen,)
    return given.candidates or Thrown("ArithmeticException", "a hash is divided by the number of candidates")
