"""A law of a shedder and the placement beside it, and what surprises of placement without being a contradiction."""

from collections.abc import Iterator
from typing import Final

from oneowner.model.balancer.batch.modular import load_data
from oneowner.model.balancer.batch.shedders import SHEDDERS
from oneowner.model.balancer.placement.least_long_term import Candidates, least_long_term
from oneowner.spec.settings.clusters import MB, MODULAR, judged_by, of_release
from oneowner.spec.settings.conf import Broken, Conf, is_of, manager, placement, setting_law, shedder, sheds
from oneowner.spec.settings.shedding import is_asked

__traced__ = False  # settings, concrete

SHEDDER, PLACEMENT = "loadBalancerLoadSheddingStrategy", "loadBalancerLoadPlacementStrategy"
EVENLY: Final = "loadBalancerDistributeBundlesEvenlyEnabled"
RATE: Final = "loadBalancerMsgRateDifferenceShedderThreshold"
FACTOR: Final = "loadBalancerMsgThroughputMultiplierDifferenceShedderThreshold"


def by_throughput(conf: Conf) -> bool:
    """Return whether UniformLoadShedder sheds by bytes where LeastLongTermMessageRate places by messages."""
    of_messages = placement(conf) == "impl.LeastLongTermMessageRate"
    return is_asked(conf) and shedder(conf) == "impl.UniformLoadShedder" and of_messages


@setting_law("UniformLoadShedder; LeastLongTermMessageRate", by_throughput)
def shedder_and_placement_measure_alike(conf: Conf) -> Iterator[Broken]:
    """A bundle that UniformLoadShedder unloads is not given back to the broker that it leaves."""
    rules = of_release(SHEDDERS["uniform"].rules, conf)
    names = ("t/n/0", "t/n/1")
    bytes_of, messages_of = {"a": 16.0 * MB, "b": 1.0 * MB}, {"a": 200.0, "b": 4000.0}
    brokers = [
        {"id": name, "msgThroughputIn": bytes_of[name], "msgRateIn": messages_of[name],
         "bundles": [f"{one}-{name}" for one in names], "timeAverage": {"msgRateIn": messages_of[name]}}
        for name in bytes_of
    ]  # fmt: skip
    bundles = [
        {
            "name": f"{one}-{name}",
            "shortTerm": {"msgThroughputIn": bytes_of[name] / 2, "msgRateIn": messages_of[name] / 2},
        }
        for name in bytes_of
        for one in names
    ]
    # As much as bundles of this size allow is taken, so that no other limit decides.
    told = {"brokers": brokers, "bundles": bundles}
    found = SHEDDERS["uniform"].cycle(told, {**conf.changed(), "maxUnloadPercentage": "1"}, rules, None)
    keys = (SHEDDER, *(key for key in (FACTOR, RATE) if key in conf.changed()))
    alike = "org.apache.pulsar.broker.loadbalance.impl.AvgShedder"
    repair = (
        {SHEDDER: alike, PLACEMENT: alike} if is_of(conf, "impl.AvgShedder", "placement") else conf.defaults([SHEDDER])
    )
    sizes = "broker a with 16 MB/s in 200 messages/s, beside b with 1 MB/s in 4000 messages/s"
    given = least_long_term(Candidates(load_data(told, rules.load).brokers, tuple(bytes_of), rules=rules.load))
    if any(broker == "a" for broker, _ in found.unload) and given == ("a",):
        follows = (
            "bytes decide what is unloaded, and messages where it goes (LeastLongTermMessageRate): it may come back to"
            " the broker that it leaves (#21174)"
        )
        witness = f"{sizes}: {dict(found.unload)['a'][0]} is unloaded from a, and given back to a"
        yield Broken(keys, follows, witness, repair)
    elif rules.joint and not found.unload:
        follows = "the most and the least loaded broker may be one and the same, and nothing is unloaded (#21016)"
        yield Broken(keys, follows, f"{sizes}: {found.reasons[-1]}", repair)


def remarks(conf: Conf) -> Iterator[str]:
    """Yield what is by design, and surprises: it breaks no law."""
    name = shedder(conf)
    by = judged_by(SHEDDERS[MODULAR[name]].rules, conf) if name in MODULAR else ""
    if by and by != conf.facts.release:
        yield f"{name.rpartition('.')[2]} of {conf.facts.release} is judged by that of {by}"
    is_even = not conf.has(EVENLY) or conf.flag(EVENLY)
    if sheds(conf) and manager(conf) == "modular" and SHEDDER in conf.told and is_even:
        remedy = f"{EVENLY}=false ends it" if conf.has(EVENLY) else "no setting of this release ends it"
        yield (
            "ModularLoadManagerImpl gives a bundle only to brokers with the fewest bundles of its namespace, however"
            f" loaded they are, so that unloads may not even out load (#16059); {remedy}. oneowner simulate shows it"
        )


LAWS: Final = (shedder_and_placement_measure_alike,)
