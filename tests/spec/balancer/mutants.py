"""Of each law of a decision, a decide function of which it must fail."""

from collections.abc import Callable
from typing import Any

from oneowner.model.balancer.shedding.transfer_cycle import Cycle, Move, Outcome, Reason
from oneowner.model.balancer.splitting.ring_inputs import Lookup, Split
from oneowner.model.balancer.splitting.split_algorithms import flow_or_qps_equally_divide
from oneowner.model.balancer.splitting.split_inputs import SplitOption
from oneowner.model.balancer.splitting.trigger_inputs import Due
from oneowner.model.balancer.splitting.triggers import Cluster, Decided
from oneowner.model.balancer.splitting.triggers import Split as Part
from oneowner.model.balancer.top_bundles import Held
from oneowner.model.kernel.decision import Thrown
from oneowner.model.pulsar.bundles import RING_END, Range
from oneowner.spec.systems import decisions
from tests.spec.balancer.shedding_mutants import SHEDDING_MUTANTS

DECISIONS = decisions()
Decide = Callable[[Any], Any]


def original(name: str) -> Decide:
    return DECISIONS[f"balancer/{name}"].decide


def instead(name: str, change: Callable[[Any, Any], Any]) -> Decide:
    """A decide function that changes the answer of the original."""
    return lambda given: change(given, original(name)(given))


def cut_at(boundary: Callable[[SplitOption], int]) -> Decide:
    return lambda option: (boundary(option),)


def halved_always(option: SplitOption) -> tuple[int, ...]:
    """Release 2.9.2 halves the range if no boundary is proposed."""
    return original("range-equally-divide")(option)


def at_every_topic(option: SplitOption) -> tuple[int, ...]:
    return flow_or_qps_equally_divide(option.topics, option.limits._replace(rate=0, throughput=0))


def last_boundary_is_missing(option: SplitOption, answer: tuple[int, ...]) -> tuple[int, ...]:
    return answer[:-1]


def without_the_last_hash(option: SplitOption, answer: Any) -> Any:
    """The boundary is put behind the upper topic, where it may be the upper end."""
    return tuple(boundary + 1 for boundary in answer)


def without_old(asked: Split, answer: Any) -> Any:
    return answer if not isinstance(answer, tuple) else (0, *asked.boundaries, RING_END)


def without_the_first(asked: Split, answer: Any) -> Any:
    return answer[1:] if isinstance(answer, tuple) else answer


def of_anything(asked: Split) -> tuple[int, ...]:
    return tuple(sorted({*asked.namespace, *asked.boundaries}))


def at_the_first_topic(option: SplitOption) -> int:
    return option.topics[0].hash if option.topics else 0


def found_last(asked: Lookup, answer: int) -> int:
    return len(asked.namespace) - 2


def moved(**changed: Any) -> Decide:
    """A shedder each of whose moves is another, and that adds one to broker 1 if it moves none."""
    return instead("transfer-shedder", lambda cycle, found: found._replace(moves=tuple(
        move._replace(**changed) for move in found.moves
    )))  # fmt: skip


def moves_all(cycle: Cycle, found: Outcome) -> Outcome:
    bundles = [(one.name, broker) for broker, listed in cycle.bundles for one in listed]
    away = tuple(Move(bundle, broker, "b9", Reason.OVERLOADED) for bundle, broker in bundles)
    return found._replace(moves=away if found.moves else ())


def all_go_down(cycle: Cycle, found: Outcome) -> Outcome:
    """Every bundle of the last broker goes to the first."""
    last, bundles = cycle.bundles[-1]
    return found._replace(moves=tuple(Move(one.name, last, "b1", Reason.OVERLOADED) for one in bundles))


def first_listed(held: Held) -> tuple[str, ...]:
    return tuple(bundle.name for bundle in held.bundles if bundle.throughput)[: held.most]


def splits_all(due: Due) -> Decided:
    """Every bundle is split at once, in the same two parts."""
    both = Range(0, 1), Range(1, 8)
    return Decided(tuple(Part(bundle.name, "Topics", both) for bundle in due.cycle.bundles))


def every_bundle(cluster: Cluster) -> tuple[tuple[str, str | None], ...]:
    return tuple((bundle.name, "b1") for _, bundles in cluster.brokers for bundle in bundles)


MUTANTS: dict[tuple[str, str], Decide] = {
    ("initial-boundaries", "initial-boundaries-cut-the-ring"): lambda count: (0, *(count * [1]), RING_END),
    ("initial-boundaries", "last-initial-bundle-takes-the-rest"): lambda count: tuple(
        RING_END * number // count for number in range(count + 1)
    ),
    ("find-bundle", "found-bundle-includes-the-hash"): instead(
        "find-bundle", found_last
    ),
    ("find-bundle", "last-hash-is-not-found"): instead("find-bundle", found_last),
    ("find-bundle", "found-bundle-includes-the-hash-always"): original("find-bundle"),
    ("range-equally-divide", "range-is-halved"): cut_at(lambda option: option.bundle.low + 1),
    ("range-equally-divide", "wide-bundle-is-split"): cut_at(lambda option: option.bundle.low),
    ("topic-count-equally-divide", "topics-are-halved"): cut_at(at_the_first_topic),
    ("topic-count-equally-divide", "topic-count-is-refused-at-the-low-end-alone"): instead(
        "topic-count-equally-divide", without_the_last_hash
    ),
    ("topic-count-equally-divide", "bundle-without-two-topics-stays"): halved_always,
    ("topic-count-equally-divide", "both-parts-have-topics-always"): original("topic-count-equally-divide"),
    ("specified-positions-divide", "inner-positions-are-kept"): lambda option: tuple(sorted(set(option.positions))),
    ("specified-positions-divide", "different-positions-are-accepted"): lambda option: option.positions,
    ("specified-positions-divide", "no-position-is-refused"): lambda option: (),
    ("specified-positions-divide", "positions-without-two-topics-are-ignored"): lambda option: option.positions,
    ("flow-or-qps-equally-divide", "parts-fit"): instead("flow-or-qps-equally-divide", last_boundary_is_missing),
    ("flow-or-qps-equally-divide", "parts-are-full"): at_every_topic,
    ("flow-or-qps-equally-divide", "light-bundle-stays"): at_every_topic,
    ("flow-or-qps-equally-divide", "heavy-bundle-is-cut"): lambda option: (),
    ("flow-or-qps-equally-divide", "different-loads-are-accepted"): lambda option: tuple(
        boundary - 1 for boundary in original("flow-or-qps-equally-divide")(option)
    ),
    ("flow-or-qps-equally-divide", "bundle-without-two-topics-stays"): halved_always,
    ("split-bundles", "split-adds-the-boundaries"): instead("split-bundles", without_old),
    ("split-bundles", "every-hash-in-one-bundle-after-a-split"): instead("split-bundles", without_the_first),
    ("split-bundles", "unfit-boundaries-are-refused"): of_anything,
    ("split-bundles", "unknown-bundle-is-not-split"): of_anything,
    ("split-trigger-modular", "too-large-bundles-are-split"): every_bundle,
    ("split-trigger-modular", "split-namespace-keeps-its-maximum"): every_bundle,
    ("split-trigger-modular", "first-with-room-are-split"): every_bundle,
    ("split-trigger-modular", "split-bundle-has-two-topics"): every_bundle,
    ("split-trigger-extensible", "split-bundle-had-its-hits"): splits_all,
    ("split-trigger-extensible", "no-more-splits-than-asked"): splits_all,
    ("split-trigger-extensible", "split-parts-tile"): splits_all,
    ("split-trigger-extensible", "hits-are-counted-bundle-by-bundle"): splits_all,
    ("split-trigger-extensible", "too-large-own-bundles-are-split"): splits_all,
    ("top-bundles", "as-many-as-asked-are-reported"): lambda held: (),
    ("top-bundles", "bundles-with-policies-stay-out"): first_listed,
    ("top-bundles", "heaviest-are-reported"): first_listed,
    ("top-bundles", "lighter-come-first"): instead(
        "top-bundles", lambda held, found: found if isinstance(found, Thrown) else found[::-1]
    ),
    **SHEDDING_MUTANTS,
    ("transfer-shedder", "bundle-goes-elsewhere"): moved(source="b1", destination="b1"),
    ("transfer-shedder", "bundle-goes-to-the-registered"): moved(destination="b9"),
    ("transfer-shedder", "bundle-moves-once"): instead(
        "transfer-shedder", lambda cycle, found: found._replace(moves=found.moves * 2)
    ),
    ("transfer-shedder", "a-bundle-stays"): instead("transfer-shedder", moves_all),
    ("transfer-shedder", "half-the-difference-moves"): instead("transfer-shedder", moves_all),
    ("transfer-shedder", "a-top-bundle-stays"): instead("transfer-shedder", all_go_down),
    ("transfer-shedder", "hits-come-first"): lambda cycle: original("transfer-shedder")(
        cycle._replace(settings=cycle.settings._replace(hits=0))
    ),
    ("transfer-shedder", "moves-begin-the-count-anew"): instead(
        "transfer-shedder", lambda cycle, found: found._replace(hits=1)
    ),
    ("transfer-shedder", "unload-names-nobody"): moved(destination="b1"),
    ("transfer-shedder", "excluded-namespace-stays"): lambda cycle: original("transfer-shedder")(
        cycle._replace(settings=cycle.settings._replace(excluded=frozenset()))
    ),
    ("transfer-shedder", "report-counts-until-it-is-old"): lambda cycle: original("transfer-shedder")(
        cycle._replace(settings=cycle.settings._replace(time_to_live=59))
    ),
    **{
        (name, law.name): original(name)
        for name in ("split-trigger-modular", "split-trigger-extensible", "top-bundles", "transfer-shedder")
        for law in DECISIONS[f"balancer/{name}"].laws
        if law.status.is_violated
    },
}  # fmt: skip
"""By decision and law: a decide function of which the law must fail; of a documented law, the original itself."""

BACKWARDS = {
    name: instead(name, lambda _, answer: answer if isinstance(answer, Thrown) else answer[::-1])
    for name in ("specified-positions-divide", "flow-or-qps-equally-divide")
}
OUTSIDE = cut_at(lambda option: option.bundle.high + 1)
for own in ("range", "topic-count", "specified-positions", "flow-or-qps"):
    full = own + ("-divide" if own == "specified-positions" else "-equally-divide")
    MUTANTS[full, "boundaries-ascend-within-the-bundle"] = BACKWARDS.get(full, OUTSIDE)
    MUTANTS[full, "proposed-boundaries-are-accepted-always"] = original(full)
