"""
``ANTI_AFFINITY`` judges the brokers chosen for an anti-affinity group, and compares them with PIP-7 (docs/pip-7.md).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping

from oneowner.model.balancer.batch.filters import asked_of
from oneowner.model.balancer.filters.anti_affinity import (
    DEFAULT_DOMAIN,
    Answer,
    Asked,
    Owned,
    decide,
    even,
    namespace_of,
)
from oneowner.model.balancer.filters.filter_inputs import BrokerSizes, some_group
from oneowner.model.kernel.decision import Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind, Status

FILTER = "LoadManagerShared.filterAntiAffinityGroupOwnedBrokers"
UNLOAD = "LoadManagerShared.shouldAntiAffinityNamespaceUnload"


def has_group(asked: Asked, found: Answer) -> bool:
    return dict(asked.groups)[namespace_of(asked.bundle)] != ""


def has_no_group(asked: Asked, found: Answer) -> bool:
    return not has_group(asked, found)


def is_owned_in_a_group(asked: Asked, found: Answer) -> bool:
    return has_group(asked, found) and asked.current in asked.candidates


def keeps_all(asked: Asked, found: Answer) -> bool:
    return found.modular == found.extensible == asked.candidates


def keeps_someone(asked: Asked, found: Answer) -> bool:
    return bool(found.modular and found.extensible and found.even)


def keeps_emptiest(asked: Asked, found: Answer) -> bool:
    return all(
        has_fewest_of_domain(asked, kept, counts) and is_of_emptiest_domain(asked, kept, counts, asked.candidates)
        for kept, counts in each_manager(asked, found)
    )


def keeps_domains_emptiest_of_all(asked: Asked, found: Answer) -> bool:
    brokers = tuple(dict.fromkeys((*dict(asked.domains), *asked.candidates)))
    return all(is_of_emptiest_domain(asked, kept, counts, brokers) for kept, counts in each_manager(asked, found))


def each_manager(asked: Asked, found: Answer) -> list[tuple[tuple[str, ...], Counter[str]]]:
    """Return whom either manager keeps, and how many of the group each broker has as it counts them."""
    owned = of_group(asked)
    namespaces = {(one.broker, namespace_of(one.bundle)) for one in owned}
    return [
        (found.modular, Counter(broker for broker, _ in namespaces)),
        (found.extensible, Counter(one.broker for one in owned if one.state == "Owned")),
    ]


def of_group(asked: Asked) -> list[Owned]:
    """Return the bundles of the group; its name is the same in either case (``equalsIgnoreCase``)."""
    groups = {namespace: group.lower() for namespace, group in asked.groups}
    return [one for one in asked.owned if groups[namespace_of(one.bundle)] == groups[namespace_of(asked.bundle)]]


def domain_of(asked: Asked) -> Mapping[str, str]:
    """Return the domain of each broker; one that is in none is in that by default, unless there are no domains."""
    domains = dict(asked.domains)
    return defaultdict(lambda: DEFAULT_DOMAIN, domains)


def unloads_unless_all_have_as_many(asked: Asked, found: Answer) -> bool:
    for may, (_, counts) in zip(
        (found.modular_may_unload, found.extensible_may_unload), each_manager(asked, found), strict=True
    ):
        least, most = (of(counts[one] for one in asked.candidates) for of in (min, max))
        if may != (not counts or least == 0 or least < most):
            return False
    return True


def has_fewest_of_domain(asked: Asked, kept: tuple[str, ...], counts: Counter[str]) -> bool:
    domains = domain_of(asked)
    return all(
        counts[one] <= counts[other] for one in kept for other in asked.candidates if domains[one] == domains[other]
    )


def is_of_emptiest_domain(asked: Asked, kept: tuple[str, ...], counts: Counter[str], brokers: tuple[str, ...]) -> bool:
    domains = domain_of(asked)
    sums = Counter(domains[broker] for broker in brokers for _ in range(counts[broker]))
    eligible = {domains[broker] for broker in asked.candidates}
    return all(sums[domains[one]] <= sums[domain] for one in kept for domain in eligible)


def keeps_fewest_of_the_namespace(asked: Asked, found: Answer) -> bool:
    counts = Counter(one.broker for one in asked.owned if namespace_of(one.bundle) == namespace_of(asked.bundle))
    return all(counts[one] <= counts[other] for one in found.even for other in asked.candidates)


def keep_the_same(asked: Asked, found: Answer) -> bool:
    return found.modular == found.extensible


def goes_where_it_may(asked: Asked, found: Answer) -> bool:
    modular = not found.modular_may_unload or set(found.modular) != {asked.current}
    return modular and (not found.extensible_may_unload or set(found.extensible) != {asked.current})


def would_keep_the_same_without_its_own(asked: Asked, found: Answer) -> bool:
    others = tuple(one for one in asked.owned if namespace_of(one.bundle) != namespace_of(asked.bundle))
    return set(found.modular) <= set(decide(asked._replace(owned=others)).modular)


def some_is_on_its_way(asked: Asked, found: Answer) -> bool:
    return has_group(asked, found) and any(one.state != "Owned" for one in asked.owned)


def counts_what_is_on_its_way(asked: Asked, found: Answer) -> bool:
    arrived = tuple(one._replace(state="Owned") for one in asked.owned)
    return decide(asked._replace(owned=arrived)).extensible == found.extensible


def decides_the_same_in_any_order(asked: Asked, found: Answer) -> bool:
    other = asked._replace(candidates=asked.candidates[::-1], owned=asked.owned[::-1])
    again = decide(other)
    return (again.modular[::-1], again.extensible[::-1], even(other)[::-1]) == (
        found.modular, found.extensible, found.even,
    )  # fmt: skip


def told(found: Answer) -> dict[str, object]:
    """Return what upstream's tests compare."""
    return {name: list(one) if isinstance(one, tuple) else one for name, one in found._asdict().items()}


ANTI_AFFINITY = Decision(
    "balancer/anti-affinity",
    "Which brokers are kept for a bundle of an anti-affinity group, and whether it may be unloaded (PIP-7)",
    BrokerSizes,
    some_group,
    decide,
    (
        InputLaw("ungrouped-bundle-goes-anywhere", "Without a group all are kept.", FILTER, has_no_group, keeps_all,
                 kind=LawKind.PROTOCOL),
        InputLaw("some-broker-is-kept", "Of candidates some are kept by every filter.", FILTER, always, keeps_someone,
                 kind=LawKind.PURPOSE),
        InputLaw("emptiest-is-kept", "Who is kept has the fewest of its domain's candidates, and its domain's"
                 " candidates have the fewest.", FILTER, has_group, keeps_emptiest, kind=LawKind.PROTOCOL),
        InputLaw("even-group-stays", "A bundle of a group may be unloaded unless all candidates have as many of the"
                 " group, and one at least.", UNLOAD, has_group, unloads_unless_all_have_as_many, kind=LawKind.MIRROR),
        InputLaw("namespace-is-spread", "Who is kept for an even distribution has the fewest bundles of the namespace.",
                 "LoadManagerShared.removeMostServicingBrokersForNamespace", always, keeps_fewest_of_the_namespace,
                 kind=LawKind.PROTOCOL),
        InputLaw("order-of-candidates-decides-nothing", "The order of candidates and of bundles changes nobody who is"
                 " kept.", FILTER, always, decides_the_same_in_any_order, kind=LawKind.PROTOCOL),
        InputLaw("emptiest-domain-of-all-is-kept", "PIP-7: a namespace goes to the domain that has the fewest of its"
                 " group. (It does not: what a domain's other brokers have, which are no candidates, is not counted.)",
                 FILTER, has_group, keeps_domains_emptiest_of_all, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("managers-keep-the-same", "Both managers keep the same brokers. (They do not: the modular one counts"
                 " namespaces, the extensible one bundles, and only those that are owned.)",
                 "LoadManagerShared.getAntiAffinityNamespaceOwnedBrokers", has_group, keep_the_same, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
        InputLaw("unloads-where-another-may-have-it", "PIP-7: a bundle of a group is unloaded only if another broker"
                 " may be given it. (It is not so: the rule asks whether some candidate has more, and the one with the"
                 " fewest may be the current owner.)", UNLOAD, is_owned_in_a_group, goes_where_it_may,
                 Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("own-namespace-counts-not", "PIP-7: namespaces keep away from each other; bundles of the same one"
                 " bring nobody in who has others of the group. (They do: the own namespace is counted like others,"
                 " apache/pulsar#16563.)", FILTER, has_group, would_keep_the_same_without_its_own, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
        InputLaw("bundle-on-its-way-counts", "A bundle that a broker is about to have counts as one that it has. (Not"
                 " for the extensible manager, which counts what the channel says is owned.)",
                 "AntiAffinityGroupPolicyHelper.filterAsync", some_is_on_its_way, counts_what_is_on_its_way,
                 Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    asked_of,
    told=told,
)  # fmt: skip
