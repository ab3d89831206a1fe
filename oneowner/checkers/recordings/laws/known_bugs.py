"""
Known bugs are described in a sentence each, for findings that look like them.

Bugs with an issue are named by it, where they are found, and only of a release that may have them.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from oneowner.checkers.recordings.scene.broker_processes import lines_of
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.model.channel.releases import RELEASES, has_metadata_store
from oneowner.model.channel.rules import Rules
from oneowner.model.kernel.releases import before, nearest

STARTING: Final = "broker-starting"
ROLE_IS_SET: Final = "role-setting"

SENTENCES: Final = {
    "lists_what_it_knew": "a broker that lost its session and lists every unit of the cluster as its own",
    "pause_not_noticed": "a broker that stood still and answers as owner of what was given away meanwhile",
    "hung_leader_keeps_channel": "a channel that stays with a leader that hangs",
    "dead_broker_selected": "a unit that is assigned to a broker which is dead and still registered",
}
"""The symptom, by the fault's name."""


class Issue(NamedTuple):
    """A known bug with an issue, and the releases that may have it."""

    words: str
    affects: Callable[[str], bool]
    """Return whether a release has the bug: by its switches, where the model has one for it."""


def _where(has: Callable[[Rules], bool]) -> Callable[[str], bool]:
    """Return whether a release has a bug, given how its rules show it."""
    return lambda release: has(RELEASES[release])


def looks_like(fault: str) -> str:
    """
    Return the words by which a finding names *fault*.

    >>> looks_like("hung_leader_keeps_channel").partition(" (")[0]
    'looks like a channel that stays with a leader that hangs'
    """
    return f"looks like {SENTENCES[fault]} (no upstream issue is known; oneowner faults {fault})"


STORE_CLOSES: Final = Issue(
    "looks like #26243, fixed in 4.0.13 and 4.2.4: a change of role meets a handler of Owned",
    _where(lambda rules: rules.store_closes_blocking),
)
"""The reader of the load data is closed and waited for, with a lock that came with #21777."""
LATE: Final = Issue(
    "looks like #24907, fixed by #24932 (4.0.8, 4.1.2): a broker registers again only when its own check comes",
    _where(lambda rules: not rules.registers_with_session),
)
"""Until 3.3.1 a lock renewed itself (#23298)."""
NO_WATCH: Final = Issue(
    "looks like #23015, fixed by #25910 (4.0.11, 4.2.2): after an outage no watch tells that the session is back",
    before("4.0.11", "4.2.2", "5.0.0").__contains__,
)
UNSTABLE: Final = Issue(
    "looks like #25132, fixed in 4.0.9 and 4.1.3: the state stays Unstable",
    before("4.0.9", "4.1.3", "4.2.0").__contains__,
)
SAME_VERSION: Final = Issue("looks like #24186, fixed in 4.0.5", _where(lambda rules: not rules.full_equality))
"""The metadata store came with 4.0.0."""
CARRIED_OVER: Final = Issue(
    "looks like #26190, fixed in 5.0.1: a reader that a compaction carries over a tombstone keeps the dead entry",
    _where(lambda rules: not rules.original_at_cursor),
)
LISTS_WHAT_IT_KNEW: Final = Issue(
    looks_like("lists_what_it_knew"),
    lambda release: has_metadata_store(release) and RELEASES[release].session_loss_empties_view,
)
"""Since #24478 the view is emptied when the session is lost, and its list is not."""


GIVEN_BACK: Final = (
    "looks like a bundle that is given back by force to the broker that has closed it "
    "(no upstream issue is known; docs/upstream/fenced-for-good.md)"
)
LATE_TOMBSTONE: Final = (
    "looks like a tombstone that comes late and deletes what was assigned meanwhile "
    "(no upstream issue is known; docs/upstream/forced-free.md)"
)
CUT_SPLIT: Final = (
    "looks like a split whose owner dies, so that parent and children get several owners "
    "(no upstream issue is known; docs/upstream/split-crash.md)"
)
LOSS_UNSEEN: Final = (
    "looks like a broker that is notified late, of the last of several changes, and serves on what it lost "
    "(no upstream issue is known; docs/upstream/quick-restart.md)"
)
RETURN_UNSEEN: Final = (
    "looks like a broker that is notified late, and gets back topics that it has closed "
    "(no upstream issue is known; docs/upstream/fenced-for-good.md)"
)
FELL_BEHIND: Final = (
    "looks like a broker that fell behind a compaction and serves on what it lost "
    "(no upstream issue is known; docs/upstream/fell-behind.md)"
)
"""The behaviour of every release, as seen on real clusters."""


def issue(scene: Scene, lives: Iterable[Life], known: Issue) -> str:
    """Return the words by which a finding about processes names a similar bug; empty for releases without the bug."""
    return known.words if any(may_have(scene, life, known) for life in lives) else ""


def changing_role(scene: Scene, broker: str, since: int, until: int) -> list[Life]:
    """Return the processes of a broker that set another role than their first in a time, or shortly before."""
    first = since - scene.limits.in_flight_wait
    return [
        life
        for life in scene.lives.get(broker, ())
        for line in lines_of(scene, life, ROLE_IS_SET)
        if first <= line.time <= until and line.values.get("from") is not None
    ]


def may_have(scene: Scene, life: Life, known: Issue) -> bool:
    """Return whether a process may have a bug: by the release of its first line, else of the manifest, else it may."""
    named = [line.values.get("version") or "" for line in lines_of(scene, life, STARTING)]
    for found in (re.match(r"\d+\.\d+\.\d+", name) for name in (*named, scene.release)):
        if found is not None:
            release = nearest(found[0], RELEASES)
            return release is not None and known.affects(release)
    return True
