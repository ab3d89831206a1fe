"""
Laws of states and steps judge a recorded run by the runs of the model that show it.

A recorded run breaks a law if every run of the model that shows its observations does. One run that breaks it proves
nothing, since its inferred steps may be others. A breach at an observed step by a law that reads only what was observed
is one of all of them; of any other law, the search is asked for a run that keeps it. Less evidence leaves more runs,
and so breaks fewer laws.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple, cast

from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, UnitVerdict
from oneowner.checkers.recordings.explain.law_answers import StateAnswers, StepAnswers
from oneowner.checkers.recordings.explain.recording import Recording
from oneowner.checkers.recordings.explain.search_result import RunStep
from oneowner.checkers.recordings.explain.sizing import bounds_of
from oneowner.checkers.recordings.explain.state_set_search import explain
from oneowner.checkers.recordings.explain.unit_groups import UnitGroup
from oneowner.model.channel.channel import forget_first
from oneowner.model.channel.rules import Rules
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import Law, StateLaw, StepLaw
from oneowner.spec.channel.system import SYSTEM

OBSERVED: Final = frozenset({"bounds", "base", "log", "outbox", "node", "run", "leader"})
"""
The cells of which observations leave no choice at the step that they show: the channel, the record that is published,
registrations, processes and elections.
"""
BEHIND: Final = "outbox behind its first publish"
"""A part of a state that is inferred."""


class Breach(NamedTuple):
    """A law that every run of the model breaks that shows the observations of a unit."""

    law: Law
    number: int
    """The step after which the run that was found breaks it, from 1."""
    step: RunStep
    place: str
    """The observation that shows the step, or the next one of its broker: a message id or zxid."""


class Doubt(NamedTuple):
    """A law that the run that was found breaks, while the search for one that keeps it was cut off."""

    law: Law
    why: str


@dataclass(frozen=True, slots=True)
class JudgedUnit:
    """The laws of states and steps, judged by the explanation of one unit."""

    unit: UnitVerdict
    exercised: Counter[str]
    """By law, its occasions in the run that was found."""
    breaches: tuple[Breach, ...] = ()
    doubts: tuple[Doubt, ...] = ()


def judge_laws(recording: Recording, unit: UnitVerdict, rules: Rules, laws: Sequence[Law] = SYSTEM.laws) -> JudgedUnit:
    """Judge the *laws* by the part of *unit* that the model explains by *rules*."""
    exercised: Counter[str] = Counter()
    first: dict[str, int] = {}
    of_states = [law for law in laws if isinstance(law, StateLaw)]
    states, steps = StateAnswers(of_states), StepAnswers([law for law in laws if isinstance(law, StepLaw)])
    for number, one in enumerate(unit.steps):
        if one.action is None:
            continue
        states.move(one.after)
        for place, state_law in enumerate(of_states):
            if states.occasions[place]:
                exercised[state_law.name] += 1
                if states.breaches[place]:
                    first.setdefault(state_law.name, number)
        for step_law in steps.occasions(one.before, one.action, one.after):
            exercised[step_law.name] += 1
            if step_law.name not in first and not step_law.holds(one.before, one.action, one.after):
                first[step_law.name] = number
    breaches, doubts = list[Breach](), list[Doubt]()
    part = _explained(unit)
    for law in (law for law in laws if law.name in first):
        number = first[law.name]
        answer, why = Acceptance.REFUSED, ""
        if not _reads_observations(law, unit.steps[number]):
            answer, why = _kept_by_another(recording, part, rules, unit.is_timed, law)
        if answer == Acceptance.REFUSED:
            breaches.append(Breach(law, number + 1, unit.steps[number], _place(unit.steps, number)))
        if answer == Acceptance.UNKNOWN:
            doubts.append(Doubt(law, why))
    return JudgedUnit(unit, exercised, tuple(breaches), tuple(doubts))


def has_occasion(law: Law, before: State, action: Action, after: State) -> bool:
    """Return whether *law* could fail at a step."""
    return bool(law.when(after) if isinstance(law, StateLaw) else law.when(before, action, after))


def is_kept(law: Law, before: State, action: Action, after: State) -> bool:
    """Return whether a step keeps *law*: it has no occasion there, or holds."""
    if not has_occasion(law, before, action, after):
        return True
    return bool(law.holds(after) if isinstance(law, StateLaw) else law.holds(before, action, after))


class _Reads:
    """A state that notes which of its cells are read."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.cells: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        if name == "outbox":
            return _Outboxes(self)
        self.cells.add(name)
        return getattr(self.state, name)


class _Outboxes:
    """The outboxes of a state: an observed publish is the first in one; those behind it are inferred."""

    def __init__(self, reads: _Reads) -> None:
        self.reads = reads

    def __getitem__(self, broker: int) -> Any:
        return _Outbox(self.reads, broker)


class _Outbox:
    def __init__(self, reads: _Reads, broker: int) -> None:
        self.reads, self.queue = reads, reads.state.outbox[broker]

    def __getitem__(self, number: int) -> Any:
        self.reads.cells.add("outbox" if number == 1 else BEHIND)
        return self.queue[number]

    def __getattr__(self, name: str) -> Any:
        self.reads.cells.add(BEHIND)
        return getattr(self.queue, name)


def _reads_observations(law: Law, step: RunStep) -> bool:
    """
    Return whether *law* judges an observed step by what was observed, and so judges every explanation alike.

    How much of the channel still is in the log depends on its readers, so it must judge the folded channel alike.
    """
    before, after = _Reads(step.before), _Reads(step.after)
    assert step.action is not None
    is_kept(law, cast(State, before), step.action, cast(State, after))
    if not step.place or not before.cells | after.cells <= OBSERVED:
        return False
    return not is_kept(law, _folded(step.before), step.action, _folded(step.after))


def _folded(state: State) -> State:
    """Return a state with the whole log folded."""
    after = state.copy()
    while after.log.length:
        forget_first(after)
    return after


def _kept_by_another(
    recording: Recording, part: UnitGroup, rules: Rules, is_timed: bool, law: Law
) -> tuple[Acceptance, str]:
    """Return whether some run of the model that shows *part* keeps *law*."""
    bounds = bounds_of(recording, part, rules, is_timed)
    for wide in (False, True):
        found = explain(part, bounds, wide, partial(is_kept, law))
        if found.done == len(part.timeline):
            return Acceptance.ACCEPTED, ""
    return (Acceptance.UNKNOWN, found.capped) if found.capped else (Acceptance.REFUSED, "")


def _explained(unit: UnitVerdict) -> UnitGroup:
    """Return the part of a unit's observations that its run shows."""
    shown = sum(1 for step in unit.steps if step.place)
    return (
        unit.group if unit.answer == Acceptance.ACCEPTED else replace(unit.group, timeline=unit.group.timeline[:shown])
    )


def _place(steps: Sequence[RunStep], number: int) -> str:
    """Return the observation that shows a step: of an inferred one the next of its broker, or of anybody."""
    actor = _actor(steps[number])
    own = (one.place for one in steps[number:] if one.place and _actor(one) == actor)
    near = (one.place for one in (*steps[number:], *reversed(steps[:number])) if one.place)
    return next(own, None) or next(near, "")


def _actor(step: RunStep) -> int | None:
    arguments = dict(step.action.arguments) if step.action is not None else {}
    return arguments.get("broker", arguments.get("observer"))
