"""The story of the channel gives reports the words for its start, and for the owner and the server of each unit."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import accepts, consumed, entry, forget_first, has_read_channel, is_forgettable
from oneowner.model.channel.parts import Message, Node, Run
from oneowner.model.channel.record import TOMBSTONE, Record, owner
from oneowner.model.channel.rules import Dialect, Storage
from oneowner.model.channel.state import State
from oneowner.model.channel.topics import holds_ledger
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Kind
from oneowner.model.kernel.story import Narrator

__traced__ = False  # words about concrete states

BOOKKEEPING = ("cursor", "won")
"""Cells that a reader can do without, as the budgets that are left: they follow from the steps."""


class Written(NamedTuple):
    """A record that a step writes to the channel."""

    unit: int
    record: str
    accepted: bool


class Story(Narrator):
    """The words in which reports tell of the channel."""

    actors = ("observer", "broker")
    """The arguments that name who takes a step, the first one that an action has."""

    def start(self, bounds: Bounds) -> str:
        """Return the initial state on one line."""
        every = "unit 1, the parent of units 2 and 3" if bounds.splits else "every unit"
        owned = "nothing is written"
        if bounds.owner:
            owned = f"broker {bounds.owner} owns and serves {every} (version {bounds.owned_version})"
        return f"start: {bounds.brokers} brokers live, all registered; broker 1 leads; {owned}"

    def within(self, bounds: Bounds, settings: Mapping[str, str]) -> list[str]:
        """Return the bounds in words: sizes, budgets, and the storage of the channel."""
        told = [name for name, bound in bounds.described().items() if bound.kind != Kind.WORD]
        usual = {"owner", "versions", *(["restarts"] if bounds.restarts >= bounds.crashes else [])}
        names = [name for name in told if name not in usual or name in settings]
        counts = [f"{name} {getattr(bounds, name)}" for name in names if getattr(bounds, name) or name in settings]
        dialect = [] if bounds.dialect == Dialect.RELEASED else [f"dialect {bounds.dialect}"]
        return [*counts, str(bounds.storage), *dialect]

    def standing(self, state: State) -> list[str]:
        """Return the owner and the server of every unit, one line each."""
        return [owners_in_words(state, unit) for unit in range(1, state.bounds.units + 1)]

    def stands(self, state: State) -> list[tuple[Any, ...]]:
        """Return what the lines of ``standing`` are about: only a change of it is told."""
        return [owners(state, unit) for unit in range(1, state.bounds.units + 1)]

    def alarms(self, state: State) -> list[int]:
        """Return the units that several brokers serve or have yet to close."""
        return [unit for unit in range(1, state.bounds.units + 1) if len(sum(owners(state, unit)[1:], ())) > 1]

    def value(self, bounds: Bounds, value: Any) -> str:
        """Return a value of a state in words; the unit of a record only if there are several."""
        if hasattr(value, "record"):
            return f"unit {value.unit} {value.record}" if bounds.units > 1 else str(value.record)
        return str(value)

    def is_bookkeeping(self, bounds: Bounds, cell: str, words: str) -> bool:
        """Return whether a change follows from the step: how far a broker has read, what everybody has read."""
        on_topic = bounds.storage == Storage.SYSTEM_TOPIC
        return cell in BOOKKEEPING or (cell == "base" and on_topic) or words.startswith("log -")

    def setting(self, bounds: Bounds) -> dict[str, Any]:
        """Return what the page needs to know of the bounds."""
        storage = bounds.storage.value
        lanes = {"actor": "broker", "lanes": bounds.brokers, "verbs": ["serves", "stops"]}
        return {**lanes, "place": f"channel in the {storage}", "storage": storage, "units": bounds.units}

    def traffic(self, before: State | None, action: Action | None, after: State) -> dict[str, Any]:
        """Return the records of a step: published, written, read; at the start, those that the channel holds."""
        if before is None or action is None:
            start = [[0, *_record(after, message, place)] for place, message in enumerate(_messages(after), 1)]
            return {"published": [], "appended": start, "read": [], "lost": 0}
        written, lost = _written(before, action)
        is_topic = before.bounds.storage == Storage.SYSTEM_TOPIC
        return {
            "published": list(_published(before, after)),
            "appended": [
                [_sender(before, action, one), *one] for one in (written if is_topic else _put(before, after))
            ],
            "read": list(_consumed(before, after, lost) if is_topic else _notified(before, after)),
            "lost": lost,
        }

    def lane(self, state: State) -> dict[str, Any]:
        """Return what the page shows of one state; places in the log count from the first record of the window."""
        bounds = state.bounds
        brokers, units = range(1, bounds.brokers + 1), range(1, bounds.units + 1)
        is_topic = bounds.storage == Storage.SYSTEM_TOPIC
        return {
            "lines": {
                "alive": [_alive(state, broker) for broker in brokers],
                "registered": [_registered(state, broker) for broker in brokers],
                "leading": ["leading" if state.leader == broker else "" for broker in brokers],
            },
            "written": state.log.length,
            "cursor": [
                state.cursor[broker] if is_topic and has_read_channel(state, broker) else None for broker in brokers
            ],
            "serving": [_serving(state, broker) for broker in brokers],
            "closing": [[unit for unit in units if broker in owners(state, unit)[2]] for broker in brokers],
            "told": [[unit for unit in units if state.changed[broker, unit]] for broker in brokers],
            "held": [_held(entry(state, unit)) for unit in units],
            "holds": [self.held(state, broker) for broker in brokers],
            "owners": self.standing(state),
            "twice": self.alarms(state),
        }

    def held(self, state: State, actor: int) -> dict[str, str]:
        """Return what a broker is, sees, serves, and is about to write."""
        units = range(1, state.bounds.units + 1)
        holds = {
            f"holds of unit {unit}" if len(units) > 1 else "holds": _held(state.view[actor, unit]) for unit in units
        }
        return {
            "runs": state.run[actor].value,
            "registered": "yes" if state.node[actor] == Node.PRESENT else "no",
            "leads": "yes" if state.leader == actor else "",
            **holds,
            "serves": ", ".join(f"unit {unit}" for unit in _serving(state, actor)),
            "publishing": "; ".join(self.value(state.bounds, publish) for publish in state.outbox[actor]),
            "closing": "; ".join(self.value(state.bounds, message) for message in state.closing[actor]),
        }


def _alive(state: State, broker: int) -> str:
    run = state.run[broker]
    return {Run.UP: "alive", Run.DOWN: ""}.get(run, run.value)


def _registered(state: State, broker: int) -> str:
    return {Node.PRESENT: "registered", Node.LEFTOVER: "node left over", Node.ABSENT: ""}[state.node[broker]]


STORY = Story()


def owners(state: State, unit: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return who owns *unit* by the channel (0: nobody), all who serve it, and all others who have yet to close it."""
    holders = [broker for broker in range(1, state.bounds.brokers + 1) if holds_ledger(state, broker, unit)]
    servers = tuple(broker for broker in holders if state.serving[broker, unit])
    return owner(entry(state, unit)), servers, tuple(broker for broker in holders if broker not in servers)


def owners_in_words(state: State, unit: int) -> str:
    """
    Return the owner and the server of *unit*, and the broker that closes it.

    >>> from oneowner.model.channel.start import initial_states
    >>> print(owners_in_words(initial_states(Bounds(owner=2))[0], 1))
    unit 1: owner 2 (the channel holds Owned(2) v2), served by 2
    """
    owned, servers, closers = owners(state, unit)
    served = " and ".join(map(str, servers)) or "nobody"
    closed = f", being closed by {' and '.join(map(str, closers))}" if closers else ""
    named = f"owner {owned}" if owned else "no owner"
    return f"unit {unit}: {named} (the channel holds {entry(state, unit)}), served by {served}{closed}"


def _serving(state: State, broker: int) -> list[int]:
    return [unit for unit in range(1, state.bounds.units + 1) if state.serving[broker, unit]]


def _held(record: Any) -> str:
    return "" if record == TOMBSTONE else str(record)


def _written(before: State, action: Action) -> tuple[list[Written], int]:
    """Return what a step adds to the log, and how many records are forgotten after."""
    after = before.copy()
    action.run(after, **dict(action.arguments))
    log, lost = list(_messages(after)), 0
    added = [_record(after, log[place - 1], place) for place in range(before.log.length + 1, len(log) + 1)]
    while is_forgettable(after):
        forget_first(after)
        lost += 1
    return added, lost


def _record(state: State, message: Message, place: int) -> Written:
    """Return a record of the log, and whether the resolver takes it onto what was there."""
    held = consumed(state, message.unit, place - 1)
    return Written(message.unit, _words(message.record), bool(accepts(state, held, message.record)))


def _put(before: State, after: State) -> list[Written]:
    """Return the nodes of the metadata store that a step changed."""
    units = range(1, after.bounds.units + 1)
    return [Written(unit, _words(after.base[unit]), True) for unit in units if after.base[unit] != before.base[unit]]


def _published(before: State, after: State) -> Iterator[list[Any]]:
    """Yield the broker, the unit and the record of each publish that a step hands to a producer."""
    for broker in range(1, after.bounds.brokers + 1):
        waiting = list(before.outbox[broker])
        for one in after.outbox[broker]:
            if one in waiting:
                waiting.remove(one)
            else:
                yield [broker, one.unit, _words(one.record)]


def _sender(before: State, action: Action, written: Written) -> int:
    """Return the broker whose publish a step wrote, or 0."""
    broker = dict(action.arguments).get("broker", 0)
    sent = [(one.unit, _words(one.record)) for one in before.outbox[broker]] if broker else []
    return broker if (written.unit, written.record) in sent else 0


def _consumed(before: State, after: State, lost: int) -> Iterator[dict[str, int]]:
    """Yield the brokers that read on in the topic, with the place of the last record."""
    for broker in range(1, after.bounds.brokers + 1):
        if has_read_channel(before, broker) and has_read_channel(after, broker):
            place = after.cursor[broker] + lost
            if place > before.cursor[broker]:
                yield {"broker": broker, "place": place}


def _notified(before: State, after: State) -> Iterator[dict[str, int]]:
    """Yield the brokers that read what a node holds by now, with its unit."""
    for broker in range(1, after.bounds.brokers + 1):
        for unit in range(1, after.bounds.units + 1):
            held = after.view[broker, unit]
            if held != before.view[broker, unit] and held == after.base[unit]:
                yield {"broker": broker, "unit": unit}


def _words(record: Record) -> str:
    return "tombstone" if record == TOMBSTONE else str(record)


def _messages(state: State) -> Iterator[Message]:
    for number in range(1, state.log.length + 1):
        yield state.log[number]
