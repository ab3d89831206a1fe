"""Scenarios in which ZooKeeper is killed, or out of a broker's reach."""

import signal
from functools import partial
from typing import Final

from oneowner.checkers.collect.admin import now
from oneowner.checkers.lab.cluster.recording import Recording
from oneowner.checkers.lab.scenarios.load import asking, at_once, moving
from oneowner.checkers.lab.scenarios.processes import SESSION_ENDS

CUT = 45
"""Longer than a session of 10 s, and than the fence of each broker that is cut off, in seconds."""


UNANSWERED = 12.5
"""
The seconds after its last answer when a broker has given up a session of 10 s, and ZooKeeper has not.

The broker gives up after 5/6 of it and two checks (``ZKSessionWatcher``). Before, after 2/3, it reconnects, and
ZooKeeper counts from there.
"""


UNHEARD: Final = 8.5
"""The seconds without an answer when a client has reconnected, and its session of 10 s still exists."""


LATE: Final = 180
"""The delay, in seconds, of a clean-up that the leader schedules soon after a lost session."""


SESSIONS_END = 14
"""The seconds until a restarted server has ended silent sessions of 10 s."""


OUTLIVES_RESTART: Final = 40
"""The longest session that ZooKeeper grants, in seconds: longer than the restart of a broker."""
NEAR: Final = 10
"""The seconds before the possible end of the session at which the restarted broker is cut off."""


def zk_restart(run: Recording) -> None:
    """ZooKeeper is killed (SIGKILL) for 4 s, then for 30 s, amid moves; then a follower is killed and started again."""
    _outages(run)
    number = run.follower_that_owns()
    run.signal(signal.SIGKILL, number)
    run.wait(30)
    run.restart(number, 180)
    run.wait(20)


def zk_restart_metadata(run: Recording) -> None:
    """ZooKeeper is killed (SIGKILL) for 4 s, then for 30 s, amid moves; the channel is in the metadata store."""
    _outages(run)
    run.wait(35)


def _outages(run: Recording) -> None:
    """A server counts sessions from its start on: after the second outage brokers come when none is left."""
    with moving(run, every=1):
        run.lose_zookeeper(4)
        run.wait(12)
    _after_outage(run)
    with moving(run, every=1):
        run.cut(*run.brokers)
        run.lose_zookeeper(30)
        run.wait(SESSIONS_END)
        run.heal(*run.brokers)
        run.wait(12)
    _after_outage(run)


def _after_outage(run: Recording) -> None:
    run.event("after the outage", leader=run.leader(), alive=run.alive())
    run.wait(10)


def zk_partition(run: Recording) -> None:
    """A follower is cut off ZooKeeper alone for 45 s; clients and brokers reach it still. Then the leader is."""
    _cut_off(run, run.follower_that_owns())
    run.wait(25)
    with moving(run, every=0.5):
        run.wait(6)
    _cut_off(run, run.leader() or 1)
    run.wait(40)


def zk_partition_metadata(run: Recording) -> None:
    """As zk-partition, with the channel in the metadata store: a follower is cut off for 45 s, then the leader is."""
    zk_partition(run)


def _cut_off(run: Recording, number: int) -> None:
    run.cut(number)
    run.wait(CUT)
    run.heal(number)


def zk_partition_livelock(run: Recording) -> None:
    """
    A follower that has lost its session is not registered anew; then the leader is cut off, and that follower wins.

    The other follower is held back from ZooKeeper while a new leader is elected: too short to lose its session.
    """
    leader, number = run.leader() or 1, run.follower_that_owns()
    (other,) = {*run.brokers} - {leader, number}
    _cut_off(run, number)
    run.wait(4)
    run.cut(leader)
    run.wait(6.5)
    run.cut(other)
    run.wait(5.5)
    run.heal(other)
    run.wait(CUT)
    run.heal(leader)
    run.wait(40)


def split_unseen(run: Recording) -> None:
    """
    Every bundle is split while a follower is cut off ZooKeeper and has no session; then it is healed.

    Nobody tells it of the new boundaries: asked for topics, it goes by the old ones.
    """
    number = run.follower_that_owns()
    run.cut(number)
    run.wait(CUT)
    for owner in run.brokers:
        for unit in run.owned(owner) if owner != number else ():
            run.split(unit, owner)
    run.wait(5)
    run.heal(number)
    run.wait(60)


def notifications_missed(run: Recording) -> None:
    """
    A follower hears nothing of ZooKeeper for 8.5 s and keeps its session; a bundle is transferred to it meanwhile.

    What a watch would have told it while it was not connected, ZooKeeper does not tell it later.
    """
    leader, number = run.leader() or 1, run.follower_that_owns()
    unit = run.owned(leader)[0]
    run.leave_unanswered(number)
    run.wait(1)
    with asking(partial(run.unload, unit, leader, number)):
        run.wait(UNHEARD - 1)
        run.heal(number)
        run.wait(60)


def late_clean_up(run: Recording) -> None:
    """
    A follower is killed (SIGKILL) while the leader's session is new, which therefore cleans up 180 s later.

    Before that it is cut off, and the other follower leads. Its session is new as well, so that it cleans nothing up.
    """
    leader, number = run.leader() or 1, run.follower_that_owns()
    (other,) = {*run.brokers} - {leader, number}
    _unsettle(run, leader)
    run.signal(signal.SIGKILL, number)
    run.wait(SESSION_ENDS)
    _unsettle(run, other)
    _cut_off(run, leader)
    run.wait(LATE - CUT)


def _unsettle(run: Recording, number: int) -> None:
    """Make a broker take its session for lost and recover it, while ZooKeeper keeps it: nobody else is elected."""
    run.leave_unanswered(number)
    run.wait(UNANSWERED)
    run.heal(number)
    run.wait(4)


VIEW: Final = "loadManagerServiceUnitStateTableViewClassName"
UNKNOWN_CLASS: Final = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateTableView5"


def clean_up_called_off(run: Recording) -> None:
    """
    A follower is killed (SIGKILL) while the leader's session is new, and is back before the leader cleans up after it.

    Its first start fails: its file names a class for the channel's storage that no release has. Its second succeeds.
    """
    leader, number = run.leader() or 1, run.follower_that_owns()
    _unsettle(run, leader)
    run.signal(signal.SIGKILL, number)
    run.wait(SESSION_ENDS)
    run.write_setting(number, VIEW, UNKNOWN_CLASS)
    run.restart(number, 40)
    run.write_setting(number, VIEW, None)
    run.restart(number)
    run.wait(45)


def quick_restart(run: Recording) -> None:
    """
    A follower is killed (SIGKILL) and starts again within its session, whose end then takes its registration away.

    It is told of that late, as nothing passes between it and ZooKeeper for some seconds. Meanwhile its bundles are
    given to others and unloaded there, and clients ask for them: no record that is left names it.
    """
    number, killed = run.follower_that_owns(), now()
    lost = run.owned(number)
    run.signal(signal.SIGKILL, number)
    run.restart(number)
    run.wait(max(0, OUTLIVES_RESTART - NEAR - round((now() - killed) / 1000)))
    run.event("its topics before", process=f"broker-{number}", topics=run.topics(number))
    run.cut(number)
    at_once(*(partial(run.unload, unit, other) for unit, other in _given(run, lost, number)))
    run.wait(3)
    run.heal(number)
    run.wait(10)
    run.event("its topics after", process=f"broker-{number}", topics=run.topics(number))
    run.wait(35)


def _given(run: Recording, lost: list[str], number: int) -> list[tuple[str, int]]:
    """Wait at most half a minute until every bundle of *lost* is at another broker than *number*; return these."""
    others, given = [other for other in run.brokers if other != number], {}
    for _ in range(60):
        given = {unit: other for other in others for unit in run.owned(other) if unit in lost}
        if len(given) == len(lost):
            break
        run.wait(0.5)
    return [*given.items()]
