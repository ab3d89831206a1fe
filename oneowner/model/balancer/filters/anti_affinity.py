"""
Anti-affinity groups and failure domains (PIP-7): which brokers are kept for a bundle, and whether it may be unloaded.

Source: LoadManagerShared, AntiAffinityGroupPolicyHelper; policies.6.2 and 6.3. No release differs, 2.9.1 to 5.0.0-M1.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from oneowner.model.java.text import equals_ignoring_case, is_blank

DEFAULT_DOMAIN: Final = "default"
"""The domain of brokers that are in none."""


class Owned(NamedTuple):
    """A bundle that a broker has, or is to have: ``tenant/namespace/range``."""

    bundle: str
    broker: str
    state: str = "Owned"
    """Its state in the channel of the extensible manager; the modular one knows none."""


class Asked(NamedTuple):
    """A bundle for which a broker is sought, or that may be unloaded from its *current* one."""

    groups: tuple[tuple[str, str], ...]
    """By namespace; blank: in none."""
    owned: tuple[Owned, ...]
    domains: tuple[tuple[str, str], ...]
    """By broker; none if ``failureDomainsEnabled`` is false."""
    candidates: tuple[str, ...]
    bundle: str
    current: str


class Answer(NamedTuple):
    """The answers of the two managers."""

    modular: tuple[str, ...]
    extensible: tuple[str, ...]
    modular_may_unload: bool
    extensible_may_unload: bool
    even: tuple[str, ...]


def decide(asked: Asked) -> Answer:
    """Return who is kept by the filters, and whether the bundle may be unloaded, by either manager."""
    namespaces, bundles = namespaces_of_group(asked), bundles_of_group(asked)
    return Answer(
        kept(asked, namespaces), kept(asked, bundles), may_unload(asked, namespaces), may_unload(asked, bundles),
        even(asked),
    )  # fmt: skip


def namespace_of(bundle: str) -> str:
    return bundle.rpartition("/")[0]


def in_group(asked: Asked, namespaces: Iterable[tuple[str, str]]) -> Mapping[str, int] | None:
    """Return by broker how many of its namespaces are in the group of the bundle's; None: that is in no group."""
    groups = dict(asked.groups)
    group = groups.get(namespace_of(asked.bundle), "")
    if is_blank(group):
        return None
    members = {name for name, other in asked.groups if not is_blank(other) and equals_ignoring_case(group, other)}
    return Counter(broker for broker, name in namespaces if name in members)


def namespaces_of_group(asked: Asked) -> Mapping[str, int] | None:
    """Return how many *namespaces* of the group each broker has, as the modular manager counts: in whatever state."""
    return in_group(asked, {(one.broker, namespace_of(one.bundle)) for one in asked.owned})


def bundles_of_group(asked: Asked) -> Mapping[str, int] | None:
    """Return how many *bundles* of the group each broker has, as the extensible manager counts: those that it owns."""
    owned = (one for one in asked.owned if one.state == "Owned" and not is_blank(one.broker))
    return in_group(asked, [(one.broker, namespace_of(one.bundle)) for one in owned])


def kept(asked: Asked, counts: Mapping[str, int] | None) -> tuple[str, ...]:
    """Return the candidates with the fewest, within the domains with the fewest."""
    if counts is None:
        return asked.candidates
    return fewest(in_domains_with_fewest(asked.candidates, counts, dict(asked.domains)), counts)


def in_domains_with_fewest(
    candidates: tuple[str, ...], counts: Mapping[str, int], domains: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the candidates in the domains whose *candidates* have the fewest; other brokers of a domain count not."""
    if not domains:
        return candidates
    sums = Counter[str]()
    for broker in candidates:
        sums[domains.get(broker, DEFAULT_DOMAIN)] += counts.get(broker, 0)
    least = min(sums.values(), default=0)
    return tuple(broker for broker in candidates if sums[domains.get(broker, DEFAULT_DOMAIN)] == least)


def fewest(candidates: tuple[str, ...], counts: Mapping[str, int]) -> tuple[str, ...]:
    least = min((counts.get(broker, 0) for broker in candidates), default=0)
    return tuple(broker for broker in candidates if counts.get(broker, 0) == least)


def may_unload(asked: Asked, counts: Mapping[str, int] | None) -> bool:
    """
    Return whether ``shouldAntiAffinityNamespaceUnload`` lets the bundle go: unless all candidates have as many.

    Domains are not looked at, and a broker that is the only one with the fewest may unload too.
    """
    if not counts:
        return True
    each = [counts.get(broker, 0) for broker in asked.candidates]
    return 0 in each or len(set(each)) > 1


def even(asked: Asked) -> tuple[str, ...]:
    """Return the candidates with the fewest bundles of this namespace (``removeMostServicingBrokersForNamespace``)."""
    same = {(one.bundle, one.broker) for one in asked.owned if namespace_of(one.bundle) == namespace_of(asked.bundle)}
    return fewest(asked.candidates, Counter(broker for _, broker in same))
