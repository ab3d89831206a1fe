"""Lines that ask which brokers may be given a bundle at all: by anti-affinity, by isolation, by settings."""

from typing import Any, Final

from oneowner.model.balancer.batch.extensible import READ
from oneowner.model.balancer.batch.row import configured, value_like
from oneowner.model.balancer.filters import anti_affinity, isolation, settings
from oneowner.model.kernel.batch import Algorithm, Row
from oneowner.model.kernel.decision import Thrown
from oneowner.model.kernel.releases import since

MODULAR: Final = ("2.9.1", "2.9.2", "2.10.5")
"""Releases that have the modular manager alone."""
BOTH: Final = tuple(release for release in READ if release in since("3.0.7"))
"""Releases that were read and have both managers."""
SETTINGS: Final = {
    "loadBalancerBrokerMaxTopics": "most_topics",
    "preferLaterVersions": "later_versions",
    "loadManagerClassName": "load_manager",
}


def answer_anti_affinity(row: Row, extensible: bool) -> dict[str, Any]:
    """Return who is kept, and whether the bundle may be unloaded."""
    found = anti_affinity.decide(asked_of(row))
    told = found._asdict()
    return told if extensible else {name: one for name, one in told.items() if not name.startswith("extensible")}


def asked_of(row: Row) -> anti_affinity.Asked:
    """Return what a line asks; with ``domains`` they are enabled, unless its ``conf`` says otherwise."""
    enabled = value_like(True, row.get("conf", {}).get("failureDomainsEnabled", True))
    return anti_affinity.Asked(
        tuple((name, group or "") for name, group in (row.get("groups") or {}).items()),
        tuple(
            anti_affinity.Owned(one["bundle"], one.get("broker") or "", one.get("state", "Owned"))
            for one in row.get("owned") or ()
        ),
        tuple((row.get("domains") or {}).items()) if enabled else (),
        tuple(row["candidates"]),
        row["bundle"],
        row.get("current") or "",
    )


def answer_isolation(row: Row, rules: isolation.Rules) -> dict[str, Any]:
    """Return who may be given the bundle, sorted."""
    found = isolation.decide(isolated_of(row, rules))
    kept = {"kept": sorted(found.waiting)}
    return kept if found.not_waiting is None else {**kept, "kept_async": listed(found.not_waiting, sort=True)}


def isolated_of(row: Row, rules: isolation.Rules) -> isolation.Isolated:
    """Return what a line asks; ``policies`` may be null: they cannot be read."""
    told = row["policies"]
    policies = None if told is None else tuple(map(policy_of, told.values() if isinstance(told, dict) else told))
    return isolation.Isolated(
        policies,
        anti_affinity.namespace_of(row["bundle"]),
        bool(row.get("has_non_persistent")),
        tuple(row["available"]),
        tuple(row.get("persistent", row["available"])),
        tuple(row.get("non_persistent", row["available"])),
        rules,
    )


def policy_of(told: Row) -> isolation.Policy:
    """Return a policy as Pulsar's administration gives it, or with ``min_limit`` beside its lists."""
    parameters = told.get("auto_failover_policy", {}).get("parameters", told)
    namespaces, primary, secondary = (tuple(told.get(name) or ()) for name in ("namespaces", "primary", "secondary"))
    return isolation.Policy(namespaces, primary, secondary, int(parameters["min_limit"]))


def answer_filters(row: Row, rules: settings.Rules) -> dict[str, Any]:
    """Return who is kept by each filter of either manager."""
    found = settings.decide(candidates_of(row, rules))
    return {
        f"{manager}_{name}": listed(brokers)
        for manager, kept in found._asdict().items()
        if kept is not None
        for name, brokers in kept._asdict().items()
    }


def candidates_of(row: Row, rules: settings.Rules) -> settings.Candidates:
    """Return what a line asks."""
    known = tuple((one["id"], broker_of(one)) for one in row["brokers"])
    conf = configured(settings.Settings(), row.get("conf", {}), SETTINGS)
    return settings.Candidates(known, tuple(row["candidates"]), conf, rules)


def broker_of(told: Row) -> settings.Broker:
    """Return what a line tells of a broker."""
    preallocated = sum(told.get("preallocated") or ())
    return settings.Broker(told.get("topics", 0), preallocated, told.get("version"), told.get("load_manager"))


def listed(brokers: tuple[str, ...] | Thrown, sort: bool = False) -> Any:
    """Return brokers as a file gives them, or the exception."""
    if isinstance(brokers, Thrown):
        return {"error": brokers.exception}
    return sorted(brokers) if sort else list(brokers)


ANTI_AFFINITY: Final = Algorithm(answer_anti_affinity, dict.fromkeys(MODULAR, False) | dict.fromkeys(BOTH, True))
"""The rule is whether the release has the extensible manager."""
ISOLATION: Final = Algorithm(
    answer_isolation, dict.fromkeys(MODULAR, isolation.Rules(False, False)) | dict.fromkeys(BOTH, isolation.Rules())
)
FILTERS: Final = Algorithm(
    answer_filters, dict.fromkeys(MODULAR, settings.Rules(False, False)) | dict.fromkeys(BOTH, settings.Rules())
)
