"""
A broker is told to shut down: its channel is disabled, and its clean-up by itself gives its units away.

Mirrors ``ExtensibleLoadManagerImpl.disableBroker`` and ``ServiceUnitStateChannelImpl.cleanOwnerships`` (v4.0.6;
channel.9). From its first step on its channel is Disabled: unforced records are read but not handled
(``model.channel.broker.handle``), while it may still publish. Waiting there is bounded (5 s, 30 s), so a shutdown goes
on whether or not the units found another owner: ``unregistering.py``.
"""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.channel import publish
from oneowner.model.channel.orphans import takes_part
from oneowner.model.channel.parts import Node, Run, Stage
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.record import NOBODY, OWNED, RELEASING, Record, is_absent, is_active, next_version
from oneowner.model.channel.recovery import is_caught_up, is_system, overriding, require_stays
from oneowner.model.channel.session import HAS_SESSION, has_session
from oneowner.model.channel.sorts import BROKER, LAST_UNIT, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget, Choice
from oneowner.model.kernel.fairness import never, strong
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, before, since

SHUTDOWNS = Budget("shutdowns", "How many brokers may be told to shut down")

LAST_STOPS = Choice(
    "last_stops",
    "1: a broker may shut down although no other one stays; 0: one that is registered has to stay",
    needs={"shutdowns": "without shutdowns nobody is told to"},
)

LATE_HANDLERS = Budget(
    "late_handlers",
    "How many clean-ups at a shutdown may scan before what a handler publishes is in the channel",
    needs={"shutdowns": "without shutdowns nothing is scanned"},
)

SYSTEM_UNITS = Choice(
    "system_units", "1: the last unit is a bundle of pulsar/system, to which a clean-up comes last; 0: none is"
)

DRAIN_AT_SHUTDOWN = Switch(
    "A broker that shuts down gives its units away before it unregisters (since 3.0.1); else it may do so at once.",
    turned=(before("3.0.1"),),
    source="apache/pulsar#20315: ExtensibleLoadManagerWrapper.disableBroker of 3.0.0 only unregisters",
)

RELEASE_AT_SHUTDOWN = Switch(
    "It does so by Releasing, which makes it close first (since 3.3.7 and 4.0.0); by Owned before.",
    turned=(before("3.3.7"),),
    source="apache/pulsar#23301 in 4.0.0, #24156 in 3.3.7: a graceful override of an Owned entry is Releasing",
)

SHUTDOWN_RETRIES = Switch(
    "A broker that shuts down gives up anew what it owns after its clean-up all the same (since #26520).",
    turned=(since("4.0.14", "4.2.5", "5.0.0"),),
    source="apache/pulsar#26520: waitForCleanups calls overrideOwnership in each of its rounds",
)

SHUTDOWN_IS_REGISTERED = Switch(
    "It also says so in its registration, and leaves once nothing names it (repair of `shutdown_together`).",
)

SYSTEM_UNITS_READ_AGAIN = Switch("Its clean-up reads a system bundle again before it gives it up (#26634, open).")

DRAINS_UNCHECKED = Switch(
    "A broker that gives its units away does not wait for a health check of itself (#23433 mends #23382).",
)

DRAINS = "the broker gives its units away"
FLUSHED = "its publishes are in the channel, and it has consumed the whole channel"


@action(broker=BROKER, budget=SHUTDOWNS, fairness=never("an operator's command"))
def disable(state: State, broker: int) -> None:
    """
    An operator stops *broker*; it disables its channel.

    Enabled: the broker is up and running, and, but with ``last_stops``, another one is up, running and registered.
    Changes: it is draining.
    Mirrors: ``ExtensibleLoadManagerImpl.disableBroker``, ``ServiceUnitStateChannelImpl.disable``.
    """
    require(state.shutdowns_left > 0, "the budget allows another shutdown")
    require(state.run[broker] == Run.UP and state.stage[broker] == Stage.RUNNING, "the broker runs")
    require(state.bounds.last_stops > 0 or another_stays(state, broker), "another broker stays")
    state.shutdowns_left = state.shutdowns_left - 1
    state.stage[broker] = Stage.DRAINING


def another_stays(state: State, broker: int) -> bool:
    """Return whether another broker lives, is registered, and is not shutting down; elsewhere the last one stops."""
    return any(
        other != broker
        and state.run[other] == Run.UP
        and state.stage[other] == Stage.RUNNING
        and state.node[other] != Node.ABSENT
        for other in brokers(state)
    )


@action(
    broker=BROKER,
    unit=UNIT,
    destination=BROKER,
    budget=SHUTDOWNS,
    fairness=strong("doCleanup flushes, then takes one unit after another", choice="destination"),
)
def drain(state: State, broker: int, unit: int, destination: int) -> None:
    """
    *broker* gives up an entry that names it, in favour of *destination*; each unit once, and no retry.

    Enabled: the broker is up and draining, somebody leads (``clean_up_needs_leader``), the unit is not drained, the
    outbox is empty, and it has consumed everything. The entry names it as destination while active, or as source while
    in flight; it has a session, and its cache lists the destination, another broker, which with
    ``shutdown_is_registered`` does not shut down. For the system's unit the entry is what was set aside, which is
    needed, as are an empty outbox and every other unit drained.
    Changes: the unit is drained; a forced record, next version, is under way: for Owned Releasing(destination, source =
    owner), so that it closes first; in flight what ``override`` would publish.
    Mirrors: ``doCleanup``, ``overrideOwnership``.
    """
    require_scan(state, broker, unit)
    if is_system(state.bounds, unit):
        require_turn(state, broker)
    require_taker(state, broker, destination)
    held = found(state, broker, unit)
    require(takes_part(held, broker), "the entry names the broker")
    state.drained[broker, unit] = True
    publish(state, broker, unit, giving_up(state, held, destination), held)


@action(
    broker=BROKER,
    unit=UNIT,
    budget=SHUTDOWNS,
    fairness=strong("doCleanup flushes, then takes one unit after another"),
)
def pass_over(state: State, broker: int, unit: int) -> None:
    """
    The clean-up of *broker* by itself finds an entry that does not name it.

    Enabled: as ``drain``, but the entry does not name the broker, and nothing need be set aside.
    Changes: the unit is drained: what happens to it from now on is not looked at again.
    Mirrors: ``doCleanup``.
    """
    require_scan(state, broker, unit)
    require(not takes_part(found(state, broker, unit), broker), "the entry does not name the broker")
    state.drained[broker, unit] = True


def require_taker(state: State, broker: int, destination: int) -> None:
    """Require that *broker* may give a unit to *destination*: it selects it, as ``recovery.require_cleaner`` has it."""
    require(has_session(state, broker), HAS_SESSION)
    require(state.known[broker, destination] and destination != broker, "another broker is in its registry cache")
    require_stays(state, destination)


def require_scan(state: State, broker: int, unit: int) -> None:
    """Require that the clean-up of *broker* by itself comes to *unit* now."""
    require(state.run[broker] == Run.UP, UP)
    require(state.stage[broker] == Stage.DRAINING, DRAINS)
    require(state.bounds.rules.drain_at_shutdown, "a broker that shuts down gives its units away")
    require(state.bounds.rules.drains_unchecked, "it does not wait for a health check of itself")
    if state.bounds.rules.clean_up_needs_leader:
        require(state.leader != NOBODY, "there is a leader")
    require(not state.drained[broker, unit], "the clean-up has not come to the unit")
    require(is_caught_up(state, broker), FLUSHED)
    require(state.hurried[broker] or state.outbox[broker].length == 0, FLUSHED)


def giving_up(state: State, held: Record, destination: int) -> Record:
    """Return the forced record by which a broker that shuts down gives an entry away (channel.9)."""
    if held.state == OWNED and state.bounds.rules.release_at_shutdown:
        return Record(RELEASING, destination, held.destination, True, next_version(held))
    return overriding(held, destination)


def require_turn(state: State, broker: int) -> None:
    """Require that the clean-up of *broker* has dealt with every other unit, flushed, and put its system bundle off."""
    require(not is_absent(state.set_aside[broker]), "the bundle is set aside")
    require(state.outbox[broker].length == 0, FLUSHED)
    for unit in range(1, state.bounds.units):
        require(state.drained[broker, unit], "the clean-up has dealt with every unit that is none of the system's")


def found(state: State, broker: int, unit: int) -> Record:
    """Return the entry by which the clean-up of *broker* gives *unit* up: a system bundle's as it was at first."""
    if is_system(state.bounds, unit) and not state.bounds.rules.system_units_read_again:
        if not is_absent(state.set_aside[broker]):
            return state.set_aside[broker]
    return state.view[broker, unit]


@action(
    broker=BROKER,
    when=lambda bounds: bounds.shutdowns and bounds.late_handlers,
    fairness=never("a perturbation"),
)
def hurry(state: State, broker: int) -> None:
    """
    The clean-up of *broker* by itself scans although a handler has a publish under way.

    ``flush`` waits for what the producer was given, then for what is in the channel to be read: what a handler that was
    under way publishes meanwhile, it does not wait for; nor, after 5 s, for anything.

    Enabled: the broker is up and draining, its outbox is not empty, and it is not hurried.
    Changes: it is hurried until it unregisters: ``drain``, ``pass_over`` and ``set_aside`` do not ask for an empty
    outbox.
    Mirrors: ``ServiceUnitStateTableViewImpl.flush``, ``doCleanup`` (#26520, bugs.R4).
    """
    require(state.late_handlers_left > 0, "the budget allows another handler that a flush passes")
    require(state.run[broker] == Run.UP, UP)
    require(state.stage[broker] == Stage.DRAINING, DRAINS)
    require(state.outbox[broker].length > 0, "the broker has a publish under way")
    require(not state.hurried[broker], "its scan waits for its publishes")
    state.late_handlers_left = state.late_handlers_left - 1
    state.hurried[broker] = True


@action(
    broker=BROKER,
    unit=LAST_UNIT,
    when=lambda bounds: bounds.shutdowns and bounds.system_units,
    fairness=strong("doCleanup flushes, then takes one unit after another"),
)
def set_aside(state: State, broker: int, unit: int) -> None:
    """
    The clean-up of *broker* by itself finds a system bundle that names it, and puts it off until the end.

    Enabled: as ``drain``, but of broker and view alone; nothing is set aside.
    Changes: the view's entry is set aside until the broker unregisters.
    Mirrors: ``doCleanup``, which takes system bundles last (#26634, bugs.R15).
    """
    require_scan(state, broker, unit)
    require(is_absent(state.set_aside[broker]), "the bundle is not set aside")
    require(takes_part(state.view[broker, unit], broker), "the entry names the broker")
    state.set_aside[broker] = state.view[broker, unit]


@action(
    broker=BROKER,
    unit=UNIT,
    destination=BROKER,
    when=lambda bounds: bounds.shutdowns and bounds.rules.shutdown_retries,
    fairness=strong("waitForCleanups looks every 100 ms", choice="destination"),
)
def retry(state: State, broker: int, unit: int, destination: int) -> None:
    """
    *broker* gives up once more a unit that it owns although its clean-up has dealt with it: its first record lost.

    Enabled: the broker is up and draining, the unit is drained and not the system's, the outbox is empty and everything
    consumed; its view says Owned by itself; it has a session, and its cache lists the destination, another broker. With
    ``shutdown_is_registered`` it is enough that the view is active and names it as destination.
    Changes: a record is under way as in ``drain``.
    Mirrors: ``waitForCleanups`` since #26520 (in 5.0.1, by its bytecode).
    """
    require_taker(state, broker, destination)
    held = given_up_anew(state, broker, unit)
    publish(state, broker, unit, giving_up(state, held, destination), held)


def given_up_anew(state: State, broker: int, unit: int) -> Record:
    """Return the entry of *unit* by which *broker* gives it up once more; require that it does."""
    require(state.run[broker] == Run.UP, UP)
    require(state.stage[broker] == Stage.DRAINING, DRAINS)
    require(state.drained[broker, unit] and not is_system(state.bounds, unit), "the clean-up has dealt with the unit")
    require(state.outbox[broker].length == 0 and is_caught_up(state, broker), FLUSHED)
    held = state.view[broker, unit]
    if state.bounds.rules.shutdown_is_registered:
        require(is_destination(held, broker), "the entry names the broker as destination")
    else:
        require(held.state == OWNED and held.destination == broker, "the broker's view says that it owns the unit")
    return held


def is_destination(held: Record, broker: int) -> bool:
    """Return whether the broker owns the unit by *held*, or is to own it."""
    return is_active(held) and held.destination == broker
