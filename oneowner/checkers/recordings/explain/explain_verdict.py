"""The verdict states for every unit of a recording whether the model explains it, and the reason if it does not."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product

from oneowner.checkers.recordings.explain.not_modelled import combined, is_of_shutdown
from oneowner.checkers.recordings.explain.recording import MILESTONES, PublishedRecord, Recording, RegistryStep
from oneowner.checkers.recordings.explain.refused_step import tell
from oneowner.checkers.recordings.explain.search_result import Explained, RunStep, steps_of
from oneowner.checkers.recordings.explain.sizing import bounds_of
from oneowner.checkers.recordings.explain.state_set_search import explain
from oneowner.checkers.recordings.explain.steps_left_out import step_left_out
from oneowner.checkers.recordings.explain.unit_groups import (
    Append,
    Observed,
    UnitGroup,
    registered_first,
    registry_alone,
    unit_groups_of,
)
from oneowner.model.channel.rules import Rules
from oneowner.spec.channel.system import SYSTEM


class Acceptance(StrEnum):
    """The verdict on a unit, and on a run."""

    ACCEPTED = "accepted"
    """A run of the model shows all observations."""
    REFUSED = "refused"
    """None does."""
    UNKNOWN = "unknown"
    """The search was cut off, or needs behaviour that is not modelled; of a run also: data is missing or damaged."""


@dataclass(frozen=True, slots=True)
class UnitVerdict:
    """The verdict on one unit, or on a parent and its children."""

    group: UnitGroup
    answer: Acceptance
    inferred: int
    """The number of inferred steps in the run that was found."""
    widest: int
    """The greatest number of states that the search kept."""
    is_wide: bool
    """True if the narrow search was not enough."""
    is_timed: bool
    """True if a hand-over was assumed to have lasted too long."""
    steps: tuple[RunStep, ...]
    """The run that was found, as far as it goes."""
    owing: tuple[int, ...] = ()
    """Live brokers that owe an unobserved record at the end."""
    place: str = ""
    """The step that could not be explained: its message id or zxid."""
    why: str = ""

    @property
    def trail(self) -> tuple[str, ...]:
        """The steps of that run in words; observed ones with their place."""
        return tuple(map(str, self.steps))


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The verdict on one recording."""

    recording: Recording
    units: tuple[UnitVerdict, ...]

    @property
    def answer(self) -> Acceptance:
        return answer_of(self.recording, (unit.answer for unit in self.units))

    @property
    def inferred(self) -> int:
        return sum(unit.inferred for unit in self.units)

    @property
    def replayed(self) -> int:
        """The number of observed steps that were replayed; those of the registry count in each unit's run."""
        return sum(len(unit.group.timeline) for unit in self.units)

    def count(self, answer: Acceptance) -> int:
        return sum(unit.answer == answer for unit in self.units)


def answer_of(recording: Recording, units: Iterable[Acceptance]) -> Acceptance:
    """Return the verdict on a recording by those on its units."""
    answers = set(units)
    if Acceptance.REFUSED in answers:
        return Acceptance.REFUSED
    if answers != {Acceptance.ACCEPTED} or recording.doubts:  # an empty run proves nothing
        return Acceptance.UNKNOWN
    return Acceptance.ACCEPTED


def judge(
    recording: Recording,
    unit: str | None = None,
    on_unit: Callable[[str], None] | None = None,
    rules: Rules | None = None,
) -> RunVerdict:
    """
    Explain every unit of *recording*, or only those explained together with the key *unit*.

    The rules are those of its release, if none are given.
    """
    judged = []
    for group in groups_of(recording, unit):
        if on_unit is not None:
            on_unit(f"{recording.name}, {group.name}")
        judged.append(judge_group(recording, group, rules or recording.rules))
    return RunVerdict(recording, tuple(judged))


def groups_of(recording: Recording, unit: str | None = None) -> Iterator[UnitGroup]:
    """Yield the groups of units that are to be explained, or that of the key *unit* alone."""
    if not recording.records and unit is None:
        yield registry_alone(recording)
    for group in unit_groups_of(recording):
        if unit is None or unit in group.keys:
            yield group


def judge_group(recording: Recording, group: UnitGroup, rules: Rules) -> UnitVerdict:
    """
    Explain one unit, first by the narrow search, then by the wide one.

    Only if both fail, the leader's monitor may find that a hand-over takes too long. A record that names a
    broker which never registered is refused without a search: every broker of the model registers. Steps that need
    bounds which the model does not combine are unknown; steps before them are explained or refused, except those that
    belong to them. Steps of a release that is not modelled are never refused, nor are those of a milestone.
    """
    if recording.migration:  # two places hold a part of its history each
        first = _place(group.timeline[0]) if group.timeline else ""
        why = f"not modelled: {recording.migration.partition(':')[0]}"
        return UnitVerdict(group, Acceptance.UNKNOWN, 0, 0, False, False, (), (), first, why)
    stranger = next((w for w in _written(group) if w.foreign), None)
    if stranger is not None:
        why = f"{stranger.line} names {stranger.foreign}, which the ZooKeeper history never registers"
        return UnitVerdict(group, Acceptance.REFUSED, 0, 0, False, False, (), (), stranger.place, why)
    if rules.registers_with_session:
        group = registered_first(group)
    part, beyond = combined(recording, group, rules)
    verdict = _judge_part(recording, part, rules)
    if beyond and verdict.answer == Acceptance.ACCEPTED:
        place = _place(group.timeline[len(part.timeline)])
        verdict = replace(verdict, answer=Acceptance.UNKNOWN, place=place, why=f"not modelled: {beyond}")
    if beyond and verdict.answer == Acceptance.REFUSED and is_of_shutdown(group, part, verdict.place):
        verdict = replace(verdict, answer=Acceptance.UNKNOWN, why=f"not modelled: {beyond}")
    if recording.judged_by.note and verdict.answer == Acceptance.REFUSED:
        why = f"the rules of {recording.judged_by.name}, not those of {recording.release}, refuse it: {verdict.why}"
        verdict = replace(verdict, answer=Acceptance.UNKNOWN, why=why)
    if verdict.answer == Acceptance.REFUSED and rules == recording.rules and recording.judged_by.name in MILESTONES:
        earlier = MILESTONES[recording.judged_by.name]
        if _judge_part(recording, part, SYSTEM.releases[earlier]).answer != Acceptance.REFUSED:
            by = f"a milestone of {recording.judged_by.name} goes by the rules of {earlier}"
            why = f"{by}, which do not refuse it: {verdict.why}"
            verdict = replace(verdict, answer=Acceptance.UNKNOWN, why=why)
    return replace(verdict, group=group)


def _judge_part(recording: Recording, group: UnitGroup, rules: Rules) -> UnitVerdict:
    """Explain a part whose steps the model combines, if need be with a monitor that finds hand-overs too old."""
    left_out = ""
    for timer, is_wide in product((False, True), (False, True)):
        bounds = bounds_of(recording, group, rules, timer)
        found = explain(group, bounds, is_wide)
        if found.done == len(group.timeline):
            break
    if found.done < len(group.timeline) and not found.capped:
        left_out = step_left_out(recording, group, found.done, bounds)
    best = min(found.nodes, key=lambda node: node.inferred)
    inferred, trail = best.inferred, tuple(steps_of(best))
    crashes = sum(isinstance(seen, RegistryStep) and seen.action == "crash" for seen in group.timeline[: found.done])
    if found.done == len(group.timeline):
        return UnitVerdict(
            group, Acceptance.ACCEPTED, inferred + crashes, found.widest, is_wide, timer, trail, found.owing
        )
    place, why = _reason(recording, group, found)
    answer = Acceptance.UNKNOWN if found.capped or left_out else Acceptance.REFUSED
    why = f"not modelled: {left_out}" if left_out else why
    return UnitVerdict(group, answer, inferred + crashes, found.widest, is_wide, timer, trail, (), place, why)


def _written(group: UnitGroup) -> Iterator[PublishedRecord]:
    return (seen.written for seen in group.timeline if isinstance(seen, Append))


def _reason(recording: Recording, group: UnitGroup, found: Explained) -> tuple[str, str]:
    seen = group.timeline[found.done]
    return _place(seen), f"cut off: {found.capped}" if found.capped else tell(recording, seen, found)


def _place(seen: Observed) -> str:
    return seen.written.place if isinstance(seen, Append) else seen.place
