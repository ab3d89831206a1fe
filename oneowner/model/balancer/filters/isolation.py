"""
Namespace isolation policies: which brokers a bundle may be given.

Source: LoadManagerShared.applyNamespacePolicies, NamespaceIsolationPolicies, MinAvailablePolicy; policies.6.5.
"""

from typing import NamedTuple

from oneowner.model.java.regular_expressions import NoPattern, matches
from oneowner.model.kernel.decision import Thrown


class Policy(NamedTuple):
    """
    A policy of the cluster: Java's regular expressions that must match the whole of a namespace, or of a broker's host.

    Pulsar's administration refuses a broker that is no such expression, and takes a namespace that is none.
    """

    namespaces: tuple[str, ...]
    primary: tuple[str, ...]
    secondary: tuple[str, ...]
    least: int
    """``min_limit``: with fewer primary brokers the secondary ones are taken too."""


class Rules(NamedTuple):
    """The behaviour that depends on the release."""

    asks_without_waiting: bool = True
    """True if there is ``applyNamespacePoliciesAsync``, of the extensible manager; from 3.0 on."""
    needs_a_port: bool = True
    """True if a broker without ``:`` in its id is passed over; until 2.10 it is read as an URL, which needs none."""


class Isolated(NamedTuple):
    """A bundle for which a broker is sought, and the brokers that are there, by id (``host:port``)."""

    policies: tuple[Policy, ...] | None
    """In the order of their map; None: they cannot be read."""
    namespace: str
    has_non_persistent: bool
    available: tuple[str, ...]
    persistent: tuple[str, ...]
    """Those of them that take persistent topics."""
    non_persistent: tuple[str, ...]
    rules: Rules = Rules()


class Kept(NamedTuple):
    """The brokers that may be given the bundle; the modular manager waits for them, the extensible one does not."""

    waiting: tuple[str, ...]
    not_waiting: tuple[str, ...] | Thrown | None
    """None: the release cannot ask so."""


def decide(asked: Isolated) -> Kept:
    """Return who is kept. If policies cannot be read, the modular manager goes on as if there were none."""
    waiting = kept(asked)
    if not asked.rules.asks_without_waiting:
        return Kept(waiting, None)
    if asked.policies is None:
        return Kept(waiting, Thrown("MetadataStoreException", "policies cannot be read"))
    try:
        policy_of(asked)
    except NoPattern as wrong:
        return Kept(waiting, Thrown("PatternSyntaxException", str(wrong)))
    return Kept(waiting, waiting)


def kept(asked: Isolated) -> tuple[str, ...]:
    """Return the brokers that a policy allows; without one, those that are no policy's primary and take such topics."""
    policies = asked.policies or ()
    try:
        policy = policy_of(asked)
    except NoPattern:  # it is logged, and none is found
        policy = None
    hosts = {broker: host for broker in asked.available if (host := host_of(broker, asked.rules)) is not None}
    if policy is None:
        takes = asked.non_persistent if asked.has_non_persistent else asked.persistent
        return tuple(broker for broker, host in hosts.items() if broker in takes and is_shared(policies, host))
    first = [broker for broker, host in hosts.items() if any_matches(policy.primary, host)]
    second = [broker for broker, host in hosts.items() if broker not in first and any_matches(policy.secondary, host)]
    return tuple(first + second) if len(first) < policy.least else tuple(first)


def policy_of(asked: Isolated) -> Policy | None:
    """Return the first policy of the namespace; raises NoPattern for a pattern before it that is none."""
    return next((one for one in asked.policies or () if any_matches(one.namespaces, asked.namespace)), None)


def is_shared(policies: tuple[Policy, ...], host: str) -> bool:
    """Return whether a host is no policy's primary; beside a pattern that is none, no host is taken for one."""
    try:
        return not any(any_matches(policy.primary, host) for policy in policies)
    except NoPattern:
        return False


def any_matches(patterns: tuple[str, ...], text: str) -> bool:
    """Return whether a pattern matches the whole text."""
    return any(matches(pattern, text) for pattern in patterns)


def host_of(broker: str, rules: Rules) -> str | None:
    """
    Return the host in a broker's id, which policies name; None: the broker is passed over.

    >>> host_of("b1:8080", Rules()), host_of("b1", Rules()), host_of("b1", Rules(needs_a_port=False))
    ('b1', None, 'b1')
    """
    host, colon, _ = broker.rpartition(":")
    if colon:
        return host
    return None if rules.needs_a_port else broker
