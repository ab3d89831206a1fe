"""``ISOLATION`` judges which brokers a namespace may have by isolation policies."""

import re
from collections.abc import Iterable

from oneowner.model.balancer.batch.filters import isolated_of
from oneowner.model.balancer.filters.filter_inputs import PolicySizes, some_isolation
from oneowner.model.balancer.filters.isolation import Isolated, Kept, Policy, Rules, decide
from oneowner.model.kernel.decision import Decision, InputLaw, Thrown
from oneowner.model.kernel.law import LawKind, Status

CLASS = "LoadManagerShared.applyNamespacePolicies"


def matches(patterns: Iterable[str], text: str) -> bool:
    """Return whether one of the patterns is of the whole text (``Matcher.matches``)."""
    return any(re.search(rf"\A(?:{pattern})\Z", text) for pattern in patterns)


def policies_of(asked: Isolated) -> list[Policy]:
    return [one for one in asked.policies or () if matches(one.namespaces, asked.namespace)]


def has_policy(asked: Isolated, found: Kept) -> bool:
    return bool(policies_of(asked))


def has_many(asked: Isolated, found: Kept) -> bool:
    return len(policies_of(asked)) > 1


def has_none(asked: Isolated, found: Kept) -> bool:
    return asked.policies is not None and not policies_of(asked)


def cannot_be_read(asked: Isolated, found: Kept) -> bool:
    return asked.policies is None


def can_be_read(asked: Isolated, found: Kept) -> bool:
    return asked.policies is not None


def host(broker: str) -> str:
    return broker.partition(":")[0]


def keeps_those_named(asked: Isolated, found: Kept) -> bool:
    named = policies_of(asked)[0].primary + policies_of(asked)[0].secondary
    return all(matches(named, host(one)) for one in found.waiting)


def keeps_primaries_alone(asked: Isolated, found: Kept) -> bool:
    policy = policies_of(asked)[0]
    primaries = [one for one in asked.available if matches(policy.primary, host(one))]
    return len(primaries) < policy.least or list(found.waiting) == primaries


def keeps_exactly(asked: Isolated, found: Kept) -> bool:
    """The primary brokers that are there; while they are too few the secondary ones, too, each once."""
    policy = policies_of(asked)[0]
    primaries = [one for one in asked.available if matches(policy.primary, host(one))]
    others = [one for one in asked.available if matches(policy.secondary, host(one)) and one not in primaries]
    return list(found.waiting) == primaries + (others if len(primaries) < policy.least else [])


def keeps_the_shared(asked: Isolated, found: Kept) -> bool:
    primaries = [pattern for policy in asked.policies or () for pattern in policy.primary]
    takes = asked.non_persistent if asked.has_non_persistent else asked.persistent
    return list(found.waiting) == [one for one in asked.available if one in takes and not matches(primaries, host(one))]


def keeps_off_primaries(asked: Isolated, found: Kept) -> bool:
    return not any(matches(policy.primary, host(one)) for policy in asked.policies or () for one in found.waiting)


def keep_the_same(asked: Isolated, found: Kept) -> bool:
    return found.waiting == found.not_waiting


def keeps_someone(asked: Isolated, found: Kept) -> bool:
    return bool(found.waiting)


def takes_its_topics(asked: Isolated, found: Kept) -> bool:
    return set(found.waiting) <= set(asked.persistent)


def keeps_nobody(asked: Isolated, found: Kept) -> bool:
    return not found.waiting and isinstance(found.not_waiting, Thrown)


def keeps_the_same_in_any_order(asked: Isolated, found: Kept) -> bool:
    assert asked.policies is not None
    return set(decide(asked._replace(policies=asked.policies[::-1])).waiting) == set(found.waiting)


def read(row: dict[str, object]) -> Isolated:
    """Return the input that a fact gives."""
    return isolated_of(row, Rules())


ISOLATION = Decision(
    "balancer/isolation",
    "Which brokers a namespace may have by isolation policies",
    PolicySizes,
    some_isolation,
    decide,
    (
        InputLaw("policy-names-who-is-kept", "Who is kept is a primary or secondary broker of the first policy that"
                 " names the namespace.", CLASS, has_policy, keeps_those_named, kind=LawKind.PURPOSE),
        InputLaw("primaries-alone-if-enough", "With as many primary brokers as the policy wants there are no others.",
                 "MinAvailablePolicy.shouldFailoverToSecondary", has_policy, keeps_primaries_alone,
                 kind=LawKind.PROTOCOL),
        InputLaw("secondaries-stand-in", "Exactly the primary brokers of the policy are kept, and the secondary ones,"
                 " too, while there are fewer than it wants; whether they take such topics is not asked.", CLASS,
                 has_policy, keeps_exactly, kind=LawKind.MIRROR),
        InputLaw("shared-brokers-take-the-rest", "A namespace without policy may go to exactly those that take such"
                 " topics and are no policy's primary broker.", CLASS, has_none, keeps_the_shared, kind=LawKind.MIRROR),
        InputLaw("shared-brokers-are-no-primaries", "A namespace without policy goes to no broker that is primary in"
                 " one.", "NamespaceIsolationPolicies.isSharedBroker", has_none, keeps_off_primaries,
                 kind=LawKind.PURPOSE),
        InputLaw("waiting-decides-nothing", "If policies can be read, both managers keep the same.",
                 "LoadManagerShared.applyNamespacePoliciesAsync", can_be_read, keep_the_same, kind=LawKind.PROTOCOL),
        InputLaw("namespace-has-a-broker", "While a broker is there, a namespace with a policy has one. (Not if the"
                 " policy names none of them: shared brokers never stand in.)", CLASS, has_policy, keeps_someone,
                 Status.DOCUMENTED, kind=LawKind.PURPOSE),
        InputLaw("broker-takes-its-topics", "Who is kept takes topics of that kind. (With a policy this is not asked.)",
                 CLASS, can_be_read, takes_its_topics, Status.DOCUMENTED, kind=LawKind.PURPOSE),
        InputLaw("unread-policies-keep-nobody", "If policies cannot be read, nobody is kept. (The modular manager goes"
                 " on as if there were none.)", "SimpleResourceAllocationPolicies.areIsolationPoliciesPresent",
                 cannot_be_read, keeps_nobody, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("order-of-policies-decides-nothing", "Of two policies that name a namespace it matters not which is"
                 " first. (It does: only that one is read.)", "NamespaceIsolationPolicies.getPolicyByNamespace",
                 has_many, keeps_the_same_in_any_order, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    read,
)  # fmt: skip
