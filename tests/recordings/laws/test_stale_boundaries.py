"""Use of boundaries of before a split: the deleted parent is assigned by a broker that was away when it was split."""

from dataclasses import replace
from typing import Any

from oneowner.checkers.recordings.laws.channel_links import linked
from oneowner.checkers.recordings.laws.scene_law import finding
from oneowner.checkers.recordings.laws.serving.unserved import why_refused, why_unserved
from oneowner.checkers.recordings.laws.views.stale_boundaries import stale_boundaries, why_revived
from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.citations import cite
from oneowner.checkers.recordings.scene.happening import HappeningKind
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import (
    B1,
    B2,
    B3,
    OTHER,
    UNIT,
    channel,
    logs,
    message,
    printed,
    said,
    scene,
    session_event,
)
from tests.recordings.laws.test_publishers import PRODUCERS, created

HALF = "t/n/0x00000000_0x40000000"
STALE = Cause(HappeningKind.BOUNDARIES, B2, 50_000)
LOST = Cause(HappeningKind.CUT, B2, 15_000)
SESSION_LOST = session_event(2, 40_000, "SessionLost", B2)
BACK = session_event(3, 60_000, "SessionReestablished", B2)
SENT_AWAY = said(4, 80_000, "not-served", UNIT, broker=B2)


def split(*more: LogEvent, producer: str = PRODUCERS[B2], **fields: Any) -> Scene:
    """B1 splits the unit, which then is assigned anew at 70,000 by a producer; B2 has lost its session meanwhile."""
    records = [
        message(0, 10, printed("Owned", 1, B1)), message(1, 49_000, printed("Splitting", 2, source=B1)),
        message(2, 49_500, printed("Owned", 1, B1), HALF), message(3, 50_000, printed("Deleted", 3, source=B1)),
        message(4, 50_010, None), message(5, 70_000, printed("Assigning", 1, B3), producer=producer),
        message(6, 70_010, printed("Owned", 2, B3)), message(7, 70_020, printed("Owned", 1, B1), OTHER),
    ]  # fmt: skip
    ends = [said(9, 200_000, "handled", broker=broker) for broker in PRODUCERS]
    return scene(channel=channel(*records), said=logs(*map(created, PRODUCERS), *more, *ends), end=200_000, **fields)


def test_assignment_of_a_deleted_parent_is_of_boundaries_that_its_publisher_missed() -> None:
    (found,) = stale_boundaries(split(SESSION_LOST, BACK))
    assert found.happening.cause == STALE
    assert (found.happening.behind, found.happening.until) == ((LOST,), END)
    assert [cite(seen).message_id for seen in found.happening.evidence[:2]] == ["0:3", "0:5"]


def test_publisher_that_was_not_away_or_is_not_known_is_accused_of_nothing() -> None:
    before = session_event(2, 100, "SessionLost", B2), session_event(3, 200, "SessionReestablished", B2)
    assert stale_boundaries(split()) == stale_boundaries(split(*before)) == []
    assert stale_boundaries(split(SESSION_LOST, BACK, producer="?")) == []
    assert stale_boundaries(split(SESSION_LOST, BACK, producer=PRODUCERS[B1])) == []


def test_publisher_that_was_away_up_to_shortly_before_the_split_may_have_had_no_watches() -> None:
    def reasons(back: int) -> list[tuple[Cause, ...]]:
        lost = session_event(2, back - 5_000, "SessionLost", B2)
        found = stale_boundaries(split(lost, session_event(3, back, "SessionReestablished", B2)))
        return [one.happening.behind for one in found]

    assert reasons(19_999) == []
    assert reasons(20_000) == [(Cause(HappeningKind.CUT, B2, -10_000),)]


def test_what_was_before_the_assignment_is_not_of_it() -> None:
    found = split(SESSION_LOST, BACK)
    assert why_revived(found, HALF, 69_999) == why_revived(found, OTHER, 100_000) == ()
    assert why_revived(found, HALF, 70_000) == (STALE, LOST)


def test_new_process_reads_boundaries_anew() -> None:
    found = split(SESSION_LOST, BACK)
    lives = {**found.lives, B2: [Life(B2, 0, 1, 90_000, 0, 3, None), Life(B2, 1, 100_000, 200_000, 3, 4, None)]}
    assert [one.happening.until for one in stale_boundaries(replace(found, lives=lives))] == [100_000]


def test_parent_that_is_revived_and_owners_that_overlap_are_linked_with_them() -> None:
    found = split(SESSION_LOST, BACK)
    revived, owned = found.channel.units[UNIT].accepted[-2:]
    for law, step in (("parent-revived", revived), ("overlapping-owners", owned)):
        one = finding(law, Severity.VIOLATION, "it is", [step], unit=UNIT, step=step)
        assert linked(found, one).causes == (STALE, LOST)
        assert linked(split(), one).causes == ()
    links = linked(found, finding("parent-revived", Severity.VIOLATION, "it is", [revived], unit=UNIT, step=revived))
    assert [happening.cause for happening in links.told] == [STALE]


def test_clients_are_sent_away_by_them_only_where_a_broker_says_so() -> None:
    found = split(SESSION_LOST, BACK, SENT_AWAY)
    assert why_unserved(found, HALF, 70_000, 100_000) == (STALE,)
    assert why_unserved(found, HALF, 90_000, 100_000) == ()  # nobody was sent away then
    assert why_unserved(found, OTHER, 70_000, 100_000) == ()
    elsewhere = split(SESSION_LOST, BACK, said(4, 80_000, "not-served", UNIT, broker=B3))
    assert why_unserved(elsewhere, HALF, 70_000, 100_000) == ()


def test_owner_of_a_child_that_goes_by_them_does_not_answer_for_it() -> None:
    class Refused:
        unit, since, until, is_unanswered = HALF, 75_000, 90_000, False

    found, asked = split(SESSION_LOST, BACK), Refused()
    step = found.channel.units[HALF].accepted[0]
    refused: Any = [(step, asked)]
    assert why_refused(found, B2, refused) == (STALE, LOST)
    assert why_refused(found, B1, refused) == ()
    lives = {B2: [Life(B2, 0, 1, 74_000, 0, 3, None), Life(B2, 1, 74_500, 200_000, 3, 4, None)]}
    again = replace(found, lives={**found.lives, **lives})
    assert STALE not in why_refused(again, B2, refused)  # its new process has read them anew
    assert STALE in why_revived(again, HALF, 90_000)  # the parent is owned as before
