"""The law of roles."""

from collections.abc import Sequence
from dataclasses import replace

from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite
from oneowner.checkers.recordings.read.zookeeper import BROKERS, LEADER
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from tests.recordings.laws.cases import LAWS, Case, case, each, violation, warning
from tests.recordings.laws.crafted import B1, B2, B3, logs, poll, said, scene, write
from tests.recordings.laws.recorded import recorded

LAW = "role-is-taken"
FAST = Limits(session=10_000, in_flight_wait=10_000, monitor=15_000)
RETRY = "The broker:b1:8080 failed to set the role. Retrying 1 th ..."
WHY = "Failed to lookup broker:Optional[b1:8080] for bundle:pulsar/system/0x0_0x1, the broker has not been registered."
REGISTERED = write(1, 1_000, "create", BROKERS + B1, "0x1")
SETTING = said(2, 10_010, "role-setting", to="Leader", **{"from": "Follower"})
LEADS_AT_12 = said(3, 12_000, "plays-leader")
LEADS_AT_50 = said(3, 50_000, "plays-leader")


def elected(
    *lines: LogEvent, until: int = 500_000, setting: tuple[LogEvent, ...] = (SETTING,),
    writes: tuple[NodeWrite, ...] = (REGISTERED,), before: tuple[NodeWrite, ...] = (),
    others: tuple[LogEvent, ...] = (), **fields: object,
) -> Scene:  # fmt: skip
    """
    B1 is elected at 10 s and begins to play; *lines* follow; its log ends at *until*.

    Beside it: *others* are lines of other brokers, *before* what ZooKeeper saw first.
    """
    election = write(2, 10_000, "create", LEADER, "0x1", f'{{"brokerId":"{B1}"}}')
    own = [said(1, 0, "broker-starting"), *setting, *lines, said(99, until, "owner-returned")]
    return scene(said=logs(*own, *others), writes=[*before, *writes, election], **fields)


def muted(run: Scene) -> Scene:
    """The same run, whose logs end with an error."""
    return replace(
        run, said={b: [*lines[:-1], lines[-1]._replace(event="lookup-failed")] for b, lines in run.said.items()}
    )


RETRIES = sorted(
    [
        *(said(10 + n, 11_000 + 1_000 * n, "role-failed", text=RETRY, retry=n + 1) for n in range(100)),
        said(200, 11_000, "owner-not-registered", text=WHY),
        said(201, 12_000, "owner-not-registered", text=WHY),
    ],
    key=lambda line: line.time,
)
THREE_RETRIES = [said(10 + n, 11_000 + n, "role-failed", text=RETRY, retry=n + 1) for n in range(3)]
FORMER_LEADER = (
    said(1, 0, "plays-leader", broker=B2), said(2, 8_000, "x", broker=B2), said(3, 49_000, "x", broker=B2)
)  # fmt: skip
FORMER_ELECTION = (
    write(0, 500, "create", LEADER, "0x2", f'{{"brokerId":"{B2}"}}'),
    write(0, 9_990, "closeSession", session="0x2"),
)
WAITING = said(1, 10_020, "role-setting", broker=B3, to="Follower"), said(2, 50_010, "plays-follower", broker=B3)
LATE_FOLLOWER = logs(said(1, 10_000, "role-setting", to="Follower"), said(2, 150_000, "plays-follower"))
TRIES = [said(n, 10_000 + 5_000 * n, "role-failed") for n in range(1, 405)]
TRIES_ON = logs(said(0, 10_000, "role-setting", to="Follower"), *TRIES)
NEVER_FOLLOWS = logs(said(1, 10_000, "role-setting", to="Follower"), said(2, 500_000, "owner-returned"))

CASES = {
    "role taken in time is well": case(LAW, elected(LEADS_AT_12), occasions=1),
    "role taken late is a warning": case(LAW, elected(LEADS_AT_50), warning(B1, window=(10_000, 50_000))),
    "role never taken is a violation": case(LAW, elected(until=120_000), violation(why="to the end of its log")),
    "log without lines of roles need not show an election":
        case(LAW, elected(*THREE_RETRIES, until=200_000, setting=()), doubts=0, occasions=1),
    "retries with which a log begins are of some role":
        case(LAW, elected(*RETRIES, until=111_000, setting=()),
             warning(B1, window=(11_000, 110_000), why="was to take a role and had not taken it for 99.0 s")),
    "role given up in time is well":
        case(LAW, elected(said(3, 20_000, "role-setting", to="Follower"), said(4, 20_100, "plays-follower"))),
    "retries without end are counted with their thread and reason":
        case(LAW, elected(*RETRIES, until=111_000, writes=()),
             violation(why=("tried again 100 times in 99.0 s on thread thread, without end",
                            "2 times meanwhile: Failed to lookup broker"))),
    "broker that is registered no more is told to be so":
        case(LAW, elected(*RETRIES, until=111_000, writes=(REGISTERED, write(3, 5_000, "closeSession", session="0x1"))),
             violation(why="it is not registered")),
    "election of which the elected says nothing is a violation":
        case(LAW, elected(until=120_000, setting=(said(1, 500, "plays-follower"),)), violation()),
    "election of which a log says nothing that has no line of level INFO any more is a doubt":
        case(LAW, muted(elected(until=120_000, setting=(said(1, 500, "plays-follower"),))),
             doubts="no line of level INFO any more"),
    "leader whose node is made anew says nothing again":
        case(LAW, elected(until=500_000, setting=(said(1, 500, "plays-leader"),)), occasions=0),
    "broker that polls named as the leader before its election plays it already":
        case(LAW,
             elected(said(9, 499_000, "plays-follower"), until=500_000, setting=(),
                     polls=[poll(1, 8_000, 8_010, B2), poll(2, 9_000, 9_010, B3)]),
             occasions=0),
    "broker that polls name since its election alone did not play it before":
        case(LAW,
             elected(said(9, 499_000, "plays-follower"), until=500_000, setting=(),
                     polls=[poll(1, 9_000, 9_010, B2, leader=B2), poll(2, 11_000, 11_010, B3)]),
             violation()),
    "missing line of a role is made up for by what the thread does next":
        case(LAW, elected(said(3, 12_000, "monitor-completed"))),
    "hung former leader is named":
        case(LAW,
             elected(LEADS_AT_50, until=60_000, before=FORMER_ELECTION, others=FORMER_LEADER,
                     polls=[poll(1, 9_000, 49_010, B2)]),
             warning(why="the former leader b2:8080 hung")),
    "followers that wait for the leader are told with it":
        case(LAW, elected(LEADS_AT_50, until=60_000, others=WAITING), warning(B1, B3)),
    "follower that is late alone is a warning": case(LAW, scene(said=LATE_FOLLOWER), warning()),
    "role that is tried for longer than the broker's own check takes is a violation":
        case(LAW, scene(said=TRIES_ON), violation(B1, why=("tried again 404 times", "not even its own check"))),
    "role that is tried from the beginning of the log on, for as long, is a violation":
        case(LAW, scene(said=logs(*TRIES)), violation(B1, why="was to take a role")),
    "missing line of a beginning is made up for by the end": case(LAW, elected(LEADS_AT_12, setting=()), occasions=1),
    "follower that never says that it follows is a doubt": case(LAW, scene(said=NEVER_FOLLOWS), doubts=1),
    "scene without roles is no occasion": case(LAW, scene(said=logs(said(1, 0, "owner-returned"))), occasions=0),
}  # fmt: skip


@each(CASES)
def test_role_is_judged_by_the_log_of_who_was_elected(case: Case) -> None:
    case.check()


def made_anew(told: Scene) -> Scene:
    """Return a recorded run in which the leader makes its node anew, 10 s after its election."""
    place = next(number for number, one in enumerate(told.writes) if one.path == LEADER)
    made = told.writes[place]
    later = next(number for number, one in enumerate(told.writes) if one.time > made.time + 10_000)
    time = told.writes[later].time
    anew = [made._replace(op="delete", data="", time=time), made._replace(time=time + 1)]
    return replace(told, writes=[*told.writes[:later], *anew, *told.writes[later:]], limits=FAST)


def test_recorded_leader_whose_node_is_made_anew_is_not_accused() -> None:
    law, whole = LAWS[LAW], recorded("healthy-quiet")
    remade = made_anew(whole)
    elections = [one.broker for one in registry_of(remade).leaders]
    assert len(elections) == 2
    assert len({*elections}) == 1
    assert law.judge(remade).findings == []
    follower: dict[str, Sequence[LogEvent]] = {
        broker: [line._replace(event="plays-follower") if line.event == "plays-leader" else line for line in lines]
        for broker, lines in remade.said.items()
    }
    assert {one.brokers for one in law.judge(replace(remade, said=follower)).findings} == {(elections[0],)}
