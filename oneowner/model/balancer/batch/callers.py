"""Lines that ask what becomes of a shedder's answer: by ``UnloadScheduler``, or by the modular manager's task."""

from typing import Any, Final

from oneowner.model.balancer.batch.extensible import READ
from oneowner.model.balancer.batch.filters import asked_of, isolated_of
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.filters import isolation
from oneowner.model.balancer.shedding import load_shedding_task, unload_scheduler
from oneowner.model.balancer.shedding.unload_scheduler import Gate
from oneowner.model.kernel.batch import Algorithm, Row

SWITCHES: Final = {"loadBalancerEnabled": "enabled", "loadBalancerSheddingEnabled": "sheds"}
SETTINGS: Final = {**SWITCHES, "loadBalancerSheddingGracePeriodMinutes": "grace"}
MODULAR: Final = {**SETTINGS, "loadBalancerSheddingExcludedNamespaces": "excluded"}
NEIGHBOURS: Final = {
    Gate.NOT_STARTED: 0, Gate.NO_STORE: 0, Gate.OFF: 0, Gate.NO_OWNER: 1, Gate.NOT_OWNER: 1, Gate.NO_REGISTRY: 2,
    Gate.ONE_BROKER: 2,
}  # fmt: skip
"""
The number of neighbours of a run that are called before a gate refuses: the channel's owner, the registry, the shedder.
"""


def answer_scheduler(row: Row, rules: None) -> dict[str, Any]:
    """Return the brokers that a run asks, the shedder's input, the published unloads, and those that count as done."""
    found = unload_scheduler.execute(scheduled_of(row))
    asked = ("owner", "brokers", "shedder")[: 3 if found.skipped is None else NEIGHBOURS.get(found.skipped, 3)]
    return {**outcome_of(found), "asked": list(asked), "published": sorted(found.unloaded)}


def scheduled_of(row: Row) -> unload_scheduler.Asked:
    """Return what a run of ``UnloadScheduler`` finds as a line gives it."""
    unload, brokers = row["unload"], row["available"]
    named = None if unload is None else tuple((name, broker) for broker, names in unload.items() for name in names)
    asked = unload_scheduler.Asked(
        named,
        owner=row.get("owner", True),
        brokers=None if brokers is None else len(brokers),
        ages=tuple((row.get("recent") or {}).items()),
        refused=frozenset(row.get("refused") or ()),
        late=frozenset(row.get("late") or ()),
    )
    return configured(asked, row.get("conf") or {}, SETTINGS)


def answer_task(row: Row, rules: load_shedding_task.Rules) -> dict[str, Any]:
    """Return the shedder's input, the unloads by destination, those that count as done, and the next run."""
    found = load_shedding_task.run(task_of(row, rules))
    again = {"runs_again": found.runs_again} if rules.starts_itself else {}
    return {**outcome_of(found), "unloaded": sorted(map(list, found.unloaded)), **again}


def task_of(row: Row, rules: load_shedding_task.Rules) -> load_shedding_task.Asked:
    """Return what a run of ``LoadSheddingTask`` finds: a line has also the keys of ``isolation``, ``anti_affinity``."""
    told, unload = {"bundle": "", "candidates": (), **row}, row["unload"]
    asked = load_shedding_task.Asked(
        None if unload is None else tuple((broker, tuple(names)) for broker, names in unload.items()),
        isolated_of(told, isolation.Rules(needs_a_port=rules.checks_policies)),
        asked_of(told),
        tuple((row.get("selected") or {}).items()),
        cancelled=bool(row.get("cancelled")),
        store=bool(row.get("metadata_available", True)),
        ages=tuple((row.get("recent") or {}).items()),
        refused=frozenset(row.get("refused") or ()),
        rules=rules,
    )
    return configured(asked, row.get("conf") or {}, MODULAR)


def outcome_of(found: unload_scheduler.Run | load_shedding_task.Run) -> dict[str, Any]:
    """Return what either manager tells the shedder, and remembers."""
    return {"told": None if found.told is None else sorted(found.told), "recent": sorted(found.remembered)}


UNLOAD_SCHEDULER: Final = Algorithm(answer_scheduler, READ)
LOAD_SHEDDING_TASK: Final = Algorithm(answer_task, load_shedding_task.RULES)
