"""
Laws of ownership: which brokers may serve the topics of a unit, and which may have their ledgers open.

"At most one broker serves a unit" is false in Pulsar, and ``single-server-always`` keeps its counterexamples. The true
law is ``single-server``: it holds for every unit that is not *tainted*. A unit is tainted when the channel accepts a
forced record, a tombstone of an active entry, or a record behind a version gap (``model.channel.channel.taints``);
``dual-serving-explained`` bounds what happens then.

A broker that closes topics serves no client, but can still write to their ledgers, and until 4.0.7 and 4.1.1 two
brokers with one ledger open can lose messages that were acknowledged (#24722). So ``single-writer`` requires the same
of brokers with open ledgers: it is the stronger law, and the one by which a source closes before the destination opens.
"""

from oneowner.model.channel.channel import accepts, entry, folded
from oneowner.model.channel.parts import Stage
from oneowner.model.channel.ranges import brokers, pairs, units
from oneowner.model.channel.record import loser, owner
from oneowner.model.channel.ring import share_topics
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.channel.topics import holds_ledger
from oneowner.model.kernel.law import Excuse, LawKind, StateLaw, Status, Unguarded, always, guarded, never


def servers(state: State, unit: int) -> int:
    """Count the brokers that serve topics of *unit*, be it through its parent or a child."""
    count = 0
    for broker in brokers(state):
        if serves(state, broker, unit):
            count += 1
    return count


def serves(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* serves topics of *unit*, be it through its parent or a child."""
    return any(share_topics(state.bounds, unit, other) and state.serving[broker, other] for other in units(state))


def writers(state: State, unit: int) -> int:
    """Count the brokers that have ledgers of topics of *unit* open: they serve them, or have yet to close them."""
    count = 0
    for broker in brokers(state):
        if writes(state, broker, unit):
            count += 1
    return count


def writes(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* has a ledger of topics of *unit* open, be it through its parent or a child."""
    return serves(state, broker, unit) or holds_ledger(state, broker, unit)


def is_closing(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* is closing the topics of *unit*, in time or after its time-out."""
    return state.lingering[broker, unit] or any(
        share_topics(state.bounds, state.closing[broker][number].unit, unit)
        for number in range(1, state.bounds.closings + 1)
        if number <= state.closing[broker].length
    )


def some_unit_is_served(state: State) -> bool:
    return any(servers(state, unit) > 0 for unit in units(state))


def some_ledger_is_open(state: State) -> bool:
    return any(writers(state, unit) > 0 for unit in units(state))


# ---- models.S21 ----


def was_not_told(state: State, broker: int, unit: int) -> bool:
    """Return whether a compaction swallowed a record that orders *broker* to stop serving *unit*."""
    if state.bounds.compactions == 0:
        return False
    return state.swallowed[broker, unit]


def owns_what_it_serves(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker*, if it serves *unit*, owns it by its own view or is shutting down."""
    if state.serving[broker, unit] and not owns_by_its_view(state, broker, unit):
        return state.stage[broker] != Stage.RUNNING
    return True


def owns_by_its_view(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* owns *unit*, or a parent or child with the same topics, by its own view."""
    return any(
        share_topics(state.bounds, unit, other) and owner(state.view[broker, other]) == broker for other in units(state)
    )


@guarded(
    "serve-implies-view",
    "ServiceUnitStateChannelImpl.handleReleaseEvent, handleInitEvent",  # models.H3, models.H5, channel.D12
    form=StateLaw,
    when=some_unit_is_served,
    unless=was_not_told,
    always=Unguarded(
        "A broker that serves a unit owns it by its own view or is shutting down. (A lagging broker that reads what a"
        " compaction kept never sees the record that took its unit away.)",
        "ServiceUnitStateChannelImpl.handleReleaseEvent; ServiceUnitStateTableViewImpl",  # models.S8 (E4), channel.3
        Status.DOCUMENTED,
    ),
    kind=LawKind.PROTOCOL,
)
def servers_own(state: State, unless: Excuse) -> bool:
    """
    A broker that serves a unit owns it by its own view or is shutting down, unless a tombstone deleted the entry while
    it was active, a record behind a gap replaced it, a split was interrupted, or a compaction swallowed, or a
    notification of the metadata store passed over, a record that would have stopped it, or a syncer that was started
    wrote over it: no broker closes topics for these.
    """
    return all(
        owns_what_it_serves(state, broker, unit) or unless(state, broker, unit)
        for broker in brokers(state)
        for unit in units(state)
    )


# ---- models.S22, S23 ----


def untainted_unit_is_served(state: State) -> bool:
    return any(not state.tainted[unit] and servers(state, unit) > 0 for unit in units(state))


def untainted_ledger_is_open(state: State) -> bool:
    return any(not state.tainted[unit] and writers(state, unit) > 0 for unit in units(state))


def is_tainted_or_missed(state: State, unit: int) -> bool:
    return state.tainted[unit] or a_writer_missed_its_end(state, unit)


def a_writer_missed_its_end(state: State, unit: int) -> bool:
    """Return whether a compaction carried one of those who have ledgers of *unit* open over a tombstone of it."""
    return any(state.missed[broker, unit] and writes(state, broker, unit) for broker in brokers(state))


TAINTS = (
    "unless the unit is tainted: overruled by force, tombstoned while active, continued behind a version gap, released"
    " by a close that timed out, (of a parent) revived after its split, or written on both sides of a syncer between"
    " two storages; or a compaction carried one of them over a tombstone of it."
)


@guarded(
    "single-server",
    # models.S50, models.S8 (E4), bugs.S1
    "follows from PIP-192, Bundle State Channel (one owner of a bundle); apache/pulsar#19620, #25946, #26190",
    when=untainted_unit_is_served,
    unless=is_tainted_or_missed,
    always=Unguarded(
        "At most one broker serves a unit. (It does not hold: a broker whose session expired, or that restarts, serves"
        " units that the leader has given away until it learns of that.)",
        # bugs.S1, run.G1
        "follows from PIP-192, Bundle State Channel (one owner of a bundle); apache/pulsar#23011, #24478;"
        " seen in traces/real/zombie",
        Status.DOCUMENTED,
        when=some_unit_is_served,
    ),
    form=StateLaw,
    statement=f"At most one broker serves a unit, {TAINTS}",
    kind=LawKind.PURPOSE,
)
def one_server(state: State, unless: Excuse) -> bool:
    return all(servers(state, unit) <= 1 or unless(state, unit) for unit in units(state))


@guarded(
    "single-writer",
    # models.S50, models.S8 (E4), bugs.S1
    "follows from PIP-192, Bundle State Channel (one owner); PersistentTopic.close; apache/pulsar#24722",
    when=untainted_ledger_is_open,
    unless=is_tainted_or_missed,
    always=Unguarded(
        "At most one broker serves a unit or has yet to close its topics. (It does not hold: the leader ends a"
        " transfer that takes too long by force while its source is still closing, and until 4.0.7 and 4.1.1 two"
        " brokers with one ledger open could lose acknowledged messages.)",
        "follows from PIP-192, Bundle State Channel (one owner); PersistentTopic.close; apache/pulsar#24722",
        Status.DOCUMENTED,
        when=some_ledger_is_open,
    ),
    form=StateLaw,
    statement=f"At most one broker serves a unit or has yet to close its topics, {TAINTS}",
    kind=LawKind.PURPOSE,
)
def one_writer(state: State, unless: Excuse) -> bool:
    return all(writers(state, unit) <= 1 or unless(state, unit) for unit in units(state))


# ---- models.S24 ----


def some_unit_has_two_writers(state: State) -> bool:
    return not one_writer(state, never)


def will_hear(state: State, broker: int, unit: int) -> bool:
    """Return whether the channel orders *broker* to give *unit* up, or it is doing so already."""
    if is_closing(state, broker, unit):
        return True
    if state.bounds.storage == Storage.METADATA_STORE:
        if state.session_ended[broker]:
            return True  # when it hears of it, it closes everything
        return state.changed[broker, unit] and loser(entry(state, unit)) == broker
    if state.bounds.synced > 0 and will_be_told_by_syncer(state, broker, unit):
        return True
    record = state.base[unit]
    for number in range(1, state.bounds.window + 1):
        if number <= state.log.length and state.log[number].unit == unit:
            proposed = state.log[number].record
            read = state.cursor[broker] if state.bounds.storage_of(broker) == state.bounds.storage else state.copied
            if number > read and loser(proposed) == broker and accepts(state, record, proposed):
                return True
            record = folded(state, record, proposed)
    return False


def will_be_told_by_syncer(state: State, broker: int, unit: int) -> bool:
    """Return whether the node of *unit* orders *broker* to give it up, and it (or the syncer) has yet to read that."""
    if loser(state.nodes[unit]) != broker:
        return False
    if state.bounds.storage_of(broker) == state.bounds.storage:
        return state.noticed[unit]
    return state.changed[broker, unit]


def will_close(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* will hear that it is to give up topics of *unit*."""
    return any(share_topics(state.bounds, unit, other) and will_hear(state, broker, other) for other in units(state))


def will_close_or_is_excused(state: State, broker: int, unit: int) -> bool:
    return was_not_told(state, broker, unit) or will_close(state, broker, unit)


@always(
    "dual-serving-explained",
    # models.S23, models.H3, models.H5, models.H6, channel.D3, channel.D12
    "follows from ServiceUnitStateChannelImpl.handleReleaseEvent, handleOwnEvent, handleFreeEvent: who is named as the"
    " source closes its topics",
    when=some_unit_has_two_writers,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)
def one_of_two_will_hear(state: State) -> bool:
    """
    While two brokers serve a unit or close its topics, one of them is closing or has an accepted record ahead of it
    that names it as the loser (metadata store: or has yet to learn that its session is lost), unless a late tombstone,
    a gap, an interrupted split or the revival of its parent took the unit away, which name no loser, or a compaction
    swallowed that record, or a notification passed over it, or a syncer did not copy it.
    """
    return all(
        will_close_or_is_excused(state, one, unit) or will_close_or_is_excused(state, other, unit)
        for unit in units(state)
        for one, other in pairs(state)
        if writes(state, one, unit) and writes(state, other, unit)
    )
