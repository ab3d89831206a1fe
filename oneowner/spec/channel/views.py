"""Laws of views require that each is the fold of the records that its broker has read, and that equal readers agree."""

from oneowner.model.channel.channel import consumed
from oneowner.model.channel.parts import Metadata, Run
from oneowner.model.channel.ranges import brokers, pairs, units
from oneowner.model.channel.record import NOBODY, Record, is_absent, owner
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import Excuse, LawKind, StateLaw, Status, Unguarded, always, guarded

# ---- models.S3 ----


def someone_reads(state: State) -> bool:
    return any(
        state.run[broker] == Run.UP and (state.cursor[broker] > 0 or not is_absent(state.view[broker, unit]))
        for broker in brokers(state)
        for unit in units(state)
    )


def hears_of(state: State, broker: int, unit: int) -> bool:
    """Return whether what happens to *unit* reaches the view of *broker*: in the metadata store it needs a session."""
    if state.bounds.storage == Storage.SYSTEM_TOPIC:
        return True
    if state.session_ended[broker] or state.metadata[broker] == Metadata.UNSTABLE:
        return False
    return not state.filling[broker, unit]


def was_carried_over(state: State, broker: int, unit: int) -> bool:
    """Return whether a compaction carried *broker* over a tombstone of an entry that it held."""
    return state.missed[broker, unit]


def read_by(state: State, broker: int, unit: int) -> Record:
    """Return what *broker* has read of *unit*: a prefix of the log, or the node in the metadata store."""
    if state.bounds.storage_of(broker) != state.bounds.storage:
        return state.nodes[unit]
    return consumed(state, unit, state.cursor[broker])


@guarded(
    "view-is-prefix-fold",
    "TableViewImpl.handleMessage",
    form=StateLaw,
    when=someone_reads,
    unless=was_carried_over,
    always=Unguarded(
        "Every living broker's view is the fold of the records that it has consumed. (A compaction keeps no tombstone:"
        " a broker that it carries over one keeps the dead entry.)",
        "TableViewImpl.handleMessage; apache/pulsar#26190",  # models.S8 (E4), bugs.R24
        Status.DOCUMENTED,
    ),
    kind=LawKind.PROTOCOL,
)
def views_are_folds(state: State, unless: Excuse) -> bool:
    """
    Every living broker's view is the fold of the records that it has consumed (metadata store: the node, unless a
    notification waits, or its session is lost and the node not read again), unless a compaction carried it over a
    tombstone of an entry that it held.
    """
    return all(
        state.view[broker, unit] == read_by(state, broker, unit) or unless(state, broker, unit)
        for broker in brokers(state)
        for unit in units(state)
        if state.run[broker] == Run.UP and not state.changed[broker, unit] and hears_of(state, broker, unit)
    )


# ---- models.S11 ----


def same_prefix(state: State, one: int, other: int, unit: int) -> bool:
    """
    Return whether two living brokers have consumed the same records of *unit*, and were carried over no tombstone.
    """
    return not one_was_carried_over(state, one, other, unit) and same_place(state, one, other, unit)


def same_place(state: State, one: int, other: int, unit: int) -> bool:
    """Return whether two living brokers have come to the same place of the channel, for *unit*."""
    both_up = state.run[one] == Run.UP and state.run[other] == Run.UP
    told = not state.changed[one, unit] and not state.changed[other, unit]
    told = told and hears_of(state, one, unit) and hears_of(state, other, unit)
    told = told and state.bounds.storage_of(one) == state.bounds.storage_of(other)
    return both_up and told and state.cursor[one] == state.cursor[other]


def one_of_two_knows_an_owner(state: State) -> bool:
    return any(
        same_prefix(state, one, other, unit)
        and (owner(state.view[one, unit]) != NOBODY or owner(state.view[other, unit]) != NOBODY)
        for one, other in pairs(state)
        for unit in units(state)
    )


def one_was_carried_over(state: State, one: int, other: int, unit: int) -> bool:
    return was_carried_over(state, one, unit) or was_carried_over(state, other, unit)


def one_of_two_there_knows_an_owner(state: State) -> bool:
    return any(
        same_place(state, one, other, unit)
        and (owner(state.view[one, unit]) != NOBODY or owner(state.view[other, unit]) != NOBODY)
        for one, other in pairs(state)
        for unit in units(state)
    )


@guarded(
    "one-owner",
    "follows from PIP-192, Bundle State Channel: all brokers read the same records",  # bugs.S5
    form=StateLaw,
    when=one_of_two_knows_an_owner,
    unless=one_was_carried_over,
    always=Unguarded(
        "Brokers that have read the channel up to the same position name the same owner. (One that a compaction"
        " carried over a tombstone holds the dead entry, and refuses the unit's new life, whose versions start anew.)",
        # models.S8 (E4), bugs.S5, bugs.R24
        "follows from PIP-192, Bundle State Channel: all brokers read the same records; apache/pulsar#26190",
        Status.DOCUMENTED,
        when=one_of_two_there_knows_an_owner,
    ),
    kind=LawKind.PURPOSE,
)
def they_agree(state: State, unless: Excuse) -> bool:
    """
    Brokers that have consumed the same records name the same owner, unless a compaction carried one of them over a
    tombstone of an entry that it held.
    """
    return all(
        owner(state.view[one, unit]) == owner(state.view[other, unit]) or unless(state, one, other, unit)
        for one, other in pairs(state)
        for unit in units(state)
        if same_place(state, one, other, unit)
    )


# ---- models.S48 ----


def one_of_two_holds_something(state: State) -> bool:
    return any(
        same_prefix(state, one, other, unit)
        and (not is_absent(state.view[one, unit]) or not is_absent(state.view[other, unit]))
        for one, other in pairs(state)
        for unit in units(state)
    )


@always(
    "same-tables",
    "ServiceUnitState.isValidTransition; ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # models.H13, bugs.S5
    when=one_of_two_holds_something,
    status=Status.HOLE,
    kind=LawKind.PROTOCOL,
)
def they_hold_the_same(state: State) -> bool:
    """
    Brokers that have consumed the same records hold the same view, so they fold by the same tables (a compaction that
    carries one of them over a tombstone aside).
    """
    return all(
        state.view[one, unit] == state.view[other, unit]
        for one, other in pairs(state)
        for unit in units(state)
        if same_prefix(state, one, other, unit)
    )
