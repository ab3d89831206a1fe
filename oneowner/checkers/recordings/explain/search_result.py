"""A search returns the explained steps and the states that it carries; predicates ask about one such state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from oneowner.checkers.recordings.explain.unit_groups import Append
from oneowner.model.channel.channel import forget_first as normalise
from oneowner.model.channel.channel import is_forgettable as needs_normalising
from oneowner.model.channel.channel import write
from oneowner.model.channel.parts import Run, Stage
from oneowner.model.channel.recovery import is_caught_up
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action


class RunStep(NamedTuple):
    """One step of an explanation."""

    action: Action | None
    """None: a record that is given, and that no broker of this model publishes."""
    words: str
    place: str
    """The message id, or the zxid, of the observation that shows it; empty: it is inferred."""
    before: State
    after: State

    def __str__(self) -> str:
        return f"{self.words}  # {self.place}" if self.place else self.words


Trail = tuple["Trail", RunStep] | None


class SearchNode(NamedTuple):
    """A state, and the path to it."""

    state: State
    inferred: int
    trail: Trail

    def then(self, one: Action, after: State) -> SearchNode:
        """Return the node of the state *after* an unobserved step."""
        return SearchNode(after, self.inferred + 1, (self.trail, RunStep(one, str(one), "", self.state, after)))

    def observed(self, one: Action, place: str, after: State) -> SearchNode:
        """Return the node of the state *after* the step that the observation at *place* shows."""
        return SearchNode(after, self.inferred, (self.trail, RunStep(one, str(one), place, self.state, after)))


def steps_of(node: SearchNode) -> list[RunStep]:
    """Return the steps by which a state was reached."""
    steps, trail = [], node.trail
    while trail is not None:
        trail, one = trail
        steps.append(one)
    return steps[::-1]


class Capped(Exception):
    """More states than are kept, or a bound of the model that was too small."""


@dataclass(slots=True)
class Explained:
    """The result of a search."""

    nodes: list[SearchNode]
    """States after the last step that is explained."""
    done: int
    """The number of explained observed steps."""
    widest: int = 1
    tried: list[State] = field(default_factory=list)
    """States in which the next step was not possible, for the explanation."""
    capped: str = ""
    owing: tuple[int, ...] = ()
    """Of an explained whole run: live brokers that cannot read the rest without publishing unobserved records."""


def is_first(state: State, seen: Append) -> bool:
    """Return whether the observed record is the next one in its publisher's outbox."""
    waiting = state.outbox[seen.written.broker]
    if waiting.length == 0:
        return False
    return waiting[1].unit == seen.unit and waiting[1].record == seen.written.record


def given(node: SearchNode, seen: Append) -> SearchNode:
    """Add a record to the log that no broker of this model has to publish."""
    state = node.state.copy()
    write(state, seen.unit, seen.written.record)
    while needs_normalising(state):
        normalise(state)
    shown = RunStep(None, f"given: {seen.written.record}", seen.written.place, node.state, state)
    return SearchNode(state, node.inferred, (node.trail, shown))


def is_past(actor: int, unit: int, state: State) -> bool:
    """Return whether the clean-up of *actor* by itself has dealt with *unit*."""
    return state.drained[actor, unit]


def cleans_up(actor: int, state: State) -> bool:
    """Return whether *actor* has scheduled the clean-up of some broker."""
    return any(state.cleaning[actor, gone] for gone in range(1, state.bounds.brokers + 1))


def is_settled(actor: int, state: State) -> bool:
    """Return whether *actor* has read everything and owes nothing."""
    if state.run[actor] != Run.UP or state.stage[actor] != Stage.RUNNING:
        return True
    return is_caught_up(state, actor) and state.outbox[actor].length == 0 and state.closing[actor].length == 0
