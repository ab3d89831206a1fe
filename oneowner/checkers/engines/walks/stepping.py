"""A stepper takes a model one step at a time, whatever a state is: natively, or by generated Python."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.compile.python_scalar import emit
from oneowner.checkers.engines.compile.watched import At, unheard
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.language import OutOfDomain
from oneowner.model.kernel.law import Law, StateLaw, Witness
from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import actions, initial_states, step

S = TypeVar("S")

Answer = tuple[str, bool]
"""The name of a law that had an occasion, and whether it is broken; or of a witness, and whether it is reached."""


class Beyond(Exception):
    """A step needs more than the bound of this name holds."""


class Outside(Exception):
    """A step writes a value outside its domain."""


class Stepper(ABC, Generic[S]):
    """The part of a model that a walk needs."""

    def __init__(self, bounds: Bounds, laws: Sequence[Law], witnesses: Sequence[Witness]) -> None:
        self.actions = actions(bounds)
        self.laws, self.witnesses = laws, witnesses

    @abstractmethod
    def initial(self) -> Sequence[S]:
        """Return the initial states."""

    @abstractmethod
    def take(self, state: S, number: int) -> S | None:
        """Return the state after an action, None if it is disabled; raise Beyond or Outside."""

    @abstractmethod
    def of_state(self, state: S) -> Iterator[Answer]:
        """Judge a state."""

    @abstractmethod
    def of_step(self, before: S, number: int, after: S) -> Iterator[Answer]:
        """Judge a step."""

    @abstractmethod
    def codes(self, state: S) -> bytes:
        """Return the flat form of a state; raise Outside if it has none."""


class Native(Stepper[State]):
    """The model's own functions on plain values."""

    def __init__(self, bounds: Bounds, laws: Sequence[Law], witnesses: Sequence[Witness]) -> None:
        super().__init__(bounds, laws, witnesses)
        self._initial = initial_states(bounds)

    def initial(self) -> Sequence[State]:
        return self._initial

    def take(self, state: State, number: int) -> State | None:
        try:
            return step(state, self.actions[number])
        except Disabled:
            return None
        except BoundReached as reached:
            raise Beyond(reached.bound) from None

    def of_state(self, state: State) -> Iterator[Answer]:
        for law in self.laws:
            if isinstance(law, StateLaw) and law.when(state):
                yield law.name, not law.holds(state)

    def of_step(self, before: State, number: int, after: State) -> Iterator[Answer]:
        action = self.actions[number]
        for law in self.laws:
            if not isinstance(law, StateLaw) and law.when(before, action, after):
                yield law.name, not law.holds(before, action, after)
        for witness in self.witnesses:
            if witness.reached(before, action, after):
                yield witness.name, True

    def codes(self, state: State) -> bytes:
        try:
            return bytes(state.codes())
        except OutOfDomain:
            raise Outside from None


class Generated(Stepper[bytes]):
    """The traced model as generated Python."""

    def __init__(self, bounds: Bounds, laws: Sequence[Law], witnesses: Sequence[Witness], at: At = unheard) -> None:
        super().__init__(bounds, laws, witnesses)
        program = trace(bounds, laws, witnesses, at=at)
        space: dict[str, Any] = {}
        exec(compile(emit(program), "<generated model>", "exec"), space)
        self._actions, self._judge, self._judge_state = space["actions"], space["judge"], space["judge_state"]
        self._normalise = space["normalise"]
        self._state_names = [check.name for check in program.state_laws]
        self._step_names = [[check.name for check in checks] for checks in program.step_checks]
        self._initial = [bytes(codes) for codes in program.initial]

    def initial(self) -> Sequence[bytes]:
        return self._initial

    def take(self, state: bytes, number: int) -> bytes | None:
        after: bytes | str | None = self._actions[number](state)
        if isinstance(after, str) and after:
            raise Beyond(after)
        while isinstance(after, bytes):
            further: bytes | str | None = self._normalise(after)
            if further is None:
                return after
            after = further
        if after is not None:
            raise Outside
        return None

    def of_state(self, state: bytes) -> Iterator[Answer]:
        return _answers(self._state_names, self._judge_state(state))

    def of_step(self, before: bytes, number: int, after: bytes) -> Iterator[Answer]:
        return _answers(self._step_names[number], self._judge[number](before, after))

    def codes(self, state: bytes) -> bytes:
        return state


def _answers(names: Sequence[str], answers: Sequence[int]) -> Iterator[Answer]:
    for name, answer in zip(names, answers, strict=True):
        if answer:
            yield name, answer == 2
