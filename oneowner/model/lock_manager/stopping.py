"""A broker is stopped in good order: it unregisters, unloads what it owns, and ends. Mirrors ``PulsarService``."""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.state import end_cells
from oneowner.model.lock_manager.bounds import BROKER, BUNDLE
from oneowner.model.lock_manager.sessions import leave_registry, lose_nodes
from oneowner.model.lock_manager.state import Entry, State, Unload
from oneowner.model.lock_manager.topics import disable


@action(broker=BROKER, budget="stops", fairness=never("Nobody has to be stopped."))
def begin_stop(state: State, broker: int) -> None:
    """
    *broker* begins to stop in good order: it gives its registration back, then unloads what it owns, bundle by bundle.

    Enabled: it lives, has a session and does not stop yet.
    Changes: it is registered no more.
    Mirrors: ``BrokerService.unloadNamespaceBundlesGracefully``, ``ModularLoadManagerImpl.disableBroker``.
    """
    require(state.stops_left > 0, "the budget allows another stop")
    require(state.up[broker] and state.live[broker] and not state.stopping[broker], "the broker does not stop yet")
    state.stops_left = state.stops_left - 1
    state.stopping[broker] = True
    leave_registry(state, broker)


@action(
    broker=BROKER,
    when=lambda bounds: bounds.stops and not bounds.rules.report_keeps_away,
    fairness=never("The minute of a report need not come."),
)
def report_load(state: State, broker: int) -> None:
    """
    *broker*, which stops, reports its load, and by that it is registered again.

    Enabled: it stops, has a session, and is not registered.
    Changes: it is registered.
    Mirrors: ``ModularLoadManagerImpl.writeBrokerDataOnZooKeeper``, ``ResourceLockImpl.updateValue`` (2.9.1).
    """
    require(state.stopping[broker] and state.live[broker], "the broker stops, and has a session")
    require(not state.registered[broker], "the broker is not registered")
    state.registered[broker] = True


@action(broker=BROKER, bundle=BUNDLE, when=lambda bounds: bounds.stops, fairness=weak("A stop goes on."))
def unload_at_stop(state: State, broker: int, bundle: int) -> None:
    """
    *broker*, which stops, unloads *bundle*.

    Enabled: it stops, and the entry is active.
    Changes: as ``begin_unload``.
    Mirrors: ``BrokerService.unloadNamespaceBundlesGracefully``.
    """
    require(state.stopping[broker], "the broker stops")
    disable(state, broker, bundle)


@action(broker=BROKER, when=lambda bounds: bounds.stops, fairness=weak("A stop goes on."))
def end_stop(state: State, broker: int) -> None:
    """
    *broker* has unloaded all that it owned: its process ends, and its session with it.

    Enabled: it stops; it has no entry that is active or inactive, and closes no topics.
    Changes: it is gone, and its nodes with it.
    Mirrors: ``PulsarService.closeAsync``, ``CoordinationServiceImpl.close``.
    """
    require(state.stopping[broker], "the broker stops")
    for bundle in range(1, BUNDLE.count(state.bounds) + 1):
        entry = state.entry[broker, bundle]
        require(entry == Entry.NONE or entry == Entry.LOADING, "the broker owns nothing")
        require(state.unload[broker, bundle] == Unload.NONE, "the broker closes no topics")
    state.up[broker] = False
    end_cells(state, broker)
    lose_nodes(state, broker)
