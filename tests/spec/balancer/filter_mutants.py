"""Filters that answer otherwise: for every law of theirs one that breaks it."""

from typing import Any

from oneowner.model.balancer.filters import anti_affinity, isolation
from oneowner.model.balancer.filters.administration import CONFLICT, LocalPolicies, Requests, Written
from oneowner.model.balancer.filters.isolation import Isolated
from oneowner.model.balancer.filters.settings import Answer, Candidates
from tests.spec.balancer.mutants import DECISIONS, Decide, instead, original


def kept_backwards(asked: anti_affinity.Asked, found: anti_affinity.Answer) -> anti_affinity.Answer:
    """The first candidate is kept, if the rest is as good."""
    return found._replace(modular=found.modular[:1])


def all_of_them(asked: anti_affinity.Asked, found: anti_affinity.Answer) -> anti_affinity.Answer:
    return found._replace(modular=asked.candidates, extensible=asked.candidates, even=asked.candidates)


def all_available(asked: Isolated, found: isolation.Kept) -> isolation.Kept:
    return isolation.Kept(asked.available, asked.available)


def extensible_with(field: str, kept: Any) -> Decide:
    def change(asked: Candidates, found: Answer) -> Answer:
        assert found.extensible is not None
        return found._replace(extensible=found.extensible._replace(**{field: kept(asked)}))

    return instead("filters", change)


def version(kept: Any) -> Decide:
    return instead("filters", lambda asked, found: found._replace(modular=found.modular._replace(version=kept(asked))))


def both_written(asked: Requests, found: Written) -> Written:
    return Written((*asked.domains, asked.first, asked.second), found.answers)


FILTER_MUTANTS: dict[tuple[str, str], Decide] = {
    ("failure-domains", "broker-is-in-one-domain"): instead("failure-domains", both_written),
    ("failure-domains", "refused-domain-is-not-written"): instead("failure-domains", both_written),
    ("failure-domains", "own-brokers-are-no-conflict"): instead(
        "failure-domains", lambda asked, found: found._replace(answers=(found.answers[0], CONFLICT))
    ),
    ("anti-affinity-group", "group-takes-the-others-place"): lambda asked: LocalPolicies(asked.bundles, "h"),
    ("anti-affinity-group", "blank-group-is-refused"): lambda asked: LocalPolicies(asked.bundles, asked.group),
    ("anti-affinity", "ungrouped-bundle-goes-anywhere"): instead("anti-affinity", kept_backwards),
    ("anti-affinity", "some-broker-is-kept"): instead(
        "anti-affinity", lambda asked, found: found._replace(modular=())
    ),
    ("anti-affinity", "emptiest-is-kept"): instead("anti-affinity", all_of_them),
    ("anti-affinity", "even-group-stays"): instead(
        "anti-affinity", lambda asked, found: found._replace(modular_may_unload=True)
    ),
    ("anti-affinity", "namespace-is-spread"): instead("anti-affinity", all_of_them),
    ("anti-affinity", "order-of-candidates-decides-nothing"): instead("anti-affinity", kept_backwards),
    ("isolation", "policy-names-who-is-kept"): instead("isolation", all_available),
    ("isolation", "primaries-alone-if-enough"): instead("isolation", all_available),
    ("isolation", "secondaries-stand-in"): instead("isolation", all_available),
    ("isolation", "shared-brokers-take-the-rest"): instead("isolation", all_available),
    ("isolation", "shared-brokers-are-no-primaries"): instead("isolation", all_available),
    ("isolation", "waiting-decides-nothing"): instead(
        "isolation", lambda asked, found: found._replace(not_waiting=())
    ),
    ("filters", "full-broker-is-given-nothing"): extensible_with("topics", lambda asked: asked.candidates),
    ("filters", "unknown-broker-is-kept"): instead(
        "filters", lambda asked, found: found._replace(modular=found.modular._replace(topics=asked.candidates[:1]))
    ),
    ("filters", "other-manager-is-left-out"): extensible_with(
        "load_manager", lambda asked: [name for name, _ in asked.brokers]
    ),
    ("filters", "some-version-is-kept"): version(lambda asked: ()),
    ("filters", "kept-versions-are-equal"): version(lambda asked: asked.candidates),
}  # fmt: skip
for _name in ("failure-domains", "anti-affinity-group", "anti-affinity", "isolation", "filters"):
    for _law in DECISIONS[f"balancer/{_name}"].laws:
        if _law.status.is_violated:
            FILTER_MUTANTS[_name, _law.name] = original(_name)
