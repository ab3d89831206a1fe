"""
A broker starts: it registers, runs for the lead, and then reads the channel; or its load manager does not start.

Most bounds take that for one step (``restart``). With ``slow_starts`` it is two (``begin_start``, ``finish_start``),
and others see the broker in between: a unit may be assigned to it that it finds when it reads the channel. Sources:
``ExtensibleLoadManagerImpl.start`` (v4.0.6), channel.B4.
"""

from oneowner.model.channel.broker import handle
from oneowner.model.channel.caches import announce
from oneowner.model.channel.channel import entry
from oneowner.model.channel.compactor import KEPT_IS_THERE
from oneowner.model.channel.listeners import load_existing
from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.record import ASSIGNING, NOBODY
from oneowner.model.channel.ring import learn_boundaries
from oneowner.model.channel.session import ZOOKEEPER_UP
from oneowner.model.channel.sessions import DOWN, end_process, learn_registry
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget, Limit
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, before, since

UNKNOWN_TO_STARTS = "in_store synced speaks_dialect outages pauses beliefs compactions migrations"
"""The bounds with which a start, the first one or one in two steps, is not modelled."""

STARTS = "the broker is starting"

RESTARTS = Limit(
    "restarts", "How many of the brokers that crashed may start again; a limit, no budget: no cell counts it"
)

NEWCOMERS = Limit(
    "newcomers",
    "How many brokers, the last ones, have yet to start for the first time",
    apart={UNKNOWN_TO_STARTS: "not modelled yet"},
)

SLOW_STARTS = Budget(
    "slow_starts",
    "How many starts may be seen by others before the broker has read the channel",
    needs={"newcomers|crashes": "without newcomers or crashes nobody starts"},
    apart={UNKNOWN_TO_STARTS: "not modelled yet"},
)

FAILED_STARTS = Budget(
    "failed_starts",
    "How many of the starts of brokers that crashed may fail in the load manager",
    needs={"crashes restarts": "only a broker that crashed starts"},
)

ASSIGNING_RESOLVED_AT_START = Switch(
    "A broker that starts answers an Assigning that waits for it in the channel (since #25379).",
    turned=(since("4.0.10", "4.2.0", "5.0.0"),),
    source="apache/pulsar#25379: handleExisting calls handleAssignEvent",
)

START_FAILS_FAST = Switch(
    "A broker whose load manager does not start ends; else it lives on and is never registered (#23297).",
    turned=(before("3.0.7", "3.3.2"),),
    source="apache/pulsar#23297: failStarting closed the registry, and kept the exception to itself",
)

REGISTERS_BY_LOCK = Switch(
    "A broker registers by a lock, and does not start while the node of its old process is there (until #23298).",
    turned=(before("3.3.2"),),
    source="apache/pulsar#23298: ResourceLockImpl.revalidate gives way to a value with another time of start",
)

START_REPLACES_NODE = Switch(
    "A broker that starts deletes a node that its old process left over, and makes its own (repair of run.G10).",
)


@action(
    broker=BROKER,
    when=lambda bounds: (bounds.crashes or bounds.shutdowns or bounds.newcomers) and bounds.restarts,
    fairness=never("an operator's step; the cluster must heal without the broker"),
)
def restart(state: State, broker: int) -> None:
    """
    A new process of *broker* starts: it registers, and reads the channel to its end, in one step.

    Enabled: the broker is down, its outbox is empty, ZooKeeper is up, ``restarts`` allows another one, and what a
    compaction kept is not lost. With ``registers_by_lock`` its node is gone.
    Changes: as ``begin_start`` and ``finish_start``.
    Mirrors: ``ExtensibleLoadManagerImpl.start``.
    """
    require_start(state, broker)
    register_at_start(state, broker)
    start_channel(state, broker)


@action(broker=BROKER, budget=SLOW_STARTS, fairness=never("an operator's step"))
def begin_start(state: State, broker: int) -> None:
    """
    A new process of *broker* registers and runs for the lead; it has not read the channel yet.

    Enabled: as ``restart``.
    Changes: it is starting, and its cache is the registry. It registers, but a node left over stays the old session's
    (run.G10); if it still was the leader nobody is now.
    Mirrors: ``ExtensibleLoadManagerImpl.start``, ``BrokerRegistryImpl.registerAsync``, ``LeaderElectionService.start``.
    """
    require(state.slow_starts_left > 0, "the budget allows another start to be seen")
    require_start(state, broker)
    state.slow_starts_left = state.slow_starts_left - 1
    state.run[broker] = Run.STARTING
    register_at_start(state, broker)


@action(broker=BROKER, when=lambda bounds: bounds.slow_starts, fairness=weak("a start goes on"))
def finish_start(state: State, broker: int) -> None:
    """
    *broker*, which starts, reads the channel to its end, once it can serve requests.

    Entries found at the start are not handled, but its listeners are notified of an Owned of its own (#23152), and
    since 4.0.10 it answers an Assigning that names it (#25379, ``handleExisting``).

    Enabled: the broker is starting.
    Changes: it is up; its view is every unit's entry, its cursor at the end, its copy of the boundaries ``ring``.
    Mirrors: ``ServiceUnitStateChannelImpl.start``, ``PulsarService.runWhenReadyForIncomingRequests``.
    """
    require(state.run[broker] == Run.STARTING, STARTS)
    start_channel(state, broker)


@action(broker=BROKER, budget=FAILED_STARTS, fairness=never("a perturbation"))
def fail_start(state: State, broker: int) -> None:
    """
    A new process of *broker* starts, but its load manager does not.

    Enabled: as ``restart``.
    Changes: its node is gone, as the registry is closed again; if it was the leader nobody is now; it stays down. Until
    #23297 it is up, as after ``restart`` but for the node, and ``register`` is not enabled there.
    Mirrors: ``ExtensibleLoadManagerImpl.failStarting``.
    """
    require(state.failed_starts_left > 0, "the budget allows another start to fail")
    require_start(state, broker)
    state.failed_starts_left = state.failed_starts_left - 1
    state.node[broker] = Node.ABSENT
    give_up_old_lead(state, broker)
    if not state.bounds.rules.start_fails_fast:
        live_unregistered(state, broker)


@action(
    broker=BROKER,
    when=lambda bounds: bounds.slow_starts and bounds.failed_starts,
    fairness=never("a perturbation"),
)
def give_up_start(state: State, broker: int) -> None:
    """
    The load manager of *broker*, which has registered, does not start.

    Enabled: the broker is starting.
    Changes: its process ends; its node is gone, as the registry is closed, and so is its lead. Until #23297 it lives on
    as after ``fail_start``.
    Mirrors: ``ExtensibleLoadManagerImpl.failStarting``, ``BrokerRegistryImpl.close``.
    """
    require(state.failed_starts_left > 0, "the budget allows another start to fail")
    require(state.run[broker] == Run.STARTING, STARTS)
    state.failed_starts_left = state.failed_starts_left - 1
    give_up_old_lead(state, broker)
    state.node[broker] = Node.ABSENT
    announce(state, broker)
    if state.bounds.rules.start_fails_fast:
        end_process(state, broker)
    else:
        live_unregistered(state, broker)


def live_unregistered(state: State, broker: int) -> None:
    """Let *broker*, whose load manager did not start, live without a registration."""
    start_channel(state, broker)
    learn_registry(state, broker)
    state.unregistered[broker] = state.unregistrable[broker] = True


def require_start(state: State, broker: int) -> None:
    """Require that a process of *broker* can start: the old one is gone, and its publishes have arrived or are lost."""
    require(state.run[broker] == Run.DOWN, DOWN)
    if state.bounds.restarts < state.bounds.crashes:
        require(restarted(state) < state.bounds.restarts, "the bounds allow another broker to start again")
    require(state.outbox[broker].length == 0, "no publish of the old process is under way")
    require(not state.zookeeper_down, ZOOKEEPER_UP)
    require(not state.lost_ledger, KEPT_IS_THERE)
    if state.bounds.rules.registers_by_lock:
        require(state.node[broker] == Node.ABSENT, "the node of the old process, which is a lock, is gone")


def register_at_start(state: State, broker: int) -> None:
    """Let a new process of *broker* register, read the registry, and run for the lead."""
    give_up_old_lead(state, broker)
    if state.node[broker] == Node.ABSENT or state.bounds.rules.start_replaces_node:
        state.node[broker] = Node.PRESENT
        announce(state, broker)
    learn_registry(state, broker)


def give_up_old_lead(state: State, broker: int) -> None:
    """Let a new process of *broker* delete the election's node, if its old process has left it over."""
    if state.leader == broker:
        state.leader = NOBODY


def start_channel(state: State, broker: int) -> None:
    """Let a new process of *broker* read the channel to its end (``ServiceUnitStateChannelImpl.start``)."""
    state.run[broker] = Run.UP
    state.cursor[broker] = state.log.length
    for unit in range(1, state.bounds.units + 1):
        state.view[broker, unit] = entry(state, unit)
        if state.bounds.rules.assigning_resolved_at_start and state.view[broker, unit].state == ASSIGNING:
            handle(state, broker, unit, state.view[broker, unit])
        load_existing(state, broker, unit)
    learn_boundaries(state, broker)


def restarted(state: State) -> int:
    """Count the brokers that crashed and started again."""
    count = state.bounds.crashes - state.crashes_left
    for broker in range(1, state.bounds.brokers + 1):
        if state.run[broker] == Run.DOWN:
            count = count - 1
    return count
