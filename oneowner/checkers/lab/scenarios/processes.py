"""Scenarios in which a process is killed, stands still, or is asked to end."""

import signal
from functools import partial
from typing import Final

from oneowner.checkers.lab.cluster.recording import Recording
from oneowner.checkers.lab.scenarios.load import asking, moving, units, visiting
from oneowner.checkers.lab.scenarios.moves import delete

SESSION_ENDS: Final = 25
"""The seconds until a killed broker's session has ended and others own its bundles; sessions are of 10 s."""


def kill_owner(run: Recording) -> None:
    """A follower that owns bundles is killed with kill -9; its session ends, others take over; it is started again."""
    number = run.follower_that_owns()
    run.signal(signal.SIGKILL, number)
    run.wait(SESSION_ENDS)
    run.restart(number)
    run.wait(10)


def kill_mid_transfer(run: Recording) -> None:
    """A follower is killed (SIGKILL) amid moves of bundles by two workers, and is started again; four times."""
    for _ in range(4):
        number = run.follower_that_owns()
        with moving(run, workers=2, every=0.1):
            run.wait(4)
            run.signal(signal.SIGKILL, number)
            run.wait(3)
        run.wait(SESSION_ENDS)
        run.restart(number)
        run.wait(6)


def resumed_owner(run: Recording) -> None:
    """A follower that owns bundles stands still until its session has ended and others own them; then it goes on."""
    _pause(run, run.follower_that_owns(), 28)
    run.wait(25)


def zombie(run: Recording) -> None:
    """A follower stands still (SIGSTOP) for 30 s, then for 6 s, then the leader for 30 s; each goes on (SIGCONT)."""
    number = run.follower_that_owns()
    _pause(run, number, 30)
    with moving(run, every=2):
        run.wait(25)
    _pause(run, number, 6)
    run.wait(8)
    _pause(run, run.leader() or 1, 30)
    run.wait(45)


def leader_hang(run: Recording) -> None:
    """The leader stands still (SIGSTOP) for 110 s, longer than clients keep connections alive; then it goes on."""
    _pause(run, run.leader() or 1, 110)
    run.wait(40)


def _pause(run: Recording, number: int, seconds: float) -> None:
    run.signal(signal.SIGSTOP, number)
    run.wait(seconds)
    run.go_on(number)


def graceful_stop(run: Recording) -> None:
    """The leader is asked to end (SIGTERM); it unloads its bundles, another is elected; it is started again."""
    _stop(run, run.leader() or 1)


def _stop(run: Recording, number: int) -> None:
    run.signal(signal.SIGTERM, number)
    run.wait_for_end(number, 40)
    run.wait(10)
    run.restart(number)
    run.wait(10)


def stop_mid_split(run: Recording) -> None:
    """A follower is asked to end (SIGTERM) amid splits of its bundles; it is started again."""
    number = run.follower_that_owns()
    with asking(*(partial(run.split, unit, number) for unit in run.owned(number)[:3])):
        run.wait(0.05)
        run.signal(signal.SIGTERM, number)
        run.wait_for_end(number, 60)
    run.wait(25)
    run.restart(number)
    run.wait(15)


def rolling_restart(run: Recording) -> None:
    """Every broker in turn is asked to end (SIGTERM) and is started again; stock timers, debug mode off."""
    for number in run.brokers:
        _stop(run, number)
    run.wait(20)


def bookie_hang(run: Recording) -> None:
    """The bookie stands still (SIGSTOP) for 85 s, and two bundles are unloaded meanwhile; it goes on (SIGCONT)."""
    run.event("SIGSTOP", process="bookie")
    run.cluster.bookie.signal(signal.SIGSTOP)
    with asking(*(partial(run.unload, unit, 1) for unit in units(run)[:2])):
        run.wait(85)
        run.event("SIGCONT", process="bookie")
        run.cluster.bookie.signal(signal.SIGCONT)
    run.wait(45)


SYNCER: Final = "loadBalancerServiceUnitTableViewSyncer"
SYNCED: Final = "Successfully started ServiceUnitStateTableViewSyncer"
MONITORED: Final = 130
"""The seconds until a leader has checked its setting for a syncer, which it does every 120 s."""
VISITED: Final = tuple(f"persistent://lab/m/t{number}" for number in range(60))


def migration(run: Recording) -> None:
    """
    The channel moves from its topic to the metadata store: a syncer is started, and each broker is restarted.

    One broker in turn is asked to end (SIGTERM) and is started again with the other storage, the leader last, while
    clients come, send one message and go. Then the syncer is ended.
    """
    leader = run.leader() or 1
    run.namespace("lab/m", 64, VISITED)
    run.configure(SYNCER, "SystemTopicToMetadataStoreSyncer")
    run.wait_for_line(leader, SYNCED, MONITORED)
    for number in run.followers():
        run.keep_in("metadata-store", number)
        _stop(run, number)
    with visiting(run, VISITED):
        run.wait(2)
        run.keep_in("metadata-store", leader)
        run.signal(signal.SIGTERM, leader)
        run.wait_for_end(leader, 40)
        run.wait(5)
    run.restart(leader)
    run.wait(20)
    run.configure(SYNCER, "None")
    run.wait_for_line(run.leader() or 1, "Successfully closed ServiceUnitStateTableViewSyncer", MONITORED)
    run.wait(5)


def shutdown_together(run: Recording) -> None:
    """Both followers are asked to end (SIGTERM) at the same moment, and are started again; three times."""
    for _ in range(3):
        followers = run.followers()
        run.signal(signal.SIGTERM, *followers)
        for number in followers:
            run.wait_for_end(number, 40)
        run.wait(20)
        for number in followers:
            run.restart(number)
        run.wait(10)


def delete_decommission(run: Recording) -> None:
    """
    Bundles and namespaces are deleted with clients on, one comes back, one is gone for good.

    Then a follower and the leader are asked to end (SIGTERM) and are started again, and the monitor has a minute.
    """
    delete(run)
    _stop(run, run.follower_that_owns())
    _stop(run, run.leader() or 1)
    run.wait(50)


def metadata_store(run: Recording) -> None:
    """Moves and three splits, then a follower and the leader are killed (SIGKILL) and started again; metadata store."""
    with moving(run):
        run.wait(25)
    for unit in units(run)[:3]:
        run.split(unit, 1)
        run.wait(1)
    kill_owner(run)
    leader = run.leader() or 1
    with moving(run):
        run.wait(4)
        run.signal(signal.SIGKILL, leader)
        run.wait(3)
    run.wait(SESSION_ENDS)
    run.restart(leader)
    run.wait(10)


def fenced_for_good(run: Recording) -> None:
    """A follower stands still (SIGSTOP), the leader's bundles are transferred to it, and it is killed; stock timers."""
    leader, number = run.leader() or 1, run.follower_that_owns()
    run.signal(signal.SIGSTOP, number)
    run.wait(4)
    with asking(*(partial(run.unload, unit, leader, number) for unit in run.owned(leader))):
        run.wait(4)
        run.signal(signal.SIGKILL, number)
    run.wait(60)
