"""These laws require that a broker that serves a unit owns it when nothing is under way."""

from oneowner.model.channel.channel import entry, has_read_channel
from oneowner.model.channel.parts import Run, Stage, SyncerStart
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import owner
from oneowner.model.channel.ring import share_topics
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import Excuse, LawKind, StateLaw, Status, Unguarded, guarded
from oneowner.spec.channel.ownership import some_unit_is_served, was_not_told
from oneowner.spec.channel.views import hears_of


def is_quiet_and_served(state: State) -> bool:
    return is_quiet(state) and some_unit_is_served(state)


def is_quiet(state: State) -> bool:
    """Return whether nothing is under way: no publish, unread record or node, close, shutdown, split."""
    if is_splitting(state) or is_copying(state):
        return False
    return all(is_at_rest(state, broker) for broker in brokers(state))


def is_at_rest(state: State, broker: int) -> bool:
    """Return whether nothing is under way at *broker*."""
    if state.stage[broker] != Stage.RUNNING:
        return False
    if state.outbox[broker].length > 0 or state.closing[broker].length > 0:
        return False
    reads_log = state.bounds.storage_of(broker) == Storage.SYSTEM_TOPIC
    if reads_log and has_read_channel(state, broker) and state.cursor[broker] < state.log.length:
        return False
    return not any(
        state.changed[broker, unit]
        or state.lingering[broker, unit]
        or (state.run[broker] == Run.UP and not hears_of(state, broker, unit))
        for unit in units(state)
    )


def is_copying(state: State) -> bool:
    """Return whether a syncer between two storages has something to copy, or is starting."""
    if state.bounds.synced == 0:
        return False
    is_noticed = any(state.noticed[unit] for unit in units(state))
    return is_noticed or a_syncer_starts(state) or state.copied < state.log.length


def a_syncer_starts(state: State) -> bool:
    """Return whether a syncer between two storages has begun to start, and not ended."""
    return state.cleaned or state.starting != SyncerStart.OVER


def is_splitting(state: State) -> bool:
    if state.bounds.splits == 0:
        return False
    return any(
        state.splitting[broker].length > 0 or (state.run[broker] == Run.UP and state.boundaries[broker] != state.ring)
        for broker in brokers(state)
    )


def runs_and_serves(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* serves *unit*; one that stands still has it open, and serves nobody."""
    return state.serving[broker, unit] and state.run[broker] != Run.PAUSED


def owns(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* owns *unit*, or a parent or child with the same topics, by the channel."""
    return any(
        share_topics(state.bounds, unit, other) and owner(entry(state, other)) == broker for other in units(state)
    )


@guarded(
    "quiescent-agreement",
    # models.S25, models.H3, models.H5, models.H6, channel.D12
    "follows from PIP-192, Bundle State Channel; ServiceUnitStateChannelImpl.handleEvent",
    form=StateLaw,
    when=is_quiet_and_served,
    unless=was_not_told,
    always=Unguarded(
        "When nothing is under way, only its owner in the channel serves a unit. (The record that would stop another"
        " broker may be compacted away before that broker reads it.)",
        "follows from PIP-192, Bundle State Channel; ServiceUnitStateChannelImpl.handleEvent",  # models.S8 (E4)
        Status.DOCUMENTED,
    ),
    kind=LawKind.PURPOSE,
)
def servers_are_owners(state: State, unless: Excuse) -> bool:
    """
    When nothing is under way, a unit is served only by its owner in the channel, unless a late tombstone, a gap or an
    interrupted split took the unit away, or a compaction swallowed, or a notification of the metadata store passed
    over, a record that would have stopped another broker, or a syncer let two storages diverge.
    """
    return all(
        owns(state, broker, unit) or unless(state, broker, unit)
        for broker in brokers(state)
        for unit in units(state)
        if runs_and_serves(state, broker, unit)
    )
