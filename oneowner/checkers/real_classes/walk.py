"""``walk`` takes the edges of a model on the real classes, compares after each step, and explains what differs."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from oneowner.checkers.real_classes.choice import chosen
from oneowner.checkers.real_classes.compared import Difference, Walker
from oneowner.checkers.real_classes.edges import edges_within
from oneowner.checkers.real_classes.jars import Jars
from oneowner.checkers.real_classes.judged import laws_there
from oneowner.checkers.real_classes.machine import Machine
from oneowner.checkers.real_classes.projection import is_held_to_rules, shown
from oneowner.checkers.real_classes.refusals import refusals
from oneowner.checkers.real_classes.tours import Tours
from oneowner.checkers.real_classes.tries import Tries, attempted
from oneowner.model.channel.bounds import Bounds

MOST_STATES: Final = 300_000
"""States of the largest graph that is walked whole."""
BATCH: Final = 256
"""Runs that are given at once."""
ENOUGH: Final = 200
"""Edges that differ, after which a walk ends: most have one cause."""
FLAGS: Final = (
    "splits", "multi_phase", "lookups", "beliefs", "leader_caches", "safe_mode", "late_call_offs", "empties_views",
    "shutdowns", "system_units", "compactions",
)  # fmt: skip


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
    tries: Tries = field(default_factory=Tries)

    @property
    def is_complete(self) -> bool:
        return self.is_whole and not self.beyond and 0 < self.walked == self.all_edges


def walk(
    bounds: Bounds,
    jars: Jars,
    budget: int | None = None,
    on_progress: Callable[[str], None] | None = None,
    entered: set[str] | None = None,
    refused: int = 0,
) -> Walk:
    """
    Walk all edges within *bounds*, or as many as the *budget* allows; try at most *refused* steps that are refused.

    The methods that are *entered* are added.
    """
    edges = edges_within(bounds, MOST_STATES, on_progress)
    total = len(edges.sources)
    wanted = chosen(edges, shown(bounds), total if budget is None else budget)
    result = Walk(total, edges.is_whole, edges.beyond)
    with Machine(jars, bounds_of(bounds), traces_entries=entered is not None) as machine:
        walker = Walker(bounds, edges)
        list(machine.states([walker.in_words([0])]))  # the JVM starts; the walk's time does not hold that
        tours = Tours(edges, wanted)
        _walk(walker, machine, tours, result, on_progress)
        if refused:
            began = time.monotonic()
            chosen_steps = refusals(edges, bounds, refused)
            result.tries, found = attempted(walker, machine, tours, chosen_steps, on_progress)
            result.differences = sorted([*result.differences, *found], key=lambda one: len(one.path))
            result.seconds += time.monotonic() - began
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
