"""
These functions exchange two brokers, or two units, everywhere in a state: in slots, in actions, and in C.

Things of one kind that are interchangeable in some initial state form a class. Its permutations, and those of the other
classes, carry a state to the other states of its orbit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from oneowner.checkers.engines.compile.program import Place, Program
from oneowner.model.kernel.action import Action


@dataclass(frozen=True)
class Exchange:
    """Two things of one kind change places."""

    kind: str
    one: int
    other: int
    places: tuple[Place, ...]
    sorts: Mapping[str, str]
    """Of every parameter of an action that numbers things of a sort, the sort."""

    def __str__(self) -> str:
        return f"{self.kind} {self.one} and {self.kind} {self.other}"

    def number(self, value: int) -> int:
        """Return what *value*, which numbers things of the kind, becomes."""
        return {self.one: self.other, self.other: self.one}.get(value, value)

    @cached_property
    def origin(self) -> tuple[int, ...]:
        """For every slot, the slot that its value comes from."""
        slots = {place.path: slot for slot, place in enumerate(self.places)}
        return tuple(slots[tuple(map(self._at, place.path))] for place in self.places)

    def _at(self, step: object) -> object:
        if isinstance(step, tuple) and step[0] == self.kind:
            return self.kind, self.number(step[1])
        return step

    def codes(self, codes: Sequence[int]) -> tuple[int, ...]:
        """Return the state after the exchange, as codes."""
        return tuple(
            self.number(codes[slot] + place.low) - place.low if self.is_renamed(slot, codes) else codes[slot]
            for slot, place in zip(self.origin, self.places, strict=True)
        )

    def is_renamed(self, slot: int, codes: Sequence[int]) -> bool:
        """Return whether the value of a slot names a thing of the kind: it is of the kind, and in use."""
        used = self.length_of(slot)
        return self.places[slot].kind == self.kind and (used is None or codes[used[0]] >= used[1])

    def length_of(self, slot: int) -> tuple[int, int] | None:
        """
        Return the slot of the length of the sequence that *slot* is in, and how long that is if *slot* is in use.

        None if it is in no sequence, or if an unused value stays what it is whatever it is called.
        """
        unused = self.places[slot].low
        return None if self.number(unused) == unused else length_of(self.places, slot)

    def action(self, action: Action, among: Sequence[Action]) -> int | None:
        """Return the number of the action that does for the exchanged things what *action* does; None if none does."""
        arguments = tuple(
            (name, self.number(value) if self.sorts.get(name) == self.kind else value)
            for name, value in action.arguments
        )
        found = [at for at, other in enumerate(among) if (other.name, other.arguments) == (action.name, arguments)]
        return found[0] if found else None


def length_of(places: Sequence[Place], slot: int) -> tuple[int, int] | None:
    """Return the slot of the length of the sequence that *slot* is in, and how long that is if *slot* is in use."""
    path = places[slot].path
    numbers = [at for at, step in enumerate(path) if isinstance(step, int)]
    if not numbers:
        return None
    length = next(at for at, other in enumerate(places) if other.path == path[: numbers[-1]])
    return length, int(str(path[numbers[-1]]))


@dataclass(frozen=True, slots=True)
class Interchangeable:
    """A class of at least two things of one kind that are interchangeable in the initial states."""

    kind: str
    members: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.kind}s {', '.join(map(str, self.members))}"

    def neighbours(self, program: Program) -> list[Exchange]:
        """Return exchanges that make up every permutation of the class."""
        pairs = zip(self.members, self.members[1:], strict=False)
        return [Exchange(self.kind, *pair, program.places, program.sorts) for pair in pairs]


def classes(program: Program, kinds: Iterable[str]) -> list[Interchangeable]:
    """Return the classes of these kinds; a thing that is like no other is in none."""
    found = []
    for kind in kinds:
        members = range(1, max((place.low + place.size for place in program.places if place.kind == kind), default=1))
        waiting = list(members)
        while waiting:
            first, *rest = waiting
            alike = [
                first,
                *(
                    other
                    for other in rest
                    if _keeps_initial(program, Exchange(kind, first, other, program.places, program.sorts))
                ),
            ]
            waiting = [other for other in rest if other not in alike]
            if len(alike) > 1:
                found.append(Interchangeable(kind, tuple(alike)))
    return found


def _keeps_initial(program: Program, exchange: Exchange) -> bool:
    return {exchange.codes(codes) for codes in program.initial} == set(program.initial)
