"""``TRANSFER_SHEDDER`` judges which bundles the extensible manager moves from which broker to which."""

import math

from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.transfer import SETTINGS, cycle_of
from oneowner.model.balancer.shedding.transfer_cycle import Cycle, Outcome, Reason, Rules, Settings
from oneowner.model.balancer.shedding.transfer_inputs import CycleSizes, decide, some_cycle
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.kernel.law import LawKind, Status

CLASS = "TransferShedder.findBundlesForUnloading"


def moves(cycle: Cycle, found: Outcome) -> bool:
    return bool(found.moves)


def transfers(cycle: Cycle, found: Outcome) -> bool:
    return bool(found.moves) and cycle.settings.transfers


def unloads(cycle: Cycle, found: Outcome) -> bool:
    return bool(found.moves) and not cycle.settings.transfers


def goes_elsewhere(cycle: Cycle, found: Outcome) -> bool:
    return all(move.source != move.destination for move in found.moves)


def goes_to_the_registered(cycle: Cycle, found: Outcome) -> bool:
    return all(move.destination in cycle.available for move in found.moves)


def goes_once(cycle: Cycle, found: Outcome) -> bool:
    return len({move.bundle for move in found.moves}) == len(found.moves)


def leaves_a_bundle(cycle: Cycle, found: Outcome) -> bool:
    return all(
        sum((move.source == broker) - (move.destination == broker) for move in found.moves) < len(bundles)
        for broker, bundles in cycle.bundles
        if bundles
    )


def loads(cycle: Cycle) -> dict[str, float]:
    return {broker.name: broker.load for broker in cycle.brokers}


def keeps_one_of_its_own(cycle: Cycle, found: Outcome) -> bool:
    load = loads(cycle)
    down = [move.source for move in found.moves if load.get(move.source, 0.0) > load.get(move.destination, 0.0)]
    return all(down.count(broker) < len(cycle.top(broker)) for broker in down)


def forgets_hits(cycle: Cycle, found: Outcome) -> bool:
    return found.hits == 0


def waits_for_hits(cycle: Cycle, found: Outcome) -> bool:
    return cycle.settings.hits > 0


def moves_nothing(cycle: Cycle, found: Outcome) -> bool:
    return not found.moves


def goes_from_the_higher_to_nobody(cycle: Cycle, found: Outcome) -> bool:
    load = loads(cycle)
    return all(not move.destination and load.get(move.source, 0.0) > min(load.values()) for move in found.moves)


def all_are_excluded(cycle: Cycle, found: Outcome) -> bool:
    bundles = [one.name for _, listed in cycle.bundles for one in listed]
    excluded = cycle.settings.excluded if cycle.rules.excludes_namespaces else frozenset()
    return bool(bundles) and all(name.rpartition("/")[0] in excluded for name in bundles)


def is_old_enough(cycle: Cycle, found: Outcome) -> bool:
    return 0 < max(broker.age for broker in cycle.brokers) <= cycle.settings.time_to_live


def decides_as_of_new_reports(cycle: Cycle, found: Outcome) -> bool:
    new = decide(cycle._replace(brokers=tuple(broker._replace(age=0.0) for broker in cycle.brokers)))
    return (new.moves, new.skipped, new.hits) == (found.moves, found.skipped, found.hits)


def moves_one_way(cycle: Cycle, found: Outcome) -> bool:
    sources = {move.source for move in found.moves}
    return bool(found.moves) and all(move.destination not in sources for move in found.moves)


def at_most_half_moves(cycle: Cycle, found: Outcome) -> bool:
    weight = {one.name: one.throughput for _, bundles in cycle.bundles for one in bundles}
    least = min(broker.load for broker in cycle.brokers)
    return all(
        broker.load > 0
        and sum(weight.get(move.bundle, math.inf) for move in found.moves if move.source == broker.name)
        <= broker.throughput * (broker.load - least) / 2 / broker.load
        for broker in cycle.brokers
        if any(move.source == broker.name for move in found.moves)
    )


def spread_is_no_larger(cycle: Cycle, found: Outcome) -> bool:
    return found.deviation_after <= found.deviation


def has_loads(cycle: Cycle, found: Outcome) -> bool:
    return found.skipped in {None, Reason.HIT_COUNT, Reason.NO_BUNDLES}


def deviation_is_a_number(cycle: Cycle, found: Outcome) -> bool:
    return not math.isnan(found.deviation)


def decides_the_same_in_debug_mode(cycle: Cycle, found: Outcome) -> bool:
    other = cycle.settings._replace(debug=not cycle.settings.debug)
    return decide(cycle._replace(settings=other)).moves == found.moves


def has_two(cycle: Cycle, found: Outcome) -> bool:
    return len(cycle.brokers) > 1


def decides_the_same_in_any_order(cycle: Cycle, found: Outcome) -> bool:
    return decide(cycle._replace(brokers=cycle.brokers[::-1])).moves == found.moves


def one_has_gone(cycle: Cycle, found: Outcome) -> bool:
    return len(cycle.available) < len(cycle.brokers)


def moves_what_it_would_without_the_gone(cycle: Cycle, found: Outcome) -> bool:
    there = tuple(broker for broker in cycle.brokers if broker.name in cycle.available)
    return bool(decide(cycle._replace(brokers=there)).moves) <= bool(found.moves)


def read_cycle(row: dict[str, object]) -> Cycle:
    """Return the input that a fact gives as ``conf`` and a cycle of a batch."""
    conf = row.get("conf") or {}
    assert isinstance(conf, dict)
    return cycle_of(row, configured(Settings(), conf, SETTINGS), Rules())


def told(found: Outcome) -> dict[str, object]:
    """Return what upstream's tests compare: the moves, or why there are none."""
    moves = [[one.bundle, one.source, one.destination, str(one.reason)] for one in found.moves]
    return {"moves": moves} if moves else {"skipped": str(found.skipped)}


TRANSFER_SHEDDER = Decision(
    "balancer/transfer-shedder",
    "Which bundles move from which broker to which (TransferShedder)",
    CycleSizes,
    some_cycle,
    decide,
    (
        InputLaw("bundle-goes-elsewhere", "No bundle moves to the broker that has it.", CLASS, moves, goes_elsewhere,
                 kind=LawKind.PROTOCOL),
        InputLaw("bundle-goes-to-the-registered", "A bundle moves to a broker that is registered.",
                 "TransferShedder.isTransferable", transfers, goes_to_the_registered, kind=LawKind.PURPOSE),
        InputLaw("bundle-moves-once", "No bundle moves twice in one cycle.", CLASS, moves, goes_once,
                 kind=LawKind.PROTOCOL),
        InputLaw("a-bundle-stays", "A broker that reports bundles is left with one, its own or one that it is given.",
                 CLASS, moves, leaves_a_bundle, kind=LawKind.PROTOCOL),
        InputLaw("half-the-difference-moves", "Where no bundles are swapped, at most half of the difference to the"
                 " lowest load moves away from a broker.", CLASS, moves_one_way, at_most_half_moves,
                 kind=LawKind.PROTOCOL),
        InputLaw("a-top-bundle-stays", "Of its own top bundles a broker keeps one, whatever it is given by a swap.",
                 CLASS, transfers, keeps_one_of_its_own, kind=LawKind.PROTOCOL),
        InputLaw("hits-come-first", "In the first cycle with an imbalance nothing moves, if it takes one before.",
                 CLASS, waits_for_hits, moves_nothing, kind=LawKind.PROTOCOL),
        InputLaw("moves-begin-the-count-anew", "After moves the next hit is the first.", CLASS, moves, forgets_hits,
                 kind=LawKind.PROTOCOL),
        InputLaw("unload-names-nobody", "Without transfers bundles are unloaded from brokers above the lowest, name no"
                 " destination, and are not swapped.", CLASS, unloads, goes_from_the_higher_to_nobody,
                 kind=LawKind.PROTOCOL),
        InputLaw("excluded-namespace-stays", "Nothing moves where all namespaces are excluded from shedding (PIP-380).",
                 CLASS, all_are_excluded, moves_nothing, kind=LawKind.PROTOCOL),
        InputLaw("report-counts-until-it-is-old", "A report that is just as old as it may be decides as a new one.",
                 "TransferShedder.findBundlesForUnloading", is_old_enough, decides_as_of_new_reports,
                 kind=LawKind.PROTOCOL),
        InputLaw("spread-is-no-larger", "As the shedder reckons it, the deviation of loads is no larger after the"
                 " moves. (It may be: two brokers of equal load swap bundles, since any bundle exceeds a target of 0,"
                 " and a swap is judged by throughput.)", CLASS, moves, spread_is_no_larger, Status.DOCUMENTED,
                 kind=LawKind.PURPOSE),
        InputLaw("deviation-is-a-number", "The deviation of loads is a number. (It is none where rounding makes the"
                 " difference of squares negative: then no comparison with it is true.)", CLASS, has_loads,
                 deviation_is_a_number, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("debug-mode-decides-nothing", "Debug mode changes no decision. (It does: what a swap gains is counted"
                 " where it is logged.)", CLASS, moves, decides_the_same_in_debug_mode, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
        InputLaw("order-decides-nothing", "The order in which the store lists brokers changes no decision. (It does"
                 " among equal loads.)", CLASS, has_two, decides_the_same_in_any_order, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
        InputLaw("gone-broker-stops-nothing", "Something moves that would move if a broker that has gone had no report."
                 " (Its report is sorted with the others, and while it is the lowest every move is one to it.)", CLASS,
                 one_has_gone, moves_what_it_would_without_the_gone, Status.DOCUMENTED, kind=LawKind.PURPOSE),
    ),
    read_cycle,
    told=told,
)  # fmt: skip
