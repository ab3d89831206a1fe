"""Reports on leaders: two brokers believe to lead for a while, and the history of the election has a hole."""

from collections.abc import Sequence
from itertools import combinations

from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.read.events import Finding, Window
from oneowner.checkers.recordings.read.observations import LogEvent, Poll, Source
from oneowner.checkers.recordings.scene.broker_processes import all_lives, lines_of
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import iso, seconds
from oneowner.model.kernel.law import Severity

BELIEVES = "one-believes-to-lead"
NODE = "one-leader-node"


class _Belief:
    """A time at which one process logs that it plays the leader."""

    def __init__(self, broker: str, since: int, until: int, begun: LogEvent, ended: LogEvent | None) -> None:
        self.broker, self.since, self.until, self.begun, self.ended = broker, since, until, begun, ended


def _beliefs(scene: Scene) -> list[_Belief]:
    """
    Return the times in which each process played the leader: from its line to its next change of role, or its end.
    """
    found: list[_Belief] = []
    for life in all_lives(scene):
        begun: LogEvent | None = None
        for line in lines_of(scene, life, "plays-leader", "role-setting", "plays-follower", "broker-closing"):
            if line.event == "plays-leader":
                begun = begun or line
            elif begun is not None:
                found.append(_Belief(life.broker, begun.time, line.time, begun, line))
                begun = None
        if begun is not None:
            found.append(_Belief(life.broker, begun.time, life.end, begun, None))
    return sorted(found, key=lambda belief: (belief.since, belief.broker))


def _one_believes(scene: Scene) -> LawOutcome:
    judged, beliefs = LawOutcome(), _beliefs(scene)
    judged.exercised = len(beliefs)
    for one, other in combinations(beliefs, 2):
        since, until = max(one.since, other.since), min(one.until, other.until)
        if one.broker != other.broker and since < until - scene.limits.clock_skew:
            judged.findings.append(_two_believe(scene, one, other, since, until))
    return judged


def _two_believe(scene: Scene, one: _Belief, other: _Belief, since: int, until: int) -> Finding:
    polls = _contrary(scene.polls, one.broker, other.broker, since, until)
    asked = f"; {len(polls)} polls meanwhile name the old one" if polls else ""
    why = (
        f"{one.broker} and {other.broker} both believed to lead for {seconds(until - since)}, from {iso(since)} to "
        f"{iso(until)}, when {one.broker} {_how(one, until)}{asked}: allowed, as the old leader learns late"
    )
    ends: list[Citable] = [
        belief.ended for belief in (one, other) if belief.ended is not None and belief.until == until
    ]
    return finding(
        BELIEVES, Severity.NOTE, why, [one.begun, other.begun, *ends, *polls[:1], *polls[-1:]],
        brokers=(one.broker, other.broker), time=since, window=Window(since, until, since, until),
        guard="one broker at a time plays the leader", repair="none is needed if no override of the old one follows",
    )  # fmt: skip


def _how(belief: _Belief, until: int) -> str:
    if belief.until != until:
        return "still did"
    return "fell silent" if belief.ended is None else "changed its role"


def _contrary(polls: Sequence[Poll], old: str, new: str, since: int, until: int) -> list[Poll]:
    """Return the polls of the time in which the old leader still names itself."""
    own = [poll for poll in polls if poll.asked == old and since <= poll.start and poll.end <= until]
    return [poll for poll in own if poll.leader == old]


def _one_node(scene: Scene) -> LawOutcome:
    """ZooKeeper has one node of a name: a history that makes it twice has lost a line."""
    registry = registry_of(scene)
    return LawOutcome(len(registry.leaders), [], registry.disputed)


ONE_BELIEVES = SceneLaw(
    BELIEVES,
    "One broker at a time plays the leader; two for a while are allowed.",
    "ExtensibleLoadManagerImpl.playLeader, playFollower",
    order=52,
    needs=(Source.LOGS,),
    judge=_one_believes,
    uses=CLUSTER,
    severity=Severity.WARNING,
)
ONE_LEADER_NODE = SceneLaw(
    NODE,
    "There is one leader's node at a time: the history of the election has no holes.",
    "LeaderElectionService",
    order=52,
    needs=(Source.ZOOKEEPER,),
    judge=_one_node,
    uses=(Source.LOGS,),
    severity=Severity.WARNING,
)
