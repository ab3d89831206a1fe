"""
Laws of the compactor judge each phase of a compaction of the channel's topic (``model/channel/compactor.py``).

That phases are invisible (models.R4) is two laws: what readers are given is always a whole compaction of the log up to
the horizon (``kept-is-fold``), and it changes in one step (``compaction-at-once``).
"""

from oneowner.model.channel.channel import consumed
from oneowner.model.channel.parts import Phase
from oneowner.model.channel.ranges import units
from oneowner.model.channel.record import is_absent
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, step_law


def something_is_kept(state: State) -> bool:
    return state.horizon > 0 or state.saved_horizon > 0 or state.phase != Phase.IDLE


def is_kept_as_fold(state: State, unit: int) -> bool:
    """Return whether what is kept of *unit*, in each place, is the fold of the log up to the horizon there."""
    if state.horizon > 0 and state.ledger[unit] != consumed(state, unit, state.horizon):
        return False
    if state.saved_horizon > 0 and state.saved_ledger[unit] != consumed(state, unit, state.saved_horizon):
        return False
    if state.phase == Phase.IDLE:
        return is_absent(state.result[unit])
    return state.phase == Phase.SAVED or is_result_fold(state, unit)


def is_result_fold(state: State, unit: int) -> bool:
    return state.result[unit] == consumed(state, unit, state.read_to)


@always(
    "kept-is-fold",
    # models.S10, models.R4, models.S8 (E3)
    "StrategicTwoPhaseCompactor.phaseOne; ServiceUnitStateDataConflictResolver.shouldKeepLeft",
    when=something_is_kept,
    kind=LawKind.PROTOCOL,
)
def all_that_is_kept_is_folds(state: State) -> bool:
    """
    What a compaction keeps of a unit, and what readers and later hosts are given, is the entry that the log up to the
    horizon leaves; one that is over has nothing in hand.
    """
    if state.bounds.compactions == 0:
        return True
    return all(is_kept_as_fold(state, unit) for unit in units(state))


def readers_are_given_something_else(before: State, action: Action, after: State) -> bool:
    if before.bounds.compactions == 0:
        return False
    if before.horizon != after.horizon:
        return True
    return any(before.ledger[unit] != after.ledger[unit] for unit in units(before))


@step_law(
    "compaction-at-once",
    "CompactedTopicImpl.newCompactedLedger",  # models.R4, models.S10
    when=readers_are_given_something_else,
    kind=LawKind.PROTOCOL,
)
def is_whole_compaction(before: State, action: Action, after: State) -> bool:
    """
    Readers are given another ledger and its horizon in one step: a compaction that is written, or, by a new host, the
    one that was saved last.
    """
    to, kept = before.saved_horizon, before.saved_ledger
    if before.phase == Phase.WRITTEN and action.name == "show_ledger":
        to, kept = before.read_to, before.result
    if after.horizon != to:
        return False
    return all(after.ledger[unit] == kept[unit] for unit in units(before))


def no_compaction_runs(state: State) -> bool:
    return state.phase == Phase.IDLE and (state.horizon > 0 or state.leaked > 0)


@always(
    "no-ledger-leaks",
    "StrategicTwoPhaseCompactor.runPhaseTwo",  # models.S10
    when=no_compaction_runs,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def no_ledger_is_left_behind(state: State) -> bool:
    """
    When no compaction runs, every ledger of kept records is the one that the cursor names.

    (A host that dies between writing a ledger and saving it, or between saving and deleting the one before, leaves one
    behind for ever.)
    """
    return state.leaked == 0
