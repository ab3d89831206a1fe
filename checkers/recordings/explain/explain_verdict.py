"""Each unit of a recording, explained or not, and why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

from oneowner.checkers.recordings.explain.explained import Explained, Node
from oneowner.checkers.recordings.explain.observed import Recording, Step, Written
from oneowner.checkers.recordings.explain.refused_step import tell
from oneowner.checkers.recordings.explain.sizing import bounds_of
from oneowner.checkers.recordings.explain.state_set_search import explain
from oneowner.checkers.recordings.explain.unit_groups import Append, Family, families_of, registry_alone
from oneowner.model.channel.rules import RELEASE_4_0_6, Rules


class Answer(StrEnum):
    """What is said of a unit, and of a run."""

    ACCEPTED = "accepted"
    """A run of the model shows all that was seen."""
    REFUSED = "refused"
    """None does."""
    UNKNOWN = "unknown"
    """The search was cut off; of a run also: something of it is missing or damaged."""


@dataclass(frozen=True, slots=True)
class UnitJudged:
    """What is said of one unit, or of a parent and its children."""

    family: Family
    answer: Answer
    inferred: int
    """Steps that nobody saw, in the run that was found."""
    widest: int
    """How many states the search kept at most."""
    is_wide: bool
    """Whether the narrow search was not enough."""
    is_timed: bool
    """Whether a hand-over was taken to have lasted too long."""
    trail: tuple[str, ...]
    """The steps of the run that was found, as far as it goes; observed ones with their place."""
    owing: tuple[int, ...] = ()
    """Living brokers that owe a record at the end which nobody saw."""
    place: str = ""
    """What could not be explained: its message id or zxid."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class RunJudged:
    """What is said of one recording."""

    recording: Recording
    units: tuple[UnitJudged, ...]

    @property
    def answer(self) -> Answer:
        answers = {unit.answer for unit in self.units}
        if Answer.REFUSED in answers:
            return Answer.REFUSED
        if answers != {Answer.ACCEPTED} or self.recording.doubts:  # of nothing at all nothing is known
            return Answer.UNKNOWN
        return Answer.ACCEPTED

    @property
    def inferred(self) -> int:
        return sum(unit.inferred for unit in self.units)

    @property
    def replayed(self) -> int:
        """How many observed steps were replayed: of the registry in each unit's run anew."""
        return sum(len(unit.family.timeline) for unit in self.units)

    def count(self, answer: Answer) -> int:
        return sum(unit.answer == answer for unit in self.units)


def judge(
    recording: Recording,
    unit: str | None = None,
    on_unit: Callable[[str], None] | None = None,
    rules: Rules = RELEASE_4_0_6,
) -> RunJudged:
    """Explain every unit of *recording*, or only those explained together with the key *unit*."""
    judged = []
    for family in _asked_for(recording, unit):
        if on_unit is not None:
            on_unit(f"{recording.name}, {family.name}")
        judged.append(judge_family(recording, family, rules))
    return RunJudged(recording, tuple(judged))


def _asked_for(recording: Recording, unit: str | None) -> Iterator[Family]:
    if not recording.records and unit is None:
        yield registry_alone(recording)
    for family in families_of(recording):
        if unit is None or unit in family.keys:
            yield family


def judge_family(recording: Recording, family: Family, rules: Rules = RELEASE_4_0_6) -> UnitJudged:
    """
    Explain one unit, first by the narrow search, then by the wide one.

    Only if that is in vain, the leader's monitor may find that a hand-over takes too long. A record that names a
    broker which never registered is refused without a search: every broker of the model registers.
    """
    stranger = next((w for w in _written(family) if w.foreign), None)
    if stranger is not None:
        why = f"{stranger.line} names {stranger.foreign}, which the ZooKeeper history never registers"
        return UnitJudged(family, Answer.REFUSED, 0, 0, False, False, (), (), stranger.place, why)
    for timer, is_wide in product((False, True), (False, True)):
        found = explain(family, bounds_of(recording, family, rules, timer), is_wide)
        if found.done == len(family.timeline):
            break
    best = min(found.nodes, key=lambda node: node.inferred)
    inferred, trail = best.inferred, tuple(_steps(best))
    crashes = sum(isinstance(seen, Step) and seen.action == "crash" for seen in family.timeline[: found.done])
    if found.done == len(family.timeline):
        return UnitJudged(family, Answer.ACCEPTED, inferred + crashes, found.widest, is_wide, timer, trail, found.owing)
    place, why = _reason(recording, family, found)
    answer = Answer.UNKNOWN if found.capped else Answer.REFUSED
    return UnitJudged(family, answer, inferred + crashes, found.widest, is_wide, timer, trail, (), place, why)


def _written(family: Family) -> Iterator[Written]:
    return (seen.written for seen in family.timeline if isinstance(seen, Append))


def _steps(node: Node) -> list[str]:
    steps, trail = [], node.trail
    while trail is not None:
        trail, one = trail
        steps.append(one)
    return steps[::-1]


def _reason(recording: Recording, family: Family, found: Explained) -> tuple[str, str]:
    seen = family.timeline[found.done]
    place = seen.place if isinstance(seen, Step) else seen.written.place
    return place, f"cut off: {found.capped}" if found.capped else tell(recording, seen, found)
