"""
Laws are judged along a run: each is asked again only where a cell changed that it read.

A law is a function of cells and bounds alone. So while the cells that it read are as they were, so is its answer.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, cast

from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.cells import Cells
from oneowner.model.kernel.enabled import EnabledLaw
from oneowner.model.kernel.law import OnState, StateLaw, StepLaw

WHOLE: Final = -1
"""The place of a cell that is no element, and of an array that is read as a whole."""
ANYTHING: Final = ("", WHOLE)
"""The place of every change: a law that copies a state may have read any cell."""

Place = tuple[str, int]
"""A cell, and the index of its element, from 0."""


class ReadState:
    """A state that notes where it is read, by one law: a second read of a cell adds nothing, and is not noted."""

    def __init__(self, state: State, places: set[Place]) -> None:
        self.state, self.places, self.bounds = state, places, state.bounds

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.state, name)
        if isinstance(value, Cells):
            value = _ReadCells(name, value, self.places)
        else:
            self.places.add((name, WHOLE) if name in self.state.domains else ANYTHING)
        self.__dict__[name] = value
        return value

    def draft(self) -> State:
        """Return a draft that takes its cells from here."""
        twin = self.state.draft()
        twin._original = cast(State, self)
        return twin


class _ReadCells(Cells[Any]):
    """Cells of an array, and of a draft's copy of it, that note where they are read."""

    __slots__ = ("_name", "_read")

    def __init__(self, name: str, cells: Cells[Any], read: set[Place]) -> None:
        super().__init__(cells._places, cells._items)
        self._name, self._read = name, read

    def __getitem__(self, at: Any) -> Any:
        place = self._places.get(at)
        if place is None:
            raise self._refused(at)
        self._read.add((self._name, place))
        return self._items[place]

    def __iter__(self) -> Iterator[Any]:
        self._read.add((self._name, WHOLE))
        return super().__iter__()

    def key(self) -> tuple[Any, ...]:
        self._read.add((self._name, WHOLE))
        return super().key()

    def copy(self) -> Cells[Any]:
        return _ReadCells(self._name, super().copy(), self._read)


def changes(before: State, after: State) -> Iterator[Place]:
    """Yield the places in which two states of the same bounds differ."""
    given = vars(before)
    for name, value in vars(after).items():
        was = given[name]
        if value is was:
            continue
        if not isinstance(value, Cells):
            if value != was:
                yield name, WHOLE
        elif value.key() != was.key():
            yield name, WHOLE
            yield from ((name, place) for place, pair in enumerate(zip(value, was, strict=True)) if pair[0] != pair[1])


class _Case(NamedTuple):
    """A law of states, or its part about one action."""

    law: int
    when: OnState
    holds: OnState


class StateAnswers:
    """The answers of laws of states in a state that moves along a run."""

    def __init__(self, laws: Sequence[StateLaw]) -> None:
        self.occasions, self.breaches = [0] * len(laws), [0] * len(laws)
        """By law, the number of its cases that have an occasion, and that are broken."""
        self._laws = laws
        self._at: State | None = None
        self._cases: list[_Case] = []
        self._answers: list[tuple[bool, bool]] = []
        self._readers: dict[Place, set[int]] = {}

    def move(self, state: State) -> None:
        """Judge *state*."""
        if self._at is None:
            self._cases = [one for number, law in enumerate(self._laws) for one in _cases(number, law, state.bounds)]
            self._answers = [(False, False)] * len(self._cases)
            asked: Iterable[int] = range(len(self._cases))
        else:
            changed = list(changes(self._at, state))
            readers = (self._readers.pop(place, ()) for place in (*changed, *[ANYTHING] * bool(changed)))
            asked = sorted({case for some in readers for case in some})
        self._at = state
        for number in asked:
            self._ask(number, state)

    def _ask(self, number: int, state: State) -> None:
        places = set[Place]()
        law, when, holds = self._cases[number]
        read = ReadState(state, places)
        has_occasion = bool(when(read))
        answer = has_occasion, has_occasion and not holds(read)
        was, self._answers[number] = self._answers[number], answer
        self.occasions[law] += answer[0] - was[0]
        self.breaches[law] += answer[1] - was[1]
        for place in places:
            self._readers.setdefault(place, set()).add(number)


def _cases(number: int, law: StateLaw, bounds: Any) -> Iterator[_Case]:
    if isinstance(law, EnabledLaw):
        yield from (_Case(number, when, holds) for _, when, holds in law.by_action(bounds))
    else:
        yield _Case(number, law.when, law.holds)


class StepAnswers:
    """The laws of steps that have an occasion at a step."""

    def __init__(self, laws: Sequence[StepLaw]) -> None:
        self._laws = laws
        self._by_action: dict[tuple[str, tuple[tuple[str, int], ...]], list[StepLaw]] = {}

    def occasions(self, before: State, action: Action, after: State) -> Iterator[StepLaw]:
        """Yield the laws with an occasion; those that an action alone excludes are not asked again."""
        key = action.name, action.arguments
        possible = self._by_action.get(key)
        if possible is None:
            possible = [law for law in self._laws if not _is_excluded(law, before, action, after)]
            self._by_action[key] = possible
        return (law for law in possible if law.when(before, action, after))


def _is_excluded(law: StepLaw, before: State, action: Action, after: State) -> bool:
    """Return whether *law* has no occasion at any step of *action* in these bounds: it reads no cell to decide that."""
    places = set[Place]()
    return not law.when(ReadState(before, places), action, ReadState(after, places)) and not places
