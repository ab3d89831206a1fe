"""``Walker`` has the model's side of every step of a graph, in the words of the harness."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from oneowner.checkers.real_classes.edges import Edges
from oneowner.checkers.real_classes.projection import shown
from oneowner.checkers.real_classes.steps import command
from oneowner.model.channel.bounds import Bounds
from oneowner.model.kernel.action import Action

COMPLAINT: Final = "the harness"


class Side(NamedTuple):
    """A part of a state, as the model has it and as the real objects have it."""

    part: str
    model: str
    real: str


class Difference(NamedTuple):
    """Edges whose action and differing parts are the same; *path* is the shortest to one of them, its step the last."""

    action: str
    edges: int
    path: tuple[Action, ...]
    sides: tuple[Side, ...]
    stack: tuple[str, ...]
    """The calls of the real classes in the last step, each with its stack."""
    laws: tuple[str, ...] = ()
    """The laws that fail in the state of the real objects, and not in that of the model."""
    guard: str = ""
    """The guard by which the model refuses the last step, which the real classes take; empty for an edge."""


def sides_of(model: Sequence[tuple[str, str]], real: str) -> tuple[Side, ...]:
    """Return the parts of a state that differ from what the real objects show."""
    *words, complaint = real.split("|")
    if len(words) != len(model):  # the real objects show no state
        return (Side(COMPLAINT, "", real),)
    found = [Side(name, one, other) for (name, one), other in zip(model, words, strict=True) if one != other]
    return (*found, *([Side(COMPLAINT, "", complaint)] if complaint else []))


class Walker:
    """The edges of a graph as runs of the harness, and the states after them."""

    def __init__(self, bounds: Bounds, edges: Edges) -> None:
        self.bounds, self.edges = bounds, edges
        self._projection = shown(bounds)
        self.texts = [self._projection.text(codes) + "|" for codes in edges.codes]
        self.commands = [command(action) for action in edges.actions]
        self.sources, self.labels = edges.sources.tolist(), edges.labels.tolist()
        self.targets = edges.targets.tolist()

    def in_words(self, run: Sequence[int]) -> list[str]:
        """Return the steps of a run."""
        return [self.commands[self.labels[edge]] for edge in run]

    def first_difference(self, run: Sequence[int], states: Sequence[str]) -> int | None:
        """Return the first step after which the real objects differ, counted from 0."""
        pairs = zip(run, states, strict=True)
        return next((at for at, (edge, state) in enumerate(pairs) if self.texts[self.targets[edge]] != state), None)

    def sides(self, edge: int, real: str) -> tuple[Side, ...]:
        """Return the parts of the state after *edge* that differ."""
        return self.sides_at(self.targets[edge], real)

    def sides_at(self, state: int, real: str) -> tuple[Side, ...]:
        """Return the parts of a state that differ."""
        return sides_of(self._projection.of(self.edges.codes[state]), real)

    def action(self, edge: int) -> Action:
        found: Action = self.edges.actions[self.labels[edge]]
        return found

    def source(self, edge: int) -> int:
        return int(self.sources[edge])
