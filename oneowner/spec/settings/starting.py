"""Laws of the settings that a broker reads at its start: fatal, replaced or ignored values."""

from collections.abc import Iterator
from typing import Final

from oneowner.model.balancer.filters.settings import Broker, Candidates, Settings, extensible
from oneowner.model.balancer.placement import least_usage_extensible
from oneowner.spec.settings.conf import (
    TRANSFER,
    Broken,
    Conf,
    is_of,
    manager,
    named,
    placement,
    refusal,
    setting_law,
    shedder,
    sheds,
)

TOMBSTONE: Final = "loadBalancerServiceUnitStateTombstoneDelayTimeInSeconds"
IN_FLIGHT: Final = "loadBalancerInFlightServiceUnitStateWaitingTimeInMillis"
BEFORE_IN_FLIGHT: Final = 30_000
"""The wait before there was a setting for it, in milliseconds."""
MONITOR: Final = "loadBalancerServiceUnitStateMonitorIntervalInSeconds"
LEAST_TOMBSTONE: Final = 30
"""The minimum that the documentation of the setting states, in seconds; no code asks for it."""
USUAL_MONITOR: Final = 60
"""The monitor's interval by default, in seconds."""
SUPPORTED, ALGORITHM = "supportedNamespaceBundleSplitAlgorithms", "defaultNamespaceBundleSplitAlgorithm"
ALGORITHMS: Final = ("range_equally_divide", "topic_count_equally_divide")
ALGORITHMS_SINCE_3: Final = (*ALGORITHMS, "specified_positions_divide", "flow_or_qps_equally_divide")
MANAGER: Final = "loadManagerClassName"
SHEDDER, PLACEMENT = "loadBalancerLoadSheddingStrategy", "loadBalancerLoadPlacementStrategy"
SHORTEST, LONGEST = "loadBalancerReportUpdateMinIntervalMillis", "loadBalancerReportUpdateMaxIntervalMinutes"
DIFFERENCE: Final = "loadBalancerAverageResourceUsageDifferenceThresholdPercentage"
TOPICS: Final = "loadBalancerBrokerMaxTopics"
NO_START: Final = "the load manager does not start: scheduling its task throws IllegalArgumentException"
NO_QUOTAS: Final = "the leader never updates resource quotas: scheduling the task throws IllegalArgumentException"
NO_LEADER: Final = (
    "the elected leader never takes its role: it retries for ever on the load manager's one thread,"
    " so no bundle is unloaded and nobody gives the bundles of a dead broker away"
)
PERIODS: Final = (
    (SHORTEST, "", "PulsarService, ExtensibleLoadManagerImpl", NO_START),
    ("loadBalancerHostUsageCheckIntervalMinutes", "", "GenericBrokerHostUsageImpl, LinuxBrokerHostUsageImpl", NO_START),
    ("loadBalancerResourceQuotaUpdateIntervalMinutes", "", "PulsarService", NO_QUOTAS),
    ("loadBalancerSheddingIntervalMinutes", "extensible", "UnloadScheduler", NO_LEADER),
    ("loadBalancerSplitIntervalMinutes", "extensible", "SplitScheduler", NO_START),
    (MONITOR, "extensible", "ServiceUnitStateChannelImpl", NO_LEADER),
)
"""Periods of tasks, the manager that schedules each, where, and the consequence of one that is refused."""


def always(conf: Conf) -> bool:
    return True


@setting_law("FieldParser", always)
def values_parse(conf: Conf) -> Iterator[Broken]:
    """A value is of the kind that its setting has."""
    for key, text in conf.told.items():
        why = refusal(conf.facts.settings[key].kind, text.strip()) if conf.has(key) and text.strip() else None
        if why is not None:
            follows = "the broker does not start: the value does not parse"
            yield Broken((key,), follows, f"{text.strip()}: {why}", conf.defaults([key]))


@setting_law("FieldParser.stringToBoolean", always)
def yes_or_no(conf: Conf) -> Iterator[Broken]:
    """A switch is true or false."""
    for key, text in conf.told.items():
        word = text.strip().lower()
        if conf.has(key) and conf.facts.settings[key].kind == "boolean" and word not in ("", "true", "false"):
            witness = f"Boolean.valueOf({text.strip()}) is false"
            yield Broken((key,), "it is taken for false", witness, conf.defaults([key]))


@setting_law("ServiceUnitStateChannelImpl", lambda conf: manager(conf) == "extensible")
def tombstone_outlasts_flight(conf: Conf) -> Iterator[Broken]:
    """An entry is kept at least as long as a state in flight may take."""
    waits = conf.number(IN_FLIGHT) if conf.has(IN_FLIGHT) else BEFORE_IN_FLIGHT
    if conf.number(TOMBSTONE) * 1000 < waits:
        least = str(-(-int(waits) // 1000))
        follows = "the broker does not start: the channel's constructor throws IllegalArgumentException"
        witness = f"{conf.text(TOMBSTONE)} s are less than {waits:.0f} ms"
        keys = (TOMBSTONE, IN_FLIGHT) if conf.has(IN_FLIGHT) else (TOMBSTONE,)
        yield Broken(keys, follows, witness, {TOMBSTONE: least})


@setting_law("PIP-192; ServiceUnitStateChannelImpl.monitorOwnerships", lambda conf: manager(conf) == "extensible")
def tombstone_waits_as_documented(conf: Conf) -> Iterator[Broken]:
    """The end of a split bundle is kept for the 30 s that the documentation names as the least."""
    seconds = conf.number(TOMBSTONE)
    if seconds < LEAST_TOMBSTONE:
        follows = "a bundle that was split may look free to a broker that still goes by the old boundaries"
        witness = f"{conf.text(TOMBSTONE)} s; the documentation says: minimum value = {LEAST_TOMBSTONE} secs"
        waits = conf.number(IN_FLIGHT) if conf.has(IN_FLIGHT) else BEFORE_IN_FLIGHT
        yield Broken((TOMBSTONE,), follows, witness, {TOMBSTONE: str(max(LEAST_TOMBSTONE, -(-int(waits) // 1000)))})


@setting_law(
    "ServiceUnitStateChannelImpl.monitorOwnerships",
    lambda conf: manager(conf) == "extensible" and conf.has(MONITOR) and conf.has(IN_FLIGHT),
)
def stuck_bundle_is_noticed(conf: Conf) -> Iterator[Broken]:
    """The monitor looks at least once a minute, or in twice the time that a state in flight may take."""
    seconds, waits = conf.number(MONITOR), conf.number(IN_FLIGHT) / 1000
    if seconds > max(USUAL_MONITOR, 2 * waits):
        follows = "a bundle that is stuck in flight has no owner until the monitor looks, however short the wait"
        witness = f"stuck after {waits:.15g} s, and reassigned after up to {waits + seconds:.15g} s"
        yield Broken((MONITOR, IN_FLIGHT), follows, witness, conf.defaults([MONITOR]))


@setting_law("PulsarBrokerStarter; NamespaceBundleSplitAlgorithm", always)
def split_algorithms_are_there(conf: Conf) -> Iterator[Broken]:
    """The split algorithms that are supported exist, and the default one is among them."""
    told = conf.told.get(SUPPORTED)
    names = [name.strip() for name in (conf.text(SUPPORTED) if told is None or told.strip() else "").split(",")]
    known = ALGORITHMS_SINCE_3 if conf.has(PLACEMENT) else ALGORITHMS
    unknown = [name for name in names if name and name not in known]
    if unknown:
        follows = "the broker does not start: PulsarBrokerStarter throws IllegalArgumentException"
        yield Broken(
            (SUPPORTED,), follows, f"{', '.join(unknown)} is none of {', '.join(known)}", conf.defaults([SUPPORTED])
        )
    elif conf.text(ALGORITHM) not in names:
        follows = "the broker does not start: PulsarBrokerStarter throws IllegalArgumentException"
        witness = f"{conf.text(ALGORITHM)} is not among {', '.join(names) or 'none'}"
        yield Broken((ALGORITHM, SUPPORTED), follows, witness, conf.defaults([ALGORITHM, SUPPORTED]))


@setting_law(
    "PulsarService, ExtensibleLoadManagerImpl, UnloadScheduler, SplitScheduler, ServiceUnitStateChannelImpl",
    lambda conf: conf.flag("loadBalancerEnabled"),
)
def periods_are_positive(conf: Conf) -> Iterator[Broken]:
    """A task that repeats has a period above 0."""
    for key, only, where, follows in PERIODS:
        if conf.has(key) and conf.number(key) <= 0 and only in ("", manager(conf)):
            witness = f"scheduleAtFixedRate refuses a period of {conf.text(key)} ({where})"
            yield Broken((key,), follows, witness, conf.defaults([key]))


@setting_law(
    "BrokerLoadDataReporter; ModularLoadManagerImpl",
    lambda conf: conf.has(SHORTEST) and manager(conf) in ("modular", "extensible"),
)
def report_waits_for_a_change(conf: Conf) -> Iterator[Broken]:
    """The longest interval between two reports of load is longer than the shortest."""
    if conf.number(SHORTEST) > conf.number(LONGEST) * 60_000:
        follows = "each look at the load reports it, whether it has changed or not"
        witness = f"{conf.text(SHORTEST)} ms after a report more than {conf.text(LONGEST)} minutes have passed"
        yield Broken((LONGEST, SHORTEST), follows, witness, conf.defaults([LONGEST, SHORTEST]))


@setting_law("LeastResourceUsageWithWeight", lambda conf: placement(conf).endswith("LeastResourceUsageWithWeight"))
def placement_prefers_the_idle(conf: Conf) -> Iterator[Broken]:
    """Beside brokers that are used up, an idle one is preferred."""
    for others in range(1, 200):
        loads = (("idle", 0.0), *((f"b{number}", 1.0) for number in range(others)))
        given = least_usage_extensible.Candidates(loads, conf.number(DIFFERENCE))
        if least_usage_extensible.least_usage(given) == ("idle",):
            return
    follows = "a broker is drawn at random, whatever its load"
    witness = "an idle broker beside 1 to 199 that are used up: each is as likely to be given a bundle"
    yield Broken((DIFFERENCE,), follows, witness, conf.defaults([DIFFERENCE]))


@setting_law("BrokerMaxTopicCountFilter", lambda conf: manager(conf) == "extensible")
def empty_broker_may_serve(conf: Conf) -> Iterator[Broken]:
    """A broker without topics may be given a bundle."""
    given = Candidates((("empty", Broker()),), ("empty",), Settings(most_topics=conf.number(TOPICS)))
    if not extensible(given).topics:
        yield Broken(
            (TOPICS,), "no broker is given a bundle", "a broker without topics is filtered out", conf.defaults([TOPICS])
        )


def in_use(conf: Conf, reader: str) -> bool:
    """Return whether a class that reads a setting is used by this broker; an unknown class is."""
    here = manager(conf)
    if not here:
        return True
    if reader in (
        "LoadSheddingTask",
        "impl.ModularLoadManagerImpl",
        "impl.BundleSplitterTask",
        "ModularLoadManagerStrategy",
    ):
        return here == "modular"
    if reader == "impl.SimpleLoadManagerImpl":
        return here == "simple"
    if reader == TRANSFER:
        return sheds(conf) and shedder(conf) in (TRANSFER, "")
    if reader.startswith("extensions."):
        return here == "extensible"
    if is_of(conf, reader, "shedder", "placement"):
        in_role = (("shedder", shedder(conf), sheds(conf)), ("placement", placement(conf), True))
        return here == "modular" and any(
            is_on and is_of(conf, reader, role) and used in (reader, "") for role, used, is_on in in_role
        )
    return True


@setting_law("FieldParser.update, and the classes that read it", always)
def changed_setting_is_read(conf: Conf) -> Iterator[Broken]:
    """A setting that is not as by default is read by a class that is in use."""
    for key, text in conf.changed().items():
        readers = conf.facts.settings[key].read_by
        if key not in (SHEDDER, MANAGER) and not any(in_use(conf, reader) for reader in readers):
            using = [named(conf, MANAGER), shedder(conf)]
            follows = f"{text} changes nothing: no class in use reads it"
            names = ", ".join(reader.rpartition(".")[2] for reader in readers)
            off = "" if sheds(conf) else "; nothing is shed"
            witness = f"it is read by {names or 'no class'}; in use are {', '.join(filter(None, using))}{off}"
            yield Broken((key, MANAGER), follows, witness, {key: ""})


LAWS: Final = (
    values_parse,
    yes_or_no,
    tombstone_outlasts_flight,
    tombstone_waits_as_documented,
    stuck_bundle_is_noticed,
    split_algorithms_are_there,
    periods_are_positive,
    report_waits_for_a_change,
    placement_prefers_the_idle,
    empty_broker_may_serve,
    changed_setting_is_read,
)
