"""``Narrator`` describes a system to reports and pages in words; a system adds only its own."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from oneowner.model.kernel.bounds import Kind


class Narrator(ABC):
    """The words in which reports describe a system: its actors, its states, and the page's view of each actor."""

    actors: tuple[str, ...] = ()
    """The parameters of actions that name who takes a step; the first one that an action has counts."""

    @abstractmethod
    def start(self, bounds: Any) -> str:
        """Return the initial state on one line."""

    def within(self, bounds: Any, settings: Mapping[str, str]) -> list[str]:
        """Return the bounds in words, those that matter and those that are set anew (*settings*)."""
        numbers = [name for name, bound in bounds.described().items() if bound.kind != Kind.WORD]
        return [f"{name} {getattr(bounds, name)}" for name in numbers if getattr(bounds, name) or name in settings]

    @abstractmethod
    def standing(self, state: Any) -> list[str]:
        """Return how things stand, one line each: of every unit, who owns and who serves it."""

    def stands(self, state: Any) -> list[tuple[Any, ...]]:
        """Return what the lines of ``standing`` are about; a line is printed again when that has changed."""
        return [(line,) for line in self.standing(state)]

    @abstractmethod
    def alarms(self, state: Any) -> list[int]:
        """Return the lines, from 1 on, that a reader is to be alarmed by, such as two servers of one unit."""

    def value(self, bounds: Any, value: Any) -> str:
        """Return the value of a cell in words."""
        return str(value)

    def is_bookkeeping(self, bounds: Any, cell: str, words: str) -> bool:
        """Return whether a change of a cell, in words, follows from the step, so that a reader can do without it."""
        return False

    @abstractmethod
    def setting(self, bounds: Any) -> dict[str, Any]:
        """
        Return the page's data on the bounds.

        ``actor``: what a lane is of, such as ``broker``; ``lanes``: how many there are; ``verbs``: what it means that
        an actor begins to own something, and that it ends; ``place``: where it happens, in words.
        """

    def held(self, state: Any, actor: int) -> dict[str, str]:
        """Return an actor's possessions in a state, in words, by their kind; the words of an empty row are left out."""
        return {}

    def owners(self, state: Any) -> list[int]:
        """Return the actors that own something in a state: their lanes have a band."""
        return []

    def traffic(self, before: Any, action: Any, after: Any) -> dict[str, Any]:
        """
        Return the messages of a step, which the page draws as arrows; nothing if a system has none.

        ``published``: of each new message its actor, unit and words. ``appended``: of each that reached the channel its
        actor (0: none), unit, words, and whether the channel takes it. ``read``: of each actor that read one, the
        actor, and the message by its place in the window or by its unit. ``lost``: how many the window then forgets.
        """
        return {}

    def lane(self, state: Any) -> dict[str, Any]:
        """
        Return what the page shows of one state.

        ``owners``: the lines of ``standing``; ``twice``: the alarms; and of each lane ``serving``: the units that have
        a band in it, ``holds``: what its actor holds, by what it is. ``closing``, if actors close units: those that
        an actor serves no more and has not closed yet. ``lines``, if a system has them: what an actor may be, such as
        ``leading``, and of each lane that word if it is, another if it is so in part, else nothing.
        """
        actors = range(1, self.setting(state.bounds)["lanes"] + 1)
        return {
            "owners": self.standing(state),
            "twice": self.alarms(state),
            "serving": [[1] if actor in self.owners(state) else [] for actor in actors],
            "holds": [self.held(state, actor) for actor in actors],
        }
