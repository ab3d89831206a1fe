"""
A broker appends what it published, consumes the channel, opens and closes topics.

Handlers run once, when a record is accepted into the broker's view (``handleEvent`` of
``ServiceUnitStateChannelImpl``, v4.0.6). A close of topics fences them at once; its end is a step of its own
(``closeServiceUnit``), and publishes what follows.
"""

from oneowner.model.channel.answers import cancel, inform, inform_skipped, is_active_to_itself, note_named
from oneowner.model.channel.channel import arrive, entry, has_host, publish, takes, tombstone_of
from oneowner.model.channel.dialects import answer, answerer, closer, discards, released
from oneowner.model.channel.early_opens import names_itself, spend_early_open
from oneowner.model.channel.listeners import load, survives
from oneowner.model.channel.operators import acknowledge, tell, tell_refusal, tell_served
from oneowner.model.channel.parts import Message, Run, Stage
from oneowner.model.channel.policies import forget_policies, has_policies
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    TOMBSTONE,
    Record,
    is_absent,
    loser,
    next_version,
)
from oneowner.model.channel.ring import locates_topics_in
from oneowner.model.channel.rules import Dialect, Storage
from oneowner.model.channel.session import HAS_SESSION, has_session
from oneowner.model.channel.sorts import BROKER, CLOSING, READER, UNIT
from oneowner.model.channel.split import begin, learn_arrival
from oneowner.model.channel.state import State
from oneowner.model.channel.threads import require_reader
from oneowner.model.channel.topics import (
    disconnect,
    is_left_fenced,
    is_left_open,
    must_close,
    serves_or_closes,
    start_closing,
)
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, strong, weak
from oneowner.model.kernel.guards import require

UP = "the broker is up"


@action(
    broker=READER,
    fairness=strong("ProducerImpl sends again until it is acknowledged, however often the channel's host changes"),
)
def append(state: State, broker: int) -> None:
    """
    The oldest publish of *broker* reaches the channel, and the broker learns that it did.

    Enabled: its outbox is not empty, even if its process has ended, and it is not cut off; a broker that is up hosts
    the channel; on the topic the log is shorter than the window, in the metadata store the publisher has a session.
    Changes: the first entry of its outbox goes to the end of the log, whether readers will accept it or not. In the
    metadata store the node takes it unless the resolver refuses it; then every living broker is notified, and the
    writer takes its own notification at once.
    Mirrors: ``ServiceUnitStateTableViewImpl.put``, ``ServiceUnitStateMetadataStoreTableViewImpl.put``.
    """
    require_publish(state, broker)
    first = state.outbox[broker][1]
    state.outbox[broker] = state.outbox[broker].without(1)
    learn_arrival(state, broker)
    won = arrive(state, broker, first)
    acknowledge(state, broker, first)
    if state.bounds.storage == Storage.METADATA_STORE and won and state.run[broker] == Run.UP:
        take(state, broker, first.unit)


def require_publish(state: State, broker: int) -> None:
    """Require a publish of *broker* under way, and a broker that runs and hosts the channel (or a session)."""
    require(state.outbox[broker].length > 0, "the broker has a publish under way")
    require(has_host(state), "a broker that runs hosts the channel")
    require(not state.cut_off[broker], "the broker's producer is connected")
    if state.bounds.storage == Storage.METADATA_STORE:
        require(has_session(state, broker), HAS_SESSION)


@action(
    broker=READER,
    when=lambda bounds: bounds.storage == Storage.SYSTEM_TOPIC,
    fairness=strong("the reader is pushed what it has not seen, across reconnects"),
)
def consume(state: State, broker: int) -> None:
    """
    *broker* reads the next record of the log, and handles it if its view accepts it.

    Enabled: the broker is up, not held up, and behind (system topic); the record is not one of a lost ledger.
    Changes: its cursor; if its view accepts the record, the view takes it, and it does what it owes (``handle``).
    Mirrors: ``handleMessage`` of ``TableViewImpl``, ``ServiceUnitStateChannelImpl.handleEvent``.
    """
    require(state.run[broker] == Run.UP, UP)
    require_reader(state, broker)
    require(state.cursor[broker] < state.log.length, "the log holds a record that the broker has not consumed")
    require(not state.lost_ledger or state.cursor[broker] >= state.horizon, "the broker's next record can be read")
    state.cursor[broker] = state.cursor[broker] + 1
    message = state.log[state.cursor[broker]]
    held, dialect = state.view[broker, message.unit], state.bounds.dialect_of(broker)
    if survives(state, broker, message.record) and takes(state, dialect, held, message.record):
        state.view[broker, message.unit] = message.record
        handle(state, broker, message.unit, message.record)
    else:
        inform_skipped(state, broker, message.unit)
        tell_refusal(state, broker, message.unit, message.record)


@action(
    broker=BROKER,
    unit=UNIT,
    when=lambda bounds: bounds.storage == Storage.METADATA_STORE,
    fairness=weak("ZooKeeper delivers every watch of a living session"),
)
def notify(state: State, broker: int, unit: int) -> None:
    """
    *broker* is told that the node of *unit* changed, and reads what it holds by now.

    Enabled: the broker is up, has a session, and a notification of the unit waits (metadata store).
    Changes: the notification is taken; if the node differs from the view, the view takes it and the broker does what it
    owes (``handle``). Values in between are missed (channel.D12).
    Mirrors: ``MetadataStoreTableViewImpl.handleNotification``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.changed[broker, unit], "a notification for the unit waits")
    require(has_session(state, broker), HAS_SESSION)
    take(state, broker, unit)


def take(state: State, broker: int, unit: int) -> None:
    """Read the node of *unit* into the broker's view, and handle what is new."""
    state.changed[broker, unit] = False
    record = entry(state, unit)
    if is_news(state, state.view[broker, unit], record):
        state.view[broker, unit] = record
        state.listed[broker, unit] = False
        handle(state, broker, unit, record)


def is_news(state: State, held: Record, found: Record) -> bool:
    """Return whether a view that holds *held* takes what its node holds by now (``Objects.equals``; #24186)."""
    if state.bounds.rules.full_equality:
        return found != held
    return found.version != held.version


def handle(state: State, broker: int, unit: int, record: Record) -> None:
    """
    Do what *broker* owes when its view accepts *record*: for each state, who acts and how (channel.6).

    A broker that shuts down handles forced records only; a lookup that waits there fails (``handleEvent``).
    """
    note_named(state, broker, unit, record)
    if state.stage[broker] != Stage.RUNNING and not record.force:
        cancel(state, broker, unit)
        return
    inform(state, broker, unit, record)
    tell(state, broker, unit, record)
    if state.bounds.dialect_of(broker) != Dialect.RELEASED:
        handle_unreleased(state, broker, unit, record)
    elif record.state == ASSIGNING:
        if record.destination == broker:  # handleAssignEvent
            owned = Record(OWNED, broker, record.source, False, next_version(record))
            publish(state, broker, unit, owned, record)
    elif record.state == RELEASING:
        if record.source == broker:  # handleReleaseEvent
            release(state, broker, unit, record)
    elif record.state == OWNED:  # handleOwnEvent; the owner opens topics when a client asks
        if record.destination == broker:
            load(state, broker, unit)
        if loser(record) == broker and must_close(state, broker, unit, record):
            start_closing(state, broker, unit, record)
    elif record.state == FREE:
        if record.force and record.source == broker:  # handleFreeEvent
            discard(state, broker, unit, record)
    elif record.state == SPLITTING and state.bounds.splits > 0:
        if record.source == broker:  # handleSplitEvent
            begin(state, broker, unit, record)
    elif record.state == DELETED and state.bounds.splits > 0:
        if record.source == broker:  # handleDeleteEvent (P10)
            delete(state, broker, unit, record)
    elif not is_absent(record):  # a tombstone closes nothing: it names no loser (models.H3, handleInitEvent)
        state.poisoned = True  # Init, which nobody writes, or a split that these bounds do not have
    forget_policies(state, broker)
    if state.bounds.rules.returned_unit_is_closed and is_left_fenced(state, broker, unit):
        start_closing(state, broker, unit, TOMBSTONE)  # on behalf of no record: nothing follows
    if state.bounds.rules.lost_unit_is_closed and is_left_open(state, broker, unit):
        start_closing(state, broker, unit, TOMBSTONE)


def discard(state: State, broker: int, unit: int, record: Record) -> None:
    """Close the topics of a unit that was freed by force, then delete its entry (P11)."""
    if must_close(state, broker, unit, record):
        start_closing(state, broker, unit, record)
    else:
        delete(state, broker, unit, record)


def delete(state: State, broker: int, unit: int, record: Record) -> None:
    """Delete at once an entry that nobody needs any more; the leader's monitor deletes the rest (P12)."""
    if state.bounds.rules.tombstone_at_once:
        publish(state, broker, unit, tombstone_of(state, record), record)


def handle_unreleased(state: State, broker: int, unit: int, record: Record) -> None:
    """Do what *broker* owes in a dialect of ``dialects.py``: close, and publish what follows; closing comes first."""
    dialect = state.bounds.dialect_of(broker)
    if record.state == SPLITTING and record.source == broker and state.bounds.splits > 0:
        begin(state, broker, unit, record)
    elif (closer(record, dialect) == broker or discards(record, dialect)) and serves_or_closes(state, broker, unit):
        start_closing(state, broker, unit, record)
    elif answerer(record, dialect, state.bounds.rules) == broker:
        publish(state, broker, unit, answer(record, dialect), record)


def release(state: State, broker: int, unit: int, record: Record) -> None:
    """Close the unit's topics, then publish what follows; a transfer may not skip the closing."""
    if record.destination != NOBODY and not state.bounds.rules.close_before_assign:
        publish(state, broker, unit, released(record), record)
        if serves_or_closes(state, broker, unit):
            start_closing(state, broker, unit, record)
    elif must_close(state, broker, unit, record):
        start_closing(state, broker, unit, record)
    else:
        publish(state, broker, unit, released(record), record)


@action(broker=BROKER, number=CLOSING, fairness=weak("closing is bounded: namespaceBundleUnloadingTimeoutMs, 60 s"))
def close(state: State, broker: int, number: int) -> None:
    """
    The *number*-th close of topics at *broker* ends; a release is answered with Free or Assigning.

    Enabled: the broker is up and that close is under way.
    Changes: the ledgers are closed, nothing lingers, and the clients are disconnected unless they are kept
    (``disconnect``); for Releasing the follow-up is published, for a forced Free a tombstone, for *nothing* nothing.
    Mirrors: ``closeServiceUnit``, ``handleReleaseEvent``, ``handleFreeEvent``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(number <= state.closing[broker].length, "that close of topics is under way")
    job = state.closing[broker][number]
    state.closing[broker] = state.closing[broker].without(number)
    disconnect(state, broker, job.unit, job.record)
    state.lingering[broker, job.unit] = False
    follow_up(state, broker, job)


def follow_up(state: State, broker: int, job: Message) -> None:
    """Publish the record that *broker* owes after its close on behalf of *job*; notify the listeners (``unLoad``)."""
    state.loaded[broker, job.unit] = False
    dialect = state.bounds.dialect_of(broker)
    if dialect != Dialect.RELEASED:
        if answerer(job.record, dialect, state.bounds.rules) == broker:
            publish(state, broker, job.unit, answer(job.record, dialect), job.record)
    elif job.record.state == RELEASING and (job.record.destination == NOBODY or state.bounds.rules.close_before_assign):
        publish(state, broker, job.unit, released(job.record), job.record)
    elif job.record.state == FREE:
        delete(state, broker, job.unit, job.record)


@action(broker=BROKER, unit=UNIT, fairness=never("a client connects when it likes; topics may stay closed for ever"))
def open(state: State, broker: int, unit: int) -> None:
    """
    A client connects to *broker*, which opens the unit's topics because its own view says it owns it.

    Enabled: the broker is up, has a session (the topics' ledgers are listed in ZooKeeper), and the namespace's policies
    but for unit 1; by its view it owns the unit, its boundaries locate the topics there, and it neither serves nor
    closes it, nor keeps its clients: such topics are listed, and fenced. Its registry cache lists the broker, or it
    takes itself for unregistered, which does not suffice before 3.3.3 (#23382), nor in the metadata store (#24478).
    Such a broker also opens what is in flight to it (``early_opens``).
    Changes: the broker serves the unit; with ``unload_awaits_server`` operators hear of it (``tell_served``).
    Mirrors: ``getOwnerAsync``, ``getActiveOwnerAsync``, ``BrokerService.getTopic``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(not serves_or_closes(state, broker, unit), "the unit's topics are neither open nor being closed there")
    require(not state.kept[broker, unit], "no topic of the unit is closed with its clients kept")
    require(names_itself(state, broker, unit), "the broker's view says that it owns the unit")
    require(locates_topics_in(state, broker, unit), "the broker's boundaries locate the unit's topics in it")
    require(has_session(state, broker), HAS_SESSION)
    require(is_active_to_itself(state, broker), "a lookup at the broker takes it for an active owner")
    require(has_policies(state, broker, unit), "the broker has read the policies of the namespace")
    spend_early_open(state, broker, unit)
    state.serving[broker, unit] = True
    tell_served(state, unit)
