"""Lines that ask which bundles a broker reports as its heaviest."""

from typing import Any, Final

from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.bundle_stats import BundleStats
from oneowner.model.balancer.top_bundles import Held, Rules, top_bundles
from oneowner.model.kernel.batch import Algorithm, Row
from oneowner.model.kernel.decision import Thrown
from oneowner.model.pulsar.variants import VARIANTS

STATS: Final = {
    "topics": "topics",
    "consumerCount": "consumers",
    "producerCount": "producers",
    "msgRateIn": "rate_in",
    "msgRateOut": "rate_out",
    "msgThroughputIn": "throughput_in",
    "msgThroughputOut": "throughput_out",
    "cacheSize": "cache",
}
SETTINGS: Final = {
    "loadBalancerMaxNumberOfBundlesInBundleLoadReport": "most",
    "loadBalancerSheddingBundlesWithPoliciesEnabled": "with_policies",
    "loadBalancerSheddingExcludedNamespaces": "excluded",
}
RULES: Final = {
    "3.0.7": Rules(skips_idle=False),
    "3.3.6": Rules(),
    "4.0.6": Rules(),
    "4.0.8": Rules(rounds=True),
    "4.2.4": Rules(rounds=True, excludes_namespaces=True, has_clusters=False),
}


def top_k(row: Row, rules: Rules) -> dict[str, Any]:
    """Return the heaviest bundles, the lightest of them first."""
    found = top_bundles(held_of(row, rules))
    return error_of(found) if isinstance(found, Thrown) else {"top": list(found)}


def held_of(row: Row, rules: Rules) -> Held:
    """Return a broker's bundles as a file gives them."""
    held = configured(Held((), rules=rules), row.get("conf") or {}, SETTINGS)
    bound = frozenset([*(row.get("groups") or ()), *(row.get("policies") or ())])
    most = int(row.get("k", held.most))
    return held._replace(bundles=tuple(map(stats_of, row["bundles"])), most=most, bound=bound)


def stats_of(told: Row) -> BundleStats:
    """Return what a broker reports of a bundle as a file gives it."""
    return BundleStats(told["name"], **{field: told[key] for key, field in STATS.items() if key in told})


def error_of(thrown: Thrown) -> dict[str, Any]:
    """Return what was thrown as a file gives it."""
    return {"error": f"java.lang.{thrown.exception}: {thrown.why}"}


TOP_K: Final = Algorithm(top_k, RULES, lambda release: VARIANTS.lacks(release, "TopKBundles"))
