"""Brokers leave for good; somebody else leads, and cleans up behind those that have left."""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.state import end_cells
from oneowner.model.load_data.bounds import BROKER
from oneowner.model.load_data.reports import write_row
from oneowner.model.load_data.state import NOBODY, CleanUp, Report, State, leads


@action(broker=BROKER, budget="crashes", fairness=never("Brokers need not crash."))
def crash(state: State, broker: int) -> None:
    """
    The process of *broker* ends; its node in the registry, and its lead, last as long as its session.

    Enabled: it lives.
    Changes: what it has in memory is gone.
    Log: none.
    Mirrors: the loss of a process; ``ServiceUnitStateChannelImpl`` of the others knows nothing of it.
    """
    require(state.crashes_left > 0, "the budget allows another crash")
    require(state.up[broker], "the broker lives")
    state.crashes_left = state.crashes_left - 1
    state.up[broker] = False
    end_cells(state, broker)


@action(broker=BROKER, fairness=weak("ZooKeeper ends the session of a broker that is gone."))
def expire_session(state: State, broker: int) -> None:
    """
    The session of *broker*, which lives no more, ends.

    Enabled: it does not live, and is registered.
    Changes: it is not registered and does not lead; who lives has yet to hear of it.
    Log: none.
    Mirrors: ``BrokerRegistryImpl.handleMetadataStoreNotification``.
    """
    require(not state.up[broker], "the broker lives no more")
    require(state.registered[broker], "the broker is registered")
    leave_registry(state, broker)


def leave_registry(state: State, broker: int) -> None:
    """Take *broker* out of the registry and from the lead, and notify who lives."""
    state.registered[broker] = False
    if state.leader == broker:
        state.leader = NOBODY
    for observer in range(1, state.bounds.brokers + 1):
        if state.up[observer]:
            state.told[observer, broker] = True


@action(broker=BROKER, budget="shutdowns", fairness=never("Nobody has to be shut down."))
def begin_shutdown(state: State, broker: int) -> None:
    """
    *broker* begins to shut down, and cleans up behind itself.

    Enabled: it lives, is registered, and has not begun.
    Changes: it shuts down; if the release does so, it has given its units away, and no view has a report of it.
    Log: ``Completed a cleanup for the inactive broker:.. in .. ms...``, of itself.
    Mirrors: ``ExtensibleLoadManagerImpl.disableBroker``, ``ServiceUnitStateChannelImpl.cleanOwnerships``.
    """
    require(state.shutdowns_left > 0, "the budget allows another shutdown")
    require(state.up[broker] and state.registered[broker], "the broker lives and is registered")
    require(not state.leaving[broker], "the broker does not shut down yet")
    state.shutdowns_left = state.shutdowns_left - 1
    state.leaving[broker] = True
    if state.bounds.rules.cleans_up_itself:
        state.owns[broker] = False
        write_row(state, broker, Report.NONE, NOBODY)


@action(broker=BROKER, fairness=weak("A shutdown goes on."))
def leave(state: State, broker: int) -> None:
    """
    *broker*, which shuts down, leaves the registry and the lead, and ends.

    Enabled: it shuts down.
    Changes: as said; who lives has yet to hear of it.
    Log: none.
    Mirrors: ``BrokerRegistryImpl.unregister``, ``ExtensibleLoadManagerImpl.disableBroker``.
    """
    require(state.leaving[broker], "the broker shuts down")
    state.up[broker] = False
    leave_registry(state, broker)
    end_cells(state, broker)


@action(broker=BROKER, fairness=weak("Somebody is elected."))
def elect(state: State, broker: int) -> None:
    """
    *broker* is elected, and every broker has a role to play.

    Enabled: nobody leads; it lives and is registered.
    Changes: it leads once it has taken up its role; the others confirm theirs.
    Log: ``This broker:.. is setting the role from .. to ..``
    Mirrors: ``LeaderElectionService.start``; the listener of ``ExtensibleLoadManagerImpl.start``.
    """
    require(state.leader == NOBODY, "nobody leads")
    require(state.up[broker] and state.registered[broker], "the broker lives and is registered")
    state.leader = broker
    for other in range(1, state.bounds.brokers + 1):
        if state.up[other]:
            state.role_due[other] = True


@action(observer=BROKER, broker=BROKER, fairness=weak("ZooKeeper notifies."))
def hear(state: State, observer: int, broker: int) -> None:
    """
    *observer* hears that *broker* is registered no more, and begins its clean-up if it leads.

    Enabled: it has yet to hear of it.
    Changes: if it leads, the clean-up is begun.
    Log: who does not lead: ``This broker is not the leader now. Ignoring BrokerDeletionEvent for broker ..``
    Mirrors: ``ServiceUnitStateChannelImpl.handleBrokerDeletionEvent``.
    """
    require(state.told[observer, broker], "the observer has yet to hear of it")
    state.told[observer, broker] = False
    if state.leader == observer:
        state.cleaning[observer, broker] = CleanUp.BEGUN


@action(observer=BROKER, broker=BROKER, fairness=weak("The leader's monitor runs every minute."))
def monitor(state: State, observer: int, broker: int) -> None:
    """
    *observer*, who leads, finds that *broker* owns units and is not registered, and begins its clean-up.

    Enabled: it leads and has begun none of that broker.
    Changes: the clean-up is begun.
    Log: ``Scheduled ownership cleanup for broker:.. with delay:.. secs. Pending clean jobs:..``
    Mirrors: ``ServiceUnitStateChannelImpl.monitorOwnerships``.
    """
    require(leads(state, observer), "the observer leads")
    require(not state.registered[broker] and state.owns[broker], "the broker owns units and is not registered")
    require(state.cleaning[observer, broker] == CleanUp.NONE, "no clean-up of the broker is begun")
    state.cleaning[observer, broker] = CleanUp.BEGUN


@action(observer=BROKER, broker=BROKER, fairness=weak("A clean-up that is begun goes on."))
def give_units(state: State, observer: int, broker: int) -> None:
    """
    The clean-up at *observer* gives away the units of *broker*.

    Enabled: it is begun.
    Changes: the broker owns nothing.
    Log: ``Overriding inactiveBroker:.., ownership serviceUnit:.. from orphanData:.. to overrideData:..``
    Mirrors: ``ServiceUnitStateChannelImpl.doCleanup``.
    """
    require(state.cleaning[observer, broker] == CleanUp.BEGUN, "the clean-up is begun")
    state.cleaning[observer, broker] = CleanUp.UNITS_GIVEN
    state.owns[broker] = False


@action(observer=BROKER, broker=BROKER, fairness=weak("A clean-up that is begun goes on."))
def delete_report(state: State, observer: int, broker: int) -> None:
    """
    The clean-up at *observer* deletes the load report of *broker*, as its last step.

    Enabled: it has given the units away.
    Changes: it is done; no view has a report of the broker, if the release deletes it.
    Log: ``Completed a cleanup for the inactive broker:.. in .. ms...``
    Mirrors: ``ServiceUnitStateChannelImpl.doCleanup``, ``TableViewLoadDataStoreImpl.removeAsync``.
    """
    end_clean_up(state, observer, broker, NOBODY)


@action(observer=BROKER, broker=BROKER, deaf=BROKER, budget="losses", fairness=never("A topic need not lose data."))
def lose_deletion(state: State, observer: int, broker: int, deaf: int) -> None:
    """
    The clean-up at *observer* deletes the load report of *broker*, and *deaf* is not given the tombstone.

    Enabled: it has given the units away; who is not reached lives.
    Changes: as ``delete_report``, but for one view.
    Log: none; the broker that hosts a non-persistent topic counts what it drops (``msgDropRate``).
    Mirrors: ``NonPersistentDispatcherMultipleConsumers.sendMessages``; PIP-192, BrokerLoadData: "can often lose data".
    """
    require(state.losses_left > 0, "the budget allows another loss")
    require(state.up[deaf], "who is not reached lives")
    state.losses_left = state.losses_left - 1
    end_clean_up(state, observer, broker, deaf)


def end_clean_up(state: State, observer: int, broker: int, deaf: int) -> None:
    """End the clean-up of *broker* at *observer*; *deaf* is not given its tombstone."""
    require(state.cleaning[observer, broker] == CleanUp.UNITS_GIVEN, "the units are given away")
    state.cleaning[observer, broker] = CleanUp.NONE
    if state.bounds.rules.clean_up_deletes:
        write_row(state, broker, Report.NONE, deaf)
