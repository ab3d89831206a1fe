"""Scenarios in which the channel is compacted, and a broker goes on or starts behind what was deleted."""

import signal
from typing import Final

from oneowner.checkers.lab.cluster.recording import Recording
from oneowner.checkers.lab.scenarios.load import moving
from oneowner.checkers.lab.scenarios.processes import SESSION_ENDS

CHANNEL: Final = "persistent/pulsar/system/loadbalancer-service-unit-state"


def compaction(run: Recording) -> None:
    """
    The channel is compacted amid moves, and a follower is killed (SIGKILL) and started again at once; three times.

    Then the leader is killed and started again.
    """
    for _ in range(3):
        with moving(run):
            run.wait(8)
            run.ask("compact", 1, "PUT", f"{CHANNEL}/compaction")
            run.wait(3)
        number = run.follower_that_owns()
        run.signal(signal.SIGKILL, number)
        run.restart(number)
        run.wait(12)
    leader = run.leader() or 1
    run.signal(signal.SIGKILL, leader)
    run.wait(SESSION_ENDS)
    run.restart(leader)
    with moving(run):
        run.wait(8)
    run.wait(8)


def trimmed(run: Recording) -> None:
    """
    The channel is compacted twice amid moves, and loses what was compacted, as nothing retains it.

    Then a follower is killed (SIGKILL) and started again: it reads the compacted ledger, and the rest of the topic.
    """
    for _ in range(2):
        with moving(run, every=1):
            run.wait(6)
            run.ask("compact", 1, "PUT", f"{CHANNEL}/compaction")
            run.wait(4)
        run.wait(4)
    number = run.follower_that_owns()
    run.signal(signal.SIGKILL, number)
    run.wait(SESSION_ENDS)
    run.restart(number)
    run.wait(15)


DELETED: Final = "lab/d"
"""A namespace of one bundle, which nobody uses for a time."""
CONNECTION_ENDS: Final = 12
"""The seconds until a broker has dropped a connection without answers: it sends two pings, one every 5 s."""


def carried_over(run: Recording) -> None:
    """
    A follower stands still (SIGSTOP) until its connections are given up, and goes on (SIGCONT) behind a compaction.

    Meanwhile a bundle is unloaded, its entry deleted and the channel compacted; no session ends. Then the bundle's
    former owner is asked to end (SIGTERM), the bundle is assigned anew, and each broker is asked for it.
    """
    leader, late = run.leader() or 1, run.follower_that_owns()
    (owner,) = {*run.brokers} - {leader, late}
    topic, unit = f"persistent://{DELETED}/t0", f"{DELETED}/0x00000000_0xffffffff"
    run.namespace(DELETED, 1, [topic])
    for number in (leader, owner) * 3:
        run.unload(unit, leader, number)
        run.wait(1)
    for own in run.owned(late):
        run.unload(own, late, leader)
    run.wait(3)
    run.signal(signal.SIGSTOP, late)
    run.wait(CONNECTION_ENDS)
    run.unload(unit, leader)
    run.wait(9)  # until the monitor has deleted its entry
    run.ask("compact", leader, "PUT", f"{CHANNEL}/compaction")
    run.wait(4)
    run.go_on(late)
    run.wait(15)
    run.signal(signal.SIGTERM, owner)
    run.wait_for_end(owner, 40)
    for _ in range(15):
        for number in run.alive():
            run.recorder.look_up(run.id(number), topic)
        run.wait(3)
    run.restart(owner)
    run.wait(10)


GIVEN_AWAY: Final = 40
"""The seconds until a session of 20 s has ended, and the leader has reassigned its broker's bundles."""


def fell_behind(run: Recording) -> None:
    """
    A follower stands still (SIGSTOP) until connections and session are gone, and goes on (SIGCONT) behind a compaction.

    Meanwhile its bundles are given away, unloaded, and assigned again as clients ask, and the channel is compacted: the
    record that is kept of each does not name it. Then it is asked which topics it has.
    """
    leader, late = run.leader() or 1, run.follower_that_owns()
    lost = run.owned(late)
    run.signal(signal.SIGSTOP, late)
    run.wait(GIVEN_AWAY)
    for unit in lost:
        run.unload(unit, leader)
    run.wait(5)
    run.ask("compact", leader, "PUT", f"{CHANNEL}/compaction")
    run.wait(4)
    run.go_on(late)
    for _ in range(8):
        run.wait(10)
        run.event("topics", process=f"broker-{late}", topics=run.topics(late))
