"""
These functions find the entries that are orphaned for a leader: it suspects their broker, and finds it not healthy.

Mirrors ``monitorOwnerships``, ``handleBrokerDeletionEvent`` and the first half of ``doCleanup`` of
``ServiceUnitStateChannelImpl`` (v4.0.6).
"""

from oneowner.model.channel.channel import is_publishing
from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.record import NOBODY, OWNED, Record, is_active, is_in_flight
from oneowner.model.channel.state import State
from oneowner.model.kernel.bounds import Budget, Limit
from oneowner.model.kernel.releases import Switch, before, since

UNPLACED = Budget("unplaced", "How many overrides may find no broker that the policies allow")

NO_REFUSAL = "transfers lookups shutdowns flight_timer unplaced beliefs safe_mode synced compactions"
"""The bounds with which a broker that is refused is not modelled."""

REFUSED = Limit(
    "refused", "The broker that the policies refuse for every unit; 0: none", apart={NO_REFUSAL: "not modelled"}
)

OWNED_ORPHAN_BY_SOURCE = Switch(
    "An Owned record whose *source* is gone counts as orphaned (#23064 taken at its word; no release did so).",
)

HEALTH_CHECK = Switch(
    "The leader cleans up a broker only if it fails a health check (since #23382).",
    turned=(before("3.3.3"),),
    source="apache/pulsar#23382: in no 3.0, 3.1 or 3.2 release, in 3.3.3 and in every 4.0",
)

MONITOR_RUNS = Switch(
    "The leader's clean-ups run; until #25132 a session event of old could keep them from running for ever.",
)

OVERRIDE_TELLS_OWNER = Switch(
    "An override names a former owner as its source, and that broker closes its topics (since #20315).",
    turned=(before("3.0.1"),),
    source="apache/pulsar#20315: 3.0.0 builds the override without a source, and its handleOwnEvent closes nothing",
)

OVERRIDE_NAMES_OWNER = Switch(
    "The former owner that an override names is the one of the entry, not the broker found gone (since #23064).",
    turned=(before("3.0.6", "3.2.4", "3.3.1"),),
    source="apache/pulsar#23064: getOverrideInactiveBrokerStateData names the inactive broker",
)

OVERRIDE_WHEN_CAUGHT_UP = Switch(
    "The leader consumes the whole channel before it overrides (``flush``; since #23301).",
    turned=(before("4.0.0"),),
    source="apache/pulsar#23301: before ServiceUnitStateTableView.flush, doCleanup only flushed its own producer",
)

FREES_UNPLACED = Switch(
    "An override that finds no broker frees the unit by force (since 3.0.3 and 3.1.3); before, it does nothing.",
    turned=(before("3.0.3", "3.1.3", "3.2.0"),),
    source="apache/pulsar#21811: overrideOwnership publishes Free, handleFreeEvent closes; before, the entry is left",
)

FREE_NAMES_NOBODY = Switch(
    "A Free record need not name a broker; until #23349 such a one could not be built, so nothing was published.",
    turned=(since("3.0.6", "3.2.4", "3.3.1", until="3.3.3"),),
    source="apache/pulsar#23349: ServiceUnitStateData refuses two blank brokers; earlier ones name the inactive broker",
)

SYSTEM_UNITS_OVERRIDDEN = Switch(
    "The leader's clean-up comes to the system bundles; in 3.3.7 and 3.3.8 it broke off there (#24196).",
    turned=(since("3.3.7", until="4.0.0"),),
    source="apache/pulsar#24196: doCleanup of #24156 asks the exhausted iterator for the system bundles",
)

OVERRIDES_AGAIN = Switch(
    "While a clean-up waits for an Owned entry to change, it overrides it again, as often as it looks (since #26520).",
    turned=(since("4.0.14", "4.2.5", "5.0.0"),),
    source="apache/pulsar#26520: waitForCleanups calls overrideOwnership in each of its rounds",
)

SPLIT_BEGUN_AGAIN = Switch("The override of Splitting begins the split again; until #19988 it made the parent Owned.")

CLEAN_UP_ASKS_LEADER = Switch(
    "A clean-up that fires asks again whether its broker is the elected one (repair of `late_clean_up`).",
)

CLEAN_UP_ASKS_AGAIN = Switch(
    "A clean-up that fires asks again whether its broker leads and is Stable; no release does (models.H9, H10).",
)

OVERRIDE_AWAITS_VIEWS = Switch(
    "The leader overrides only while every broker of its registry cache has read the whole channel (a proposal).",
)


def is_orphan(state: State, leader: int, record: Record) -> bool:
    """
    Return whether the leader overrides this entry.

    Its destination is gone while it is active, or its source while it is in flight (``doCleanup``); by the
    switch of bugs.R10, which no release turns (fault ``orphan_by_source``), an Owned entry by its source too.
    """
    by_source = is_in_flight(record)
    if state.bounds.rules.owned_orphan_by_source:
        by_source = is_active(record)
    if is_active(record) and is_gone(state, leader, record.destination):
        return True
    return by_source and is_gone(state, leader, record.source)


def takes_part(record: Record, broker: int) -> bool:
    """Return whether a clean-up of *broker* counts this entry: it owns the unit, or takes part in a hand-over."""
    if is_active(record) and record.destination == broker:
        return True
    return is_in_flight(record) and record.source == broker


def is_gone(state: State, leader: int, broker: int) -> bool:
    """Return whether *broker* is suspected by the leader and fails the health check."""
    if broker == NOBODY or not is_suspected(state, leader, broker):
        return False
    if state.bounds.rules.health_check:
        return not is_healthy(state, broker)
    return True


def is_suspected(state: State, leader: int, broker: int) -> bool:
    """Return whether *broker* is missing from the leader's cache; with safe mode, whether its clean-up is scheduled."""
    if state.bounds.safe_mode:
        return state.cleaning[leader, broker]
    return not state.known[leader, broker]


def is_healthy(state: State, broker: int) -> bool:
    """
    Return whether a health check of *broker* passes.

    It looks the broker up in the registry first, then calls it: a living broker that is not registered
    fails (recordings: ``The broker .. is not healthy because it's not found``).
    """
    return state.node[broker] != Node.ABSENT and state.run[broker] == Run.UP


def awaits_change(state: State, broker: int, unit: int) -> bool:
    """
    Return whether a clean-up at *broker* has overridden *unit*, and overrides it once more while it waits.

    It does so too while its record is in the channel and unread; what follows is as if it had done so before.
    """
    if not state.bounds.rules.overrides_again or state.view[broker, unit].state != OWNED:
        return False
    return is_publishing(state, broker, unit) and is_gone(state, broker, state.view[broker, unit].destination)
