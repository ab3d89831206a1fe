"""
The leader deletes entries that have been of no use for long (P12).

Mirrors the last rule of ``monitorOwnerships`` of ``ServiceUnitStateChannelImpl`` (v4.0.6, channel.9): an entry
that is not active and older than ``loadBalancerServiceUnitStateTombstoneDelayTimeInSeconds`` (1 h) gets a
tombstone. The other tombstone, of a forced Free (P11), is in ``broker.py``.
"""

from oneowner.model.channel.channel import has_read_channel, publish, tombstone_of
from oneowner.model.channel.flights import lists_both
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.record import is_absent, is_active, is_in_flight
from oneowner.model.channel.recovery import require_monitor
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.sorts import BROKER, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, before, since

TOMBSTONES = Budget("tombstones", "How many entries the leader's monitor may delete")

TOMBSTONES_INACTIVE_ONLY = Switch(
    "The leader's monitor deletes old entries that are not active; from #21213 until #21721 those of an owner too.",
    turned=(since("3.0.2", "3.1.1", until=("3.0.3", "3.1.3", "3.2.0")),),
    source="apache/pulsar#21721: monitorOwnerships asked for the age alone since #21213; 3.0.0 and 3.1.0 ask for both",
)

LAG_BELOW_TOMBSTONE_DELAY = Switch(
    "Timing assumption T1: no living broker lags as long as the tombstone delay (models.H4).",
)

TOMBSTONE_AT_ONCE = Switch(
    "A forced Free and a split's Deleted are followed by a tombstone (since #22743); before, the monitor's alone.",
    turned=(before("3.0.6", "3.2.4", "3.3.1"),),
    source="apache/pulsar#22743: handleFreeEvent and handleDeleteEvent call tombstoneAsync",
)


@action(broker=BROKER, unit=UNIT, budget=TOMBSTONES, fairness=never("deletes what is of no use; nothing waits for it"))
def tombstone(state: State, broker: int, unit: int) -> None:
    """
    The monitor of the leader *broker* deletes an entry that is free or deleted by its own view.

    Nothing else is asked: the view may lag (the monitor flushes only afterwards), and the age is the publisher's clock
    against the leader's (channel.D11), so time is left open here.

    Enabled: the broker is up, leads and is Stable; its view holds an entry that is not active, in 3.0.2, 3.1.1
    and 3.1.2 also an Owned one whose broker its cache lists: the monitor sees to missing brokers and hand-overs first.
    With the assumption T1 (``lag_below_tombstone_delay``) every living broker has read that entry.
    Changes: a tombstone is under way, which says nothing of what it deletes.
    Mirrors: ``monitorOwnerships``, ``tombstoneAsync``.
    """
    require(state.tombstones_left > 0, "the budget allows another tombstone of the monitor")
    require_monitor(state, broker)
    held = state.view[broker, unit]
    require(not is_absent(held), "the leader's view holds an entry of the unit")
    if state.bounds.rules.tombstones_inactive_only:
        require(not is_active(held), "the entry is not active by the leader's view")
    elif is_active(held):
        require(not is_in_flight(held), "the entry is not in flight by the leader's view")
        require(lists_both(state, broker, held), "the leader's registry cache lists the broker of an active entry")
    if state.bounds.rules.lag_below_tombstone_delay:
        require(is_read_by_all(state, broker, unit), "every living broker has read the entry")
    state.tombstones_left = state.tombstones_left - 1
    publish(state, broker, unit, tombstone_of(state, held), held)


def is_read_by_all(state: State, leader: int, unit: int) -> bool:
    """Return whether every living broker has read what the leader's view holds of *unit*."""
    return all(has_read(state, broker, leader, unit) for broker in brokers(state) if has_read_channel(state, broker))


def has_read(state: State, broker: int, leader: int, unit: int) -> bool:
    """Return whether *broker* has read what the leader's view holds of *unit*; it may be further on."""
    if state.view[broker, unit] == state.view[leader, unit]:
        return True
    if state.bounds.storage == Storage.METADATA_STORE:
        return not state.changed[broker, unit]
    return state.cursor[broker] >= state.cursor[leader]
