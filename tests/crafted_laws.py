"""The shape of crafted cases: each breaks one law, and the state or the step that it was made from does not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import System

Cells = dict[str, Any]


Step = tuple[Cells, str, Cells]
"""The cells of a state; an action, by its name, with its parameters or without (any action without a name); changes."""


@dataclass(frozen=True)
class LawCases:
    """The crafted cases of one system's laws, by the name of the law."""

    system: System
    start: State
    """A state in bounds that leave room for every case."""
    states: dict[str, Cells] = field(default_factory=dict)
    """Cells of a state that breaks the law."""
    steps: Mapping[str, Step] = field(default_factory=dict)
    """A step that breaks the law: its changes are made to the state before it."""
    taken: Mapping[str, Step] = field(default_factory=dict)
    """An enabled step that keeps the law, and changes to the state after it that break the law."""
    innocent: Mapping[str, Step] = field(default_factory=dict)
    """A step that the law judges, and that keeps it."""
    liveness: dict[str, Cells] = field(default_factory=dict)
    """By law of runs, cells of a state that may not last."""
    excused: Mapping[str, Sequence[Cells]] = field(default_factory=dict)
    """Changes to the state of a case, by its law: with each, the law holds."""
    unasked: Mapping[str, Sequence[Cells]] = field(default_factory=dict)
    """Changes to the state of a case, by its law: with each, the law has no occasion."""
    in_bounds: Mapping[str, Any] = field(default_factory=dict)
    """The bounds of a law's cases where they are not those of `start`."""
    spare_switches: frozenset[str] = frozenset()
    """Switches of the rules that no fault turns."""
    shared_switches: frozenset[str] = frozenset()
    """Switches that several faults or repairs turn; every other one is turned by one."""

    def start_of(self, name: str) -> State:
        """Return the state that the cases of a law begin with."""
        return type(self.start)(self.in_bounds[name]) if name in self.in_bounds else self.start
