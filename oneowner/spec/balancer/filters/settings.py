"""``FILTERS`` judges the filters that settings turn on: most topics, latest version, load manager class."""

from oneowner.model.balancer.batch.filters import candidates_of
from oneowner.model.balancer.filters.filter_inputs import BrokerSizes, some_candidates
from oneowner.model.balancer.filters.settings import Answer, Broker, Candidates, Kept, Rules, decide
from oneowner.model.balancer.filters.versions import compare, version_of
from oneowner.model.kernel.decision import Decision, InputLaw, Thrown
from oneowner.model.kernel.law import LawKind, Status

TOPICS = "LoadManagerShared.filterBrokersWithLargeTopicCount, BrokerMaxTopicCountFilter"
VERSION = "BrokerVersionFilter"


def has_candidates(asked: Candidates, found: Answer) -> bool:
    return bool(asked.candidates)


def knows_versions(asked: Candidates, found: Answer) -> bool:
    return has_candidates(asked, found) and all(
        dict(asked.brokers).get(one, Broker()).version for one in asked.candidates
    )


def knows_some_version(asked: Candidates, found: Answer) -> bool:
    return any(broker.version for _, broker in asked.brokers)


def extensible_of(found: Answer) -> Kept:
    assert found.extensible is not None
    return found.extensible


def has_fewer_topics(asked: Candidates, found: Answer) -> bool:
    known = dict(asked.brokers)
    return all(known[one].topics < asked.settings.most_topics for one in extensible_of(found).topics if one in known)


def keeps_some_version(asked: Candidates, found: Answer) -> bool:
    return not isinstance(found.modular.version, Thrown) and bool(found.modular.version)


def keeps_equals(asked: Candidates, found: Answer) -> bool:
    kept = found.modular.version
    if isinstance(kept, Thrown):
        return False
    known = dict(asked.brokers)
    versions = [version_of(known[one].version or "") if one in known else None for one in kept]
    return all(one and other and compare(one, other) == 0 for one in versions for other in versions)


def keeps_its_own(asked: Candidates, found: Answer) -> bool:
    known = dict(asked.brokers)
    mine = {name for name, broker in known.items() if broker.load_manager == asked.settings.load_manager}
    return set(extensible_of(found).load_manager) <= mine


def keeps_none_unknown(asked: Candidates, found: Answer) -> bool:
    return set(found.modular.load_manager) <= dict(asked.brokers).keys()


def keep_the_same_topics(asked: Candidates, found: Answer) -> bool:
    return found.modular.topics == extensible_of(found).topics


def keeps_someone(asked: Candidates, found: Answer) -> bool:
    return bool(extensible_of(found).topics)


def keeps_none_over(asked: Candidates, found: Answer) -> bool:
    known = dict(asked.brokers)
    return all(
        known[one].topics + known[one].preallocated <= asked.settings.most_topics
        for one in found.modular.topics
        if one in known
    )


def keeps_the_same_in_any_order(asked: Candidates, found: Answer) -> bool:
    again = decide(asked._replace(candidates=asked.candidates[::-1])).modular.version
    return not isinstance(again, Thrown) and again[::-1] == found.modular.version


def keeps_whom_it_does_not_know_to_be_unfit(asked: Candidates, found: Answer) -> bool:
    """The modular manager: brokers not known to have too many topics, if any; nor another class."""
    known = dict(asked.brokers)
    topics = {name: broker.topics + broker.preallocated for name, broker in asked.brokers}
    room = tuple(name for name in asked.candidates if topics.get(name, 0) <= asked.settings.most_topics)
    mine = asked.settings.load_manager
    same = tuple(name for name in asked.candidates if name not in known or known[name].load_manager == mine)
    return (found.modular.topics, found.modular.load_manager) == (room or asked.candidates, same)


def read(row: dict[str, object]) -> Candidates:
    """Return the input that a fact gives."""
    return candidates_of(row, Rules())


def told(found: Answer) -> dict[str, object]:
    """Return what the modular manager's version filter keeps, which upstream's test compares."""
    kept = found.modular.version
    return {"version": {"error": kept.exception} if isinstance(kept, Thrown) else list(kept)}


FILTERS = Decision(
    "balancer/filters",
    "Which brokers are kept by settings: most topics, latest version, load manager class",
    BrokerSizes,
    some_candidates,
    decide,
    (
        InputLaw("full-broker-is-given-nothing", "Who the extensible manager keeps reports fewer topics than the"
                 " limit.", "BrokerMaxTopicCountFilter", has_candidates, has_fewer_topics, kind=LawKind.PROTOCOL),
        InputLaw("unknown-broker-is-kept", "The modular manager takes away who is known to have more topics than the"
                 " limit, those of bundles on their way included, unless that is everybody; and who has another load"
                 " manager class.", TOPICS, has_candidates, keeps_whom_it_does_not_know_to_be_unfit,
                 kind=LawKind.MIRROR),
        InputLaw("some-version-is-kept", "Where all versions are known, some broker is kept.", VERSION, knows_versions,
                 keeps_some_version, kind=LawKind.PURPOSE),
        InputLaw("kept-versions-are-equal", "All who are kept have one version.", VERSION, knows_versions,
                 keeps_equals, kind=LawKind.PROTOCOL),
        InputLaw("other-manager-is-left-out", "Who the extensible manager keeps has its load manager class.",
                 "BrokerLoadManagerClassFilter", has_candidates, keeps_its_own, kind=LawKind.PROTOCOL),
        InputLaw("unknown-manager-is-left-out", "Who the modular manager keeps has told its load manager class. (One"
                 " that has yet to report is kept.)", "BrokerLoadManagerClassFilter", has_candidates,
                 keeps_none_unknown, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("managers-agree-on-topics", "Both managers keep the same brokers by topics. (At the limit exactly the"
                 " modular one keeps a broker; it counts bundles on their way; and if nobody is below, it keeps all.)",
                 TOPICS, has_candidates, keep_the_same_topics, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("full-cluster-keeps-a-broker", "Of brokers that are all full the extensible manager keeps one. (It"
                 " keeps none, and lookups fail.)", "BrokerMaxTopicCountFilter", has_candidates, keeps_someone,
                 Status.DOCUMENTED, kind=LawKind.PURPOSE),
        InputLaw("limit-of-topics-is-kept", "Who the modular manager keeps has no more topics than the limit. (If all"
                 " have more, the limit is void.)", "LoadManagerShared.filterBrokersWithLargeTopicCount",
                 has_candidates, keeps_none_over, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("unknown-version-stops-nothing", "Where some version is known, some broker is kept. (One broker"
                 " without a version, and the filter throws.)", VERSION, knows_some_version, keeps_some_version,
                 Status.DOCUMENTED, kind=LawKind.PURPOSE),
        InputLaw("order-of-versions-decides-nothing", "The order of candidates does not say which version is the"
                 " latest. (It does: identifiers of pre-releases are compared as numbers or as texts, and 9 comes after"
                 " 1a, 1a after 10, 10 after 9.)", VERSION, knows_versions, keeps_the_same_in_any_order,
                 Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    read,
    told=told,
)  # fmt: skip
