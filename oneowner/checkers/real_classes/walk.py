"""``walk`` takes the edges of a model on the real classes, compares after each step, and explains what differs."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from oneowner.checkers.real_classes.choice import chosen
from oneowner.checkers.real_classes.edges import Edges, edges_within
from oneowner.checkers.real_classes.jars import Jars
from oneowner.checkers.real_classes.judged import laws_there
from oneowner.checkers.real_classes.machine import Machine
from oneowner.checkers.real_classes.projection import is_held_to_rules, shown
from oneowner.checkers.real_classes.steps import command
from oneowner.checkers.real_classes.tours import Tours
from oneowner.model.channel.bounds import Bounds
from oneowner.model.kernel.action import Action

MOST_STATES: Final = 300_000
"""States of the largest graph that is walked whole."""
BATCH: Final = 256
"""Runs that are given at once."""
ENOUGH: Final = 200
"""Edges that differ, after which a walk ends: most have one cause."""
COMPLAINT: Final = "the harness"
FLAGS: Final = (
    "splits", "multi_phase", "lookups", "beliefs", "leader_caches", "safe_mode", "late_call_offs", "empties_views",
    "shutdowns", "system_units", "compactions",
)  # fmt: skip


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


@dataclass(slots=True)
class Walk:
    """The result of a walk."""

    all_edges: int
    is_whole: bool
    """False if the graph has more edges, of states beyond the largest number."""
    beyond: str
    """A bound that some step would need to be larger; empty if none does."""
    walked: int = 0
    steps: int = 0
    seconds: float = 0.0
    by_action: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Of each action, the edges that were walked and all of them; one without an edge is never enabled."""
    differences: list[Difference] = field(default_factory=list)
    differing: int = 0

    @property
    def is_complete(self) -> bool:
        return self.is_whole and not self.beyond and 0 < self.walked == self.all_edges


def sides_of(model: Sequence[tuple[str, str]], real: str) -> tuple[Side, ...]:
    """Return the parts of a state that differ from what the real objects show."""
    *words, complaint = real.split("|")
    if len(words) != len(model):  # the real objects show no state
        return (Side(COMPLAINT, "", real),)
    found = [Side(name, one, other) for (name, one), other in zip(model, words, strict=True) if one != other]
    return (*found, *([Side(COMPLAINT, "", complaint)] if complaint else []))


class Walker:
    """The words of a graph: its steps for the harness, its states as the real objects show them."""

    def __init__(self, bounds: Bounds, edges: Edges) -> None:
        self.bounds, self.edges = bounds, edges
        self._projection = shown(bounds)
        self._texts = [self._projection.text(codes) + "|" for codes in edges.codes]
        self._commands = [command(action) for action in edges.actions]
        self._sources, self._labels = edges.sources.tolist(), edges.labels.tolist()
        self.targets = edges.targets.tolist()

    def in_words(self, run: Sequence[int]) -> list[str]:
        """Return the steps of a run."""
        return [self._commands[self._labels[edge]] for edge in run]

    def first_difference(self, run: Sequence[int], states: Sequence[str]) -> int | None:
        """Return the first step after which the real objects differ, counted from 0."""
        pairs = zip(run, states, strict=True)
        return next((at for at, (edge, state) in enumerate(pairs) if self._texts[self.targets[edge]] != state), None)

    def sides(self, edge: int, real: str) -> tuple[Side, ...]:
        """Return the parts of the state after *edge* that differ."""
        return sides_of(self._projection.of(self.edges.codes[self.targets[edge]]), real)

    def action(self, edge: int) -> Action:
        found: Action = self.edges.actions[self._labels[edge]]
        return found

    def source(self, edge: int) -> int:
        return int(self._sources[edge])


def walk(
    bounds: Bounds,
    jars: Jars,
    budget: int | None = None,
    on_progress: Callable[[str], None] | None = None,
    entered: set[str] | None = None,
) -> Walk:
    """Walk all edges within *bounds*, or as many as the *budget* allows; add the methods that are *entered*."""
    edges = edges_within(bounds, MOST_STATES, on_progress)
    total = len(edges.sources)
    wanted = chosen(edges, shown(bounds), total if budget is None else budget)
    result = Walk(total, edges.is_whole, edges.beyond)
    with Machine(jars, bounds_of(bounds), traces_entries=entered is not None) as machine:
        walker = Walker(bounds, edges)
        list(machine.states([walker.in_words([0])]))  # the JVM starts; the walk's time does not hold that
        _walk(walker, machine, Tours(edges, wanted), result, on_progress)
        if entered is not None:
            entered |= machine.entered()
    return result


def bounds_of(bounds: Bounds) -> dict[str, object]:
    """Return the bounds that the harness needs."""
    names = ("brokers", "units", "owner", "storage")
    flags = {name: int(getattr(bounds, name) > 0) for name in FLAGS}
    own = {"version": bounds.owned_version, "persistent": int(not bounds.rules.ephemeral_registration)}
    own["rules"] = int(is_held_to_rules(bounds))
    own["overrides_again"] = int(bounds.rules.overrides_again)
    return {name: getattr(bounds, name) for name in names} | flags | own


def _walk(
    walker: Walker, machine: Machine, tours: Tours, result: Walk, on_progress: Callable[[str], None] | None
) -> None:
    began = time.monotonic()
    done: set[int] = set()
    differing: dict[int, tuple[list[int], str]] = {}
    while len(differing) < ENOUGH and (runs := list(tours.runs(BATCH))):
        found = len(differing)
        answers = machine.states([walker.in_words(run) for run in runs])
        for run, states in zip(runs, answers, strict=True):
            at = walker.first_difference(run, states)
            done.update(run if at is None else run[:at])
            result.steps += len(run) if at is None else at + 1
            if at is not None:
                differing.setdefault(run[at], (run[: at + 1], states[at]))
                tours.broken(run, at)
        if len(differing) > found:
            tours.renew()
        if on_progress is not None:
            on_progress(f"{len(done) + len(differing):,} of {result.all_edges:,} edges")
    result.seconds = time.monotonic() - began
    result.walked, result.differing = len(done | differing.keys()), len(differing)
    _count(walker, result, done | differing.keys())
    result.differences = explained(walker, machine, tours, differing)


def _count(walker: Walker, result: Walk, done: set[int]) -> None:
    everything = Counter({action.name: 0 for action in walker.edges.actions})
    everything.update(walker.action(edge).name for edge in range(result.all_edges))
    walked = Counter(walker.action(edge).name for edge in done)
    result.by_action = {name: (walked[name], count) for name, count in sorted(everything.items())}


def explained(
    walker: Walker, machine: Machine, tours: Tours, differing: Mapping[int, tuple[list[int], str]]
) -> list[Difference]:
    """
    Return one difference of each kind, with the shortest path to it, the shortest first.

    *differing* has, for each edge that differs, the run to it and what the real objects show at its end.
    """
    kinds: dict[object, list[int]] = {}
    for edge, (_, state) in differing.items():
        kind = walker.action(edge).name, tuple(side.part.partition(", ")[2] for side in walker.sides(edge, state))
        kinds.setdefault(kind, []).append(edge)
    found = []
    for edges in kinds.values():
        edge = min(edges, key=lambda one: (len(tours.way(walker.source(one))), one))
        short = [*tours.way(walker.source(edge)), edge]
        found.append(_shortest(walker, machine, short, *differing[edge], len(edges)))
    return sorted(found, key=lambda one: len(one.path))


def _shortest(
    walker: Walker, machine: Machine, short: list[int], walked: list[int], state: str, count: int
) -> Difference:
    """
    Explain the shortest path to an edge, or where it shows no difference, as real objects remember more, the run.

    A difference that comes on neither again is shown as it was first seen, without calls.
    """
    run, stack = walked, []
    for tried in (short, walked):
        states, calls = machine.explained(walker.in_words(tried))
        at = walker.first_difference(tried, states)
        if at is not None:
            run, state, stack = tried[: at + 1], states[at], calls
            if at < len(tried) - 1:
                _, stack = machine.explained(walker.in_words(run))
            break
    path = tuple(walker.action(edge) for edge in run)
    sides = walker.sides(run[-1], state)
    laws = laws_there(walker.bounds, path, [(side.part, side.real) for side in sides]) or ()
    return Difference(path[-1].name, count, path, sides, tuple(stack), tuple(laws))
