"""Isolation policies that match no broker, and why; the brokers that a namespace is left with."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from oneowner.checkers.documents import NAMED
from oneowner.checkers.inputs.pulsar_json import is_policy
from oneowner.checkers.load_json.pulsar_values import Fields
from oneowner.checkers.load_json.snapshot_files import Named
from oneowner.model.balancer.filters.isolation import Isolated, Policy, Rules, host_of, is_shared, kept
from oneowner.model.java.regular_expressions import NoPattern, matches

PORT: Final = re.compile(r":(?:\d+|\\d\+|\.\*)\$?\Z")
SCHEME: Final = re.compile(r"\A\^?(?:https?|pulsar(?:\+ssl)?)://")
PLAIN: Final = re.compile(r"[\w./-]+")
BY_HOST: Final = "a pattern is matched against the host alone, without the port (#15795)"
RULES: Final = Rules(needs_a_port=False)


def policies_in(values: Mapping[str, Named]) -> dict[str, dict[str, Any]]:
    """Return policies by name, each as Pulsar's administration gives it; refuse parts of a wrong type."""
    found = dict[str, dict[str, Any]]()
    for name, one in values.items():
        told = Fields(one.value, one.where)
        apart = {key: told.inside(key) for key, value in told.value.items() if is_policy(value)}
        for policy, fields in (apart or {name: told}).items():
            policy_of(fields)
            found[policy] = fields.value
    return found


def policy_of(told: Fields) -> Policy:
    """Return a policy; refuse parts of a wrong type by key."""
    failover = told.inside("auto_failover_policy")
    parameters = failover.inside("parameters")
    least = parameters.value.get("min_limit", 1)
    if isinstance(least, bool) or not re.fullmatch(r"-?\d{1,9}", str(least)):
        raise parameters.refuse(least, "it is a whole number", "min_limit")
    names, primary, secondary = (tuple(told.names(key)) for key in ("namespaces", "primary", "secondary"))
    return Policy(names, primary, secondary, int(least))


def isolation_facts(told: Mapping[str, dict[str, Any]], brokers: Sequence[str]) -> Iterator[str]:
    """Yield the brokers that each policy matches and those that its namespaces are left with, and the reasons."""
    policies = {name: policy_of(Fields(value, name)) for name, value in told.items()}
    for name, policy in policies.items():
        yield f"policy {name} of {', '.join(policy.namespaces) or 'no namespace'}:"
        for role, patterns in (("primary", policy.primary), ("secondary", policy.secondary)):
            for pattern in patterns:
                yield f"  {role} {pattern} {matched(pattern, brokers)}"
        for namespace in policy.namespaces if brokers else ():
            if PLAIN.fullmatch(namespace):
                asked = asked_of(tuple(policies.values()), namespace, brokers)
                yield f"  a bundle of {namespace} may go to {left_to(partial(kept, asked))}"
    if policies and not brokers:
        yield "no list of brokers: add the output of `pulsar-admin brokers list`"
    elif policies:
        hosts = {one: str(host_of(one, RULES)) for one in brokers}
        left = left_to(lambda: (one for one in brokers if is_shared(tuple(policies.values()), hosts[one])))
        yield f"a bundle of a namespace without a policy may go to {left}"


def left_to(brokers: Callable[[], Iterable[str]]) -> str:
    """Return the brokers of an answer, or the reason that a pattern has none."""
    try:
        return ", ".join(sorted(brokers())[:NAMED]) or "no broker"
    except NoPattern:
        return "brokers that cannot be computed: a pattern is not a regular expression"
    except ValueError as error:
        return f"brokers that cannot be computed: {error}"


def asked_of(policies: tuple[Policy, ...], namespace: str, brokers: Sequence[str]) -> Isolated:
    """Return the question about a namespace's bundles, which any of the brokers takes."""
    there = tuple(brokers)
    return Isolated(policies, namespace, False, there, there, there, RULES)


def matched(pattern: str, brokers: Sequence[str]) -> str:
    """
    Return the brokers that a pattern matches, or the reason that it matches none.

    >>> matched("b1.org:8080", ["b1.org:8080"])
    'matches no broker: a pattern is matched against the host alone, without the port (#15795); write b1.org'
    """
    if not brokers:
        has_port = PORT.search(pattern) is not None
        return f"matches no broker: {BY_HOST}; write {PORT.sub('', pattern)}" if has_port else "is a pattern of hosts"
    try:
        found = [broker for broker in brokers if matches(pattern, str(host_of(broker, RULES)))]
        return f"matches {', '.join(found[:NAMED])}" if found else f"matches no broker: {mismatch(pattern, brokers)}"
    except NoPattern:
        return "is not a regular expression, so it matches no broker"
    except ValueError as error:
        return f"is not followed: {error}"


def mismatch(pattern: str, brokers: Sequence[str]) -> str:
    """Return the reason that a pattern matches no broker."""
    hosts = [str(host_of(broker, RULES)) for broker in brokers]
    for other, why in (
        (PORT.sub("", pattern), BY_HOST),
        (PORT.sub("", SCHEME.sub("", pattern)), "a pattern is matched against the host alone, without scheme and port"),
        (re.sub(r"(?<!\.)\*", ".*", pattern), "a pattern is a regular expression, not a glob"),
        (f"(?i){pattern}", "capital letters differ"),
        (f"{pattern}\\..*", "a pattern must match the whole host"),
        (f".*{pattern}.*", "a pattern must match the whole host"),
    ):
        if other != pattern and any(map(matcher(other), hosts)):
            return f"{why}; write {other}"
    if PORT.search(pattern):
        return f"{BY_HOST}, and no host has this name"
    return f"hosts are {', '.join(sorted(hosts)[:NAMED])}"


def matcher(pattern: str) -> Any:
    """Return the test of a host by a changed pattern; of one that is none it is false."""

    def test(host: str) -> bool:
        try:
            return matches(pattern, host)
        except ValueError:
            return False

    return test
