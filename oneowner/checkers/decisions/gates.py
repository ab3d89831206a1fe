"""Why nothing is unloaded although a shedder would: the gates of what calls it, and what its caller passes over."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from oneowner.model.balancer.batch.callers import MODULAR, SETTINGS, SWITCHES, scheduled_of, task_of
from oneowner.model.balancer.batch.row import defaults_of
from oneowner.model.balancer.shedding import load_shedding_task, unload_scheduler
from oneowner.model.balancer.shedding.unload_scheduler import Gate
from oneowner.model.kernel.batch import Row
from oneowner.model.pulsar.variants import VARIANTS

KEYS: Final = ("leader", "metadata_available")
"""The keys of a snapshot that the gates read beside its brokers, policies and settings; both are true by default."""
GATE_SETTINGS: Final = frozenset({*SETTINGS, *MODULAR})
RUNS: Final = {
    **VARIANTS.extended(load_shedding_task.RULES, "LoadSheddingTask"),
    "2.9.2": load_shedding_task.RULES["2.9.1"],
}
"""Rules by release; 2.9.1 and 2.10.5 differ only in what starts a run, which does not matter here."""
SOMEBODY: Final = "somebody"
"""Placement does not matter here."""


class CalledRules(NamedTuple):
    """A shedder of the modular load manager by release, and what calls it."""

    shedder: Any
    task: load_shedding_task.Rules


def lately(snapshot: Row, key: str) -> dict[str, float]:
    """Return the unloaded bundles with their ages in minutes; those of a list without ages are new."""
    told = snapshot.get(key) or ()
    return dict(told) if isinstance(told, Mapping) else dict.fromkeys(told, 0.0)


def scheduled(snapshot: Row) -> unload_scheduler.Run:
    """Return the run of an extensible manager that finds nothing to unload."""
    available = [broker["id"] for broker in snapshot["brokers"] if broker.get("available", True)]
    row = {"owner": bool(snapshot.get("leader", True)), "available": available, "unload": {}}
    return unload_scheduler.execute(
        scheduled_of({**row, "conf": snapshot.get("conf"), "recent": lately(snapshot, "recent_bundles")})
    )


def shed(snapshot: Row, unload: Mapping[str, Any], rules: load_shedding_task.Rules) -> load_shedding_task.Run:
    """Return the effect of a modular manager's run on the bundles that its shedder names."""
    names = [broker["id"] for broker in snapshot["brokers"]]
    owned = [
        {"bundle": bundle, "broker": broker["id"]}
        for broker in snapshot["brokers"]
        for bundle in broker.get("bundles") or ()
    ]
    bundles = [bundle for listed in unload.values() for bundle in listed]
    row = {"policies": [], "available": snapshot.get("active", names), "owned": owned, **snapshot, "unload": unload}
    row |= {"recent": lately(snapshot, "recent"), "selected": dict.fromkeys(bundles, SOMEBODY)}
    rules = rules._replace(starts_itself=True)
    asked = task_of({**row, "cancelled": not snapshot.get("leader", True)}, rules)
    with_ports = any(":" in name for name in names)
    isolated = asked.policies._replace(rules=asked.policies.rules._replace(needs_a_port=with_ports))
    return load_shedding_task.run(asked._replace(policies=isolated))


def said(gate: Gate | None) -> str | None:
    """Describe the gate that skips the shedder, or return None."""
    return None if gate in (None, Gate.NOTHING, Gate.THROWS) else str(gate)


def turned_off(snapshot: Row) -> dict[str, Any]:
    """Return the gate settings in a snapshot with their defaults, as candidates for a change."""
    conf = snapshot.get("conf") or {}
    known = defaults_of(unload_scheduler.Asked(), SWITCHES)
    return {key: default for key, default in known.items() if key in conf}
