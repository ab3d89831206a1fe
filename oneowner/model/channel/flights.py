"""
The leader's monitor ends hand-overs and splits that take too long.

Mirrors the fourth rule of ``monitorOwnerships`` of ``ServiceUnitStateChannelImpl`` (v4.0.6, channel.9): an entry in
flight whose brokers are both registered, and which is older than ``inFlightStateWaitingTimeInMillis`` (30 s), is
overridden at once: without a flush before, without a health check, and without excluding any broker
(``overrideOwnership`` with no inactive broker). Its age is the publisher's clock against the leader's, so time is
left open here: every hand-over may be too old.
"""

from oneowner.model.channel.channel import is_publishing, publish
from oneowner.model.channel.parts import Stage
from oneowner.model.channel.ranges import units
from oneowner.model.channel.record import (
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    Record,
    is_active,
    is_in_flight,
    next_version,
)
from oneowner.model.channel.recovery import overriding, require_monitor, require_stays
from oneowner.model.channel.session import HAS_SESSION, has_session
from oneowner.model.channel.sorts import BROKER, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget, Choice
from oneowner.model.kernel.fairness import strong
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, before

FLIGHT_TIMER = Choice(
    "flight_timer", "1: the leader's monitor overrides a hand-over that takes too long, and any may; 0: none does"
)

SPLIT_TIME_OUTS = Budget(
    "split_time_outs",
    "How many splits the leader's monitor may find too old; needs flight_timer",
    needs={"splits flight_timer": "only the leader's monitor finds a split too old"},
)

TIME_OUT_ROLLS_BACK = Switch(
    "A hand-over that took too long goes back to its source while that is Releasing (until #23064).",
    turned=(before("3.0.6", "3.2.4", "3.3.1"),),
    source="apache/pulsar#23064: getOverrideInFlightStateData, which names no source either",
)

DISABLED_ENDS_FLIGHTS = Switch(
    "A leader that shuts down ends hand-overs that take too long, until its election is closed; every release does.",
)


@action(
    broker=BROKER,
    unit=UNIT,
    destination=BROKER,
    when=lambda bounds: bounds.flight_timer,
    fairness=strong("monitorOwnerships runs every 60 s, and a hand-over grows old", choice="destination"),
)
def end_flight(state: State, broker: int, unit: int, destination: int) -> None:
    """
    The monitor of the leader *broker* overrides a hand-over that took too long, in favour of *destination*.

    Until #23064 its cache lists every broker that any active entry of its view names, and the record is an Owned that
    names no source: of Releasing for its source, of Assigning for any but its destination.

    Enabled: the broker is up, has a session, leads and is Stable, and publishes nothing for the unit; it need not have
    consumed everything, and may be shutting down, for nothing ends its monitor before its election is closed. Its view
    is in flight; its cache lists every broker that the view names, and the destination, which may be any of them, with
    ``shutdown_is_registered`` one that does not shut down.
    Changes: what ``override`` would publish is under way: a forced Owned that names the source of the hand-over, so
    that it closes; of a split a forced Splitting, by which the destination, who may be the one that splits, begins the
    split (once more). That spends ``split_time_outs``.
    Mirrors: ``monitorOwnerships``, ``overrideOwnership``.
    """
    require_monitor(state, broker)
    require(has_session(state, broker), HAS_SESSION)
    if not state.bounds.rules.disabled_ends_flights:
        require(state.stage[broker] == Stage.RUNNING, "the broker is not shutting down")
    require(state.known[broker, destination], "the leader's registry cache lists the destination")
    require_stays(state, destination)
    held = state.view[broker, unit]
    require(is_in_flight(held), "the unit is in flight by the leader's view")
    require(lists_both(state, broker, held), "the leader's registry cache lists the brokers of the hand-over")
    if state.bounds.rules.time_out_rolls_back:
        require(nobody_is_missing(state, broker), "the leader's registry cache lists the brokers of every active entry")
    require(not is_publishing(state, broker, unit), "no publish of the leader for the unit is under way")
    if held.state == SPLITTING:
        require(state.split_time_outs_left > 0, "the budget allows another split to take too long")
        state.split_time_outs_left = state.split_time_outs_left - 1
    publish(state, broker, unit, ending(state, held, destination), held)


def ending(state: State, held: Record, destination: int) -> Record:
    """
    Return the forced record that ends a hand-over.

    Until #23064 one that was Releasing went back to its source, one that was Assigning to another broker than its
    destination, and neither named a broker that has to close; a split was begun again where it was
    (``getOverrideInFlightStateData``).
    """
    if not state.bounds.rules.time_out_rolls_back:
        return overriding(held, destination)
    if held.state == SPLITTING:
        require(destination == held.source, "the destination is the broker that splits")
        return overriding(held, destination)
    if held.state == RELEASING:
        require(destination == held.source, "the destination is the source of the hand-over")
    else:
        require(destination != held.destination, "the destination is another one than that of the hand-over")
    return Record(OWNED, destination, NOBODY, True, next_version(held))


def lists_both(state: State, leader: int, held: Record) -> bool:
    """Return whether the leader's registry cache lists whom the entry names; else a clean-up of that broker is due."""
    if held.destination != NOBODY and not state.known[leader, held.destination]:
        return False
    return held.source == NOBODY or state.known[leader, held.source]


def nobody_is_missing(state: State, leader: int) -> bool:
    """
    Return whether the cache of *leader* lists every broker that an active entry of its view names.

    Until #23064 a monitor that missed one saw to the clean-up, and did nothing else.
    """
    return all(
        lists_both(state, leader, state.view[leader, unit])
        for unit in units(state)
        if is_active(state.view[leader, unit])
    )
