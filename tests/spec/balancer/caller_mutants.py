"""Callers of shedders, and reports of load, that answer otherwise: for every law of theirs one that breaks it."""

from typing import Any

from oneowner.model.balancer.load_reports import Reporter
from oneowner.model.balancer.shedding import load_shedding_task, unload_scheduler
from oneowner.model.balancer.shedding.unload_scheduler import Gate
from tests.spec.balancer.mutants import DECISIONS, Decide, instead, original


def regardless_of_switches(name: str) -> Decide:
    return lambda asked: original(name)(asked._replace(enabled=True, sheds=True))


def whoever_leads(asked: unload_scheduler.Asked) -> Any:
    return original("unload-scheduler")(asked._replace(owner=True))


def with_any_brokers(asked: unload_scheduler.Asked) -> Any:
    return original("unload-scheduler")(asked._replace(brokers=2))


def changed(name: str, **fields: Any) -> Decide:
    return instead(name, lambda asked, found: found._replace(**fields))


def without_grace(name: str) -> Decide:
    return lambda asked: original(name)(asked._replace(grace=asked.grace - 1))


def back_home(asked: load_shedding_task.Asked, found: load_shedding_task.Run) -> load_shedding_task.Run:
    return found._replace(unloaded=tuple((bundle, broker, broker) for bundle, broker, _ in found.unloaded))


def done(what: Any) -> Decide:
    return instead("load-report", lambda asked, found: (found[0], what))


CALLER_MUTANTS: dict[tuple[str, str], Decide] = {
    ("unload-scheduler", "channel-owner-alone-unloads"): whoever_leads,
    ("unload-scheduler", "only-broker-keeps-all"): with_any_brokers,
    ("unload-scheduler", "named-bundles-are-published"): changed("unload-scheduler", unloaded=("t/n/9",)),
    ("unload-scheduler", "refused-unload-is-no-unload"): instead(
        "unload-scheduler", lambda asked, found: found._replace(remembered=found.unloaded)
    ),
    ("load-shedding-task", "named-bundle-goes-or-stays"): changed("load-shedding-task", stays=()),
    ("load-shedding-task", "unloaded-bundle-goes-elsewhere"): instead("load-shedding-task", back_home),
    ("load-shedding-task", "unloaded-bundle-is-remembered"): changed("load-shedding-task", remembered=()),
    ("load-report", "forced-load-is-reported"): done(None),
    ("load-report", "old-report-is-renewed"): done(None),
    ("load-report", "changed-load-is-reported"): done(None),
    ("load-report", "steady-load-waits"): done("pushed"),
    ("load-report", "removal-waits-ten-seconds"): done("removed"),
    ("load-report", "lost-report-counts-for-nothing"): instead(
        "load-report", lambda asked, found: (Reporter(removed=0), found[1])
    ),
    ("load-report", "changed-broker-reports-anew"): instead(
        "load-report", lambda asked, found: (found[0]._replace(seconds=0), found[1])
    ),
    ("avg-placement", "planned-broker-is-drawn"): instead("avg-placement", lambda given, found: given.candidates),
    ("avg-placement", "unplanned-bundle-goes-anywhere"): instead(
        "avg-placement", lambda given, found: given.candidates[:1]
    ),
    ("avg-placement", "candidate-is-drawn"): instead("avg-placement", lambda given, found: ("b9",)),
    ("extensible-selection", "left-brokers-pass"): instead(
        "extensible-selection", lambda asked, found: asked.candidates
    ),
}  # fmt: skip
for _name in ("unload-scheduler", "load-shedding-task"):
    CALLER_MUTANTS[_name, "switched-off-asks-no-shedder"] = regardless_of_switches(_name)
    CALLER_MUTANTS[_name, "grace-period-is-told"] = without_grace(_name)
    CALLER_MUTANTS[_name, "first-gate-is-told"] = changed(_name, skipped=Gate.NOTHING)
for _name in ("unload-scheduler", "load-shedding-task", "load-report", "avg-placement", "extensible-selection"):
    for _law in DECISIONS[f"balancer/{_name}"].laws:
        if _law.status.is_violated:
            CALLER_MUTANTS[_name, _law.name] = original(_name)
