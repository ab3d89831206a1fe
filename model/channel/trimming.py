"""
The log is trimmed up to the compaction cursor, and readers go on with what is left of it.

A cursor that lasts holds back the trimming of a topic's ledgers, and the only one of the channel's topic is that of the
compaction; the cursors of table views do not last and hold nothing back (``ManagedLedgerImpl.internalTrimLedgers``,
v4.0.6). In 4.0.6 whoever wants to read what is trimmed is below the horizon and is given what was kept, unless the
horizon was lost (``compactor.interrupt``). The model's log keeps its beginning all the same, for the laws: ``trimmed``
says up to where a reader cannot have it any more.
"""

from __future__ import annotations

from oneowner.model.channel.broker import UP
from oneowner.model.channel.compactor import is_hosted
from oneowner.model.channel.parts import Run
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.channel.threads import require_reader
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require


@action(when=lambda bounds: bounds.trims, fairness=never("retention may keep the log"))
def trim(state: State) -> None:
    """
    The records up to the saved horizon are deleted from the original log.

    Enabled: the host is up, and ``trimmed`` is before ``saved_horizon``.
    Changes: they are equal.
    Log: ``Removing ledger ..``.
    Mirrors: ``ManagedLedgerImpl.internalTrimLedgers``, with no retention.
    """
    require(is_hosted(state), "a living broker hosts the channel's topic")
    require(state.trimmed < state.saved_horizon, "the log holds records behind the saved horizon")
    state.trimmed = state.saved_horizon


@action(
    broker=BROKER,
    when=lambda bounds: bounds.trims,
    fairness=never("a reader may find the records themselves in its queue"),
)
def skip(state: State, broker: int) -> None:
    """
    *broker* wants to read the original log where it is trimmed, and goes on with what is left of it.

    Enabled: the broker is up, not held up, and before ``trimmed``; the host is up; it is not before ``horizon``, or
    asks wrongly whether it is (bugs.R28).
    Changes: its cursor is ``trimmed``.
    Log: none.
    Mirrors: ``ManagedCursorImpl.asyncReadEntries``, ``ManagedLedgerImpl.startReadOperationOnLedger``.
    """
    require(state.run[broker] == Run.UP, UP)
    require_reader(state, broker)
    require(is_hosted(state), "a living broker hosts the channel's topic")
    require(state.cursor[broker] < state.trimmed, "the broker's next record is trimmed")
    below = state.cursor[broker] < state.horizon
    require(not below or not is_read_as_kept(state), "the broker is not given what was kept")
    state.cursor[broker] = state.trimmed


def is_read_as_kept(state: State) -> bool:
    """Say whether a reader below the horizon that connects again is given what was kept (#13629)."""
    return state.bounds.rules.reconnect_reads_kept
