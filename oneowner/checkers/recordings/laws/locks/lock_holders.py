"""
Laws of locks: a broker that answers for a bundle, or is named as its owner, holds its lock; locks do not overlap.

A broker learns late that its session has ended: after a pause its process answers as before, until the end of the
session reaches it (``ResourceLockImpl``, ``OwnershipCache``). That window is the lock's known weakness, and is reported
with its length; it breaks the law only where it lasts longer than the limit for two servers.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.fold.unit_memory import range_of
from oneowner.checkers.recordings.laws.locks.lock_answers import (
    Sign,
    answers_about,
    cache_lag,
    free_lock,
    have_one_owner,
    holds,
    late_begin,
    older_history,
    signs_of,
    under_way,
)
from oneowner.checkers.recordings.laws.scene_law import BOUNDARIES, CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.serving.causes import CauseKind, causes_of, distinct
from oneowner.checkers.recordings.read.events import Window
from oneowner.checkers.recordings.read.observations import LogEvent, Lookup, NodeWrite, Source
from oneowner.checkers.recordings.scene.explanations import why_away
from oneowner.checkers.recordings.scene.lock_nodes import is_held, locks_of
from oneowner.checkers.recordings.scene.registry_nodes import Held
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import iso, lasting
from oneowner.model.kernel.law import Severity
from oneowner.model.pulsar.bundles import overlap

SERVES: Final = "answers-with-lock"
TOLD: Final = "told-owner-holds-lock"
APART: Final = "locks-do-not-overlap"


def _judge_serving(scene: Scene) -> LawOutcome:
    judged, locks, beyond = LawOutcome(), locks_of(scene).held, 0
    without: dict[tuple[str, str], list[Sign]] = {}
    late: set[str] = set()
    for sign in signs_of(scene):
        if holds(scene, sign):
            judged.exercised += 1
        elif late_begin.of(scene, sign):
            late.add(sign.broker)
        elif older_history.of(scene, sign) or free_lock.of(scene, sign):
            beyond += 1
        else:
            judged.exercised += 1
            without.setdefault((sign.broker, sign.unit), []).append(sign)
    judged.doubts += [*_late(late), *_beyond(beyond)]
    for (broker, unit), signs in sorted(without.items()):
        signs.sort(key=lambda sign: (sign.since, sign.until))
        for run in _together(signs, locks.get(unit, []), broker):
            _report_serving(scene, unit, broker, run, locks.get(unit, []), judged)
    return judged


def _together(signs: list[Sign], times: list[Held], broker: str) -> Iterator[list[Sign]]:
    """Yield signs in a row between which the broker did not hold the lock."""
    run: list[Sign] = []
    for sign in signs:
        if run and is_held(times, broker, run[-1].until, sign.since):
            yield run
            run = []
        run.append(sign)
    if run:
        yield run


def _report_serving(
    scene: Scene, unit: str, broker: str, run: list[Sign], times: list[Held], judged: LawOutcome
) -> None:
    first, until = run[0], max(sign.until for sign in run)
    own = [held for held in times if held.broker == broker and held.until <= first.until]
    ended = own[-1] if own else None
    others = [held for held in times if held.broker != broker and held.since <= until]
    other = others[-1] if others and others[-1].until >= first.since else None
    lost = first.since if ended is None else ended.until
    seen, possible = until - first.since, until - max(lost, other.since if other is not None else lost)
    why = [cause for cause in causes_of(scene, unit, broker, lost, until) if cause.kind == CauseKind.PAUSE]
    is_broken = seen > scene.limits.dual_serving or ended is None
    lock = "it had never held its lock"
    if ended is not None and isinstance(ended.ended, NodeWrite):
        how = f"ended with its session {ended.session}" if ended.ended.op == "closeSession" else "been deleted"
        lock = f"its lock had {how} at {iso(lost)}"
    held = f"{other.broker} held it from {iso(other.since)} on" if other is not None else "nobody held it"
    causes = f" Why: {'; '.join(cause.words for cause in why)}." if why else ""
    ends: list[NodeWrite | LogEvent] = [
        write for write in (ended.ended if ended else None, other.made if other else None) if write
    ]
    judged.findings.append(
        finding(
            SERVES,
            Severity.VIOLATION if is_broken else Severity.WARNING,
            f"{broker} said {_times(len(run))} that it owns the bundle although {lock}; {held}; "
            f"seen for {lasting(seen)} from {iso(first.since)} on, possible for {lasting(possible)}.{causes}",
            distinct([*ends, first.seen, run[-1].seen, *(line for cause in why for line in cause.evidence)]),
            unit=unit,
            brokers=(broker, *([other.broker] if other is not None else [])),
            window=Window(first.since, until, lost, until),
            time=first.since,
            guard="a broker answers for a bundle while it holds the bundle's node",
            repair=f"{broker} closes the bundle's topics when its session has ended, before another takes the lock",
            causes=[one for cause in why for one in cause.happened] or why_away(scene, broker, lost, until),
        )
    )  # fmt: skip


def _late(brokers: set[str]) -> list[str]:
    """Return a doubt about brokers whose locks the history may lack."""
    if not brokers:
        return []
    return [f"{', '.join(sorted(brokers))} had registered before this history begins: it may lack locks that they held"]


def _beyond(many: int) -> list[str]:
    return [f"{many} answers come after the end of the history, which may be older than that"] * bool(many)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _judge_told(scene: Scene) -> LawOutcome:
    judged, late, beyond = LawOutcome(), set[str](), 0
    wrong: dict[tuple[str, str], list[Lookup]] = {}
    for sign in answers_about(scene):
        if holds(scene, sign):
            judged.exercised += 1
        elif late_begin.of(scene, sign):
            late.add(sign.broker)
        elif older_history.of(scene, sign):
            beyond += 1
        elif isinstance(sign.seen, Lookup):
            judged.exercised += 1
            wrong.setdefault((sign.unit, sign.broker), []).append(sign.seen)
    judged.doubts += [*_late(late), *_beyond(beyond)]
    for (unit, told), lookups in sorted(wrong.items()):
        first, last = lookups[0], lookups[-1]
        judged.findings.append(
            finding(
                TOLD,
                Severity.VIOLATION if last.end - first.start > scene.limits.dual_serving else Severity.WARNING,
                f"{_times(len(lookups)).capitalize()} from {iso(first.start)} to {iso(last.end)} clients were told "
                f"that {told} owns the bundle, which did not hold its lock",
                distinct((first, last)),
                unit=unit,
                brokers=(told, *sorted({lookup.asked for lookup in lookups})),
                time=first.start,
                guard="who is told as the owner holds the bundle's node",
                repair="look again at the node before an answer is taken from the cache",
            )
        )
    return judged


def _judge_overlap(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    by_namespace: dict[str, list[tuple[str, Held]]] = {}
    for unit, times in locks_of(scene).held.items():
        by_namespace.setdefault(unit.rpartition("/")[0], []).extend((unit, held) for held in times)
    for held_there in by_namespace.values():
        judged.exercised += len(held_there)
        for (one, a), (other, b) in combinations(sorted(held_there, key=lambda pair: (pair[1].since, pair[0])), 2):
            is_split = one != other and overlap(range_of(one.rpartition("/")[2]), range_of(other.rpartition("/")[2]))
            if is_split and not have_one_owner.of(scene, a, b) and a.until > b.since:
                judged.findings.append(
                    finding(
                        APART,
                        Severity.VIOLATION,
                        f"{b.broker} took the lock of {other} at {iso(b.since)} while {a.broker} held that of {one}, "
                        "which overlaps it: topics of both ranges have two owners",
                        (a.made, b.made),
                        unit=other,
                        brokers=(a.broker, b.broker),
                        window=Window(b.since, min(a.until, scene.end or b.since), b.since, a.until),
                        guard="locks of overlapping ranges have one holder",
                        repair=f"unload {one}, so that its lock goes",
                    )
                )
    judged.doubts += locks_of(scene).contradictions
    return judged


LAWS = (
    SceneLaw(
        SERVES,
        "A broker that answers for a bundle, or lists it, holds its lock, but until it learns that its session ended.",
        "OwnershipCache.getOwnedBundle, ResourceLockImpl.getLockExpiredFuture; pulsar-policies.md 3",
        excuses=(cache_lag, under_way, late_begin, older_history, free_lock),
        order=20,
        harm=Harm.DOUBTFUL,
        needs=(Source.LOCKS,),
        one_of=(Source.LOOKUPS, Source.POLLS),
        judge=_judge_serving,
        uses=(*CLUSTER, *BOUNDARIES),
    ),
    SceneLaw(
        TOLD,
        "The owner that a client is told holds the bundle's lock.",
        "OwnershipCache.getOwnerAsync, NamespaceService.findBrokerServiceUrl; pulsar-policies.md 3",
        excuses=(cache_lag, under_way, late_begin, older_history),
        order=20,
        harm=Harm.DOUBTFUL,
        needs=(Source.LOCKS, Source.LOOKUPS),
        judge=_judge_told,
        uses=BOUNDARIES,
    ),
    SceneLaw(
        APART,
        "Locks of overlapping ranges are held by one broker.",
        "NamespaceService.splitAndOwnBundleOnceAndRetry; pulsar-policies.md 3",
        excuses=(have_one_owner,),
        order=20,
        harm=Harm.TWICE,
        needs=(Source.LOCKS,),
        judge=_judge_overlap,
        uses=(Source.ZOOKEEPER,),
    ),
)
