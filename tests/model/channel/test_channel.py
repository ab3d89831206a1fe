"""The channel: appends, folds, forgotten records, lost acknowledgements, and the metadata store."""

from hypothesis import given
from hypothesis import strategies as st

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import accepts, consumed, entry, write
from oneowner.model.channel.channel import forget_first as normalise
from oneowner.model.channel.channel import is_forgettable as needs_normalising
from oneowner.model.channel.parts import Message, Run
from oneowner.model.channel.record import ASSIGNING, OWNED, TOMBSTONE, Record
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.system import initial_states
from tests.model.channel.cluster import start
from tests.model.channel.strategies import choices, enabled, steadily

MS = Storage.METADATA_STORE

TOPIC_BOUNDS = (
    Bounds(brokers=2, assigns=3, unloads=1, resends=2, pending=2, versions=20),
    Bounds(brokers=3, owner=1, transfers=3, unloads=1, window=2, pending=2, versions=20),
    Bounds(brokers=3, owner=2, units=2, assigns=2, unloads=1, crashes=2, expiries=1, closings=2, versions=20),
)
STORE_BOUNDS = (
    Bounds(brokers=3, storage=MS, owner=1, transfers=3, unloads=1, assigns=1, pending=2, versions=20),
    Bounds(brokers=2, storage=MS, units=2, assigns=3, unloads=2, resends=1, versions=20),
)


class FullLog:
    """History that the model forgets: every record ever appended, and each process's position."""

    def __init__(self, state: State) -> None:
        self.first = [state.base[unit] for unit in range(1, state.bounds.units + 1)]
        self.messages: list[Message] = []
        self.read = dict.fromkeys(range(1, state.bounds.brokers + 1), 0)

    def follow(self, before: State, action: Action) -> None:
        """Note what *action* appends or reads."""
        if action.name in ("append", "append_unacknowledged"):
            publish = before.outbox[action.argument("broker")][1]
            self.messages.append(Message(publish.unit, publish.record))
        elif action.name == "consume":
            self.read[action.argument("broker")] += 1
        elif action.name == "restart":
            self.read[action.argument("broker")] = len(self.messages)

    def fold(self, unit: int, count: int) -> Record:
        """Return a reader's entry of *unit* after the first *count* records."""
        held = self.first[unit - 1]
        for message in self.messages[:count]:
            if message.unit == unit and refusal(held, message.record) is None:
                held = message.record
        return held


@steadily
@given(st.sampled_from(TOPIC_BOUNDS), choices(60))
def test_view_is_the_fold_of_the_consumed_prefix_of_everything_ever_written(bounds: Bounds, steps: list[int]) -> None:
    """Forgetting is exact: neither a view nor the entry can distinguish the window from the whole log."""
    (state,) = initial_states(bounds)
    full = FullLog(state)
    for choice in steps:
        options = enabled(state)
        if not options:
            break
        action, after = options[choice % len(options)]
        full.follow(state, action)
        state = after
        forgotten = len(full.messages) - state.log.length
        living = [broker for broker in full.read if state.run[broker] == Run.UP]
        assert forgotten == min((full.read[broker] for broker in living), default=len(full.messages))
        assert list(state.log) == full.messages[forgotten:]
        for unit in range(1, bounds.units + 1):
            assert entry(state, unit) == full.fold(unit, len(full.messages))
            for broker in living:
                assert state.cursor[broker] == full.read[broker] - forgotten
                assert state.view[broker, unit] == full.fold(unit, full.read[broker])


@steadily
@given(st.sampled_from(STORE_BOUNDS), choices(60))
def test_node_takes_what_the_resolver_accepts_and_views_are_the_node_unless_told(
    bounds: Bounds, steps: list[int]
) -> None:
    (state,) = initial_states(bounds)
    for choice in steps:
        options = enabled(state)
        if not options:
            break
        action, after = options[choice % len(options)]
        for unit in range(1, bounds.units + 1):
            expected = state.base[unit]
            if action.name in ("append", "append_unacknowledged"):
                publish = state.outbox[action.argument("broker")][1]
                if publish.unit == unit and refusal(expected, publish.record, MS) is None:
                    expected = publish.record
            assert after.base[unit] == expected
            for broker in range(1, bounds.brokers + 1):
                assert after.changed[broker, unit] or after.view[broker, unit] == after.base[unit]
        state = after


def test_append_leaves_a_refused_record_in_the_log_where_readers_drop_it() -> None:
    cluster = start(assigns=2).do("look_up(broker=1)", "look_up(broker=2)")
    cluster.do("assign(broker=1, destination=1)", "assign(broker=2, destination=2)")
    cluster.do("append(broker=1)", "append(broker=2)")
    assert cluster.log == ["Assigning(1) v1", "Assigning(2) v1"]
    cluster.do("consume(broker=1)", "consume(broker=1)")
    assert cluster.views == ["Assigning(1) v1", "nothing"]
    assert cluster.entry == "Assigning(1) v1"


def test_append_waits_for_the_slowest_living_broker() -> None:
    cluster = start(assigns=2, window=1).do("look_up(broker=1)", "look_up(broker=2)")
    cluster.do("assign(broker=1, destination=1)", "assign(broker=2, destination=2)", "append(broker=1)")
    assert cluster.guard("append(broker=2)") == "the slowest living broker is within the window"
    cluster.do("consume(broker=1)")
    assert cluster.guard("append(broker=2)") == "the slowest living broker is within the window"
    cluster.do("consume(broker=2)").do("append(broker=2)")


def records(state: State, *written: Record) -> None:
    for record in written:
        write(state, 1, record)


def normalised(state: State) -> None:
    while needs_normalising(state):
        normalise(state)


def test_forget_folds_what_every_living_broker_has_consumed_and_nothing_else() -> None:
    state = State(Bounds(brokers=3))
    records(state, Record(ASSIGNING, 1, version=1), Record(ASSIGNING, 2, version=1), Record(OWNED, 1, version=2))
    for broker, count in ((1, 3), (2, 2), (3, 1)):
        state.cursor[broker] = count
    prefixes = [consumed(state, 1, state.cursor[broker]) for broker in (1, 2, 3)]
    normalised(state)
    assert [message.record for message in state.log] == [Record(ASSIGNING, 2, version=1), Record(OWNED, 1, version=2)]
    assert list(state.cursor) == [2, 1, 0]
    assert state.base[1] == Record(ASSIGNING, 1, version=1)
    assert [consumed(state, 1, state.cursor[broker]) for broker in (1, 2, 3)] == prefixes


def test_forget_drops_a_refused_record_without_a_trace() -> None:
    state = State(Bounds(brokers=1))
    records(state, Record(ASSIGNING, 1, version=1), Record(ASSIGNING, 2, version=1))
    state.cursor[1] = 2
    normalised(state)
    assert (state.log.length, state.cursor[1], state.base[1]) == (0, 0, Record(ASSIGNING, 1, version=1))


def test_forget_does_not_wait_for_a_dead_broker() -> None:
    state = State(Bounds(brokers=2))
    records(state, Record(ASSIGNING, 1, version=1))
    state.cursor[1] = 1
    normalised(state)
    assert state.log.length == 1
    state.run[2] = Run.DOWN
    normalised(state)
    assert (state.log.length, state.cursor[1], state.cursor[2]) == (0, 0, 0)


def test_forget_folds_everything_when_no_broker_lives() -> None:
    state = State(Bounds(brokers=2))
    records(state, Record(ASSIGNING, 1, version=1), Record(OWNED, 1, version=2))
    state.run[1] = state.run[2] = Run.DOWN
    held = entry(state, 1)
    normalised(state)
    assert (state.log.length, state.base[1]) == (0, held)


def test_entry_sees_only_the_records_of_its_own_unit() -> None:
    state = State(Bounds(units=2))
    write(state, 2, Record(ASSIGNING, 1, version=1))
    assert entry(state, 1) == TOMBSTONE
    assert entry(state, 2) == Record(ASSIGNING, 1, version=1)


def test_unacknowledged_publish_is_appended_twice_and_refused_the_second_time() -> None:
    """run.G8: one producer and sequence id twice in a recorded log."""
    cluster = start(assigns=1, resends=1).do("look_up(broker=1)", "assign(broker=1, destination=2)")
    cluster.do("append_unacknowledged(broker=1)")
    assert cluster.outbox(1) == ["Assigning(2) v1"]
    assert cluster.guard("append_unacknowledged(broker=1)") == "the budget allows another lost acknowledgement"
    cluster.do("append(broker=1)")
    assert cluster.outbox(1) == []
    assert cluster.log == ["Assigning(2) v1", "Assigning(2) v1"]
    state = cluster.state
    assert not accepts(state, state.log[1].record, state.log[2].record)
    cluster.deliver()
    assert cluster.views == ["Owned(2) v2", "Owned(2) v2"]


def test_publish_of_a_dead_publisher_arrives_or_is_lost() -> None:
    cluster = start(assigns=1, crashes=1).do("look_up(broker=1)", "assign(broker=1, destination=2)", "crash(broker=1)")
    assert cluster.outbox(1) == ["Assigning(2) v1"]
    assert cluster.guard("restart(broker=1)") == "no publish of the old process is under way"
    arrived = start(assigns=1, crashes=1)
    arrived.state = cluster.state
    arrived.do("append(broker=1)")
    assert (arrived.outbox(1), arrived.entry) == ([], "Assigning(2) v1")
    assert arrived.guard("restart(broker=1)") == ""
    cluster.do("lose(broker=1)")
    assert (cluster.outbox(1), cluster.entry) == ([], "nothing")
    assert cluster.guard("restart(broker=1)") == ""


def test_outbox_is_sent_in_its_order() -> None:
    cluster = start(owner=1, units=2, unloads=2, pending=2).do("unload(broker=2, unit=2)", "unload(broker=2, unit=1)")
    cluster.do("append(broker=2)", "append(broker=2)")
    assert [message.unit for message in cluster.state.log] == [2, 1]


def test_full_producer_refuses_another_publish() -> None:
    cluster = start(owner=1, units=2, unloads=2).do("unload(broker=2, unit=1)")
    assert cluster.guard("unload(broker=2, unit=2)") == "the broker's producer has room for a publish"
