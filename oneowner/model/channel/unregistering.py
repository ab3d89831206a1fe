"""
A broker that shuts down unregisters, gives up the lead, unloads what it still owns, and ends.

It is Disabled from before (``shutdown.py``), and every wait here is bounded (5 s, 30 s). Mirrors
``BrokerRegistryImpl.unregister``, ``BrokerService.unloadNamespaceBundlesGracefully`` and ``PulsarService.closeAsync``
(v4.0.6; channel.9).
"""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.caches import announce
from oneowner.model.channel.channel import publish
from oneowner.model.channel.parts import Node, Run, Stage
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import NOBODY, RELEASING, TOMBSTONE, Record, next_version, owner
from oneowner.model.channel.recovery import is_caught_up, is_system
from oneowner.model.channel.session import HAS_SESSION, has_session
from oneowner.model.channel.sessions import die, end_process
from oneowner.model.channel.shutdown import DRAINS, SHUTDOWNS, is_destination
from oneowner.model.channel.sorts import BROKER, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, before

SHORT_FLUSHES = Budget(
    "short_flushes",
    "How many brokers that shut down may unregister before their publishes are in the channel (flush waits for 5 s)",
    needs={"shutdowns": "without shutdowns nobody unregisters"},
)

SHORT_WAITS = Budget(
    "short_waits",
    "How many brokers that shut down may unregister while they own a unit, as their 5 s are over (needs #26520)",
    needs={"shutdowns": "without shutdowns nobody waits"},
)

UNLOADS_BEFORE_CLOSING = Switch(
    "A broker gives its units away before it begins to refuse connections and lookups (since #22573).",
    turned=(before("3.0.5", "3.2.3"),),
    source="apache/pulsar#22573: PulsarService.closeAsync was Closing before unloadNamespaceBundlesGracefully",
)


@action(
    broker=BROKER,
    budget=SHUTDOWNS,
    fairness=weak("every wait of disableBroker is bounded (5 s, 30 s)"),
)
def unregister(state: State, broker: int) -> None:
    """
    *broker* deletes its registration and gives up the lead.

    For the units to be Owned elsewhere it waits only 5 s. Since #26520 it gives up anew what it owns by then
    (``retry``), in the same 5 s.

    Enabled: the broker is up and draining, has a session, every unit is drained or nobody leads
    (``clean_up_needs_leader``), its outbox is empty, and no forced record that names it as source is ahead of it in the
    log, or its flushes were too short, which ``short_flushes`` counts. With ``shutdown_retries``, if somebody leads, it
    has consumed everything and owns no unit but the system's, or its time is over. With ``shutdown_is_registered`` it
    is to own none either, and has all the time.
    Changes: it is unregistered: its node is gone, which it knows, its lead and the role are given up, and nothing is
    drained, set aside or hurried. Where its cache lists nobody any more, its channel is closed, so that it counts as
    having dealt with every unit.
    Mirrors: ``BrokerRegistryImpl.unregister``, ``LeaderElectionService.close``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.stage[broker] == Stage.DRAINING, DRAINS)
    require(has_session(state, broker), HAS_SESSION)
    require(is_clean(state, broker), "its clean-up is over")
    require_flushed(state, broker)
    if state.bounds.rules.shutdown_retries and state.leader != NOBODY and not owns_no_unit(state, broker):
        require(
            not state.bounds.rules.shutdown_is_registered, "it owns no unit by what it has read, and is to own none"
        )
        require(state.short_waits_left > 0, "it owns no unit by what it has read")
        state.short_waits_left = state.short_waits_left - 1
    state.stage[broker] = Stage.UNREGISTERED
    state.node[broker] = Node.ABSENT
    state.unregistered[broker] = True
    state.known[broker, broker] = False
    announce(state, broker)
    if state.bounds.beliefs:
        state.believes[broker] = False
    state.running_for_lead[broker] = False
    if state.leader == broker:
        state.leader = NOBODY
    forget_scan(state, broker)


def require_flushed(state: State, broker: int) -> None:
    """
    Require that the flushes of *broker* have ended: what it published is in the channel, and read.

    ``flush`` waits for 5 s, and a batch of overrides for 30 s: where the broker that hosts the channel has died, they
    end before that.
    """
    if state.short_flushes_left == 0:
        require(state.outbox[broker].length == 0, "its publishes are in the channel")
        require(has_read_overrides(state, broker), "it has read its own forced records")
    elif state.outbox[broker].length > 0 or not has_read_overrides(state, broker):
        state.short_flushes_left = state.short_flushes_left - 1


def owns_no_unit(state: State, broker: int) -> bool:
    """
    Return whether *broker*, which has read everything, owns no unit that is none of the system's.

    With ``shutdown_is_registered`` it is to own none either.
    """
    for unit in range(1, state.bounds.units + 1):
        held = state.view[broker, unit]
        is_to_own = state.bounds.rules.shutdown_is_registered and is_destination(held, broker)
        if not is_system(state.bounds, unit) and (owner(held) == broker or is_to_own):
            return False
    return is_caught_up(state, broker)


def forget_scan(state: State, broker: int) -> None:
    """Forget how far the clean-up of *broker* by itself came."""
    state.hurried[broker] = False
    if state.bounds.system_units:
        state.set_aside[broker] = TOMBSTONE
    is_closed = state.bounds.stops_alone and not any(state.known[broker, other] for other in brokers(state))
    for unit in units(state):
        state.drained[broker, unit] = is_closed


def is_clean(state: State, broker: int) -> bool:
    """Return whether the clean-up has dealt with every unit, or does not take place (3.0.0, or nobody leads)."""
    if not state.bounds.rules.drain_at_shutdown:
        return True
    if state.bounds.rules.clean_up_needs_leader and state.leader == NOBODY:
        return True
    return all(state.drained[broker, unit] for unit in units(state))


def has_read_overrides(state: State, broker: int) -> bool:
    """Return whether no forced record that takes something from *broker* is ahead of it (``flush``)."""
    for number in range(1, state.bounds.window + 1):
        if number <= state.log.length and number > state.cursor[broker]:
            if state.log[number].record.force and state.log[number].record.source == broker:
                return False
    return True


@action(
    broker=BROKER,
    when=lambda bounds: bounds.shutdowns and not bounds.rules.unloads_before_closing,
    fairness=never("a connection may last"),
)
def cut_off(state: State, broker: int) -> None:
    """
    The producer of *broker*, which shuts down, loses its connection and gets no other.

    Until #22573: the broker was Closing first, and as such refused every connection and look-up, its own client's too.
    What it published waited until it was given up (30 s and more), which is left out.

    Enabled: the broker is up, draining or unregistered, and not cut off.
    Changes: it is cut off: nothing of it is appended any more.
    Mirrors: ``PulsarService.closeAsync`` before that change.
    """
    require(not state.bounds.rules.unloads_before_closing, "a broker that shuts down refuses its own client")
    require(state.run[broker] == Run.UP, UP)
    require(state.stage[broker] != Stage.RUNNING, "the broker shuts down")
    require(not state.cut_off[broker], "its producer is connected")
    state.cut_off[broker] = True


@action(
    broker=BROKER,
    unit=UNIT,
    when=lambda bounds: bounds.shutdowns > (1 if bounds.drains_alone else 0),
    fairness=never("a command of the broker's own; it may fail"),
)
def unload_leftover(state: State, broker: int, unit: int) -> None:
    """
    *broker* unloads a unit that it still owns after it has unregistered.

    Until #24770 it finds no owner in the metadata store, its own units included: it is not registered, and since #24478
    it answers nothing then (``getOwnerAsync``, which is asked for the owner first).

    Enabled: the broker is up, unregistered, and owns the unit by its view; the unit is not drained. In the metadata
    store only with ``unregistered_lookup_fails`` or ``disabled_asks_registry`` off.
    Changes: the unit is drained; Releasing(source = itself), next version, is under way, unforced, so that it will not
    handle it.
    Mirrors: ``BrokerService.unloadNamespaceBundlesGracefully``,
    ``ExtensibleLoadManagerImpl.unloadNamespaceBundleAsync``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.stage[broker] == Stage.UNREGISTERED, "the broker has unregistered")
    held = state.view[broker, unit]
    require(owner(held) == broker, "the broker's view says that it owns the unit")
    require(not state.drained[broker, unit], "it has not unloaded the unit yet")
    rules = state.bounds.rules
    if state.bounds.in_store and rules.unregistered_lookup_fails:
        require(not rules.disabled_asks_registry, "the broker finds an owner although it is not registered")
    state.drained[broker, unit] = True
    publish(state, broker, unit, Record(RELEASING, NOBODY, broker, False, next_version(held)), held)


@action(
    broker=BROKER,
    budget=SHUTDOWNS,
    fairness=weak("PulsarService.closeAsync ends, by brokerShutdownTimeoutMs at the latest"),
)
def stop(state: State, broker: int) -> None:
    """
    The process of *broker* ends; its sessions are closed.

    Enabled: the broker is up and unregistered.
    Changes: its process ends as in a crash, but it has no node; it counts as running again.
    Mirrors: ``PulsarService.closeAsync``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.stage[broker] == Stage.UNREGISTERED, "the broker has unregistered")
    end_process(state, broker)


@action(
    broker=BROKER,
    when=lambda bounds: bounds.shutdowns and (bounds.live_sessions_end or bounds.outages),
    fairness=weak("the deletion of its node fails, or is given up after 30 s"),
)
def stop_registered(state: State, broker: int) -> None:
    """
    *broker*, which shuts down without a session, cannot delete its registration, and its process ends all the same.

    ``disableBroker`` breaks off: the lead is not given up, and no unit is unloaded. What its clean-up has not published
    by then waits for a selection, and ends with the process.

    Enabled: the broker is up, draining, and has no session that it and ZooKeeper know.
    Changes: its process ends as in a crash; its node, and the leader's if it led, is left over until its session
    expires.
    Mirrors: ``BrokerService.unloadNamespaceBundlesGracefully``, ``BrokerRegistryImpl.unregister``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.stage[broker] == Stage.DRAINING, DRAINS)
    require(not has_session(state, broker), "ZooKeeper does not answer the broker, or has ended its session")
    die(state, broker)
