"""``Beside`` is the model beside the real classes in a run: the steps on offer, the state that real objects show."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from oneowner.checkers.real_classes.compared import Side, sides_of
from oneowner.checkers.real_classes.machine import TRY, Machine
from oneowner.checkers.real_classes.projection import shown
from oneowner.checkers.real_classes.refusals import Reason, budgets_of, can_refuse, why_refused
from oneowner.checkers.real_classes.steps import STEPS, Kind, command
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.state import State
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.law import StateLaw
from oneowner.model.kernel.state import put
from oneowner.model.kernel.system import actions, initial_states, step

SHOWN: Final = frozenset(
    {
        "run",
        "view",
        "serving",
        "asking",
        "changed",
        "outbox",
        "cursor",
        "log",
        "boundaries",
        "known",
        "node",
        "unregistered",
        "leader",
        "leader_read",
        "believes",
    }
)
"""The cells that real objects show, or that the script decides alone (``run``, the order of ``log``)."""


class Offer(NamedTuple):
    """A step that the script can offer in a state."""

    label: int
    after: State | None
    """The state of the model after it; None if the model refuses it."""
    guard: str = ""


class Beside:
    """The model within some bounds, and a JVM with the real classes."""

    def __init__(self, bounds: Bounds, machine: Machine) -> None:
        self.machine, self.actions = machine, actions(bounds)
        self._start: State = initial_states(bounds)[0]
        self._shown = shown(bounds)
        self.commands = [command(action) for action in self.actions]
        self._laws = [law for law in bounds.system.laws if isinstance(law, StateLaw)]
        self._cells: dict[str, set[str]] = {}

    def start(self) -> State:
        return self._start

    def text(self, state: State) -> str:
        """Return what real objects show in a state, as the harness prints it."""
        return self._shown.text(bytes(state.codes())) + "|"

    def key(self, state: State) -> tuple[object, ...]:
        """Return what tells states apart: what real objects show, and what is left of budgets."""
        return self.text(state), *(getattr(state, name) for name in budgets_of(state))

    def after(self, state: State, label: int) -> State | None:
        """Return the model's state after a step, or None if it refuses it or has no room for it."""
        try:
            return step(state, self.actions[label])
        except (Disabled, BoundReached):
            return None

    def successors(self, state: State) -> Iterator[State]:
        """Yield the states of the model after each step that it takes."""
        for label in range(len(self.actions)):
            if (after := self.after(state, label)) is not None:
                yield after

    def guard(self, state: State, label: int) -> str:
        """Return the guard of the real classes that refuses a step; empty if there is none to try."""
        if not can_refuse(self.actions[label]):
            return ""
        labels = [label]
        if STEPS[self.actions[label].name].kind == Kind.JOB:
            labels = [one for one, action in enumerate(self.actions) if STEPS[action.name].kind == Kind.JOB]
        why = why_refused(state, self.actions, labels)[label]
        return "" if isinstance(why, Reason) else why

    def offers(self, state: State) -> list[Offer]:
        """Return every step that the model takes, and those that it refuses by a guard of the real classes."""
        after = {label: self.after(state, label) for label in range(len(self.actions))}
        refused = [label for label, end in after.items() if end is None and can_refuse(self.actions[label])]
        guards = why_refused(state, self.actions, refused)
        taken = [Offer(label, end) for label, end in after.items() if end is not None]
        return taken + [Offer(label, None, why) for label, why in guards.items() if not isinstance(why, Reason)]

    def tried(self, offer: Offer) -> str:
        """Return a step as the harness reads it: one that the model refuses is tried."""
        return TRY * (offer.after is None) + self.commands[offer.label]

    def sides(self, state: State, real: str) -> tuple[Side, ...]:
        """Return the parts in which the real objects differ from a state."""
        return sides_of(self._shown.of(bytes(state.codes())), real)

    def kind(self, before: State, offer: Offer, real: str) -> tuple[str, str, tuple[str, ...]]:
        """Return the kind of a finding: its action, the guard, and the parts that differ."""
        sides = self.sides(before if offer.after is None else offer.after, real)
        parts = tuple(side.part.partition(", ")[2] for side in sides)
        return self.actions[offer.label].name, offer.guard, parts

    def departed(self, state: State, sides: Sequence[Side]) -> State | None:
        """Return a state with the differing parts as the real objects show them; None if they do not determine it."""
        draft = state.draft()
        for side in sides:
            if (found := self._shown.read_back(side.part, side.real)) is None:
                return None
            (name, numbers), value = found
            put(draft, name, numbers, value)
        departed: State = draft.completed()
        return departed

    def broken(self, state: State) -> set[str]:
        """Return the laws of states that fail in a state, and note the cells that they read."""
        found = set()
        for law in self._laws:
            draft = state.draft()
            if law.when(draft):
                if not law.holds(draft):
                    found.add(law.name)
                self._cells.setdefault(law.name, set()).update(vars(draft).keys() & draft.domains.keys())
        return found

    def laws_by_cells(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the laws that had an occasion: those that read what is shown alone, and the others."""
        own = {name for name, cells in self._cells.items() if cells <= SHOWN}
        return tuple(sorted(own)), tuple(sorted(self._cells.keys() - own))

    def ending(self, path: Sequence[int]) -> tuple[tuple[int, ...], State, Offer, str] | None:
        """
        Take a path, without the steps that the model refuses before the last one.

        Return the path, the state before its last step, that step, and what the real objects show then; None if they
        differ before.
        """
        state, kept, texts = self._start, [], []
        for label in path[:-1]:
            if (after := self.after(state, label)) is not None:
                kept.append(label)
                texts.append(self.text(after))
                state = after
        after = self.after(state, path[-1])
        guard = "" if after is not None else self.guard(state, path[-1])
        if after is None and not guard:
            return None
        offer = Offer(path[-1], after, guard)
        (states,) = self.machine.states([[*(self.commands[label] for label in kept), self.tried(offer)]])
        if states[:-1] != texts or states[-1] == self.text(state if after is None else after):
            return None
        return (*kept, path[-1]), state, offer, states[-1]

    def stack(self, path: Sequence[int]) -> tuple[str, ...]:
        """Return the calls of the real classes in the last step of a path."""
        return tuple(self.machine.explained([self.commands[label] for label in path])[1])
