"""
``UNLOAD_SCHEDULER`` judges the unloads of one run of the extensible load manager, and the reason reported for none.
"""

from typing import Any

from oneowner.model.balancer.batch.callers import scheduled_of
from oneowner.model.balancer.shedding.caller_inputs import CallerSizes, some_scheduled
from oneowner.model.balancer.shedding.unload_scheduler import Asked, Gate, Run, execute
from oneowner.model.kernel.decision import Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind, Status
from oneowner.spec.balancer.shedding.caller_laws import caller_laws, first_closed, unloads_nothing

CLASS = "UnloadScheduler.execute"


def does_not_lead(asked: Asked, found: Run) -> bool:
    return asked.owner is not True


def has_one_broker(asked: Asked, found: Run) -> bool:
    return asked.brokers in (0, 1)


def publishes(asked: Asked, found: Run) -> bool:
    return bool(found.unloaded)


def tells_the_first_gate(asked: Asked, found: Run) -> bool:
    gates = {
        Gate.OFF: asked.enabled and asked.sheds,
        Gate.NO_OWNER: asked.owner is not None,
        Gate.NOT_OWNER: asked.owner is True,
        Gate.NO_REGISTRY: asked.brokers is not None,
        Gate.ONE_BROKER: asked.brokers is None or asked.brokers > 1,
        Gate.THROWS: asked.unloads is not None,
        Gate.NOTHING: asked.unloads != (),
    }
    return found.skipped == first_closed(gates)


def publishes_what_is_named(asked: Asked, found: Run) -> bool:
    return set(found.unloaded) == {bundle for bundle, _ in asked.unloads or ()}


def forgets_the_refused(asked: Asked, found: Run) -> bool:
    return not (asked.refused - set(found.told or ())) & set(found.remembered)


def remembers_the_published(asked: Asked, found: Run) -> bool:
    return set(found.unloaded) - asked.refused <= set(found.remembered)


def told(found: Run) -> Any:
    """Return the facts that upstream's tests check: whether the shedder is called, and the published records."""
    return {"asked": found.told is not None, "unloaded": list(found.unloaded)}


UNLOAD_SCHEDULER = Decision(
    "balancer/unload-scheduler",
    "What a run of the extensible load manager unloads (UnloadScheduler)",
    CallerSizes,
    some_scheduled,
    execute,
    (
        *caller_laws(CLASS),
        InputLaw("channel-owner-alone-unloads", "Whoever does not know that it owns the channel unloads nothing.",
                 CLASS, does_not_lead, unloads_nothing, kind=LawKind.PROTOCOL),
        InputLaw("only-broker-keeps-all", "An only broker unloads nothing.", CLASS, has_one_broker, unloads_nothing,
                 kind=LawKind.PROTOCOL),
        InputLaw("first-gate-is-told", "What is told is the first gate that says no, and none if all say yes.", CLASS,
                 always, tells_the_first_gate, kind=LawKind.MIRROR),
        InputLaw("named-bundles-are-published", "What the shedder names is published.", CLASS, publishes,
                 publishes_what_is_named, kind=LawKind.PROTOCOL),
        InputLaw("refused-unload-is-no-unload", "A bundle whose unload fails does not count as unloaded.", CLASS,
                 publishes, forgets_the_refused, kind=LawKind.PROTOCOL),
        InputLaw("published-unload-is-remembered", "A bundle whose unload was published, and does not fail, counts as"
                 " unloaded when the run ends. (Not if it takes longer than namespaceBundleUnloadingTimeoutMs: what"
                 " the next run is told of it is not known.)", CLASS, publishes, remembers_the_published,
                 Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    scheduled_of,
    told=told,
)  # fmt: skip
