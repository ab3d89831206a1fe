"""
The root of an incident is the happening that explains the greatest part of its worst harm.

A happening explains the part of a harm between its own beginning and some time after its end: a silence of a few
seconds does not explain a wait that begins later. Faults of the balancer come before the event that set them off, as
they are what lasts, also where only a record of a harmed unit shows them; of events the cause comes before its effects,
and then the first.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from oneowner.checkers.recordings.fold.unit_memory import range_of
from oneowner.checkers.recordings.judge.harm_times import HarmTime, grade_of, worst_harm
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.read.events import Cause, Finding
from oneowner.checkers.recordings.scene.happening import FAULTS, OF_ALL, STATES, Happening, HappeningKind
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.kernel.law import Severity
from oneowner.model.pulsar.bundles import overlap

SETTLING: Final = 10_000
"""Milliseconds after the end of a happening that it still explains: clients try again after a while."""
AT_ONCE: Final = 1_000
"""Milliseconds within which brokers are stopped together, and by which stamps of a harm and its cause differ."""
ABSENCES: Final = (HappeningKind.PAUSED, HappeningKind.EXITED, HappeningKind.DIED)
LASTING: Final = {law.name: law.state for law in SCENE_LAWS if law.state}
RANK: Final = {kind.value: number for number, kind in enumerate(HappeningKind)}


def root_of(happened: Sequence[Happening], times: Sequence[HarmTime]) -> Happening:
    """Return the root among the happenings of one group, which *times* name."""
    known = {one.cause: one for one in happened}
    harm = worst_harm(times)
    harmful = [time for time in times if time.harm == harm]
    worst = [time for time in harmful if time.grade == grade_of(harmful)]
    named = {cause for time in worst for cause in time.causes} & known.keys() or known.keys()
    explained = {cause: _explained(known[cause], worst) for cause in named}
    most = max(explained.values())
    likely = {cause for cause, much in explained.items() if 2 * much >= most}
    units = {time.unit for time in harmful}
    records = [time for time in times if time.is_violation_of_record and _touches(time.unit, units)]
    faults = [cause for cause in likely if cause.kind in FAULTS]
    faults += [cause for time in records for cause in time.causes if cause.kind in FAULTS and cause in known]
    of_all = [cause for cause in named if cause.kind in OF_ALL and _begins(known[cause], worst)]
    if all(cause.kind in STATES for cause in likely):  # the widest, though another's stamp may be earlier
        likely = {min(likely, key=lambda cause: RANK[cause.kind])}
    first = _first_behind(min(of_all or faults or likely, key=rank), known, only_of_all=bool(faults))
    return _together(known[first], happened)


def _touches(unit: str, others: Collection[str]) -> bool:
    """Return whether a unit is one of others, or overlaps one: clients wait for the children of a parent."""
    namespace, _, span = unit.rpartition("/")
    near = [one.rpartition("/")[2] for one in others if one.rpartition("/")[0] == namespace]
    return unit in others or any(overlap(range_of(span), range_of(one)) for one in near if span and one)


def rank(cause: Cause) -> tuple[int, int, str]:
    """Return the order of causes that explain as much: the first in time is the root."""
    return cause.since, RANK.get(cause.kind, len(RANK)), cause.subject


def _explained(one: Happening, times: Sequence[HarmTime]) -> int:
    """Return for how many milliseconds of *times* that name a happening it was there."""
    until = one.until if one.until == END else one.until + SETTLING
    total = 0
    for time in times:
        if one.cause in time.causes:
            last = time.since + time.lasted if time.until == END else time.until
            total += max(0, min(last, until) - max(time.since, one.cause.since))
    return total


def _begins(one: Happening, times: Sequence[HarmTime]) -> bool:
    """Return whether at least half of *times* name a happening and begin while it was there."""
    until = one.until if one.until == END else one.until + SETTLING
    begun = [time for time in times if one.cause in time.causes and one.since - AT_ONCE <= time.since <= until]
    return 2 * len(begun) >= len(times)


def _first_behind(cause: Cause, known: Mapping[Cause, Happening], only_of_all: bool) -> Cause:
    """Return the first of the causes that lie behind one another; optionally only an outage of what all need."""
    found, seen, behind = [cause], {cause}, [cause]
    while behind:
        behind = [one for last in behind for one in known[last].behind if one in known and one not in seen]
        seen.update(behind)
        found += behind
    outages = [one for one in found if one.kind in OF_ALL]
    if outages or only_of_all:
        return min(outages, key=rank, default=cause)
    return min(found, key=lambda one: (bool(known[one].behind), rank(one)))


def _together(root: Happening, happened: Sequence[Happening]) -> Happening:
    """Return the root; brokers that are stopped at one moment are reported together."""
    if root.cause.kind != HappeningKind.STOPPED:
        return root
    alike = [one for one in happened if one.cause.kind == root.cause.kind and 0 <= one.since - root.since <= AT_ONCE]
    brokers = tuple(sorted({one.cause.subject for one in alike}))
    words = f"{' and '.join(brokers)} were stopped at once" if len(brokers) > 1 else root.words
    return root._replace(words=words, brokers=brokers)


def with_state(root: Happening, still: Iterable[Finding]) -> Happening:
    """
    Return *root* with the widest state, in words, in which the violations *still* true leave the cluster.

    What lasts matters more than the event that set it off, which may be long over; a fault of the balancer lasts.
    """
    brokers: dict[str, set[str]] = {}
    for one in still:
        if one.severity == Severity.VIOLATION and LASTING.get(one.law):
            brokers.setdefault(one.law, set()).update(one.brokers)
    if not brokers or root.cause.kind in (*FAULTS, *STATES):
        return root
    law = min(brokers, key=lambda law: ("{brokers}" in LASTING[law], [*LASTING].index(law)))
    names = sorted(brokers[law])
    state = LASTING[law].format(brokers=" and ".join(names), are="are" if len(names) > 1 else "is")
    return root._replace(words=f"{state}: {root.words}")
