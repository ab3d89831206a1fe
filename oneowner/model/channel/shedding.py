"""
The leader begins a round of shedding, picks units of brokers with much load and has them transferred.

Whether its broker leads is asked once, when the round begins; the timer is cancelled when the broker gives the role up,
but a round that runs goes on. A round is one transfer here. The load manager's one thread waits until that has ended,
for 60 s at most (``namespaceBundleUnloadingTimeoutMs``): meanwhile its broker overrides nothing, if it leads, takes no
role and is not registered again. Sources: ``UnloadScheduler.execute`` and ``close``,
``ExtensibleLoadManagerImpl.playFollower`` (v4.0.6); #26253 (of ``ModularLoadManagerImpl``); bugs.R47.
"""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.leader import leads, require_manager_free
from oneowner.model.channel.lookup import KNOWN, give_up
from oneowner.model.channel.parts import Run, Wait
from oneowner.model.channel.record import owner
from oneowner.model.channel.sorts import BROKER, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch

SHEDDINGS = Budget(
    "sheddings",
    "How many rounds of shedding the leader may begin: one transfer each",
    apart={"shutdowns pauses splits": "not modelled"},
)

SHEDDING_ASKS_AGAIN = Switch(
    "A round of shedding asks again before each unload whether its broker leads; 4.0.6 does not (#26253).",
)

RECOVERY_HAS_ITS_THREAD = Switch(
    "A round of shedding waits for its unloads on a thread of its own; no release does (N1)."
)


@action(
    broker=BROKER,
    budget=SHEDDINGS,
    fairness=never("a timer of minutes; nothing waits for it"),
)
def begin_shedding(state: State, broker: int) -> None:
    """
    The leader *broker* begins a round of shedding.

    Enabled: the broker is up and leads, no round runs there, and its load manager's thread waits for nothing.
    Changes: a round runs.
    Mirrors: ``UnloadScheduler.execute`` up to ``NamespaceUnloadStrategy.findBundlesForUnloading``.
    """
    require(state.sheddings_left > 0, "the budget allows another round of shedding")
    require(state.run[broker] == Run.UP, UP)
    require(not state.shedding[broker], "no round of shedding runs at the broker")
    require(leads(state, broker), "the broker is the leader")
    require_manager_free(state, broker)
    state.sheddings_left = state.sheddings_left - 1
    state.shedding[broker] = True


@action(
    broker=BROKER,
    unit=UNIT,
    destination=BROKER,
    budget=SHEDDINGS,
    fairness=never("what the strategy finds; nothing waits for it"),
)
def shed(state: State, broker: int, unit: int, destination: int) -> None:
    """
    The round of *broker* transfers *unit* to *destination*.

    In 4.0.6 nobody asks whether the broker still leads.

    Enabled: a round runs; what ``transfer`` asks; with ``shedding_asks_again`` the broker leads.
    Changes: the round moves nothing more; Releasing(destination, source = owner), next version, is under way (P4), and
    the load manager's thread waits for it (not with ``recovery_has_its_thread``).
    Mirrors: ``UnloadScheduler.execute``, ``publishUnloadEventAsync``.
    """
    require(state.shedding[broker], "a round of shedding runs at the broker")
    if state.bounds.rules.shedding_asks_again:
        require(leads(state, broker), "the broker is the leader")
    require(state.known[broker, destination], KNOWN)
    require(owner(state.view[broker, unit]) != destination, "the unit is not owned by the destination")
    state.shedding[broker] = False
    give_up(state, broker, unit, destination)
    if not state.bounds.rules.recovery_has_its_thread:
        state.waits_for[broker] = Wait.UNLOAD


@action(broker=BROKER, budget=SHEDDINGS, fairness=weak("namespaceBundleUnloadingTimeoutMs, 60 s"))
def stop_waiting(state: State, broker: int) -> None:
    """
    The unload that the load manager's thread of *broker* waits for has ended, or its time is over.

    Enabled: the broker is up, and that thread waits for an unload.
    Changes: it waits for nothing.
    Mirrors: ``UnloadScheduler.execute``, ``UnloadManager.waitAsync``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.waits_for[broker] == Wait.UNLOAD, "the load manager's thread waits for an unload")
    state.waits_for[broker] = Wait.NOTHING


@action(broker=BROKER, budget=SHEDDINGS, fairness=never("nothing waits for it"))
def end_shedding(state: State, broker: int) -> None:
    """
    The round of *broker* ends and moves nothing.

    Enabled: the broker is up, and a round runs there.
    Changes: the round is over.
    Mirrors: ``UnloadScheduler.execute``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.shedding[broker], "a round of shedding runs at the broker")
    state.shedding[broker] = False
