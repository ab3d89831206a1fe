"""``OVERLOAD_SHEDDER`` judges the bundles unloaded by brokers that have nearly used up a resource."""

from typing import Any

from oneowner.model.balancer.batch.extensible import weights
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.shedders import OVERLOAD
from oneowner.model.balancer.local_broker_data import BrokerData, LoadRules, overload
from oneowner.model.balancer.shedding.load_shedding import Outcome
from oneowner.model.balancer.shedding.modular_inputs import (
    Given,
    ModularSizes,
    decide_overload,
    of_throughput,
    some_cycle,
)
from oneowner.model.balancer.shedding.overload_shedder import Settings
from oneowner.model.kernel.decision import Choose, Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind, Status
from oneowner.spec.balancer.shedding.shedding_laws import loads_told, shedding_laws, told, unloads
from oneowner.spec.balancer.shedding.taken import until_enough

CLASS = "OverloadShedder.findBundlesForUnloading"


def draw(choose: Choose, sizes: ModularSizes) -> Given:
    return some_cycle(choose, sizes, of_throughput(5, 80, 90), (Settings(), ()))  # 5 and 80 meet the limit


def is_overloaded(broker: BrokerData, given: Given) -> bool:
    settings: Settings = given.settings
    return overload(broker, settings.weights, given.loads.rules) >= settings.overloaded / 100


def overloaded(given: Given) -> list[BrokerData]:
    """Return the overloaded brokers that have two bundles, and one that may go."""
    return [
        broker
        for broker in given.loads.brokers
        if is_overloaded(broker, given) and len(broker.bundles) > 1 and set(broker.bundles) - given.loads.recent
    ]


def some_are_overloaded(given: Given, found: Outcome) -> bool:
    return bool(overloaded(given))


def all_shed(given: Given, found: Outcome) -> bool:
    return {broker.name for broker in overloaded(given)} <= set(dict(found.unload))


def just_enough_goes(given: Given, found: Outcome) -> bool:
    settings: Settings = given.settings
    above = {broker.name: overload(broker, settings.weights, given.loads.rules) for broker in given.loads.brokers}
    return dict(found.unload) == {
        broker.name: until_enough(
            given, broker, broker.traffic.throughput * (above[broker.name] - settings.overloaded / 100 + 0.05)
        )
        for broker in overloaded(given)
    }


def somebody_can_take_it(given: Given, found: Outcome) -> bool:
    return not all(is_overloaded(broker, given) for broker in given.loads.brokers)


def read(row: dict[str, Any]) -> Given:
    """Return the input that a fact gives as ``conf`` and a cycle of a batch."""
    conf = row.get("conf") or {}
    return Given(loads_told(row), configured(Settings(weights=weights(conf, LoadRules())), conf, OVERLOAD))


BROKEN = {
    "a-bundle-stays": "It may have none: what should go may be more than all but one have, and more than all in a"
    " burst, since it is reckoned of present traffic, and what bundles have is an average.",
    "spread-is-no-larger": "It may: the heaviest bundle goes first, however little should go.",
    "bundle-stays-where-it-goes": "It comes back: a broker that is overloaded by the bundle unloads it first, and"
    " #12604 was closed without a mend.",
}

OVERLOAD_SHEDDER = Decision(
    "balancer/overload-shedder",
    "Which bundles an overloaded broker unloads (OverloadShedder)",
    ModularSizes,
    draw,
    decide_overload,
    (
        *shedding_laws(CLASS, decide_overload, BROKEN),
        InputLaw("overloaded-broker-sheds", "An overloaded broker that has two bundles unloads one that was not"
                 " unloaded lately.", CLASS, some_are_overloaded, all_shed, kind=LawKind.PURPOSE),
        InputLaw("just-enough-goes", "Of an overloaded broker that has two bundles the heaviest go, one at least, until"
                 " they have the share of its traffic by which it is above the limit less 5 %; of others none.", CLASS,
                 always, just_enough_goes, kind=LawKind.MIRROR),
        InputLaw("somebody-can-take-it", "Bundles are unloaded only while some broker is not overloaded. (They are"
                 " unloaded also if all are: then they go from one overloaded broker to another.)", CLASS, unloads,
                 somebody_can_take_it, Status.DOCUMENTED, kind=LawKind.PURPOSE),
    ),
    read,
    told=told,
)  # fmt: skip
