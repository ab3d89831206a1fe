"""
The log is trimmed up to the compaction cursor, and readers go on with the rest of it.

A cursor that lasts holds back the trimming of a topic's ledgers, and the only one of the channel's topic is that of the
compaction; the cursors of table views do not last and hold nothing back (``ManagedLedgerImpl.internalTrimLedgers``,
v4.0.6). In 4.0.6 whoever wants to read what is trimmed is below the horizon and is given what was kept, unless the
horizon was lost (``compactor.interrupt``, ``compaction_losses.py``) or it acknowledges what is trimmed (``skip_kept``).
The model's log keeps its beginning all the same, for the laws: ``trimmed`` says up to where a reader cannot have it any
more.
"""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.compacted_read import place_of_kept, take_kept
from oneowner.model.channel.compactor import is_hosted
from oneowner.model.channel.parts import Run
from oneowner.model.channel.ranges import units
from oneowner.model.channel.record import is_absent
from oneowner.model.channel.sorts import BROKER, UNIT
from oneowner.model.channel.state import State
from oneowner.model.channel.threads import require_reader
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget, Choice
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, since

TRIMS = Choice(
    "trims",
    "1: the log is trimmed up to the compaction cursor that was saved; 0: it keeps its beginning",
    needs={"compactions": "without compactions nothing is kept"},
)

EARLY_ACKS = Budget(
    "early_acks",
    "How many readers may acknowledge what is trimmed while they are given what was kept",
    needs={"trims": "what is read stays in the log"},
)

RECONNECT_READS_KEPT = Switch("A reader that reconnects below the horizon goes on with what was kept (#13629).")

ACK_STAYS_IN_LEDGER = Switch(
    "A reader of what was kept that acknowledges what is trimmed stays where it is (#25998).",
    turned=(since("4.0.12", "4.2.3", "5.0.0"),),
    source="apache/pulsar#25998: PersistentSubscription.acknowledgeMessage ignores ledgers that are gone",
)


@action(when=lambda bounds: bounds.trims, fairness=never("retention may keep the log"))
def trim(state: State) -> None:
    """
    The records up to the saved horizon are deleted from the original log.

    Enabled: the host is up, and ``trimmed`` is before ``saved_horizon``.
    Changes: they are equal.
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
    *broker* wants to read the original log where it is trimmed, and goes on with the rest of it.

    Enabled: the broker is up, not held up, and before ``trimmed``; the host is up; it is not before ``horizon``, or
    asks wrongly whether it is (bugs.R28).
    Changes: its cursor is ``trimmed``.
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
    """Return whether a reader below the horizon that connects again is given what was kept (#13629)."""
    return state.bounds.rules.reconnect_reads_kept


@action(broker=BROKER, unit=UNIT, budget=EARLY_ACKS, fairness=never("a reader that connects again in time"))
def skip_kept(state: State, broker: int, unit: int) -> None:
    """
    *broker* connects again while it is given what was kept, acknowledges the record of *unit*, and skips the rest.

    Its new cursor stands at the record that it has read last. The acknowledgement of it comes before the next read, and
    moves the cursor on, to what is left of the original log: the record's ledger is gone. Kept records are read in the
    order in which they were accepted; that several may lie in one entry, which is read at once, is left out.

    Enabled: the broker is up, not held up, and before ``trimmed``, which is not after ``horizon``; the host is up;
    something is kept of the unit, and behind it something of another.
    Changes: of the unit, and of those whose kept record is before its own, the view takes that record, as in ``jump``;
    its cursor is ``trimmed``.
    Mirrors: ``ManagedCursorImpl.asyncMarkDelete``, ``ManagedCursorImpl.setAcknowledgedPosition`` (apache/pulsar#25998).
    """
    require(state.early_acks_left > 0, "the budget allows another early acknowledgement")
    require(not state.bounds.rules.ack_stays_in_ledger, "an acknowledgement of what is trimmed moves a cursor")
    require(state.run[broker] == Run.UP, UP)
    require_reader(state, broker)
    require(is_hosted(state), "a living broker hosts the channel's topic")
    require(state.cursor[broker] < state.trimmed, "the broker's next record is trimmed")
    require(state.trimmed <= state.horizon, "the broker is given what was kept")
    require(not is_absent(state.ledger[unit]), "something is kept of the unit")
    last = place_of_kept(state, unit)
    require(last <= state.trimmed, "the kept record's own ledger is trimmed")
    require(any(place_of_kept(state, other) > last for other in units(state)), "something is kept behind it")
    state.early_acks_left = state.early_acks_left - 1
    state.cursor[broker] = state.trimmed
    for other in range(1, state.bounds.units + 1):
        if place_of_kept(state, other) <= last:
            take_kept(state, broker, other)
