"""
The host of the channel's topic compacts it, phase by phase.

The broker that hosts the topic (here the leader) reads the log up to its end of that moment, writes what it keeps
into a ledger of its own, shows readers that ledger and how far it reaches (the *horizon*, in memory and at once),
saves both with the compaction cursor, closes the ledger, and deletes the one before. A host that comes after starts
from what was saved. What goes wrong with a ledger that is shown is in ``compaction_losses.py``. Sources:
``StrategicTwoPhaseCompactor``, ``PulsarCompactorSubscription.acknowledgeMessage``,
``CompactedTopicImpl.newCompactedLedger`` (v4.0.6), and models.A2. While compaction is modelled the log keeps its
beginning, and ``horizon`` and cursors count from there.
"""

from oneowner.model.channel.channel import folded
from oneowner.model.channel.parts import Phase, Run
from oneowner.model.channel.record import NOBODY, TOMBSTONE, Record, is_absent
from oneowner.model.channel.sorts import BROKER, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require

COMPACTIONS = Budget(
    "compactions",
    "How many compactions of the channel may start; if any may, the window is the whole log",
    clashes={"in_store": "only a topic is compacted"},
)

FAILED_WRITES = Budget(
    "failed_writes",
    "How many compactions may fail while they write what they keep",
    needs={"compactions": "without compactions nothing is kept"},
)

HOST = "the broker lives and hosts the channel's topic"
KEPT_IS_THERE = "the ledger that readers are given is there"


@action(
    broker=BROKER,
    budget=COMPACTIONS,
    fairness=never("a size of the log, or an operator, asks for it"),
)
def start_compaction(state: State, broker: int) -> None:
    """
    The host reads the channel up to its present end: phase one.

    Enabled: the broker is the host, the phase is idle, the log is longer than ``horizon``, and the compactor, a reader
    itself, can read what was kept: it is not lost.
    Changes: the phase is read; ``read_to`` is the log's length, ``result[unit]`` the fold of ``ledger[unit]`` (from
    nothing) and the records after ``horizon``.
    Mirrors: ``StrategicTwoPhaseCompactor.phaseOne``.
    """
    require(state.compactions_left > 0, "the budget allows another compaction")
    require_phase(state, broker, Phase.IDLE)
    require(state.horizon < state.log.length, "a record is after the horizon")
    require(not state.lost_ledger, KEPT_IS_THERE)
    state.compactions_left = state.compactions_left - 1
    state.phase = Phase.READ
    state.read_to = state.log.length
    for unit in range(1, state.bounds.units + 1):
        state.result[unit] = kept(state, unit)


def kept(state: State, unit: int) -> Record:
    """Return the record that a compaction keeps of *unit*: the fold of the kept one and those after it."""
    record = TOMBSTONE
    if state.bounds.rules.compactor_reads_kept and not is_absent(state.ledger[unit]):
        record = folded(state, record, state.ledger[unit])
    for number in range(1, state.bounds.window + 1):
        if is_read(state, number) and state.log[number].unit == unit:
            proposed = state.log[number].record
            if state.bounds.rules.strategic_compaction:
                proposed = folded(state, record, proposed)
            record = proposed
    return record


def is_read(state: State, number: int) -> bool:
    """Return whether a compaction that starts reads the record at place *number* of the log itself."""
    return number > state.horizon and number > state.trimmed and number <= state.log.length


@action(
    broker=BROKER,
    budget=COMPACTIONS,
    fairness=weak("a compaction goes on while its host lives"),
)
def write_ledger(state: State, broker: int) -> None:
    """
    The host writes what it keeps into a new ledger: phase two.

    Enabled: the broker is the host, and the phase is read.
    Changes: the phase is written. With ``failed_writes`` each ``result[unit]`` becomes the fold of ``stale[unit]`` and
    itself, in this order, from nothing, and ``stale[unit]`` nothing: what an attempt that failed left is written first.
    Mirrors: ``StrategicTwoPhaseCompactor.runPhaseTwo``; ``AbstractTwoPhaseCompactor.phaseTwoLoop`` (bugs.R30).
    """
    require_phase(state, broker, Phase.READ)
    state.phase = Phase.WRITTEN
    if not state.bounds.rules.phase_two_stops and state.read_to < state.log.length:
        state.read_to = state.read_to + 1  # an entry that phase one has not read, so that nothing of it is kept
    if state.bounds.failed_writes:
        for unit in range(1, state.bounds.units + 1):
            state.result[unit] = written_after(state, state.stale[unit], state.result[unit])
            state.stale[unit] = TOMBSTONE


def written_after(state: State, stale: Record, record: Record) -> Record:
    """Return what a new reader holds of a ledger in which *stale*, if there is one, comes before *record*."""
    if is_absent(stale):
        return record
    if is_absent(record):
        return stale
    return folded(state, stale, record)


@action(broker=BROKER, unit=UNIT, budget=FAILED_WRITES, fairness=never("a disturbance"))
def fail_to_write(state: State, broker: int, unit: int) -> None:
    """
    A write of phase two fails, and with it the compaction; the record of *unit*, added behind it, stays in the batch.

    The entry whose write fails is one of another unit, which these bounds need not have.

    Enabled: the broker is the host, the phase is read, and ``result[unit]`` is something.
    Changes: the phase is idle, and ``stale[unit]`` is ``result[unit]``: it waits in the compactor's one batch for the
    next attempt, unless each has its own (``batch_per_attempt``).
    Mirrors: ``StrategicTwoPhaseCompactor.addToCompactedLedger``, ``batchMessageContainer`` (apache/pulsar#26664).
    """
    require(state.failed_writes_left > 0, "the budget allows another compaction to fail")
    require_phase(state, broker, Phase.READ)
    require(not is_absent(state.result[unit]), "the compaction keeps a record of the unit")
    state.failed_writes_left = state.failed_writes_left - 1
    if not state.bounds.rules.batch_per_attempt:
        state.stale[unit] = state.result[unit]
    end_compaction(state)


@action(
    broker=BROKER,
    budget=COMPACTIONS,
    fairness=weak("a compaction goes on while its host lives"),
)
def show_ledger(state: State, broker: int) -> None:
    """
    The host shows readers the new ledger and its horizon.

    Enabled: the broker is the host, and the phase is written.
    Changes: the phase is shown; ``ledger`` and ``horizon`` become ``result`` and ``read_to``, in memory, at once.
    Mirrors: ``CompactedTopicImpl.newCompactedLedger``: one lock; before the cursor is saved, since #12522 (bugs.R27).
    """
    require(not saves_first(state), "readers are shown a ledger before it is saved")
    require_phase(state, broker, Phase.WRITTEN)
    state.phase = Phase.SHOWN
    state.horizon = state.read_to
    for unit in range(1, state.bounds.units + 1):
        state.ledger[unit] = state.result[unit]


@action(
    broker=BROKER,
    budget=COMPACTIONS,
    fairness=weak("a compaction goes on while its host lives"),
)
def save_cursor(state: State, broker: int) -> None:
    """
    The host saves the horizon and the ledger's id with the compaction cursor, in one write.

    Enabled: the broker is the host, and the phase is shown (until #12522 written: readers are shown it in the end).
    Changes: ``saved_ledger`` and ``saved_horizon`` become ``result`` and ``read_to``; the phase is idle if there was
    none before, else saved.
    Mirrors: ``PulsarCompactorSubscription.acknowledgeMessage``, ``ManagedCursorImpl.asyncMarkDelete``.
    """
    require_phase(state, broker, Phase.WRITTEN if saves_first(state) else Phase.SHOWN)
    was_first = state.saved_horizon == 0
    save(state)
    state.phase = Phase.SAVED
    if was_first and state.horizon == state.saved_horizon:
        end_compaction(state)


def save(state: State) -> None:
    """Let the compaction cursor name the ledger under way and its horizon."""
    state.saved_horizon = state.read_to
    for unit in range(1, state.bounds.units + 1):
        state.saved_ledger[unit] = state.result[unit]


def saves_first(state: State) -> bool:
    """Return whether the host saves a ledger before it shows it to readers (bugs.R27)."""
    return not state.bounds.rules.horizon_before_cursor


@action(
    broker=BROKER,
    budget=COMPACTIONS,
    fairness=weak("a compaction goes on while its host lives"),
)
def delete_ledger(state: State, broker: int) -> None:
    """
    The host deletes the ledger that the new one replaces.

    Enabled: the broker is the host, and the phase is saved.
    Changes: the phase is idle, and readers are given what is saved.
    Mirrors: ``CompactedTopicImpl.deleteCompactedLedger``.
    """
    require_phase(state, broker, Phase.SAVED)
    load_topic(state)


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
    that nothing refers to. (A living process deletes what it wrote if the compaction fails.) What is in memory, such as
    a batch, is gone. Mirrors: ``StrategicTwoPhaseCompactor.runPhaseTwo``, whose clean-up dies too (models.S10).
    """
    if state.bounds.trims and state.phase != Phase.IDLE and state.phase != Phase.SAVED:
        interrupt(state)
    if state.bounds.failed_writes:
        for unit in range(1, state.bounds.units + 1):
            state.stale[unit] = TOMBSTONE
    if state.phase != Phase.IDLE and state.phase != Phase.READ:
        state.leaked = state.leaked + 1
    load_topic(state)


def interrupt(state: State) -> None:
    """
    A compaction ends with its process before its cursor is saved, which phase one has moved back.

    Until #25119 that seek of the compaction cursor was persisted as its mark-delete position: a host that comes after
    believes that hardly anything was compacted, while the log is trimmed up to where it was (bugs.R31). It matters only
    where the log is trimmed (bound ``trims``). Pulsar's cursor stands before the first kept record, here at the
    beginning. Mirrors: ``ManagedCursorImpl.internalResetCursor`` (managed-ledger).
    """
    if not state.bounds.rules.seek_keeps_horizon:
        state.saved_horizon = 0


def load_topic(state: State) -> None:
    """
    Fall back to the saved state: no compaction is under way, and readers are given the saved ledger.

    Mirrors: the constructor of ``PulsarCompactorSubscription``, where a new host loads the topic.
    """
    state.horizon = state.saved_horizon
    for unit in range(1, state.bounds.units + 1):
        state.ledger[unit] = state.saved_ledger[unit]
    end_compaction(state)


def is_hosted(state: State) -> bool:
    """Return whether a living broker hosts the channel's topic."""
    return state.leader != NOBODY and state.run[state.leader] == Run.UP
