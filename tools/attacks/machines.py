"""
State machines of Hypothesis over the native model: every family, at sizes that no search can visit.

A machine has one rule, to take a step, and the rule's choices are the model's actions; the laws are judged by the
native engine (``engines/walks/stepping.py``). So there is nothing about Pulsar here. Asserted are the laws that
``oneowner explore FAMILY --set ..`` would assert: all but those that are known to fail, in that family or at all.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis import target
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from oneowner.checkers.catalogue.families import bounds_under, families
from oneowner.checkers.catalogue.family import Family, bounds_with
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.engines.walks.stepping import Answer, Beyond, Native
from oneowner.checkers.ledger.exploration_verdict import pinned, stopping
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES
from oneowner.spec.channel.system import SYSTEM
from tools.attacks.strategies import NUMBERS, sizes, swarms

GROWN: Mapping[str, str] = {
    "compaction-tombstone": "tombstone", "leader-stop": "shutdown-together", "pip-192": "pip-192-rounds",
    "recreation": "split-again", "shutdown": "shutdown-together", "shutdown-unawaited": "shutdown-together",
    "shutdown-system-bundle": "shutdown-together", "shutdown-unload": "shutdown-together",
    "split-lookup": "split-again", "syncer-start": "syncer",
}  # fmt: skip
"""Families that grow into another one: laws known to fail in that one are not asserted either."""


class LawBroken(AssertionError):
    """A run breaks a law that is asserted."""


@dataclass(frozen=True, slots=True)
class Target:
    """The subject of a machine: a family or, with a fault, the bounds in which that is killed."""

    family: Family
    fault: Fault | None = None

    @property
    def base(self) -> dict[str, Any]:
        """The bounds that are not the family's before anything grows."""
        given = self.fault.settings if self.fault is not None else {}
        return {name: value if value.isalpha() or "-" in value else int(value) for name, value in given.items()}

    def bounds(self, grown: Mapping[str, int] = {}) -> Bounds:
        """Return the bounds with some sizes *grown*."""
        bounds = bounds_with(self.family.bounds, {**self.base, **grown})
        return bounds_under(bounds, self.family.release, [self.fault.name] if self.fault is not None else [])

    @property
    def asserted(self) -> frozenset[str]:
        """The names of the laws that must hold; with a fault the one that must fail."""
        if self.fault is not None:
            return frozenset({self.fault.law})
        larger = families()[GROWN.get(self.family.name, self.family.name)]
        return (
            stopping(pinned(self.family, unchanged=False), SYSTEM)
            & stopping(pinned(larger, unchanged=False), SYSTEM)
            & set(SYSTEM.laws_by_name)
        )

    @property
    def owed(self) -> frozenset[str]:
        """The names of the laws that are pinned valid: every one has an occasion already in the family's own bounds."""
        return frozenset() if self.fault else frozenset(n for n, v in self.family.laws.items() if v == Verdict.VALID)


@dataclass(frozen=True, slots=True)
class Found:
    """A run that breaks a law by its last step."""

    grown: Mapping[str, int]
    steps: tuple[Action, ...]
    example: int
    """The number of runs until then."""


@dataclass(slots=True)
class Tally:
    """Events that the runs of one machine met."""

    examples: int = 0
    steps: int = 0
    records: int = 0
    """The most records appended in one run."""
    seconds: float = 0.0
    """Of the processor, not of the wall."""
    fired: Counter[str] = field(default_factory=Counter)
    known: set[str] = field(default_factory=set)
    """The names of all actions that there are."""
    exercised: Counter[str] = field(default_factory=Counter)
    witnesses: set[str] = field(default_factory=set)
    broken: dict[str, list[Found]] = field(default_factory=dict)
    """By law the runs that broke it, the first one first."""
    is_walked: bool = False
    """True if a walk of the compiled engine broke it, and no run of the machine."""
    scenarios: dict[str, Path] = field(default_factory=dict)
    shrunk: dict[str, int] = field(default_factory=dict)
    """By law how many steps are left."""


@lru_cache(maxsize=8)
def _model(bounds: Bounds, laws: frozenset[str], witnesses: frozenset[str]) -> Native:
    chosen = [law for law in PROPERTIES if law.name in laws]
    return Native(bounds, chosen, [witness for witness in WITNESSES if witness.name in witnesses])


class Machine(RuleBasedStateMachine):
    """One run of a target at some size; a law that is asserted and fails ends it."""

    target: ClassVar[Target]
    tally: ClassVar[Tally]
    turn: ClassVar[int]
    """Added to every draw, because the first run of a round draws nothing but zeros."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[Action] = []
        self.is_over = False
        self.occasions = 0
        self.tally.examples += 1

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        target = self.target
        self.grown = data.draw(sizes(target.bounds()), "sizes")
        reached = frozenset(target.family.witnesses if target.fault is None else ())
        self.asserted = target.asserted  # read once: its property looks at the files of the ledger
        self.model = _model(target.bounds(self.grown), self.asserted | target.owed, reached)
        self.swarm = data.draw(swarms(self.model.actions), "swarm")
        self.tally.known |= {action.name for action in self.model.actions}
        self.state: Any = self.model.initial()[0]
        self._judge(self.model.of_state(self.state))

    @rule(name=NUMBERS, place=NUMBERS)
    def act(self, name: int, place: int) -> None:
        if self.is_over:
            return
        for number in self.swarm.order(name + self.turn, place + self.turn):
            after = self._taken(number)
            if after is not None:
                self._go_on(number, after)
                return
        self.is_over = True

    def _taken(self, number: int) -> Any:
        try:
            return self.model.take(self.state, number)
        except Beyond:
            return None

    def _go_on(self, number: int, after: State) -> None:
        before, self.state = self.state, after
        action = self.model.actions[number]
        self.steps.append(action)
        self.tally.steps += 1
        self.tally.fired[action.name] += 1
        self._judge(self.model.of_step(before, number, after))
        self._judge(self.model.of_state(after))

    def _judge(self, answers: Iterable[Answer]) -> None:
        tally = self.tally
        for name, bad in answers:
            if name not in SYSTEM.laws_by_name:
                tally.witnesses.add(name)
                continue
            tally.exercised[name] += 1
            self.occasions += name in self.asserted
            if bad and name in self.asserted:
                found = Found(self.grown, tuple(self.steps), tally.examples)
                tally.broken.setdefault(name, []).append(found)
                raise LawBroken(f"{name} fails after {len(self.steps)} steps")

    def teardown(self) -> None:
        target(float(self.occasions), label="occasions of the laws that are asserted")
        target(float(len({action.name for action in self.steps})), label="kinds of steps")
        self.tally.records = max(self.tally.records, sum(action.name == "append" for action in self.steps))
