"""
A ledger of kept records that readers are given is lost, or the properties of the compaction cursor are.

The cursor's properties are the only place where the ledger's id is written. A host that does not find it there gives
readers the original log, of which the beginning may be trimmed; one that finds the id of a ledger that is gone gives
readers nothing, again and again. A broker that starts then never ends to read the channel; in Pulsar a reader may still
find records that were sent to it before, here it has read those. Sources: ``StrategicTwoPhaseCompactor.runPhaseTwo``,
``ManagedCursorImpl`` and ``PulsarCompactorSubscription``, whose constructor reads the properties (v4.0.6).
"""

from oneowner.model.channel.compactor import end_compaction, is_hosted, require_phase, save
from oneowner.model.channel.parts import Phase
from oneowner.model.channel.record import TOMBSTONE
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, since

FAILED_CLOSES = Budget(
    "failed_closes",
    "How many ledgers of kept records may fail to close",
    needs={"compactions": "without compactions nothing is kept"},
)

LOST_CURSORS = Budget(
    "lost_cursors",
    "How often a host may find the compaction cursor unreadable",
    needs={"compactions brokers_go": "a cursor that was saved is read by the next host"},
)

STALE_RESETS = Budget(
    "stale_resets",
    "How many resets of the compaction cursor may save the properties of before",
    needs={"compactions": "without compactions nothing is kept"},
)

LEDGER_CLOSED_FIRST = Switch(
    "A compaction closes its ledger before readers are shown it (#26665).",
    turned=(since("4.0.14", "4.2.5", "5.0.0"),),
    source="apache/pulsar#26665: StrategicTwoPhaseCompactor.runPhaseTwo closes, then acknowledges",
)

CURSOR_KEEPS_PROPERTIES = Switch(
    "A compaction cursor whose ledger cannot be read keeps its properties (#26512).",
    turned=(since("4.0.14", "4.2.5", "5.0.0"),),
    source="apache/pulsar#26512: ManagedCursorImpl.recoverFromLedger keeps the properties of the cursor",
)

RESET_KEEPS_PROPERTIES = Switch(
    "A reset of the compaction cursor saves the properties of the moment in which it is saved (#25862).",
    turned=(since("4.0.11", "4.2.2", "5.0.0"),),
    source="apache/pulsar#25862: ManagedCursorImpl.internalResetCursor gives no properties of before",
)


@action(broker=BROKER, budget=FAILED_CLOSES, fairness=never("a disturbance"))
def fail_to_close(state: State, broker: int) -> None:
    """
    The new ledger, which readers are shown and the cursor names, fails to close, and the host deletes it.

    The compactor acknowledges, and so shows and saves, before it closes; whatever fails deletes what it wrote.

    Enabled: the broker is the host, and the phase is shown (with ``ledger_closed_first``: written).
    Changes: as ``save_cursor``, but the phase is idle, and the ledger that readers are given is lost. With
    ``ledger_closed_first`` the phase is idle, and nothing else.
    Mirrors: ``StrategicTwoPhaseCompactor.runPhaseTwo`` (apache/pulsar#26665).
    """
    require(state.failed_closes_left > 0, "the budget allows another ledger to fail to close")
    closed_first = state.bounds.rules.ledger_closed_first
    require_phase(state, broker, Phase.WRITTEN if closed_first else Phase.SHOWN)
    state.failed_closes_left = state.failed_closes_left - 1
    if not closed_first:
        save(state)
        state.lost_ledger = True
    end_compaction(state)


@action(budget=LOST_CURSORS, fairness=never("a disturbance"))
def lose_cursor(state: State) -> None:
    """
    The next host cannot read the ledger of the compaction cursor, and begins with a cursor that has no properties.

    Enabled: nobody hosts the topic, and a compaction was saved.
    Changes: ``saved_horizon`` is 0, and ``saved_ledger`` nothing.
    Mirrors: ``ManagedCursorImpl.recoverFromLedger`` (apache/pulsar#26512; what its repair restores may be old, #26631).
    """
    require(state.lost_cursors_left > 0, "the budget allows another cursor to be lost")
    require(not state.bounds.rules.cursor_keeps_properties, "a cursor that cannot be read loses its properties")
    require(not is_hosted(state), "nobody hosts the channel's topic")
    require(state.saved_horizon > 0, "a compaction was saved")
    state.lost_cursors_left = state.lost_cursors_left - 1
    forget_what_is_saved(state)


@action(broker=BROKER, budget=STALE_RESETS, fairness=never("a disturbance"))
def reset_cursor_late(state: State, broker: int) -> None:
    """
    Phase one moves the compaction cursor back, and saves with it the properties of before the last compaction.

    The cursor still waits to save that one (its own ledger is being made, or a read is under way): what it was asked
    last wins, with what it took for its properties then. Before the first compaction there were none. Before a later
    one there was a ledger that is deleted by now, which these bounds do not have.

    Enabled: the broker is the host, the phase is read, and a compaction was saved.
    Changes: ``saved_horizon`` is 0, and ``saved_ledger`` nothing, until this compaction is saved.
    Mirrors: ``ManagedCursorImpl.internalResetCursor``, ``ManagedCursorImpl.flushPendingMarkDeletes``
    (apache/pulsar#25862).
    """
    require(state.stale_resets_left > 0, "the budget allows another reset with old properties")
    require(not state.bounds.rules.reset_keeps_properties, "a reset saves the properties of the moment")
    require_phase(state, broker, Phase.READ)
    require(state.saved_horizon > 0, "a compaction was saved")
    state.stale_resets_left = state.stale_resets_left - 1
    forget_what_is_saved(state)


def forget_what_is_saved(state: State) -> None:
    """Let the compaction cursor name no ledger."""
    state.saved_horizon = 0
    for unit in range(1, state.bounds.units + 1):
        state.saved_ledger[unit] = TOMBSTONE
