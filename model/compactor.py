"""
The compaction of the channel's topic, phase by phase, and a reader that is carried over what it has not read.

The broker that hosts the topic (here the leader) reads the log up to its end of that moment, writes what it keeps
into a ledger of its own, shows readers that ledger and how far it reaches (the *horizon*, in memory and at once),
saves both with the compaction cursor, and deletes the ledger before. A host that comes after starts from what was
saved. Sources: ``StrategicTwoPhaseCompactor``, ``PulsarCompactorSubscription.acknowledgeMessage``,
``CompactedTopicImpl.newCompactedLedger`` (v4.0.6), and models.A2. While compaction is modelled the log keeps its
beginning, and ``horizon`` and cursors count from there.
"""

from __future__ import annotations

from model.broker import UP, handle
from model.channel import accepts, folded
from model.guards import require
from model.listeners import READS
from model.parts import Phase, Run
from model.record import NOBODY, RELEASING, TOMBSTONE, Record, is_absent, loser
from model.state import State

HOST = "the broker lives and hosts the channel's topic"


def start_compaction(state: State, broker: int) -> None:
    """
    The host reads the channel up to its present end: phase one.

    Enabled: the broker hosts the topic, no compaction runs, something is after the horizon, within the budget.
    Changes: what is to be kept, by the resolver, starting from what is kept already. Log: ``Commencing phase one of
    compaction for .., reading to ..``. Mirrors: ``StrategicTwoPhaseCompactor.phaseOne``.
    """
    require(state.compactions_left > 0, "the budget allows another compaction")
    require_phase(state, broker, Phase.IDLE)
    require(state.horizon < state.log.length, "a record is after the horizon")
    state.compactions_left = state.compactions_left - 1
    state.phase = Phase.READ
    state.read_to = state.log.length
    for unit in range(1, state.bounds.units + 1):
        state.result[unit] = kept(state, unit)


def kept(state: State, unit: int) -> Record:
    """Return what a compaction keeps of *unit*: the fold of what was kept before and of what came after."""
    record = TOMBSTONE
    if not is_absent(state.ledger[unit]):
        record = folded(state, record, state.ledger[unit])
    for number in range(1, state.bounds.window + 1):
        if number > state.horizon and number <= state.log.length and state.log[number].unit == unit:
            proposed = state.log[number].record
            if state.bounds.rules.strategic_compaction:
                proposed = folded(state, record, proposed)
            record = proposed
    return record


def write_ledger(state: State, broker: int) -> None:
    """
    The host writes what it keeps into a new ledger: phase two.

    Enabled: it has read. Changes: the ledger exists, and nothing refers to it. Log: ``Commencing phase two of
    compaction for .., compacting .. keys to ledger ..``. Mirrors: ``StrategicTwoPhaseCompactor.runPhaseTwo``.
    """
    require_phase(state, broker, Phase.READ)
    state.phase = Phase.WRITTEN


def show_ledger(state: State, broker: int) -> None:
    """
    The host shows readers the new ledger and its horizon.

    Enabled: the ledger is written. Changes: both, in the host's memory, at once. Log: ``Acking ledger ..``. Mirrors:
    ``CompactedTopicImpl.newCompactedLedger``: one lock; before the cursor is saved, since #12522 (bugs.R27).
    """
    require_phase(state, broker, Phase.WRITTEN)
    state.phase = Phase.SHOWN
    state.horizon = state.read_to
    for unit in range(1, state.bounds.units + 1):
        state.ledger[unit] = state.result[unit]


def save_cursor(state: State, broker: int) -> None:
    """
    The host saves the horizon and the ledger's id with the compaction cursor, in one write.

    Enabled: readers are shown the ledger. Changes: what a host that comes after starts from. Without a ledger before
    it the compaction is over. Log: ``Mark deleted messages until position .. on compactor subscription`` (debug).
    Mirrors: ``PulsarCompactorSubscription.acknowledgeMessage``, ``asyncMarkDelete``.
    """
    require_phase(state, broker, Phase.SHOWN)
    was_first = state.saved_horizon == 0
    state.saved_horizon = state.horizon
    for unit in range(1, state.bounds.units + 1):
        state.saved_ledger[unit] = state.ledger[unit]
    state.phase = Phase.SAVED
    if was_first:
        end_compaction(state)


def delete_ledger(state: State, broker: int) -> None:
    """
    The host deletes the ledger that the new one replaces.

    Enabled: the cursor is saved. Changes: the compaction is over. Log: none. Mirrors:
    ``CompactedTopicImpl.deleteCompactedLedger``.
    """
    require_phase(state, broker, Phase.SAVED)
    end_compaction(state)


def require_phase(state: State, broker: int, phase: Phase) -> None:
    """Require that *broker* hosts the topic and its compaction has come to *phase*."""
    require(state.run[broker] == Run.UP and state.leader == broker, HOST)
    require(state.phase == phase, "the compaction has come to that phase")


def end_compaction(state: State) -> None:
    """Forget what the compaction under way had in hand."""
    state.phase = Phase.IDLE
    state.read_to = 0
    for unit in range(1, state.bounds.units + 1):
        state.result[unit] = TOMBSTONE


def host_dies(state: State) -> None:
    """
    The process that hosts the topic dies, and with it the compaction under way.

    A ledger that was written and not saved, or saved while the one before was still to be deleted, leaves one behind
    that nothing refers to. (A living process deletes what it wrote if the compaction fails.) Mirrors:
    ``StrategicTwoPhaseCompactor.runPhaseTwo``, whose clean-up dies too (models.S10).
    """
    if state.phase != Phase.IDLE and state.phase != Phase.READ:
        state.leaked = state.leaked + 1
    load_topic(state)


def load_topic(state: State) -> None:
    """
    What is known of compactions is what was saved: no compaction is under way, and readers are given the saved ledger.

    Mirrors: the constructor of ``PulsarCompactorSubscription``, where a new host loads the topic.
    """
    state.horizon = state.saved_horizon
    for unit in range(1, state.bounds.units + 1):
        state.ledger[unit] = state.saved_ledger[unit]
    end_compaction(state)


def jump(state: State, broker: int) -> None:
    """
    *broker* has not read as far as the horizon: it is given what was kept, and goes on after the horizon.

    Enabled: the broker and a host live, its cursor is before the horizon. It may also go on reading (``consume``):
    records that were sent to it before wait in its receiver queue. Changes: its cursor; where its view accepts a kept
    record, the view and what ``handle`` does. Records in between are never seen. Log: as ``consume``. Mirrors:
    ``CompactedTopicUtils.asyncReadCompactedEntries``. (Units are taken by number, not by last acceptance: handlers of
    different units only meet in the outbox.)
    """
    require(state.run[broker] == Run.UP, UP)
    require(not state.held_up[broker], READS)
    require(is_hosted(state), "a living broker hosts the channel's topic")
    require(state.cursor[broker] < state.horizon, "the broker lags behind the horizon")
    for unit in range(1, state.bounds.units + 1):
        if swallows_a_stop(state, broker, unit):
            state.swallowed[broker, unit] = True
    state.cursor[broker] = state.horizon
    for unit in range(1, state.bounds.units + 1):
        record = state.ledger[unit]
        if not is_absent(record) and accepts(state, state.view[broker, unit], record):
            state.view[broker, unit] = record
            handle(state, broker, unit, record)


def swallows_a_stop(state: State, broker: int, unit: int) -> bool:
    """
    Say whether *broker* serves *unit* and is carried over an accepted record that tells it to stop.

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


def tells_to_stop(record: Record, broker: int) -> bool:
    """Say whether *broker*, if it serves the unit, closes its topics when it handles *record*."""
    return loser(record) == broker or (record.state == RELEASING and record.source == broker)


def is_hosted(state: State) -> bool:
    """Say whether a living broker hosts the channel's topic."""
    return state.leader != NOBODY and state.run[state.leader] == Run.UP
