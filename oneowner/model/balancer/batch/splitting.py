"""Lines that ask which bundles are to be split, where, and in which bundle a topic lies."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from oneowner.model.balancer.batch.bundles import error_of, stats_of
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.splitting import triggers
from oneowner.model.balancer.splitting.split_algorithms import (
    Limits,
    Topic,
    flow_or_qps_equally_divide,
    range_equally_divide,
    specified_positions_divide,
    topic_count_equally_divide,
)
from oneowner.model.balancer.splitting.split_bundles import split_bundles
from oneowner.model.balancer.splitting.triggers import (
    Cluster,
    Cycle,
    Decided,
    Load,
    Rules,
    extensible_trigger,
    modular_trigger,
)
from oneowner.model.kernel.batch import Algorithm, InvalidInput, Row
from oneowner.model.kernel.decision import Thrown
from oneowner.model.kernel.releases import since
from oneowner.model.pulsar.boundaries import BEHIND, MOST_BUNDLES, find_bundle, initial_boundaries, topic_hash
from oneowner.model.pulsar.bundles import Range
from oneowner.model.pulsar.variants import VARIANTS

BOUNDARY: Final = re.compile(r"0x[0-9a-fA-F]{1,8}")
RANGE: Final = re.compile(r"(0x[0-9a-fA-F]{1,8})_(0x[0-9a-fA-F]{1,8})")
LIMITS: Final = {
    "loadBalancerNamespaceMaximumBundles": "bundles",
    "loadBalancerNamespaceBundleMaxTopics": "topics",
    "loadBalancerNamespaceBundleMaxSessions": "sessions",
    "loadBalancerNamespaceBundleMaxMsgRate": "rate",
    "loadBalancerNamespaceBundleMaxBandwidthMbytes": "megabytes",
}
CYCLE: Final = {
    "loadBalancerNamespaceBundleSplitConditionHitCountThreshold": "hits",
    "loadBalancerMaxNumberOfBundlesToSplitPerCycle": "most",
}
OLDEST: Final = Rules(idle_may_split=True, sessions_always_count=True, counts_chosen=False, names_broker=False)
MODULAR: Final = {
    "2.9.1": OLDEST,
    "2.9.2": OLDEST._replace(idle_may_split=False),
    "2.10.5": Rules(names_broker=False),
    **dict.fromkeys(("3.0.7", "3.3.6", "4.0.6", "4.0.8", "4.2.4"), Rules()),
}
SINCE_3: Final = dict.fromkeys(release for release in MODULAR if release in since("3.0.0"))


def split_trigger_modular(row: Row, rules: Rules) -> dict[str, Any]:
    """Return the bundles to split, each with its broker; null where the release does not say it."""
    return {"split": dict(modular_trigger(cluster_of(row, rules)))}


def cluster_of(row: Row, rules: Rules) -> Cluster:
    """Return what the leader knows as a file gives it."""
    limits = configured(triggers.Limits(), row.get("conf") or {}, LIMITS)
    brokers = tuple((one["id"], tuple(map(stats_of, one["stats"]))) for one in row["brokers"])
    averages = {one["name"]: one.get("longTerm") or {} for one in row.get("bundles") or ()}
    long_term = tuple((name, average_of(told)) for name, told in averages.items())
    return Cluster(brokers, long_term, counts_of(row), limits, rules)


def average_of(told: Row) -> Load:
    """Return the long-term average of a bundle as a file gives it."""
    rate, throughput = (told.get(f"{one}In", 0.0) + told.get(f"{one}Out", 0.0) for one in ("msgRate", "msgThroughput"))
    return Load(rate, throughput)


def counts_of(told: Row) -> tuple[tuple[str, int], ...]:
    """Return how many bundles namespaces have as a file gives it."""
    return tuple((told.get("bundle_counts") or {}).items())


def split_trigger_extensible(row: Row, rules: None) -> dict[str, Any]:
    """Return what a broker splits in one cycle after another."""
    answers, hits = [], dict[str, int]()
    for told in row["cycles"]:
        found = extensible_trigger(cycle_of(told, row.get("conf") or {}), hits)
        hits = dict(found.hits)
        answers.append(decided_of(found))
    return {"cycles": answers}


def cycle_of(told: Row, conf: Row) -> Cycle:
    """Return what a broker looks at in a cycle as a file gives it."""
    proposals = {name: tuple(found or ()) for name, found in (told.get("boundaries") or {}).items()}
    cycle = Cycle(
        tuple(map(stats_of, told["bundles"])),
        tuple(proposals.items()),
        frozenset(told.get("not_owned") or ()),
        tuple(told.get("splitting") or ()),
        counts_of(told),
        configured(triggers.Limits(), conf, LIMITS),
    )
    return configured(cycle, conf, CYCLE)


def decided_of(found: Decided) -> dict[str, Any]:
    """Return what a cycle decided as a file gives it."""
    told: dict[str, Any] = {"counted": {"Failure/Unknown": found.failures} if found.failures else {}}
    told["hits"] = dict(sorted(found.hits))
    if found.thrown is not None:
        return {**error_of(found.thrown), **told}
    splits = [
        {"bundle": one.bundle, "reason": one.reason, "children": [repr(child) for child in one.children]}
        for one in sorted(found.splits)
    ]
    return {"split": splits, **told}


def split_boundaries(row: Row, rules: None) -> dict[str, Any]:
    """Return the boundaries that an algorithm proposes, and those of the namespace after the split."""
    conf, bundle = row.get("conf") or {}, range_of(row["bundle"])
    given = tuple(map(boundary_of, row["boundaries"]))
    shown = shown_like(row["boundaries"])
    topics = tuple(topic_of(told) for told in row.get("topics") or ())
    positions = tuple(map(boundary_of, row.get("positions") or ()))
    limits = configured(triggers.Limits(), conf, LIMITS)
    wide = Limits(
        int(limits.rate), int(limits.megabytes) * 2**20, int(conf.get("flowOrQpsDifferenceThresholdPercentage", 10))
    )
    match row["split_algorithm"]:
        case "range_equally_divide":
            found: tuple[int, ...] | Thrown = range_equally_divide(bundle)
        case "topic_count_equally_divide":
            found = topic_count_equally_divide([topic.hash for topic in topics])
        case "specified_positions_divide":
            found = specified_positions_divide(bundle, len(topics), positions)
        case "flow_or_qps_equally_divide":
            found = flow_or_qps_equally_divide(topics, wide)
        case unknown:
            raise InvalidInput(f"no such split_algorithm: {unknown}")
    if isinstance(found, Thrown):
        return {"proposed": {"error": f"java.lang.{found.exception}"}}
    if not found:
        return {"proposed": None}
    after = split_bundles(given, bundle, found)
    split = {"error": f"java.lang.{after.exception}"} if isinstance(after, Thrown) else after and [*map(shown, after)]
    return {"proposed": [*map(shown, found)], "boundaries": split}


def boundary_of(told: Any) -> int:
    """Return a boundary as a file gives it: a number, or a text such as 0x40000000."""
    if isinstance(told, str) and BOUNDARY.fullmatch(told):
        return int(told, 16)
    if isinstance(told, int) and not isinstance(told, bool):
        return told
    raise InvalidInput(f"boundary refused: {told}; it is a number, or a text such as 0x40000000")


def shown_like(told: Sequence[Any]) -> Callable[[int], int | str]:
    """Return how the answer shows boundaries: as texts where the line gives texts, else as numbers."""
    return "0x{:08x}".format if told and isinstance(told[0], str) else int


def topic_of(told: Any) -> Topic:
    """Return a topic as a file gives it: its name, or a list of its name, messages and bytes a second."""
    name, *load = [told] if isinstance(told, str) else told
    return Topic(topic_hash(name), *load)


def range_of(told: str) -> Range:
    """Return a range as a file gives it, ``0x00000000_0x40000000``."""
    found = RANGE.fullmatch(told)
    if found is None:
        raise InvalidInput(f"bundle refused: {told}; it is a range such as 0x00000000_0x40000000")
    return Range(int(found[1], 16), int(found[2], 16))


def topic_bundle(row: Row, rules: None) -> dict[str, Any]:
    """Return the boundaries of a namespace, given or those it begins with, and in which bundle each topic lies."""
    given = row.get("boundaries")
    if given is None and not 0 < row["bundles"] <= MOST_BUNDLES:
        raise InvalidInput(f"bundles refused: {row['bundles']}; it is a number from 1 to {MOST_BUNDLES}")
    boundaries = initial_boundaries(int(row["bundles"])) if given is None else tuple(map(boundary_of, given))
    last = len(boundaries) - 1
    found = {topic: find_bundle(boundaries, last, topic_hash(complete(topic))) for topic in row["topics"]}
    return {"boundaries": [f"0x{one:08x}" for one in boundaries], "found": names_of(found, boundaries)}


def complete(topic: str) -> str:
    """
    Return the complete name of a topic (``TopicName.get``).

    >>> complete("a"), complete("t/n/a"), complete("non-persistent://t/n/a")
    ('persistent://public/default/a', 'persistent://t/n/a', 'non-persistent://t/n/a')
    """
    if "://" in topic:
        return topic
    parts = topic.count("/") + 1
    if parts not in (1, 3):
        raise InvalidInput(f"{topic} is no name of a topic: it has {parts} parts; there are 1 or 3")
    return f"persistent://{topic}" if parts == 3 else f"persistent://public/default/{topic}"


def names_of(found: Mapping[str, int], boundaries: tuple[int, ...]) -> dict[str, str | None]:
    """Return the ranges of bundles by topic; null: the original throws."""
    return {
        topic: None if at == BEHIND else repr(Range(boundaries[at], boundaries[at + 1])) for topic, at in found.items()
    }


TRIGGER: Final = "DefaultNamespaceBundleSplitStrategyImpl"
SPLIT_TRIGGER_MODULAR: Final = Algorithm(
    split_trigger_modular, VARIANTS.extended(MODULAR, "BundleSplitterTask", "split limits")
)
SPLIT_TRIGGER_EXTENSIBLE: Final = Algorithm(
    split_trigger_extensible,
    VARIANTS.extended(SINCE_3, TRIGGER, "split limits"),
    lambda release: VARIANTS.lacks(release, TRIGGER),
)
SPLIT_BOUNDARIES: Final = Algorithm(
    split_boundaries, VARIANTS.extended(SINCE_3, "split algorithms", "NamespaceBundles")
)
TOPIC_BUNDLE: Final = Algorithm(topic_bundle, dict.fromkeys(MODULAR))
