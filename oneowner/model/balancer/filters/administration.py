"""
Administration of failure domains and anti-affinity groups (PIP-7): the refusals and the writes of requests.

Source: ClustersBase.setFailureDomain and validateBrokerExistsInOtherDomain, LoadManagerShared
.refreshBrokerToFailureDomainMap, NamespacesBase.internalSetNamespaceAntiAffinityGroup; policies.6.1, 1.4.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from oneowner.model.kernel.decision import Thrown

CONFLICT: Final = Thrown("RestException", "409: a broker is in another domain")
BLANK: Final = Thrown("RestException", "412: a group has no blank name")


class Domain(NamedTuple):
    """A failure domain of a cluster."""

    name: str
    brokers: tuple[str, ...]


class Requests(NamedTuple):
    """Two requests to write a domain."""

    domains: tuple[Domain, ...]
    """Those that there are, in the order in which they are listed."""
    first: Domain
    second: Domain
    at_once: bool
    """True if both are checked before either is written: nothing keeps others out between check and write."""


class Written(NamedTuple):
    """The result of both requests."""

    domains: tuple[Domain, ...]
    answers: tuple[Thrown | None, Thrown | None]

    @property
    def domain_of(self) -> dict[str, str]:
        """The domain of every broker, as a load manager reads it: of several the last one that is listed."""
        return {broker: domain.name for domain in self.domains for broker in domain.brokers}


def set_domains(asked: Requests) -> Written:
    """Return what two requests write."""
    first = refusal(asked.domains, asked.first)
    after = asked.domains if first is not None else written(asked.domains, asked.first)
    second = refusal(asked.domains if asked.at_once else after, asked.second)
    return Written(after if second is not None else written(after, asked.second), (first, second))


def refusal(domains: tuple[Domain, ...], asked: Domain) -> Thrown | None:
    """Return why a domain may not be written: one of its brokers is in another."""
    others = {broker for domain in domains if domain.name != asked.name for broker in domain.brokers}
    return CONFLICT if others & set(asked.brokers) else None


def written(domains: tuple[Domain, ...], asked: Domain) -> tuple[Domain, ...]:
    """Return the domains, listed by name, with one that is new or written anew."""
    return tuple(sorted((*(one for one in domains if one.name != asked.name), asked)))


class Grouping(NamedTuple):
    """A namespace, and the group that it is to be in."""

    bundles: int
    """The number by its policies."""
    local: LocalPolicies | None
    """None: they have yet to be written; then the bundles are those of its policies."""
    group: str
    keeps_bundles: bool = False
    """True if local policies that are written first have the namespace's bundles, not one; from 4.0.8 on."""


class LocalPolicies(NamedTuple):
    """The local policies of a namespace: its bundles and its group."""

    bundles: int
    group: str | None


def set_group(asked: Grouping) -> LocalPolicies | Thrown:
    """Return the local policies with the group: it takes the place of another."""
    if not asked.group.strip():
        return BLANK
    if asked.local is not None:
        return asked.local._replace(group=asked.group)
    return LocalPolicies(asked.bundles if asked.keeps_bundles else 1, asked.group)
