"""``Classes`` are real ones in a JVM: they take runs of the model, and are compared after each step."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Self

from oneowner.checkers.real_classes.compared import COMPLAINT, Side, sides_of
from oneowner.checkers.real_classes.jars import Jars
from oneowner.checkers.real_classes.machine import Machine
from oneowner.checkers.real_classes.projection import shown
from oneowner.checkers.real_classes.steps import command, why_not
from oneowner.checkers.real_classes.walk import bounds_of
from oneowner.checkers.verdict import EngineError
from oneowner.model.channel.bounds import Bounds
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.state import State


class Ending(StrEnum):
    """The end of a run on the real classes."""

    AGREES = "agrees"
    """After each step they show what the model's state says."""
    DIFFERS = "differs"
    NOT_WALKED = "not walked"
    """Some step has no counterpart, or the model refuses the run itself."""


class Outcome(NamedTuple):
    """The outcome of one run on the real classes."""

    ending: Ending
    at: int = 0
    """The step after which they differ, counted from 1."""
    action: str = ""
    real: str = ""
    """The projection of the real objects after that step, as the harness prints it."""
    sides: tuple[Side, ...] = ()
    stack: tuple[str, ...] = ()
    """Calls of the real classes in that step, each with its stack."""
    why: str = ""
    """The reason that a run is not walked."""

    def like_neither(self) -> str:
        """Return why it decides nothing: it was not walked, or its last difference is none that was foreseen."""
        if not self.sides:
            return self.why
        last = self.sides[-1]
        shown = last.real if last.part == COMPLAINT else f"{last.part}: {last.real or '-'}"
        return f"step {self.at}, {self.action}, ends like neither rule: {shown}"


class Classes:
    """Real classes in one JVM, for runs of several bounds; the methods that they enter are added to *entered*."""

    def __init__(self, jars: Jars, entered: set[str] | None = None) -> None:
        self._jars, self._entered = jars, entered
        self._machine: Machine | None = None
        self._bounds: Mapping[str, object] = {}
        self._has_run = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._machine is not None:
            self._machine.__exit__(None, None, None)

    def take(self, run: Sequence[Action], states: Sequence[State]) -> Outcome:
        """Take a run whose states in the model are *states*, the initial one first."""
        bounds: Bounds = states[0].bounds
        if why := why_not(bounds, run):
            return Outcome(Ending.NOT_WALKED, why=why)
        try:
            machine = self._within(bounds)
            outcome = self._compared(machine, list(map(command, run)), run, states)
            if self._entered is not None:
                self._entered |= machine.entered()
        except EngineError as error:
            if not self._has_run:
                raise  # these classes do not run at all
            self.__exit__()
            self._machine = None
            return Outcome(Ending.NOT_WALKED, why=str(error))
        self._has_run = True
        return outcome

    @staticmethod
    def _compared(machine: Machine, words: list[str], run: Sequence[Action], states: Sequence[State]) -> Outcome:
        parts = shown(states[0].bounds)
        (real,) = machine.states([words])
        for number, (action, state, seen) in enumerate(zip(run, states[1:], real, strict=True), 1):
            codes = bytes(state.codes())
            if parts.text(codes) + "|" != seen:
                _, stack = machine.explained(words[:number])
                sides = sides_of(parts.of(codes), seen)
                return Outcome(Ending.DIFFERS, number, str(action), seen, sides, tuple(stack))
        return Outcome(Ending.AGREES)

    def _within(self, bounds: Bounds) -> Machine:
        wanted = bounds_of(bounds)
        if self._machine is None:
            self._machine = Machine(self._jars, wanted, traces_entries=self._entered is not None)
        elif wanted != self._bounds:
            self._machine.bound(wanted)
        self._bounds = wanted
        return self._machine
