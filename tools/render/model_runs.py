"""
Random runs of the model are made, long enough for an audit: several units, a hundred records and more.

The walk depends on nothing of Pulsar: it tries actions, some oftener than others, and notes which records reached
the topic, from which process, and when they were handed over. Everything comes from one seed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate
from random import Random
from typing import NamedTuple

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import entry, takes
from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.record import Record
from oneowner.model.channel.resending import append_unacknowledged
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import actions, initial_states, step
from oneowner.spec.channel.channel import is_write, written

_COMMANDS = Bounds(
    brokers=4, units=4, assigns=90, unloads=40, transfers=80, resends=8, overtakes=8,
    window=12, pending=6, closings=6, versions=250,
)  # fmt: skip

STORIES: Mapping[str, Bounds] = {
    "commands": _COMMANDS,
    "crashes": replace(_COMMANDS, crashes=4, expiries=1),
    "splits": replace(_COMMANDS, brokers=3, units=5, splits=2, nested_splits=2),
    "splits and crashes": replace(_COMMANDS, brokers=3, units=3, splits=2, crashes=3),
    "deletions": replace(_COMMANDS, tombstones=6, removals=5, unplaced=3, crashes=3),
}
"""The possible events of a run. Nothing is owned at the start, so that a dump holds the whole history."""

WEIGHTS: Mapping[str, float] = {
    "append": 8, "consume": 8, "close": 4, "assign": 3, "override": 3, "look_up": 2, "transfer": 2, "notice": 2,
    "elect": 2, "overtake": 2, "split": 0.3, "split_child": 0.3, "append_unacknowledged": 0.5, "lose": 0.3,
    "crash": 0.3, "reestablish": 0.4, "tombstone": 0.4, "remove": 0.2, "free_orphan": 0.3, "move_boundaries": 20,
    "delete_parent": 20,
}  # fmt: skip
"""The frequency of trying an action, by name; 1 for the others."""

PATIENCE = 10_000
"""The number of times that an action tried already is drawn, before a run is given up."""


class Appended(NamedTuple):
    """One record of the topic."""

    unit: int
    record: Record
    broker: int
    """Its publisher."""
    process: int
    """Which process of that broker, from 0."""
    sent: int
    """The step by which it was handed to the producer."""
    step: int
    """The step by which the topic took it."""
    number: int
    """Which publish it is; one that is sent again has its number twice."""
    is_resent: bool
    """True if its publisher does not learn that the topic has it, and sends it again."""
    accepted: bool
    held: tuple[Record, ...]
    """The channel's entry of every unit before."""


class Read(NamedTuple):
    """One record that a broker read from the topic."""

    step: int
    broker: int
    place: int
    """Which record of the run, from 0."""
    taken: bool


class Closed(NamedTuple):
    """A close of a unit's topics that ended."""

    step: int
    broker: int
    unit: int
    record: Record
    """On whose behalf it was closed."""


class Served(NamedTuple):
    """A broker began to serve a unit's topics, or it ended while its process lives on."""

    step: int
    broker: int
    unit: int
    begins: bool


class Lost(NamedTuple):
    """The session of a process that lives on ended, and with it the registration that it made."""

    step: int
    broker: int


Done = Read | Closed | Served | Lost


@dataclass(slots=True)
class ModelRun:
    """The result of one random run."""

    story: str
    seed: int
    bounds: Bounds
    steps: list[Action] = field(default_factory=list)
    appended: list[Appended] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    """Actions of brokers that appear in their logs, and that no action of the model gives by its arguments."""
    handed: dict[tuple[int, int], Record] = field(default_factory=dict)
    """Records handed to a producer, by the step of the hand-over and the unit; one may never reach the topic."""
    held: tuple[Record, ...] = ()
    """The channel's entry of every unit at the end."""


class _Sent(NamedTuple):
    """A publish under way: which one it is, and the step by which it was handed over."""

    number: int
    step: int


def model_run(story: str, seed: int, records: int) -> ModelRun:
    """Take random steps of the model until the topic holds so many *records*, or nothing more can happen."""
    run = ModelRun(story, seed, STORIES[story])
    noting = _Noting(run)
    for before, action, after in walk(run.bounds, Random(f"{story} {seed}")):
        noting.take(before, action, after)
        run.held = entries(after)
        if len(run.appended) == records:
            break
    return run


def settled_run(story: str, seed: int, records: int) -> ModelRun:
    """Take random steps as ``model_run`` does, then only such as bring what is under way to its end."""
    run = ModelRun(story, seed, STORIES[story])
    noting, chance = _Noting(run), Random(f"{story} {seed}")
    last = initial_states(run.bounds)[0]
    for before, action, after in walk(run.bounds, chance):
        noting.take(before, action, after)
        last = after
        if len(run.appended) >= records:
            break
    ending = [action for action in actions(run.bounds) if action.name in ("append", "consume", "close")]
    while True:
        for action in ending:
            try:
                after = step(last, action)
            except Disabled:
                continue
            noting.take(last, action, after)
            last = after
            break
        else:
            run.held = entries(last)
            return run


def with_a_copy(run: ModelRun, place: int) -> ModelRun | None:
    """
    Return *run* with the record at *place* sent twice, the copy right behind the first; None if it does not go on so.

    Whoever reads the first reads the copy next, and all else is as it was.
    """
    again = ModelRun(run.story, run.seed, replace(run.bounds, resends=run.bounds.resends + 1))
    noting, state = _Noting(again), initial_states(again.bounds)[0]
    for number, action in enumerate(run.steps):
        steps = [action]
        if number == run.appended[place].step and action.name != "overtake":
            steps.insert(0, Action("append_unacknowledged", action.arguments, append_unacknowledged))
        for one in steps:
            try:
                after = step(state, one)
            except Disabled:
                return None
            noting.take(state, one, after)
            state = after
            if one.name == "consume" and len(steps) == 1:
                read = len(again.appended) - state.log.length + state.cursor[one.argument("broker")]
                if read == place + 1:
                    steps.append(one)
    again.held = entries(state)
    return again


def walk(bounds: Bounds, chance: Random) -> Iterator[tuple[State, Action, State]]:
    """Yield random steps, for ever or until the model can take none."""
    by_name: dict[str, list[Action]] = {}
    for action in actions(bounds):
        by_name.setdefault(action.name, []).append(action)
    groups = list(by_name.values())
    weights = list(accumulate(WEIGHTS.get(name, 1) for name in by_name))
    state, in_vain, tried = initial_states(bounds)[0], 0, set[Action]()
    while in_vain < PATIENCE:
        action = chance.choice(chance.choices(groups, cum_weights=weights)[0])
        if action in tried:
            in_vain += 1
            continue
        try:
            after = step(state, action)
        except Disabled:
            tried.add(action)
            continue
        yield state, action, after
        state, in_vain, tried = after, 0, set()


def entries(state: State) -> tuple[Record, ...]:
    """Return the channel's entry of every unit."""
    return tuple(entry(state, unit) for unit in range(1, state.bounds.units + 1))


class _Noting:
    """Notes which records reach the topic, and follows every publish from its producer to there."""

    def __init__(self, run: ModelRun) -> None:
        self.run = run
        self.under_way: dict[int, list[_Sent]] = {broker: [] for broker in range(1, run.bounds.brokers + 1)}
        self.process = dict.fromkeys(self.under_way, 0)
        self.publishes = 0

    def take(self, before: State, action: Action, after: State) -> None:
        if is_write(action):
            self._append(before, action, after)
        elif action.name == "lose":
            del self.under_way[action.argument("broker")][0]
        elif action.name == "restart":
            self.process[action.argument("broker")] += 1
        elif action.name == "consume":
            self.run.done.append(self._read(before, action.argument("broker")))
        elif action.name == "expire":
            broker = action.argument("broker")
            if before.run[broker] == Run.UP and before.node[broker] == Node.PRESENT:
                self.run.done.append(Lost(len(self.run.steps), broker))
        elif action.name == "close":
            broker = action.argument("broker")
            job = before.closing[broker][action.argument("number")]
            self.run.done.append(Closed(len(self.run.steps), broker, job.unit, job.record))
        self._serve(before, after)
        for broker, queue in self.under_way.items():
            while len(queue) < after.outbox[broker].length:
                publish = after.outbox[broker][len(queue) + 1]
                self.run.handed[len(self.run.steps), publish.unit] = publish.record
                queue.append(_Sent(self.publishes, len(self.run.steps)))
                self.publishes += 1
            assert len(queue) == after.outbox[broker].length, action
        self.run.steps.append(action)

    def _serve(self, before: State, after: State) -> None:
        for broker in self.under_way:
            for unit in range(1, after.bounds.units + 1):
                begins = after.serving[broker, unit]
                if begins != before.serving[broker, unit] and after.run[broker] == Run.UP:
                    self.run.done.append(Served(len(self.run.steps), broker, unit, begins))

    def _read(self, before: State, broker: int) -> Read:
        message = before.log[before.cursor[broker] + 1]
        place = len(self.run.appended) - before.log.length + before.cursor[broker]
        taken = takes(before, before.bounds.dialect, before.view[broker, message.unit], message.record)
        return Read(len(self.run.steps), broker, place, taken)

    def _append(self, before: State, action: Action, after: State) -> None:
        broker, publish = action.argument("broker"), written(before, action)
        queue = self.under_way[broker]
        place, is_resent = (1 if action.name == "overtake" else 0), action.name == "append_unacknowledged"
        sent = queue[place] if is_resent else queue.pop(place)
        held, holds = entries(before), entries(after)
        self.run.appended.append(
            Appended(
                publish.unit, publish.record, broker, self.process[broker], sent.step, len(self.run.steps),
                sent.number, is_resent, is_taken(held, holds, publish.unit, publish.record), held,
            )
        )  # fmt: skip


def is_taken(held: tuple[Record, ...], holds: tuple[Record, ...], unit: int, record: Record) -> bool:
    """Return whether *record* became the entry of *unit*: it is held now, and was not before (or deletes nothing)."""
    return holds[unit - 1] == record and (held != holds or record.version == 0)
