"""The parts that lines for the modular load manager share: brokers, bundles, recent unloads."""

from oneowner.model.balancer.batch.extensible import usages_of
from oneowner.model.balancer.local_broker_data import BrokerData, BundleData, LoadData, LoadRules, Traffic
from oneowner.model.kernel.batch import Row


def load_data(told: Row, rules: LoadRules) -> LoadData:
    """Return what a cycle of a line tells of brokers and bundles."""
    return LoadData(
        tuple(broker_data(one) for one in told["brokers"]),
        tuple(bundle_data(one) for one in told.get("bundles") or ()),
        frozenset(told.get("recent") or ()),
        rules,
    )


def broker_data(told: Row) -> BrokerData:
    """Return a broker as a line gives it."""
    return BrokerData(
        told["id"],
        **usages_of(told),
        traffic=traffic(told),
        bundles=tuple(told.get("bundles") or ()),
        time_average=traffic(told.get("timeAverage") or {}),
        preallocated=tuple(bundle_data(one) for one in told.get("preallocated") or ()),
    )


def bundle_data(told: Row) -> BundleData:
    """Return a bundle as a line gives it."""
    return BundleData(told["name"], traffic(told.get("shortTerm") or {}), traffic(told.get("longTerm") or {}))


def traffic(told: Row) -> Traffic:
    """Return bytes and messages a second as a line gives them; a number that is left out is 0."""
    keys = ("msgThroughputIn", "msgThroughputOut", "msgRateIn", "msgRateOut")
    return Traffic(*(float(told.get(key, told.get(f"longTerm{key[0].upper()}{key[1:]}", 0))) for key in keys))
