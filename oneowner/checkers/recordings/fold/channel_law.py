"""
A law of the channel is declared by its name, sentence and source, its occasions, and its judgement.

The fold asks a law about each accepted record of the law's states, before the record changes the unit: first whether
the law could fail there at all (``when``), then for the violation (``judge``). The kind of a law limits the units that
it looks at, so that the fold on columns depends on no single law: ``column_formulas`` traces ``when`` and ``holds``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

from oneowner.checkers.recordings.fold.channel_excuses import partial, unsure
from oneowner.checkers.recordings.fold.recorded_law import Excuse, RecordedLaw
from oneowner.checkers.recordings.fold.unit_memory import Unit, Units
from oneowner.checkers.recordings.read.events import Children
from oneowner.checkers.recordings.read.observations import Source
from oneowner.model.channel.record import Record, ServiceUnitState


class ByLogs(StrEnum):
    """The records beside a finding that logs must prove, where logs alone show records of the channel."""

    NEVER = "it accuses by a missing record"
    ALONE = "the record itself"
    NEXT = "the record before it, which has the version before"
    TOGETHER = "all records up to it, of its unit and of those that overlap it: one process handled them"


class Broken(NamedTuple):
    """A violation in words, with the right behaviour."""

    why: str
    repair: str
    brokers: tuple[str, ...] = ()


Answer = None | Broken | list[Broken]
"""None: the law holds."""

When = Callable[[Unit, Record], bool]
Judge = Callable[[Units, Unit, Record, Children], Answer]


def always(unit: Unit, record: Record) -> bool:
    """Return True: every record is an occasion."""
    return True


@dataclass(frozen=True, slots=True)
class ChannelLaw(RecordedLaw):
    """A law of accepted records; one that is of no further kind is judged by the fold itself."""

    needs: tuple[str, ...] = field(default=(Source.CHANNEL,), kw_only=True)
    states: frozenset[ServiceUnitState] = field(default=frozenset(ServiceUnitState), kw_only=True)
    """The states of the records that it is asked about."""
    when: When = field(default=always, kw_only=True)
    """The condition that it could fail at a record; pure, as all conditions of laws are."""
    is_of_histories: bool = field(default=False, kw_only=True)
    """True if it is for ZooKeeper histories alone, where every write took effect."""
    by_logs: ByLogs = field(default=ByLogs.NEVER, kw_only=True)
    """The condition on which it accuses by records that logs print."""
    excuses: tuple[Excuse[Any], ...] = field(default=(unsure, partial), kw_only=True)


@dataclass(frozen=True, slots=True)
class SuccessionLaw(ChannelLaw):
    """A law of the record that a unit holds and the one that follows: it looks at nothing else."""

    holds: Callable[[Record, Record], bool] = field(kw_only=True)
    tell: Callable[[Unit, Record], Broken] = field(kw_only=True)
    """The violation, where it does not hold; the unit's history may be named here as the cause."""

    def judge(self, units: Units, unit: Unit, record: Record, children: Children) -> Answer:
        """Return the violation by the record that follows."""
        return None if self.holds(unit.held, record) else self.tell(unit, record)


@dataclass(frozen=True, slots=True)
class OverlapLaw(ChannelLaw):
    """A law of a record beside the entry of each unit that overlaps its own: each is judged apart."""

    can_matter: Callable[[Record], bool] = field(kw_only=True)
    """The condition that any record could break it beside a unit that holds this one."""
    tell: Callable[[Unit, Record, Unit], Broken | None] = field(kw_only=True)

    def judge(self, units: Units, unit: Unit, record: Record, children: Children) -> Answer:
        """Return the violations beside each unit that overlaps this one, in the order of their ranges."""
        if not unit.neighbours:
            return None
        others = sorted(unit.neighbours, key=lambda neighbour: neighbour.range)
        told = [self.tell(unit, record, other) for other in others if self.can_matter(other.held)]
        return [broken for broken in told if broken is not None] or None


@dataclass(frozen=True, slots=True)
class NamespaceLaw(ChannelLaw):
    """A law that looks wherever it wants to within the unit's namespace."""

    judge: Judge = field(kw_only=True)


JudgedLaw = SuccessionLaw | OverlapLaw | NamespaceLaw
"""A law that is judged by its declaration, not by the fold itself."""


@cache
def by_state(laws: tuple[ChannelLaw, ...]) -> dict[ServiceUnitState, tuple[tuple[ChannelLaw, When, Judge], ...]]:
    """Return the laws to ask about a record of each state, ready for the fold's loop."""
    asked = [law for law in laws if isinstance(law, JudgedLaw)]
    return {
        state: tuple((law, law.when, law.judge) for law in asked if state in law.states) for state in ServiceUnitState
    }
