"""
Laws of owed work: the duties of a broker that has read a record, or whose close of topics has ended.

They look at the view, the publishes and the closes of a broker before and after a step, and restate ``handleEvent``
from the side of the record: each broker that it names has begun its part.
"""

from oneowner.model.channel.parts import Message, Stage
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    NOTHING,
    OWNED,
    RELEASING,
    SPLITTING,
    Record,
    ServiceUnitState,
)
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, step_law
from oneowner.spec.channel.brokers import is_bundle, lacking, publishes_of, speaks_as_released

# ---- channel.6 ----


def handles(action: Action) -> bool:
    """Return whether what a broker reads by this action is handled; what a broker finds at its start is not."""
    by_topic = action.name == "consume" or action.name == "deadlock" or action.name == "jump"
    return by_topic or action.name == "notify" or action.name == "append" or action.name == "look"


def a_record_is_read(before: State, action: Action, after: State) -> bool:
    return (
        handles(action)
        and speaks_as_released(before.bounds)
        and any(
            before.view[broker, unit] != after.view[broker, unit]
            for broker in brokers(before)
            for unit in units(before)
        )
    )


def has_begun(before: State, after: State, broker: int, unit: int, record: Record) -> bool:
    """Return whether *broker*, which has read *record*, has begun what the record asks of it."""
    if before.stage[broker] != Stage.RUNNING and not record.force:
        return not closes_for(after, broker, unit, record) and begins_no_answer(before, after, broker, unit, record)
    if record.state == ASSIGNING and record.destination == broker:
        return answers(after, broker, unit, record, OWNED)
    if record.state == SPLITTING and record.source == broker and before.bounds.splits > 0:
        return splits_for(after, broker, record) and takes_children(before, after, broker, unit)
    if record.state == DELETED and record.source == broker and before.bounds.splits > 0:
        return answers(after, broker, unit, record, NOTHING)
    if not takes_away(record, broker):
        return begins_no_answer(before, after, broker, unit, record)
    keeps = record.state == RELEASING and record.destination != 0  # the first close of a transfer keeps its clients
    was_open = before.serving[broker, unit] or (before.kept[broker, unit] and not keeps)
    if was_open and not before.dropped[broker, unit]:
        return closes_for(after, broker, unit, record) and not after.serving[broker, unit]
    if record.state == RELEASING:
        answer = FREE if record.destination == 0 else ASSIGNING
        return closes_for(after, broker, unit, record) or answers(after, broker, unit, record, answer)
    is_closing = closes_for(after, broker, unit, record)
    return record.state == OWNED or is_closing or answers(after, broker, unit, record, NOTHING)


def takes_away(record: Record, broker: int) -> bool:
    """Return whether *record* names *broker* as the one who has to close."""
    if record.source != broker:
        return False
    is_given_away = record.state == OWNED and record.destination != broker
    return record.state == RELEASING or is_given_away or (record.state == FREE and record.force)


def closes_for(state: State, broker: int, unit: int, record: Record) -> bool:
    return any(
        state.closing[broker][number] == Message(unit, record)
        for number in range(1, state.bounds.closings + 1)
        if number <= state.closing[broker].length
    )


def begins_no_answer(before: State, after: State, broker: int, unit: int, record: Record) -> bool:
    return has_answered(before, broker, unit, record) or not has_answered(after, broker, unit, record)


def has_answered(state: State, broker: int, unit: int, record: Record) -> bool:
    """Return whether a publish of *broker* is under way that it computed from *record*."""
    return any(
        state.outbox[broker][number].unit == unit and state.outbox[broker][number].basis == record
        for number in range(1, state.bounds.pending + 1)
        if number <= state.outbox[broker].length
    )


def answers(state: State, broker: int, unit: int, record: Record, kind: ServiceUnitState) -> bool:
    return any(
        state.outbox[broker][number].unit == unit
        and state.outbox[broker][number].basis == record
        and state.outbox[broker][number].record.state == kind
        for number in range(1, state.bounds.pending + 1)
        if number <= state.outbox[broker].length
    )


def splits_for(state: State, broker: int, record: Record) -> bool:
    return any(
        state.splitting[broker][number].parent == record and not state.splitting[broker][number].moved
        for number in range(1, state.bounds.splits_at_once + 1)
        if number <= state.splitting[broker].length
    )


def takes_children(before: State, after: State, broker: int, parent: int) -> bool:
    """Return whether *broker* gives itself those children of *parent* of which it has read nothing, and no other."""
    for child in units(before):
        if child // 2 == parent:
            is_new = before.view[broker, child].state == NOTHING
            if publishes_of(after, broker, child) != (is_new or publishes_of(before, broker, child)):
                return False
    return True


@step_law("owed-is-begun", "ServiceUnitStateChannelImpl.handleEvent", when=a_record_is_read, kind=LawKind.MIRROR)
def its_reader_has_begun_its_part(before: State, action: Action, after: State) -> bool:
    """
    A broker that has read a record which requires work has begun that work, and begins none for any other record: the
    destination of an Assigning answers; a broker that must close closes, or answers where nothing is open; one that
    splits has a split under way and gives itself the children that it has read nothing of; one that deleted a parent
    deletes its entry; a broker that shuts down does nothing for an unforced record.
    """
    return all(
        has_begun(before, after, broker, unit, after.view[broker, unit])
        for broker in brokers(before)
        for unit in units(before)
        if before.view[broker, unit] != after.view[broker, unit]
    )


# ---- what follows on a close ----


def a_close_ends(before: State, action: Action, after: State) -> bool:
    is_end = action.name == "close" or action.name == "time_out_close"
    return is_end and speaks_as_released(before.bounds)


@step_law(
    "close-is-followed-up",
    "ServiceUnitStateChannelImpl.closeServiceUnit, handleReleaseEvent, handleFreeEvent",
    when=a_close_ends,
    kind=LawKind.MIRROR,
)
def what_follows_is_under_way(before: State, action: Action, after: State) -> bool:
    """
    When a close of topics ends, its hand-over continues: Free or Assigning follows a Releasing, the entry of a unit
    that was freed by force is deleted, and listeners are notified; nothing follows any other close, and nothing lingers
    behind one that has not timed out.
    """
    broker, number = action.argument("broker"), action.argument("number")
    job = before.closing[broker][number]
    if after.closing[broker].length != before.closing[broker].length - 1 or after.loaded[broker, job.unit]:
        return False
    if action.name == "close" and after.lingering[broker, job.unit]:
        return False
    if job.record.state == RELEASING:
        return answers(after, broker, job.unit, job.record, FREE if job.record.destination == 0 else ASSIGNING)
    if job.record.state == FREE:
        return answers(after, broker, job.unit, job.record, NOTHING)
    return after.outbox[broker] == before.outbox[broker]


# ---- channel.D5, P9 ----


def a_split_goes_on(before: State, action: Action, after: State) -> bool:
    is_write = action.name == "move_boundaries" or action.name == "retry_split" or action.name == "give_up_split"
    return (is_write or action.name == "delete_parent") and speaks_as_released(before.bounds)


def goes_on(before: State, action: Action, after: State, broker: int) -> bool:
    """Return whether *broker* is the one whose split has gone on, and by one step."""
    jobs = before.splitting[broker].length
    if jobs == 0:
        return False
    if action.name == "move_boundaries":
        return after.boundaries[broker] == after.ring and has_moved_one_more(before, after, broker)
    if action.name == "give_up_split":
        return after.splitting[broker].length == jobs - 1 and after.outbox[broker] == before.outbox[broker]
    if action.name == "retry_split":
        return any(
            begins_again(before, after, broker, number)
            for number in range(1, before.bounds.splits_at_once + 1)
            if number <= jobs and (before.bounds.splits_at_once == 1 or number == action.argument("number"))
        )
    is_published = after.outbox[broker].length == before.outbox[broker].length + 1
    return after.splitting[broker].length == jobs - 1 and is_published and books_what_it_cut(before, after, broker)


def begins_again(before: State, after: State, broker: int, number: int) -> bool:
    """Return whether that split waits for the children that its broker lacks, or has read the boundaries anew."""
    job = after.splitting[broker][number]
    sent = after.outbox[broker].length - before.outbox[broker].length
    is_next = job.awaited == after.outbox[broker].length if sent > 0 else job.read == after.boundaries[broker]
    is_same = after.splitting[broker].length == before.splitting[broker].length and not job.moved
    return is_same and is_next and sent == lacking(before, broker, job.unit)


def has_moved_one_more(before: State, after: State, broker: int) -> bool:
    """Return whether the boundaries are cut for one more split of *broker*."""
    moved, cut = 0, 0
    for number in range(1, before.bounds.splits_at_once + 1):
        if number <= before.splitting[broker].length and before.splitting[broker][number].moved:
            moved = moved + 1
        if number <= after.splitting[broker].length and after.splitting[broker][number].moved:
            cut = cut + 1
    return cut == moved + 1 and after.splitting[broker].length == before.splitting[broker].length


def books_what_it_cut(before: State, after: State, broker: int) -> bool:
    """
    Return whether what *broker* served as the unit that it has just cut it serves as a bundle of the namespace now.
    """
    last = after.outbox[broker][after.outbox[broker].length]
    if last.record.state != DELETED:
        return True
    is_booked = any(after.serving[broker, unit] and is_bundle(after, broker, unit) for unit in units(after))
    return not after.serving[broker, last.unit] and (is_booked or not before.serving[broker, last.unit])


@step_law(
    "split-goes-by-steps",
    "ServiceUnitStateChannelImpl.splitServiceUnitOnceAndRetry, updateSplitNamespaceBundlesAsync;"
    " BrokerService.refreshTopicToStatsMaps",
    when=a_split_goes_on,
    kind=LawKind.MIRROR,
)
def it_goes_on_by_one_step(before: State, action: Action, after: State) -> bool:
    """
    A split that has moved the boundaries knows them and goes on; one that begins again waits for a publish of each
    child that its broker has read nothing of, or else reads the boundaries anew; one that ends publishes Deleted for
    its parent and books the open topics under a bundle that there is; one that is given up publishes nothing.
    """
    return any(goes_on(before, action, after, broker) for broker in brokers(before))
