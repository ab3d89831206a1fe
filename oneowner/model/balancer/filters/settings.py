"""
Filters by settings, of either manager: brokers with too many topics, of an older version, of another load manager.

Source: LoadManagerShared.filterBrokersWithLargeTopicCount, BrokerVersionFilter, BrokerLoadManagerClassFilter (twice),
BrokerMaxTopicCountFilter; policies.6.6.
"""

from functools import reduce
from typing import NamedTuple

from oneowner.model.balancer.filters.versions import Version, compare, is_later, version_of
from oneowner.model.kernel.decision import Thrown


class Broker(NamedTuple):
    """The data on a broker."""

    topics: int = 0
    preallocated: int = 0
    """Topics of bundles that it was given and has not yet reported; the modular manager's."""
    version: str | None = None
    load_manager: str | None = None


class Settings(NamedTuple):
    """Keys of broker.conf."""

    most_topics: float = 50000
    """``loadBalancerBrokerMaxTopics``"""
    later_versions: bool = False
    """``preferLaterVersions``"""
    load_manager: str = "org.apache.pulsar.broker.loadbalance.impl.ModularLoadManagerImpl"
    """``loadManagerClassName`` of the broker that decides"""


class Rules(NamedTuple):
    """The behaviour that depends on the release."""

    knows_classes: bool = True
    """True if the modular manager has ``BrokerLoadManagerClassFilter``; from 3.0 on."""
    extensible: bool = True
    """True if there is the extensible manager; from 3.0 on."""


class Candidates(NamedTuple):
    """The brokers that could be given a bundle."""

    brokers: tuple[tuple[str, Broker], ...]
    """Those of which something is known."""
    candidates: tuple[str, ...]
    settings: Settings = Settings()
    rules: Rules = Rules()


class Kept(NamedTuple):
    """The brokers that each filter of a manager keeps."""

    topics: tuple[str, ...]
    version: tuple[str, ...] | Thrown
    load_manager: tuple[str, ...]


class Answer(NamedTuple):
    """The brokers that each manager keeps; None for a release without the extensible one."""

    modular: Kept
    extensible: Kept | None


def decide(asked: Candidates) -> Answer:
    """Return who is kept, by each filter on its own."""
    return Answer(modular(asked), extensible(asked) if asked.rules.extensible else None)


def modular(asked: Candidates) -> Kept:
    """Return who is kept by the modular manager's filters; one of which nothing is known stays, but for versions."""
    known, settings = dict(asked.brokers), asked.settings
    each = [(name, known.get(name, Broker())) for name in asked.candidates]
    few = tuple(name for name, broker in each if broker.topics + broker.preallocated <= settings.most_topics)
    same = tuple(
        name for name in asked.candidates if name not in known or known[name].load_manager == settings.load_manager
    )
    return Kept(
        few or asked.candidates,
        of_latest_version(asked) if settings.later_versions else asked.candidates,
        same if asked.rules.knows_classes else asked.candidates,
    )


def extensible(asked: Candidates) -> Kept:
    """Return who is kept by the extensible manager's filters; they may keep none."""
    known, settings = dict(asked.brokers), asked.settings
    each = [(name, known.get(name, Broker())) for name in asked.candidates]
    return Kept(
        tuple(name for name, broker in each if broker.topics < settings.most_topics),
        of_latest_version(asked) if settings.later_versions and each else asked.candidates,
        tuple(name for name, broker in each if broker.load_manager == settings.load_manager),
    )


def of_latest_version(asked: Candidates) -> tuple[str, ...] | Thrown:
    """Return the candidates of the latest version; if a version is not known, the filter throws."""
    known = dict(asked.brokers)
    versions = [(name, version_of(known.get(name, Broker()).version or "")) for name in asked.candidates]
    if not versions or any(version is None for _, version in versions):
        return Thrown("BrokerFilterBadVersionException", "a version is not known")
    read = [(name, version) for name, version in versions if version is not None]
    latest = reduce(later_of, (version for _, version in read))
    return tuple(name for name, version in read if compare(version, latest) == 0)


def later_of(one: Version, other: Version) -> Version:
    """Return the later one; of equal ones the first."""
    return other if is_later(other, one) else one
