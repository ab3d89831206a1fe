"""
``FAILURE_DOMAINS`` and ``ANTI_AFFINITY_GROUP`` judge an administrator's requests under PIP-7 (docs/pip-7.md).
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from oneowner.model.balancer.filters.administration import (
    Domain,
    Grouping,
    LocalPolicies,
    Requests,
    Written,
    set_domains,
    set_group,
)
from oneowner.model.balancer.filters.filter_inputs import BrokerSizes, CountOfBundles, some_grouping, some_requests
from oneowner.model.kernel.decision import Decision, InputLaw, Thrown, always, throws
from oneowner.model.kernel.law import LawKind, Status

DOMAIN = "ClustersBase.setFailureDomain"
GROUP = "NamespacesBase.internalSetNamespaceAntiAffinityGroup"


def one_after_the_other(asked: Requests, found: Written) -> bool:
    return not asked.at_once


def is_refused(asked: Requests, found: Written) -> bool:
    return None not in found.answers


def is_its_own(asked: Requests, found: Written) -> bool:
    return asked.first.name == asked.second.name and found.answers[0] is None


def in_one_domain_each(asked: Requests, found: Written) -> bool:
    counts = Counter(broker for domain in found.domains for broker in domain.brokers)
    return all(count == 1 for count in counts.values())


def is_as_before(asked: Requests, found: Written) -> bool:
    return found.domains == asked.domains


def is_accepted(asked: Requests, found: Written) -> bool:
    return found.answers[1] is None or not set(asked.second.brokers) <= set(asked.first.brokers)


def read_requests(row: Mapping[str, Any]) -> Requests:
    """Return the input that a fact gives: domains are pairs of a name and brokers."""
    domains = [Domain(name, tuple(brokers)) for name, brokers in [*row["domains"], row["first"], row["second"]]]
    *there, first, second = domains
    return Requests(tuple(there), first, second, row["at_once"])


def told_domains(found: Written) -> Any:
    """Return the outcome of two requests as plain data: the domain of each broker, and the refusals."""
    return {"domain_of": found.domain_of, "refused": [answer is not None for answer in found.answers]}


def is_named(asked: Grouping, found: LocalPolicies | Thrown) -> bool:
    return bool(asked.group.strip())


def is_blank(asked: Grouping, found: LocalPolicies | Thrown) -> bool:
    return not is_named(asked, found)


def is_in_it(asked: Grouping, found: LocalPolicies | Thrown) -> bool:
    return isinstance(found, LocalPolicies) and found.group == asked.group


def has_its_bundles(asked: Grouping, found: LocalPolicies | Thrown) -> bool:
    before = asked.bundles if asked.local is None else asked.local.bundles
    return isinstance(found, LocalPolicies) and found.bundles == before


def read_grouping(row: Mapping[str, Any]) -> Grouping:
    """Return the input that a fact gives."""
    local = None if row["local"] is None else LocalPolicies(*row["local"])
    return Grouping(row["bundles"], local, row["group"], row["keeps_bundles"])


FAILURE_DOMAINS = Decision(
    "balancer/failure-domains",
    "What two requests to write failure domains leave (PIP-7)",
    BrokerSizes,
    some_requests,
    set_domains,
    (
        InputLaw("broker-is-in-one-domain", "PIP-7: a broker is in one domain only, if requests come one after the"
                 " other.", DOMAIN, one_after_the_other, in_one_domain_each, kind=LawKind.PROTOCOL),
        InputLaw("refused-domain-is-not-written", "What is refused changes nothing.", DOMAIN, is_refused, is_as_before,
                 kind=LawKind.PROTOCOL),
        InputLaw("own-brokers-are-no-conflict", "A domain may be written again with brokers that it has.", DOMAIN,
                 is_its_own, is_accepted, kind=LawKind.PROTOCOL),
        InputLaw("broker-is-in-one-domain-always", "PIP-7: a broker is in one domain only. (It may be in two: requests"
                 " are checked, then written, and both may be checked first. Load managers then take the domain that is"
                 " listed last.)", DOMAIN, always, in_one_domain_each, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    read_requests,
    told=told_domains,
)  # fmt: skip
ANTI_AFFINITY_GROUP = Decision(
    "balancer/anti-affinity-group",
    "What the local policies of a namespace are with an anti-affinity group (PIP-7)",
    CountOfBundles,
    some_grouping,
    set_group,
    (
        InputLaw("group-takes-the-others-place", "A namespace is in the last group named.", GROUP, is_named, is_in_it,
                 kind=LawKind.PROTOCOL),
        InputLaw("blank-group-is-refused", "A group has a name.", GROUP, is_blank, throws, kind=LawKind.PROTOCOL),
        InputLaw("group-changes-no-bundles", "A namespace has the bundles that it had. (Until 4.0.7 it has one, if it"
                 " had no local policies: apache/pulsar#23897, #24762.)", GROUP, is_named, has_its_bundles,
                 Status.DOCUMENTED, kind=LawKind.PURPOSE),
    ),
    read_grouping,
)  # fmt: skip
