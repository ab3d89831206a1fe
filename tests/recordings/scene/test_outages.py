"""An outage of the metadata store lasts until its brokers have sessions again."""

from typing import Any

from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite
from oneowner.checkers.recordings.scene.explanations import why_away
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.scene import Limits
from oneowner.checkers.recordings.scene.timeline import END
from tests.recordings.laws.crafted import B1, B2, B3, logs, lookup, said, scene, session_event, write

BROKER = "/loadbalance/brokers/"
LAST = 300_000
LOST = [session_event(1, 50_000, "SessionLost", B1), session_event(1, 50_400, "SessionLost", B2)]
SESSIONS = {B1: "0x1", B2: "0x2", B3: "0x3"}
REGISTERED = [
    write(number, 10, "create", BROKER + broker, session, ephemeral=True)
    for number, (broker, session) in enumerate(SESSIONS.items())
]
ENDED = [write(10 + n, 71_000, "closeSession", "", SESSIONS[broker]) for n, broker in enumerate((B1, B2))]
"""The writes of a server that has started again, when the sessions of before have run out."""


def back(broker: str, time: int) -> LogEvent:
    return session_event(2, time, "SessionReestablished", broker)


def again(broker: str, time: int) -> NodeWrite:
    return write(30, time, "create", BROKER + broker, "0x9", ephemeral=True)


def outage(*more: LogEvent, writes: list[NodeWrite] | None = None, **fields: Any) -> Happening:
    """The outage of a run in which B1 and B2 lose their sessions; all three brokers live to the end."""
    lives = [said(9, time, "monitor-started", broker=broker) for broker in SESSIONS for time in (0, LAST)]
    lines = sorted([*lives, *LOST, *more], key=lambda line: line.time)
    history = sorted([*REGISTERED, *ENDED, *(writes or ())], key=lambda one: one.time)
    found = scene(said=logs(*lines), writes=history, limits=Limits(session=30_000), end=LAST, **fields)
    (one,) = (one for one in happenings_of(found).found.values() if one.cause.kind == HappeningKind.OUTAGE)
    return one


def test_session_that_the_server_closes_ends_no_outage() -> None:
    assert outage().until == END
    assert outage().repair == "get ZooKeeper to answer; restart no broker meanwhile"


def test_outage_ends_when_the_last_of_its_brokers_has_a_session_again() -> None:
    assert outage(back(B1, 80_000), back(B2, 95_000)).until == 95_000
    assert outage(back(B1, 80_000)).until == END
    begun = said(3, 90_000, "zk-session-begun", broker=B2, ms=30_000)
    assert outage(back(B1, 80_000), begun).until == 90_000
    assert outage(back(B1, 80_000), writes=[again(B2, 91_000)]).until == 91_000


def test_broker_of_an_outage_whose_process_is_gone_needs_no_session() -> None:
    lines = [said(9, time, "monitor-started", broker=broker) for broker in (B1, B3) for time in (0, LAST)]
    lines += [said(9, time, "monitor-started", broker=B2) for time in (0, 60_000)]
    log = logs(*sorted([*lines, *LOST, back(B1, 80_000)], key=lambda line: line.time))
    found = happenings_of(scene(said=log, writes=[*REGISTERED, *ENDED], limits=Limits(session=30_000), end=LAST)).found
    (one,) = (one for one in found.values() if one.cause.kind == HappeningKind.OUTAGE)
    assert one.until == 80_000


def test_restart_is_advised_for_brokers_that_stay_unregistered_and_for_no_other() -> None:
    both = back(B1, 80_000), back(B2, 95_000)
    assert outage(*both).repair == f"check that ZooKeeper runs; then restart {B1}, then {B2}"
    one = outage(*both, writes=[again(B1, 96_000)])
    assert one.repair == f"check that ZooKeeper runs; then restart {B2}"
    none = outage(*both, writes=[again(B1, 96_000), again(B2, 97_000)])
    assert none.repair == "find out why ZooKeeper was away; no broker needs a restart for it"


def test_broker_without_a_log_lost_what_several_others_lost() -> None:
    lines = [said(9, time, "monitor-started", broker=broker) for broker in (B1, B2) for time in (0, LAST)]
    log = logs(*sorted([*lines, *LOST, back(B1, 80_000), back(B2, 81_000)], key=lambda line: line.time))
    ended = write(20, 71_000, "closeSession", "", SESSIONS[B3])
    asked = [lookup(number, time, time + 10, B3, B3) for number, time in enumerate(range(0, LAST, 2_000))]
    given = {"writes": [*REGISTERED, *ENDED, ended], "lookups": asked, "limits": Limits(session=30_000), "end": LAST}
    found = scene(said=log, **given)
    assert {cause.kind for cause in why_away(found, B3, 70_000, 75_000)} == {HappeningKind.OUTAGE}
    with_log = {**log, B3: [said(9, time, "monitor-started", broker=B3) for time in range(0, LAST, 1_000)]}
    alone = scene(said=with_log, **given)
    assert {cause.kind for cause in why_away(alone, B3, 70_000, 75_000)} == {HappeningKind.CUT}
