"""
A report on names: a leader that brokers name was elected, and a namespace whose bundles are owned was created.

Both are nodes of ZooKeeper before anybody can read them (``LeaderElectionService``, ``PoliciesUtil``,
``NamespaceBundleFactory``). Only a history from the server's first transaction on proves that a node was never created,
and only for kinds of nodes that it has.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from oneowner.checkers.recordings.fold.numbered_runs import STEP
from oneowner.checkers.recordings.laws.integrity.contradictions import Contradiction, told
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.checkers.recordings.read.companion_files import broker_of
from oneowner.checkers.recordings.read.observations import NodeWrite, Source
from oneowner.checkers.recordings.read.zookeeper import CREATES
from oneowner.checkers.recordings.scene.registry import written
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import iso
from oneowner.model.kernel.law import Severity

LAW: Final = "names-are-known"
POLICIES: Final = "/admin/policies/"
LOCAL_POLICIES: Final = "/admin/local-policies/"
WHOLE: Final = "/0x00000000_0xffffffff"


def _names_are_known(scene: Scene) -> LawOutcome:
    writes = scene.writes
    if not writes or writes[0].zxid != 1:
        return LawOutcome()
    return told(LAW, len(scene.polls) + len(scene.channel.units), [*_leaders(scene), *_namespaces(scene, writes)])


def _leaders(scene: Scene) -> Iterator[Contradiction]:
    """Yield the first poll that names a broker as leader which was not elected by then."""
    elected = written(scene.writes).leaders
    said: set[str] = set()
    for poll in scene.polls:
        leader = broker_of(poll.leader) if poll.leader else ""
        late = poll.end + STEP + scene.limits.clock_skew
        if leader in scene.brokers and leader not in said and poll.end <= scene.writes[-1].time:
            if not any(held.broker == leader and held.since <= late for held in elected):
                said.add(leader)
                why = f"{poll.asked} names {leader} as leader at {iso(poll.end)}, which was never elected by then"
                yield Contradiction(why, (poll,), (leader, poll.asked))


def _namespaces(scene: Scene, writes: Sequence[NodeWrite]) -> Iterator[Contradiction]:
    """Yield units of the channel whose namespace nothing made."""
    for root in (POLICIES, LOCAL_POLICIES):
        made = {
            write.path.removeprefix(root) for write in writes if write.op in CREATES and write.path.startswith(root)
        }
        if not any("/" in name for name in made):
            continue
        for namespace, units in sorted(scene.channel.by_namespace.items()):
            step = units[0].steps[0]
            if root == LOCAL_POLICIES and any(unit.key.endswith(WHOLE) for unit in units):
                continue  # a namespace that nobody divided has no bundles of its own
            if namespace not in made and step.time <= writes[-1].time:
                why = f"{step.key} is in the channel, and nothing made {root}{namespace}"
                yield Contradiction(why, (step,), unit=step.key)


LAWS: Final = (
    SceneLaw(
        LAW,
        "A leader that brokers name was elected, and the namespace of a bundle was created.",
        "LeaderElectionService, NamespaceBundleFactory",
        needs=(Source.ZOOKEEPER,),
        judge=_names_are_known,
        uses=(Source.CHANNEL, Source.POLLS),
        severity=Severity.WARNING,
    ),
)
