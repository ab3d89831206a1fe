"""
Inputs of single steps: one entry, who looks at it, and who is registered; the steps of the model themselves answer.

An answer is found in a small state that is made for its input, so what is judged is what a search takes. Broker 1
answers lookups and handles events; broker 3 leads, sees to what broker 2 has left behind, and monitors.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

from oneowner.model.channel import broker as brokers
from oneowner.model.channel.bounds import Bounds as ChannelBounds
from oneowner.model.channel.operators import tell
from oneowner.model.channel.parts import Order, Outcome, Progress, Request, Stage
from oneowner.model.channel.record import DELETED, INIT, NOBODY, SPLITTING, TOMBSTONE, Record
from oneowner.model.channel.record_inputs import (
    BROKERS,
    STORAGES,
    can_be_held,
    one_of,
    read_record,
    shapes,
    splits_its_own,
)
from oneowner.model.channel.releases import RELEASES
from oneowner.model.channel.requests import open_lookup
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.start import initial_states
from oneowner.model.channel.state import State
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose
from oneowner.model.kernel.guards import Disabled

__traced__ = False  # inputs of decisions, concrete

ASKED, GONE, LEADER = 1, 2, 3
WAITS, FAILS, KEEPS_CLIENTS, CLOSES = "waits", "fails", "closes and keeps clients", "closes"
SPLITS: Final[dict[str, Any]] = {"splits": 1, "units": 3, "pending": 2}


@dataclass(frozen=True, slots=True)
class StepSizes(Bounds):
    """The brokers that an entry may name."""

    named: int = size(2, "how many brokers an entry may name", least=1)


class Asked(NamedTuple):
    """A lookup at broker 1: its view, the brokers that its registry cache lists, and whether it is registered."""

    storage: Storage
    is_registered: bool
    listed: tuple[int, ...]
    entry: Record


class Event(NamedTuple):
    """A record that broker 1 accepts, which serves the unit and may be shutting down."""

    is_disabled: bool
    record: Record


class Wait(NamedTuple):
    """An operator's wait at broker 1, with or without its record in the topic, and a record that the view accepts."""

    is_for_split: bool
    is_sent: bool
    record: Record


class Duty(NamedTuple):
    """A broker's reaction: how it closes topics, its publish (a tombstone is *nothing*), the topics that it loads."""

    closes: str
    publishes: tuple[Record, ...]
    loads: bool


# ---- all inputs ----


def some_brokers(choose: Choose) -> tuple[int, ...]:
    """Return some of brokers 1 and 2."""
    chosen = choose(0, 3)
    return tuple(broker for broker in (1, 2) if chosen & broker)


def some_asked(choose: Choose, sizes: StepSizes) -> Asked:
    storage, is_registered = STORAGES[choose(0, 1)], choose(0, 1) == 1
    listed = some_brokers(choose)
    if choose(0, 1) == 0:
        return Asked(storage, is_registered, listed, TOMBSTONE)
    return Asked(storage, is_registered, listed, some_sound(choose, sizes))


def some_sound(choose: Choose, sizes: StepSizes) -> Record:
    """Return an entry that names an owner where its state has one."""
    return one_of(choose, [it for it in shapes(sizes.named) if can_be_held(it) and splits_its_own(it)])


def some_event(choose: Choose, sizes: StepSizes) -> Event:
    """Return a record of a state that asks for nothing but this unit: no split, and no Init, which nobody writes."""
    is_disabled, force = choose(0, 1) == 1, choose(0, 1) == 1
    known = [it for it in shapes(sizes.named) if can_be_held(it) and it.state not in (SPLITTING, INIT)]
    return Event(is_disabled, one_of(choose, known)._replace(force=force))


def some_wait(choose: Choose, sizes: StepSizes) -> Wait:
    """Return a wait, and a record of any state, or a tombstone."""
    is_for_split, is_sent = choose(0, 1) == 1, choose(0, 1) == 1
    if choose(0, 1) == 0:
        return Wait(is_for_split, is_sent, TOMBSTONE)
    record = one_of(choose, [it for it in shapes(sizes.named) if can_be_held(it)])
    return Wait(is_for_split, is_sent, record._replace(force=choose(0, 1) == 1))


# ---- what is decided ----


@cache
def blank(release: str, **sizes: Any) -> State:
    """Return the state that all inputs under the rules of a release begin with, with some sizes of a family."""
    return initial_states(ChannelBounds(brokers=3, rules=RELEASES[release], **sizes))[0]


def beginning(release: str = "4.0.6", **sizes: Any) -> State:
    """Return a state of its own for one input: broker 3 leads."""
    state = blank(release, **sizes).draft()
    state.leader = LEADER
    return state


def answered(asked: Asked) -> int | str:
    """Return whom a lookup is answered with, 0 if a broker has to be selected, or WAITS or FAILS."""
    state = beginning(storage=asked.storage, lookups=1, expiries=1, safe_mode=1)
    for broker in (1, 2):
        state.known[ASKED, broker] = broker in asked.listed
    state.unregistered[ASKED] = not asked.is_registered
    state.view[ASKED, 1] = asked.entry
    open_lookup(state, ASKED, 1)
    reply = state.reply[ASKED, 1]
    if state.request[ASKED, 1] == Request.WAITING:
        return WAITS
    return FAILS if reply.outcome == Outcome.FAILED else reply.owner


def handled(event: Event) -> Duty:
    """Return what broker 1 does about a record, once what it closes is closed."""
    is_of_split = event.record.state == DELETED
    state = beginning(**(SPLITS if is_of_split else {"listeners": 1, "multi_phase": 1}))
    state.serving[ASKED, 1] = True
    state.view[ASKED, 1] = event.record
    if event.is_disabled:
        state.stage[ASKED] = Stage.DRAINING
    brokers.handle(state, ASKED, 1, event.record)
    loads, closes = state.loaded[ASKED, 1], ""
    if state.closing[ASKED].length:
        closes = KEEPS_CLIENTS if state.kept[ASKED, 1] else CLOSES
        brokers.close(state, ASKED, 1)
    return Duty(closes, published(state, ASKED), loads)


def ended(wait: Wait) -> bool:
    """Return whether an operator who waits at broker 1 is told that it is done."""
    state = beginning(operators=1, unloads=1, **SPLITS)
    orders = state.dividing if wait.is_for_split else state.unloading
    orders[ASKED, 1] = Order(Progress.WAITING if wait.is_sent else Progress.SENT, False, NOBODY)
    tell(state, ASKED, 1, wait.record)
    return bool(orders[ASKED, 1].progress == Progress.NONE)


def published(state: State, broker: int) -> tuple[Record, ...]:
    """Return the records that a broker has under way."""
    return tuple(state.outbox[broker][number].record for number in range(1, state.outbox[broker].length + 1))


def is_enabled(action: Callable[..., Any], state: State, *arguments: int) -> bool:
    """Take a step if it is enabled, and say so."""
    try:
        action(state, *arguments)
    except Disabled:
        return False
    return True


# ---- inputs from facts ----


def read_brokers(names: Sequence[str]) -> tuple[int, ...]:
    return tuple(BROKERS[name] for name in names)


def read_asked(row: Mapping[str, Any]) -> Asked:
    """Return the input that a fact gives as ``storage``, ``registered``, ``listed`` and ``entry``."""
    return Asked(Storage(row["storage"]), bool(row["registered"]), read_brokers(row["listed"]),
                 read_record(row["entry"]))  # fmt: skip


def read_event(row: Mapping[str, Any]) -> Event:
    """Return the input that a fact gives as ``disabled`` and ``record``."""
    return Event(bool(row["disabled"]), read_record(row["record"]))


def read_wait(row: Mapping[str, Any]) -> Wait:
    """Return the input that a fact gives as ``split``, ``sent`` and ``record``."""
    return Wait(bool(row["split"]), bool(row["sent"]), read_record(row["record"]))
