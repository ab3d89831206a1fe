"""A compaction carries a reader over records that it has not read, some of which it then never learns."""

from oneowner.model.channel.broker import UP, handle
from oneowner.model.channel.channel import accepts
from oneowner.model.channel.compactor import COMPACTIONS, KEPT_IS_THERE, is_hosted
from oneowner.model.channel.parts import Run
from oneowner.model.channel.ranges import units
from oneowner.model.channel.record import RELEASING, Record, is_absent, loser
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.channel.threads import require_reader
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, since

ORIGINAL_AT_CURSOR = Switch(
    "A reader below the horizon for which nothing is kept reads the original log (#26190, in 5.0.1).",
    turned=(since("5.0.1"),),
    source="apache/pulsar#26190: CompactedTopicUtils.readOriginalLedger",
)


@action(
    broker=BROKER,
    budget=COMPACTIONS,
    fairness=never("a reader may find the records themselves in its queue"),
)
def jump(state: State, broker: int) -> None:
    """
    *broker* has not read as far as the horizon: it is given what was kept, and goes on after the horizon.

    It may also go on reading (``consume``): records that were sent to it before wait in its receiver queue. Units are
    taken by number, not by last acceptance: handlers of different units only meet in the outbox.

    Enabled: the broker is up, not held up, and before ``horizon``; the host is up; what is kept is not lost.
    Changes: its cursor is ``horizon``; of each unit the view takes the kept record if it accepts it, and the broker
    does what it owes (``handle``). Records in between are never seen.
    Mirrors: ``CompactedTopicUtils.asyncReadCompactedEntries``.
    """
    require(state.run[broker] == Run.UP, UP)
    require_reader(state, broker)
    require(is_hosted(state), "a living broker hosts the channel's topic")
    require(state.cursor[broker] < state.horizon, "the broker lags behind the horizon")
    require(not state.lost_ledger, KEPT_IS_THERE)
    if state.bounds.rules.original_at_cursor:
        require(is_given_something(state, broker), "something is kept from the broker's cursor on")
    for unit in range(1, state.bounds.units + 1):
        if swallows_a_stop(state, broker, unit):
            state.swallowed[broker, unit] = True
        if swallows_a_tombstone(state, broker, unit):
            state.missed[broker, unit] = True
    state.cursor[broker] = state.horizon
    for unit in range(1, state.bounds.units + 1):
        take_kept(state, broker, unit)


def take_kept(state: State, broker: int, unit: int) -> None:
    """Give *broker* what is kept of *unit*: its view takes it if it accepts it, and the broker does what it owes."""
    record = state.ledger[unit]
    if not is_absent(record) and accepts(state, state.view[broker, unit], record):
        state.view[broker, unit] = record
        handle(state, broker, unit, record)


def swallows_a_stop(state: State, broker: int, unit: int) -> bool:
    """
    Return whether *broker* serves *unit* and is carried over an accepted record that tells it to stop.

    The last accepted one is kept, and so does reach it.
    """
    held, told, swallowed = state.view[broker, unit], False, False
    for number in range(1, state.bounds.window + 1):
        if number > state.cursor[broker] and number <= state.horizon and state.log[number].unit == unit:
            if accepts(state, held, state.log[number].record):
                held = state.log[number].record
                swallowed = swallowed or told
                told = tells_to_stop(held, broker)
    return swallowed and state.serving[broker, unit]


def swallows_a_tombstone(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker*, which holds an entry of *unit*, is carried over a tombstone, which is never kept."""
    if is_absent(state.view[broker, unit]) or not state.bounds.swallows_tombstones:
        return False
    return any(
        number > state.cursor[broker]
        and number <= state.horizon
        and state.log[number].unit == unit
        and is_absent(state.log[number].record)
        for number in range(1, state.bounds.window + 1)
    )


def is_given_something(state: State, broker: int) -> bool:
    """Return whether a kept record's place in the log is after the cursor of *broker*."""
    return any(place_of_kept(state, unit) > state.cursor[broker] for unit in units(state))


def place_of_kept(state: State, unit: int) -> int:
    """Return the place of the record that is kept of *unit*: of the last one accepted up to the horizon; 0 if none."""
    held, place = state.base[unit], 0
    for number in range(1, state.bounds.window + 1):
        if number <= state.horizon and state.log[number].unit == unit:
            if accepts(state, held, state.log[number].record):
                held = state.log[number].record
                place = 0 if is_absent(held) else number
    return place


def tells_to_stop(record: Record, broker: int) -> bool:
    """Return whether *broker*, if it serves the unit, closes its topics when it handles *record*."""
    return loser(record) == broker or (record.state == RELEASING and record.source == broker)
