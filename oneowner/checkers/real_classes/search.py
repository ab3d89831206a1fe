"""
``breadth_first`` and ``at_random`` search the real classes, beyond the graph of the model, which follows beside them.

A step that the model takes must end as the model says. A step that it refuses and the real classes take is a finding:
where the parts of the projection that differ determine their cells, the model's state is set to what the real objects
show, its laws are asked of that state, and a breadth-first search goes on from there.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from oneowner.checkers.real_classes.beside import Beside, Offer
from oneowner.checkers.real_classes.compared import Difference, Side
from oneowner.checkers.real_classes.machine import TRY
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action

BATCH: Final = 32
LENGTH: Final = 120
"""Steps of a random walk."""
SHARE: Final = 64
"""One of so many steps that the model refuses is tried in a random walk."""
PATIENCE: Final = 200
"""Steps that are refused in a row, after which a random walk ends."""


class Finding(NamedTuple):
    """A step of the real classes that the model does not take, or takes otherwise."""

    difference: Difference
    laws: tuple[str, ...]
    """The laws of states that hold before it, and not after it."""
    is_judged: bool
    """False if the projection does not determine the state after it, so that no law is asked."""


@dataclass(slots=True)
class Search:
    """The result of a search."""

    states: int = 0
    steps: int = 0
    tried: int = 0
    seconds: float = 0.0
    is_complete: bool = False
    """True if no state is left within the bounds."""
    findings: list[Finding] = field(default_factory=list)
    broken: Counter[str] = field(default_factory=Counter)
    """Laws of states that fail after steps that agree, as the model has it too, with the number of states."""
    behind: dict[str, tuple[Action, ...]] = field(default_factory=dict)
    """Laws that fail in a state behind a finding, with the shortest path."""
    judged: set[tuple[int, bool]] = field(default_factory=set)
    """The hashes of the states that the laws were asked of."""
    shown_laws: tuple[str, ...] = ()
    """The laws that were asked and read nothing but what real objects show."""
    other_laws: tuple[str, ...] = ()
    """Those that read cells of the model too."""

    def judge(self, beside: Beside, path: tuple[int, ...], state: State, is_behind: bool) -> None:
        """Ask the laws of a state at the end of a path, once."""
        mark = hash(bytes(state.codes())), is_behind
        if mark in self.judged:
            return
        self.judged.add(mark)
        broken = beside.broken(state)
        if not is_behind:
            self.broken.update(broken)
        for law in broken if is_behind else ():
            self.behind.setdefault(law, tuple(beside.actions[label] for label in path))


class _Node(NamedTuple):
    path: tuple[int, ...]
    state: State
    is_behind: bool = False
    """True if a finding is on the path."""


class _Kind(NamedTuple):
    action: str
    guard: str
    parts: tuple[str, ...]


class _Seen:
    """The findings of a search, the shortest of each kind."""

    def __init__(self, beside: Beside) -> None:
        self.beside = beside
        self.counts: Counter[_Kind] = Counter()
        self.first: dict[_Kind, tuple[tuple[int, ...], State, str]] = {}

    def add(self, path: tuple[int, ...], before: State, offer: Offer, real: str) -> None:
        """Note a finding at the end of a path."""
        kind = self.beside.kind(before, offer, real)
        self.counts[_Kind(*kind)] += 1
        old = self.first.get(_Kind(*kind))
        if old is None or len(path) < len(old[0]):
            self.first[_Kind(*kind)] = (path, before, real)

    def findings(self, shrinks: bool) -> Iterator[Finding]:
        """Explain one finding of each kind, the shortest path first."""
        for kind, (path, before, real) in sorted(self.first.items(), key=lambda row: len(row[1][0])):
            short = self._shrunk(path, kind) if shrinks else None
            yield self._explained(kind, *(short or (path, before, real)))

    def _explained(self, kind: _Kind, path: tuple[int, ...], before: State, real: str) -> Finding:
        beside = self.beside
        expected = beside.after(before, path[-1]) or before
        sides: tuple[Side, ...] = beside.sides(expected, real)
        stack = beside.stack(path)
        actions = tuple(beside.actions[label] for label in path)
        difference = Difference(kind.action, self.counts[kind], actions, sides, stack, guard=kind.guard)
        departed = beside.departed(expected, sides)
        if departed is None:
            return Finding(difference, (), False)
        return Finding(difference, tuple(sorted(beside.broken(departed) - beside.broken(before))), True)

    def _shrunk(self, path: tuple[int, ...], kind: _Kind) -> tuple[tuple[int, ...], State, str] | None:
        """Drop steps of a path as long as it ends with a finding of the same kind (delta debugging)."""
        found, size = None, max(1, len(path) // 2)
        while True:
            end, length = len(path) - 1, len(path)
            while end > 0:
                start = max(0, end - size)
                shorter = self.beside.ending(path[:start] + path[end:])
                if shorter is not None and self.beside.kind(*shorter[1:]) == kind:
                    path, found = shorter[0], (shorter[0], shorter[1], shorter[3])
                end = min(start, len(path) - 1)
            if size == 1 and len(path) == length:
                return found
            size = max(1, size // 2)


def breadth_first(beside: Beside, most: int, on_progress: Callable[[str], None] | None = None) -> Search:
    """Search breadth first up to *most* states, told apart by their projection and what is left of budgets."""
    began, result, seen = time.monotonic(), Search(), _Seen(beside)
    start = beside.start()
    todo = [_Node((), start)]
    known = {beside.key(start)}
    while todo and len(known) < most:
        batch, todo = todo[:BATCH], todo[BATCH:]
        offers = [beside.offers(node.state) for node in batch]
        runs = [
            [*(beside.commands[label] for label in node.path), *(TRY + beside.commands[one.label] for one in several)]
            for node, several in zip(batch, offers, strict=True)
        ]
        for node, several, answers in zip(batch, offers, beside.machine.states(runs), strict=True):
            result.steps += len(several)
            ends = {beside.text(offer.after) for offer in several if offer.after is not None}
            for offer, real in zip(several, answers[len(node.path) :], strict=True):
                result.tried += offer.after is None
                after, is_behind = offer.after if offer.after is not None else node.state, node.is_behind
                if beside.text(after) != real and (offer.after is not None or real not in ends):
                    seen.add((*node.path, offer.label), node.state, offer, real)
                    departed = beside.departed(after, beside.sides(after, real))
                    if departed is None:
                        continue
                    after, is_behind = departed, True
                elif offer.after is None:
                    continue
                if beside.key(after) not in known:
                    known.add(beside.key(after))
                    todo.append(_Node((*node.path, offer.label), after, is_behind))
                    result.judge(beside, todo[-1].path, after, is_behind)
        if on_progress is not None:
            on_progress(f"{len(known):,} states, {len(todo):,} to go")
    result.states, result.is_complete = len(known), not todo
    return _ended(result, seen, began, shrinks=False)


def at_random(beside: Beside, steps: int, seed: int, on_progress: Callable[[str], None] | None = None) -> Search:
    """Walk at random, about so many steps in all, and try some of those that the model refuses on the way."""
    began, result, seen, chance = time.monotonic(), Search(), _Seen(beside), random.Random(seed)
    while result.steps < steps:
        left = steps - result.steps
        walks = [list(_walk(beside, chance, min(LENGTH, left))) for _ in range(min(BATCH, -(-left // LENGTH)))]
        words = [[beside.tried(offer) for _, offer in walk] for walk in walks]
        for walk, answers in zip(walks, beside.machine.states(words), strict=True):
            path: tuple[int, ...] = ()
            for (before, offer), real in zip(walk, answers, strict=True):
                expected = before if offer.after is None else offer.after
                if beside.text(expected) != real and not (
                    offer.after is None and any(beside.text(one) == real for one in beside.successors(before))
                ):
                    seen.add((*path, offer.label), before, offer, real)
                    if offer.after is not None:
                        break
                if offer.after is not None:
                    path = (*path, offer.label)
                    result.judge(beside, path, offer.after, False)
            result.steps += len(path)
            result.tried += sum(offer.after is None for _, offer in walk)
        if not any(walks):
            break
        if on_progress is not None:
            on_progress(f"{result.steps:,} of {steps:,} steps")
    return _ended(result, seen, began, shrinks=True)


def _walk(beside: Beside, chance: random.Random, length: int) -> Iterator[tuple[State, Offer]]:
    """Yield the steps of a random walk of the model, and some that it refuses, each with the state before it."""
    state, taken, refused = beside.start(), 0, 0
    while taken < length and refused < PATIENCE:
        label = chance.randrange(len(beside.actions))
        after = beside.after(state, label)
        if after is not None:
            yield state, Offer(label, after)
            state, taken, refused = after, taken + 1, 0
            continue
        refused += 1
        if chance.randrange(SHARE) == 0 and (guard := beside.guard(state, label)):
            yield state, Offer(label, None, guard)


def _ended(result: Search, seen: _Seen, began: float, shrinks: bool) -> Search:
    result.findings = list(seen.findings(shrinks))
    result.behind = {law: path for law, path in result.behind.items() if law not in result.broken}
    result.shown_laws, result.other_laws = seen.beside.laws_by_cells()
    result.seconds = time.monotonic() - began
    return result
