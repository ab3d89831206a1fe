"""
The leader schedules clean-ups as jobs, calls them off when the broker is back, and finds them again by its monitor.

The leader hears that a broker's registration was deleted. Stable it schedules a clean-up at once, Jittery with a
delay of 180 s, Unstable not at all; then only the monitor finds the orphans again, once the leader is Stable. A
job fires later, at any time here, and asks again neither whether its broker leads nor whether it is Stable; what it
does for one unit is ``recovery.override``. Sources: ``handleBrokerRegistrationEvent``, ``scheduleCleanup``,
``doCleanup``, ``monitorOwnerships`` of ``ServiceUnitStateChannelImpl`` (v4.0.6); channel.9.
"""

from oneowner.model.channel import sessions
from oneowner.model.channel.broker import UP
from oneowner.model.channel.leader import leads, require_manager_free
from oneowner.model.channel.orphans import is_healthy, takes_part
from oneowner.model.channel.parts import HealthCheck, Metadata, Run, Stage
from oneowner.model.channel.ranges import units
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.recovery import has_flushed, require_monitor
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Choice
from oneowner.model.kernel.fairness import never, strong, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, before, since

SAFE_MODE = Choice(
    "safe_mode",
    "1: session events, and clean-ups as jobs that are scheduled, delayed, called off; 0: an override is one step",
)

LATE_CALL_OFFS = Choice(
    "late_call_offs",
    "1: the health check of a broker that is back ends, and calls its clean-up off, in its own step; 0: at once",
    needs={"safe_mode": "only there clean-ups are scheduled"},
)

CLEAN_UP_NEEDS_LEADER = Switch(
    "A clean-up that fires while nobody leads is skipped, that of a shutdown too (since #22930); else it goes on.",
    turned=(before("3.0.6", "3.2.4", "3.3.1"),),
    source="apache/pulsar#22930: doCleanup asks getChannelOwnerAsync first; before, it asked nothing",
)

CANCEL_ON_RETURN = Switch(
    "A scheduled clean-up is called off when its broker is registered again and healthy (PIP-192 is silent).",
)

JOB_REMOVES_ITSELF = Switch(
    "A health check calls off the clean-up that it was asked for alone (since #26146); 4.0.6: whatever is there.",
    turned=(since("4.0.13", "4.2.4", "5.0.0"),),
    source="apache/pulsar#26146: handleBrokerCreationEvent removes key and value",
)


@action(
    observer=BROKER,
    broker=BROKER,
    when=lambda bounds: bounds.brokers_go and bounds.safe_mode,
    fairness=weak("ZooKeeper delivers every watch of a living session"),
)
def notice(state: State, observer: int, broker: int) -> None:
    """
    *observer* learns whether *broker* is registered now, and schedules its clean-up or calls it off.

    Enabled: as ``sessions.notice``.
    Changes: the cache; an observer that leads, is not Unstable and does not shut down schedules a clean-up of a broker
    that is gone; that of one which is back and healthy is called off, with ``late_call_offs`` by ``call_off``,
    once there is a health check (#23382).
    Mirrors: ``handleBrokerDeletionEvent``, ``handleBrokerCreationEvent``.
    """
    sessions.notice(state, observer, broker)
    if state.known[observer, broker]:
        if state.bounds.rules.cancel_on_return and is_healthy(state, broker):
            if not (state.bounds.late_call_offs and state.bounds.rules.health_check):
                state.cleaning[observer, broker] = False
            elif state.cleaning[observer, broker]:
                state.checking[observer, broker] = HealthCheck.ASKED
    elif leads(state, observer) and state.metadata[observer] != Metadata.UNSTABLE:
        if state.stage[observer] == Stage.RUNNING:
            state.cleaning[observer, broker] = True


@action(
    observer=BROKER,
    broker=BROKER,
    when=lambda bounds: bounds.brokers_go and bounds.late_call_offs,
    fairness=never("a clean-up of a healthy broker does no harm"),
)
def call_off(state: State, observer: int, broker: int) -> None:
    """
    The health check of *broker*, which was back, ends at *observer*, and calls the clean-up of that broker off.

    A second check, asked before the first one ends, is one with it.

    Enabled: the observer is up, and a health check of the broker is under way there.
    Changes: it is over; so is the clean-up that is scheduled, with ``job_removes_itself`` only if the check was asked
    for that one.
    Mirrors: ``handleBrokerCreationEvent``.
    """
    require(state.run[observer] == Run.UP, UP)
    require(state.checking[observer, broker] != HealthCheck.NONE, "a health check of the other broker is under way")
    if state.checking[observer, broker] == HealthCheck.ASKED or not state.bounds.rules.job_removes_itself:
        state.cleaning[observer, broker] = False
    state.checking[observer, broker] = HealthCheck.NONE


@action(
    broker=BROKER,
    gone=BROKER,
    when=lambda bounds: bounds.brokers_go and bounds.safe_mode,
    fairness=strong("monitorOwnerships runs every 60 s, and does something only while Stable, which may come and go"),
)
def monitor(state: State, broker: int, gone: int) -> None:
    """
    The leader's monitor finds an entry that names *gone*, which is not registered, and schedules its clean-up.

    Enabled: the broker is up and running, leads and is Stable; its cache misses *gone*, its view names it as
    ``override`` asks of an orphan, and no clean-up of it is scheduled here.
    Changes: one is scheduled.
    Mirrors: ``monitorOwnerships`` (every 60 s), ``scheduleCleanup``.
    """
    require_monitor(state, broker)
    require(state.stage[broker] == Stage.RUNNING, "the broker is not shutting down")
    require(not state.cleaning[broker, gone], "no clean-up of the other broker is scheduled")
    require(not state.known[broker, gone], "the leader's registry cache misses the other broker")
    require(is_named(state, broker, gone), "the leader's view names the other broker")
    state.cleaning[broker, gone] = True


@action(
    broker=BROKER,
    gone=BROKER,
    when=lambda bounds: bounds.brokers_go and bounds.safe_mode,
    fairness=never("a clean-up that has nothing to do does no harm"),
)
def end_clean_up(state: State, broker: int, gone: int) -> None:
    """
    The clean-up of *gone* at *broker* ends, or ends without having done anything.

    Enabled: the broker is up, its load manager's thread waits for nothing, and that clean-up is scheduled here; the
    broker shuts down, nobody leads (``clean_up_needs_leader``), or *gone* is healthy, or the broker has consumed
    everything (in the metadata store that is not asked) and its view does not name *gone*.
    Changes: the clean-up is over, and a health check that was asked for it outlives it.
    Mirrors: ``doCleanup``.
    """
    require(state.run[broker] == Run.UP, UP)
    require_manager_free(state, broker)
    require(state.cleaning[broker, gone], "a clean-up of the other broker is scheduled")
    require(is_idle(state, broker, gone), "the clean-up has nothing to do")
    state.cleaning[broker, gone] = False
    if state.checking[broker, gone] == HealthCheck.ASKED:
        state.checking[broker, gone] = HealthCheck.OUTLIVED


def is_idle(state: State, broker: int, gone: int) -> bool:
    """Return whether a clean-up of *gone* that fires at *broker* overrides nothing."""
    if (state.bounds.rules.clean_up_needs_leader and state.leader == NOBODY) or is_healthy(state, gone):
        return True
    if state.stage[broker] != Stage.RUNNING:  # its health check is passed unasked (channelDisabled)
        return True
    return has_flushed(state, broker) and not is_named(state, broker, gone)


def is_named(state: State, broker: int, gone: int) -> bool:
    """Return whether the broker's view names *gone* as an owner, or as one of the two of a hand-over."""
    return any(takes_part(state.view[broker, unit], gone) for unit in units(state))
