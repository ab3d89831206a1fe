"""``shedding_laws`` lists the laws that every modular shedder must keep."""

from collections.abc import Mapping
from typing import Any

from oneowner.model.balancer.batch.modular import load_data
from oneowner.model.balancer.local_broker_data import LoadData, LoadRules
from oneowner.model.balancer.shedding.load_shedding import Outcome
from oneowner.model.balancer.shedding.modular_inputs import Decide, Given, settled
from oneowner.model.kernel.decision import InputLaw, always
from oneowner.model.kernel.law import LawKind, Status


def unloads(given: Given, found: Outcome) -> bool:
    return bool(found.unload)


def unloads_steadily(given: Given, found: Outcome) -> bool:
    return bool(found.unload) and not given.bursts


def unloads_its_own(given: Given, found: Outcome) -> bool:
    owned = {broker.name: broker.bundles for broker in given.loads.brokers}
    return all(bundle in owned.get(broker, ()) for bundle, broker in found.moves)


def unloads_each_once(given: Given, found: Outcome) -> bool:
    bundles = [bundle for bundle, _ in found.moves]
    return len(set(bundles)) == len(bundles)


def has_recent(given: Given, found: Outcome) -> bool:
    return bool(given.loads.recent)


def keeps_the_recent(given: Given, found: Outcome) -> bool:
    return not given.loads.recent & {bundle for bundle, _ in found.moves}


def leaves_a_bundle(given: Given, found: Outcome) -> bool:
    owned = {broker.name: broker.bundles for broker in given.loads.brokers}
    return all(set(owned.get(broker, ())) - set(bundles) for broker, bundles in found.unload)


def spread(loads: LoadData) -> float:
    """Return by how much the busiest broker has more bytes a second than the idlest."""
    throughputs = [broker.traffic.throughput for broker in loads.brokers]
    return max(throughputs) - min(throughputs)


def spread_is_no_larger(given: Given, found: Outcome) -> bool:
    return spread(settled(given.loads, found)) <= spread(given.loads)


def shedding_laws(original: str, decide: Decide, broken: Mapping[str, str]) -> tuple[InputLaw, ...]:
    """
    Return the laws of a shedder. *broken* maps the name of each law that it breaks to the reason; the others hold.
    """

    def stays_there(given: Given, found: Outcome) -> bool:
        after = decide(given._replace(loads=settled(given.loads, found), memory=found.memory))
        came = {bundle for bundle, _ in found.moves}
        return not came & {bundle for bundle, _ in after.moves}

    def decides_the_same_in_any_order(given: Given, found: Outcome) -> bool:
        turned = given.loads._replace(brokers=given.loads.brokers[::-1])
        return set(decide(given._replace(loads=turned)).moves) == set(found.moves)

    laws = (
        (
            LawKind.PROTOCOL,
            "bundle-is-of-its-broker",
            "A broker unloads bundles that it owns.",
            unloads,
            unloads_its_own,
        ),
        (
            LawKind.PROTOCOL,
            "bundle-is-unloaded-once",
            "No bundle is unloaded twice in one cycle.",
            unloads,
            unloads_each_once,
        ),
        (
            LawKind.PROTOCOL,
            "recent-bundle-stays",
            "No bundle is unloaded that was unloaded lately.",
            has_recent,
            keeps_the_recent,
        ),
        (LawKind.PROTOCOL, "a-bundle-stays", "A broker that has bundles keeps one.", unloads, leaves_a_bundle),
        (
            LawKind.PURPOSE,
            "spread-is-no-larger",
            "If each bundle goes to the least loaded of the others, the busiest broker has not more above the idlest"
            " than before.",
            unloads_steadily,
            spread_is_no_larger,
        ),
        (
            LawKind.PURPOSE,
            "bundle-stays-where-it-goes",
            "If each bundle goes to the least loaded of the others, the next cycle does not unload it again.",
            unloads_steadily,
            stays_there,
        ),
        (
            LawKind.PROTOCOL,
            "order-decides-nothing",
            "The order in which brokers are listed changes no decision.",
            always,
            decides_the_same_in_any_order,
        ),
    )
    return tuple(
        InputLaw(
            name,
            f"{text} ({broken[name]})" if name in broken else text,
            original,
            when,
            holds,
            Status.DOCUMENTED if name in broken else Status.HOLDS,
            kind=kind,
        )
        for kind, name, text, when, holds in laws
    )


def loads_told(row: Mapping[str, Any]) -> LoadData:
    """Return the loads that a fact gives as a cycle of a batch."""
    return load_data(row, LoadRules())


def told(found: Outcome) -> dict[str, Any]:
    """Return what upstream's tests compare: which broker unloads what."""
    return {broker: list(bundles) for broker, bundles in found.unload}
