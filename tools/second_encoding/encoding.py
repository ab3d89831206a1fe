"""
Encode the brokers' actions, and explore a family breadth first to count states, transitions and depth.

Written from the description in `docs/reference/protocol.md`, with its action names. The start counts as depth 0.
"""

from collections.abc import Iterator
from typing import NamedTuple

from tools.second_encoding.resolver import (
    ACTIVE,
    ASSIGNING,
    FREE,
    IN_FLIGHT,
    INIT,
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    Held,
    Record,
    accepts,
    next_version,
)
from tools.second_encoding.state import (
    GONE,
    LEFT_OVER,
    MINE,
    Bounds,
    Broker,
    Publish,
    State,
    anybody_lives,
    entry,
    judged,
    normalised,
    registry,
    start,
    updated,
)

Steps = Iterator[State]


class Encoding:
    """
    The actions. Each takes a state and one of its brokers, and yields what becomes of the state: once for each enabled
    instance, which makes a transition. A broker that would be None means that the action is not enabled after all.
    """

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.in_store = bounds.storage == "metadata-store"
        channel = (self.write, self.notify) if self.in_store else (self.append, self.consume)
        commands = (self.look_up, self.assign, self.unload, self.transfer)
        sessions = (self.restart, self.expire, self.reestablish, self.register, self.notice, self.elect)
        recovery = (*sessions, self.override, self.free_orphan)
        self.actions = (*channel, self.close, self.open, *commands, self.crash, self.lose, *recovery, self.tombstone)

    def steps(self, state: State) -> Steps:
        for number, broker in enumerate(state.brokers, 1):
            for action in self.actions:
                yield from action(state, number, broker)

    # Publishing

    def publish(self, broker: Broker, record: Held, basis: Held) -> Broker | None:
        if len(broker.outbox) == self.bounds.pending:
            return None
        if record and record.version > self.bounds.versions:
            raise OverflowError(f"{record} is beyond the bound versions={self.bounds.versions}")
        return broker._replace(outbox=(*broker.outbox, Publish(record, basis)))

    def append(self, state: State, number: int, broker: Broker) -> Steps:
        """`append` and `append_unacknowledged`: the writer may be dead, its last publishes are under way."""
        if not broker.outbox or len(state.log) == self.bounds.window or not anybody_lives(state):
            return
        record, held = broker.outbox[0].record, entry(state)
        longer = state._replace(log=(*state.log, record))
        if accepts(held, record, False):
            longer = judged(longer, held, record)
        yield updated(longer, number, broker._replace(outbox=broker.outbox[1:]))
        if state.resends:
            yield longer._replace(resends=state.resends - 1)

    def write(self, state: State, number: int, broker: Broker) -> Steps:
        """`append` of the metadata store: a refused write leaves its writer's view and waiting notification alone."""
        if not broker.outbox or not anybody_lives(state):
            return
        record, writer = broker.outbox[0].record, broker._replace(outbox=broker.outbox[1:])
        if not accepts(state.base, record, True):
            yield updated(state, number, writer)
            return
        notified = tuple(b._replace(changed=True) if b.alive else b for b in state.brokers)
        taken = judged(state, state.base, record)._replace(base=record, brokers=notified)
        if told := self.told(number, writer, record) if writer.alive else writer:
            yield updated(taken, number, told)

    # Consuming

    def consume(self, state: State, number: int, broker: Broker) -> Steps:
        if not broker.alive or broker.cursor == len(state.log):
            return
        record, reader = state.log[broker.cursor], broker._replace(cursor=broker.cursor + 1)
        if not accepts(reader.view, record, False):
            yield updated(state, number, reader)
        elif reacted := self.reacted(number, reader, record):
            yield updated(state, number, reacted)

    def notify(self, state: State, number: int, broker: Broker) -> Steps:
        if broker.changed and (told := self.told(number, broker, state.base)):
            yield updated(state, number, told)

    def told(self, number: int, broker: Broker, record: Held) -> Broker | None:
        """Takes a notification: the view becomes what the node holds, and no resolver is asked."""
        broker = broker._replace(changed=False)
        return broker if broker.view == record else self.reacted(number, broker, record)

    def reacted(self, number: int, broker: Broker, record: Held) -> Broker | None:
        """After "the view takes it and the broker does what it owes"; for a tombstone it owes nothing."""
        broker = broker._replace(view=record)
        if record is None:
            return broker
        freed = record.state == FREE and record.force
        named = record.source == number
        if record.state == ASSIGNING and record.destination == number:
            owned = Record(OWNED, record.destination, record.source, False, record.version + 1)
            return self.publish(broker, owned, record)
        if record.state == RELEASING and named and not broker.writes:
            return self.publish(broker, follow_up(record), record)
        if freed and named and not broker.writes:
            return self.publish(broker, None, record)
        must_close = freed or record.state == RELEASING or (record.state == OWNED and record.destination != number)
        if not (must_close and named and broker.writes):
            return broker
        if len(broker.closing) == self.bounds.closings:
            return None
        return broker._replace(serving=False, closing=(*broker.closing, record))

    def close(self, state: State, number: int, broker: Broker) -> Steps:
        for index, job in enumerate(broker.closing):
            others = broker.closing[:index] + broker.closing[index + 1 :]
            closed = broker._replace(closing=others)
            answer = follow_up(job) if job.state == RELEASING else None
            if after := closed if job.state == OWNED else self.publish(closed, answer, job):
                yield updated(state, number, after)

    def open(self, state: State, number: int, broker: Broker) -> Steps:
        finds_itself = not self.in_store if broker.told else number in broker.known
        if not broker.writes and owner(broker.view) == number and broker.session and finds_itself:
            yield updated(state, number, broker._replace(serving=True))

    # Commands

    def look_up(self, state: State, number: int, broker: Broker) -> Steps:
        """It is here, not when the broker assigns, that the budget `assigns` is paid."""
        view = broker.view
        unowned = view is None or view.state in {INIT, FREE} or (view.state == RELEASING and not view.destination)
        if broker.alive and state.assigns and unowned and not broker.asking:
            yield updated(state, number, broker._replace(asking=True))._replace(assigns=state.assigns - 1)

    def assign(self, state: State, number: int, broker: Broker) -> Steps:
        for destination in broker.known if broker.asking else ():
            record = Record(ASSIGNING, destination, NOBODY, False, next_version(broker.view))
            if sent := self.publish(broker._replace(asking=False), record, broker.view):
                yield updated(state, number, sent)

    def unload(self, state: State, number: int, broker: Broker) -> Steps:
        if state.unloads and broker.view and broker.view.state == OWNED:
            release = Record(RELEASING, NOBODY, broker.view.destination, False, broker.view.version + 1)
            if sent := self.publish(broker, release, broker.view):
                yield updated(state, number, sent)._replace(unloads=state.unloads - 1)

    def transfer(self, state: State, number: int, broker: Broker) -> Steps:
        if state.transfers and broker.view and broker.view.state == OWNED:
            loser = broker.view.destination
            for destination in broker.known - {loser}:
                release = Record(RELEASING, destination, loser, False, broker.view.version + 1)
                if sent := self.publish(broker, release, broker.view):
                    yield updated(state, number, sent)._replace(transfers=state.transfers - 1)

    # Failures. A broker's own entry in its own cache lags like any other while it has no session.

    def crash(self, state: State, number: int, broker: Broker) -> Steps:
        """All that is left of a dead broker is its node and the publishes that are under way."""
        if broker.alive and state.crashes:
            dead = Broker(node=broker.node, outbox=broker.outbox)
            yield updated(state, number, dead)._replace(crashes=state.crashes - 1)

    def lose(self, state: State, number: int, broker: Broker) -> Steps:
        if not broker.alive and broker.outbox:
            yield updated(state, number, broker._replace(outbox=broker.outbox[1:]))

    def restart(self, state: State, number: int, broker: Broker) -> Steps:
        if not broker.alive and not broker.outbox:
            node, known = LEFT_OVER if broker.node else MINE, registry(state) | {number}
            new = Broker(alive=True, node=node, known=known, view=entry(state), cursor=len(state.log))
            yield updated(state, number, new)._replace(leader=NOBODY if state.leader == number else state.leader)

    def expire(self, state: State, number: int, broker: Broker) -> Steps:
        """A leader that died without a node has a session too."""
        led, paid = state.leader == number, broker.alive and broker.node == MINE
        if (broker.node or (led and not broker.alive)) and (state.expiries or not paid):
            leader = NOBODY if led and broker.node != LEFT_OVER else state.leader
            gone = broker._replace(node=GONE, session=not paid)
            if broker.alive and not paid:
                gone = gone._replace(told=True, known=broker.known - {number})
            yield updated(state, number, gone)._replace(leader=leader, expiries=state.expiries - paid)

    def reestablish(self, state: State, number: int, broker: Broker) -> Steps:
        if not broker.session:
            yield updated(state, number, broker._replace(session=True, known=registry(state)))

    def register(self, state: State, number: int, broker: Broker) -> Steps:
        if broker.alive and broker.session and not broker.node and number not in broker.known:
            yield updated(state, number, broker._replace(node=MINE, told=False, known=broker.known | {number}))

    def notice(self, state: State, number: int, broker: Broker) -> Steps:
        for other in registry(state) ^ broker.known if broker.alive and broker.session else ():
            yield updated(state, number, broker._replace(known=broker.known ^ {other}))

    def elect(self, state: State, number: int, broker: Broker) -> Steps:
        if not state.leader and broker.alive and broker.session and broker.node:
            yield state._replace(leader=number)

    def override(self, state: State, number: int, broker: Broker) -> Steps:
        if (orphan := self.orphan(state, number, broker)) is None:
            return
        loser = owner(orphan) or orphan.source
        for destination in broker.known:
            forced = Record(OWNED, destination, NOBODY if loser == destination else loser, True, orphan.version + 1)
            if sent := self.publish(broker, forced, orphan):
                yield updated(state, number, sent)

    def free_orphan(self, state: State, number: int, broker: Broker) -> Steps:
        orphan = self.orphan(state, number, broker)
        if not state.unplaced or orphan is None:
            return
        freed = Record(FREE, NOBODY, owner(orphan) or orphan.source, True, orphan.version + 1)
        if sent := self.publish(broker, freed, orphan):
            yield updated(state, number, sent)._replace(unplaced=state.unplaced - 1)

    def tombstone(self, state: State, number: int, broker: Broker) -> Steps:
        view = broker.view
        if not broker.alive or state.leader != number or not state.tombstones or view is None or view.state in ACTIVE:
            return
        if sent := self.publish(broker, None, view):
            yield updated(state, number, sent)._replace(tombstones=state.tombstones - 1)

    def orphan(self, state: State, number: int, broker: Broker) -> Held:
        """The leader's entry, if it is to be overridden."""
        view, caught_up = broker.view, broker.cursor == len(state.log) and not broker.changed
        if not broker.alive or state.leader != number or not caught_up or broker.outbox:
            return None
        if view is None or view.state not in ACTIVE:
            return None
        named = {view.destination, view.source if view.state in IN_FLIGHT else NOBODY} - {NOBODY}
        running = {number for number in registry(state) if state.brokers[number - 1].alive}
        return None if named <= broker.known | running else view


def owner(view: Held) -> int:
    """By one view: the destination of Owned, the source of Splitting."""
    if view is None or view.state not in {OWNED, SPLITTING}:
        return NOBODY
    return view.destination if view.state == OWNED else view.source


def follow_up(release: Record) -> Record:
    """The record that the source of a Releasing record publishes when it no longer serves the unit."""
    state = ASSIGNING if release.destination else FREE
    return Record(state, release.destination, release.source, False, release.version + 1)


class Counts(NamedTuple):
    states: int
    transitions: int
    depth: int


def explore(bounds: Bounds) -> Counts:
    """The whole graph, level by level."""
    encoding = Encoding(bounds)
    level, transitions, depth = [start(bounds)], 0, -1
    seen = set(level)
    while level:
        depth += 1
        following = []
        for state in level:
            for step in encoding.steps(state):
                transitions += 1
                after = normalised(step)
                if after not in seen:
                    seen.add(after)
                    following.append(after)
        level = following
    return Counts(len(seen), transitions, depth)
