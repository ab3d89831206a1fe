"""
Causes that a whole cluster, or a namespace, shares, for findings of waits: those that lasted for most of the wait.

Each law names the causes that its own evidence shows. An outage of what all brokers need, recovery that the leader puts
off, and a namespace that is gone or has no broker to choose hit units of any broker.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from oneowner.checkers.recordings.judge.roots import SETTLING
from oneowner.checkers.recordings.laws.registry import RECORDING_LAWS
from oneowner.checkers.recordings.read.events import Cause, Finding
from oneowner.checkers.recordings.scene.happening import OF_ALL, STATES, Happening, HappeningKind
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.kernel.law import Severity

OF_WAITS: Final = frozenset(law.name for law in RECORDING_LAWS if law.waits)
OF_BROKERS: Final = (
    HappeningKind.PAUSED,
    HappeningKind.EXITED,
    HappeningKind.DIED,
    HappeningKind.CUT,
    HappeningKind.STOPPED,
)
"""The kinds of happening after which the units of a broker wait for recovery."""
SHARED: Final = (
    *(*OF_ALL, *STATES, HappeningKind.PUT_OFF, HappeningKind.UNCONNECTED),
    *(HappeningKind.NO_CHOICE, HappeningKind.DELETED_NAMESPACE),
)
"""The kinds of such causes."""


def with_shared(one: Finding, shared: Iterable[Happening], end: int | None) -> Finding:
    """Return a finding with the causes of *shared* happenings that fit it; *end*: the last observation."""
    if one.law not in OF_WAITS or one.severity == Severity.NOTE or one.time is None:
        return one
    since, until = one.time, one.time
    if one.window is not None:
        since = one.window.since if one.window.since is not None else one.window.possible_since
        until = one.window.possible_until if one.window.possible_until < END else (end or since)
    gone = list(_fitting(one, shared, since, max(since, until)))
    deleted = [cause for cause in gone if cause.kind == HappeningKind.DELETED_NAMESPACE]
    return one._replace(causes=tuple(dict.fromkeys(deleted or [*one.causes, *gone])))


def _fitting(one: Finding, shared: Iterable[Happening], since: int, until: int) -> Iterator[Cause]:
    namespaces = {unit.rpartition("/")[0] for unit in (one.units or (one.unit or "",))}
    for happening in shared:
        kind, fits = happening.cause.kind, False
        if kind == HappeningKind.DELETED_NAMESPACE:
            fits = namespaces == {happening.cause.subject}
        elif kind == HappeningKind.NO_CHOICE:
            fits = happening.cause.subject in namespaces and not one.causes
        elif kind in STATES:
            fits = all(cause.kind in STATES for cause in one.causes)
        elif kind == HappeningKind.UNCONNECTED:
            fits = happening.cause.subject in one.brokers and not one.causes
        elif kind == HappeningKind.PUT_OFF:
            gone = (cause.kind in OF_BROKERS and cause.subject != happening.cause.subject for cause in one.causes)
            fits = not one.causes or any(gone)
        else:
            fits = kind in OF_ALL
        if fits and _is_most(happening, since, until):
            yield happening.cause


def _is_most(happening: Happening, since: int, until: int) -> bool:
    """Return whether a happening lasted for at least half of a time, or all of a moment."""
    last = happening.until if happening.until == END else happening.until + SETTLING
    overlap = min(until, last) - max(since, happening.since)
    return overlap >= 0 and 2 * overlap >= until - since
