"""``LOAD_SHEDDING_TASK`` judges how the modular load manager's leader acts on a shedder's answer."""

from collections.abc import Mapping
from typing import Any

from oneowner.model.balancer.batch.callers import task_of
from oneowner.model.balancer.filters import isolation
from oneowner.model.balancer.filters.anti_affinity import namespace_of
from oneowner.model.balancer.shedding.caller_inputs import CallerSizes, some_task
from oneowner.model.balancer.shedding.load_shedding_task import RULES, Asked, Run, run
from oneowner.model.balancer.shedding.unload_scheduler import Gate
from oneowner.model.kernel.decision import Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind, Status
from oneowner.spec.balancer.shedding.caller_laws import asks_the_shedder, caller_laws, first_closed

CLASS = "ModularLoadManagerImpl.doLoadShedding"
TASK = "LoadSheddingTask.run"


def leads(asked: Asked, found: Run) -> bool:
    return not asked.cancelled


def unloads(asked: Asked, found: Run) -> bool:
    return bool(found.unloaded)


def unloads_by_choice(asked: Asked, found: Run) -> bool:
    return bool(found.unloaded) and asked.rules.checks_policies


def tells_the_first_gate(asked: Asked, found: Run) -> bool:
    gates = {
        Gate.NOT_STARTED: not (asked.cancelled and asked.rules.starts_itself),
        Gate.NO_STORE: asked.store or not asked.rules.minds_the_store,
        Gate.OFF: asked.enabled and asked.sheds,
        Gate.ONE_BROKER: len(asked.policies.available) > 1,
        Gate.THROWS: asked.unload is not None,
        Gate.NOTHING: asked.unload != (),
    }
    return found.skipped == first_closed(gates)


def tells_of_every_bundle(asked: Asked, found: Run) -> bool:
    named = [bundle for _, bundles in asked.unload or () for bundle in bundles]
    return sorted([*(one[0] for one in found.unloaded), *(one[0] for one in found.stays)]) == sorted(named)


def goes_elsewhere(asked: Asked, found: Run) -> bool:
    return all(to not in (None, broker) for _, broker, to in found.unloaded)


def goes_where_policies_allow(asked: Asked, found: Run) -> bool:
    return all(_allowed(asked, bundle) - {broker} for bundle, broker, _ in found.unloaded)


def _allowed(asked: Asked, bundle: str) -> set[str]:
    return set(isolation.kept(asked.policies._replace(namespace=namespace_of(bundle))))


def remembers_the_unloaded(asked: Asked, found: Run) -> bool:
    return set(found.remembered) == {*(found.told or ()), *(one[0] for one in found.unloaded)}


def runs_again(asked: Asked, found: Run) -> bool:
    return found.runs_again


def read(row: Mapping[str, Any]) -> Asked:
    """Return the input that a fact gives as a line of a batch, with its release."""
    return task_of(row, RULES[row["release"]])


def told(found: Run) -> Any:
    """Return what upstream's tests look at: what is unloaded."""
    return [list(one) for one in found.unloaded]


LOAD_SHEDDING_TASK = Decision(
    "balancer/load-shedding-task",
    "What the modular load manager's leader makes of a shedder's answer (ModularLoadManagerImpl.doLoadShedding)",
    CallerSizes,
    some_task,
    run,
    (
        *caller_laws(CLASS),
        InputLaw("first-gate-is-told", "What is told is the first gate that says no, and none if all say yes.", TASK,
                 always, tells_the_first_gate, kind=LawKind.MIRROR),
        InputLaw("named-bundle-goes-or-stays", "Every bundle that the shedder names is unloaded, or it is told why it"
                 " stays.", CLASS, asks_the_shedder, tells_of_every_bundle, kind=LawKind.PROTOCOL),
        InputLaw("unloaded-bundle-goes-elsewhere", "From 3.0 on another broker is chosen for what is unloaded.", CLASS,
                 unloads_by_choice, goes_elsewhere, kind=LawKind.PROTOCOL),
        InputLaw("unloaded-bundle-is-remembered", "What is unloaded counts as unloaded, and what is refused does not.",
                 CLASS, asks_the_shedder, remembers_the_unloaded, kind=LawKind.PROTOCOL),
        InputLaw("policies-allow-another", "Policies allow another broker what is unloaded. (Before 3.0 nobody asks:"
                 " it comes back, once in every grace period.)", CLASS, unloads, goes_where_policies_allow,
                 Status.DOCUMENTED, kind=LawKind.PURPOSE),
        InputLaw("leader-runs-again", "While a broker leads, every run is followed by another. (In 4.0.6 and 4.0.7 one"
                 " that finds the metadata store away is the last, #24838: nothing is unloaded until another leads.)",
                 TASK, leads, runs_again, Status.DOCUMENTED, kind=LawKind.PURPOSE),
    ),
    read,
    told=told,
)  # fmt: skip
