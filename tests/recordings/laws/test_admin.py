"""What callers were told, and what became of what they asked for."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.answers.admin_calls import done_as_asked, refusal_is_told
from oneowner.checkers.recordings.read.observations import Call
from oneowner.checkers.recordings.scene.channel_history import Message
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import B1, B2, B3, UNIT, call, channel, message, printed, recorded, scene, started

OWNED = printed("Owned", 2, B1)
SPLITTING = printed("Splitting", 3, source=B1)
RELEASING = printed("Releasing", 3, source=B1)
TO_B2 = printed("Releasing", 3, B2, B1)
TO_B3 = printed("Releasing", 3, B3, B1)
TIMEOUT = "java.util.concurrent.TimeoutException"
START = message(0, 10, OWNED)


def unload(number: int = 1, start: int = 100, end: int = 200, status: int | None = 204, result: str = "") -> Call:
    return call(number, start, end, "unload", status=status, result=result, dest=None)


def transfer(number: int = 1, start: int = 100, end: int = 200, to: str = B2, status: int = 204) -> Call:
    return call(number, start, end, "transfer", status=status, dest=to)


# ---- done-as-asked ----


@pytest.mark.parametrize(
    ("asked", "records"),
    [
        (unload(), [message(1, 150, RELEASING)]),
        (transfer(), [message(1, 150, TO_B2)]),
        (transfer(to=f"http://{B2}"), [message(1, 150, TO_B2)]),
        (call(1, 100, 200, "split"), [message(1, 150, SPLITTING)]),
        (unload(), [message(1, 140, TO_B2), message(2, 150, RELEASING)]),
        (transfer(), [message(1, 90, TO_B2), message(2, 150, TO_B2)]),
        (call(1, 100, 200, "split"), [message(1, 90, SPLITTING), message(2, 150, SPLITTING)]),
        (unload(), [message(1, 150, None)]),
    ],
    ids=["unload", "transfer", "url", "split", "unload-by-rival", "transfer-by-rival", "split-by-rival", "no-owner"],
)
def test_call_that_was_done_is_as_it_must_be(asked: Call, records: list[Message]) -> None:
    judged = done_as_asked(scene(channel=channel(START, *records), calls=[asked]))
    assert (judged.exercised, judged.findings, judged.doubts) == (1, [], [])


@pytest.mark.parametrize(
    ("asked", "won", "lost"),
    [
        (unload(), SPLITTING, RELEASING),
        (transfer(), SPLITTING, TO_B2),
        (transfer(), TO_B3, TO_B2),
        (transfer(), RELEASING, TO_B2),
        (call(1, 100, 200, "split"), RELEASING, SPLITTING),
    ],
)
def test_success_of_a_call_whose_record_lost_is_a_warning(asked: Call, won: object, lost: object) -> None:
    records = [message(1, 140, won), message(2, 141, lost), message(3, 160, None)]  # type: ignore[arg-type]
    [found] = done_as_asked(scene(channel=channel(START, *records), calls=[asked])).findings
    assert (found.severity, found.unit, found.message_id) == (Severity.WARNING, UNIT, "0:2")
    assert "what completed the call was a tombstone" in found.why
    assert [cite.message_id for cite in found.evidence] == [None, "0:2", "0:3"]
    assert B1 in found.brokers


def test_destination_tells_the_records_of_two_calls_apart() -> None:
    records = [message(1, 140, TO_B3), message(2, 141, TO_B2)]
    calls = [transfer(1, to=B2), transfer(2, to=B3)]
    [found] = done_as_asked(scene(channel=channel(START, *records), calls=calls)).findings
    assert found.origin.line == 3
    assert B2 in found.brokers
    assert B3 not in found.brokers


def test_record_of_two_like_calls_is_one_of_theirs() -> None:
    records = [message(1, 90, TO_B3), message(2, 141, TO_B2)]
    judged = done_as_asked(scene(channel=channel(START, *records), calls=[transfer(1), transfer(2)]))
    assert len(judged.findings) == 2
    assert "its record, or that of 1 other calls for the same," in judged.findings[0].why


def test_success_of_calls_without_effect_is_one_warning_while_nothing_else_succeeds() -> None:
    calls = [transfer(n, 100 * n, 100 * n + 9) for n in (1, 2, 3)] + [transfer(5, 500, 600), unload(7, 700, 709)]
    records = [message(1, 550, TO_B2), message(2, 560, printed("Assigning", 4, B2, B1)),
               message(3, 570, printed("Owned", 5, B2, B1))]  # fmt: skip
    judged = done_as_asked(scene(channel=channel(START, *records), calls=calls))
    assert judged.exercised == 5
    three, one = judged.findings
    assert (three.severity, len(three.evidence), len(one.evidence)) == (Severity.WARNING, 3, 1)
    assert three.window is not None
    assert (three.window.since, three.window.until) == (100, 309)


def test_success_of_a_transfer_that_found_no_owner_is_a_note() -> None:
    [found] = done_as_asked(scene(channel=channel(START, message(1, 50, None)), calls=[transfer()])).findings
    assert found.severity == Severity.NOTE


@pytest.mark.parametrize(
    "asked",
    [
        transfer(status=412),
        call(1, 100, 200, "create topic", unit=None),
        call(1, 100, 200, "unload", unit=None),
        call(1, 100, 200, "delete bundle"),
    ],
)
def test_calls_that_fail_or_name_no_unit_give_no_occasion(asked: Call) -> None:
    judged = done_as_asked(scene(channel=channel(START), calls=[asked]))
    assert (judged.exercised, judged.findings) == (0, [])


# ---- refusal-is-told ----


@pytest.mark.parametrize(("status", "result", "end"), [(500, TIMEOUT, 8_100), (None, "", 61_000), (504, "", 61_000)])
def test_time_out_of_a_call_whose_record_was_refused_is_a_warning(status: int | None, result: str, end: int) -> None:
    records = [message(1, 140, SPLITTING), message(2, 141, RELEASING)]
    asked = unload(end=end, status=status, result=result)
    judged = refusal_is_told(scene(channel=channel(START, *records), calls=[asked]))
    [found] = judged.findings
    assert (judged.exercised, found.severity, found.message_id) == (1, Severity.WARNING, "0:2")
    assert f"waited for {(end - 141) / 1000:.1f} s" in found.why


@pytest.mark.parametrize(
    "asked",
    [unload(), unload(status=500, result="ClassCastException"), unload(status=412, end=61_000)],
    ids=["done", "failed at once", "refused by the broker"],
)
def test_call_that_ended_before_the_time_out_was_told(asked: Call) -> None:
    records = [message(1, 140, SPLITTING), message(2, 141, RELEASING)]
    judged = refusal_is_told(scene(channel=channel(START, *records), calls=[asked]))
    assert (judged.exercised, judged.findings) == (1, [])


def test_time_out_of_a_call_whose_record_was_accepted_is_none_of_this() -> None:
    asked = unload(end=61_000, status=500, result=TIMEOUT)
    judged = refusal_is_told(scene(channel=channel(START, message(1, 140, RELEASING)), calls=[asked]))
    assert (judged.exercised, judged.findings, judged.doubts) == (0, [], [])


def test_time_out_with_an_accepted_and_a_refused_record_is_a_doubt() -> None:
    records = [message(1, 140, RELEASING), message(2, 141, RELEASING)]
    calls = [unload(1), unload(2, end=61_000, status=500, result=TIMEOUT)]
    judged = refusal_is_told(scene(channel=channel(START, *records), calls=calls))
    assert (judged.findings, len(judged.doubts)) == ([], 1)


# ---- recordings ----


def test_recorded_unloads_that_lost_against_a_split_were_answered_with_success() -> None:  # run.G6
    found = done_as_asked(recorded("split")).findings
    assert [(one.severity, one.message_id) for one in found] == [(Severity.WARNING, "0:46"), (Severity.WARNING, "0:54")]


def test_recorded_splits_that_lost_waited_for_the_time_out() -> None:  # run.G5
    judged = refusal_is_told(recorded("split"))
    assert [one.severity for one in judged.findings] == [Severity.WARNING] * 5
    assert all("the split of" in one.why and "waited for 8.0 s" in one.why for one in judged.findings)
    begin = started("split")
    times = [(one.time - begin) / 1000 for one in judged.findings if one.time is not None]
    assert times == sorted(times)
    assert 30 < times[0] < times[-1] < 90


def test_recorded_calls_had_no_effect_while_the_views_were_empty() -> None:
    found = done_as_asked(recorded("zk-restart-metadata")).findings
    assert [one.severity for one in found].count(Severity.WARNING) == 1
    assert any("37 calls in a row" in one.why for one in found)


@pytest.mark.parametrize(("name", "warnings"), [("transfer", 6), ("kill-mid-transfer", 5)])
def test_recorded_transfers_that_lost_a_race_were_answered_with_success(name: str, warnings: int) -> None:
    found = [one for one in done_as_asked(recorded(name)).findings if one.severity == Severity.WARNING]
    assert len(found) == warnings
    assert all("to the transfer of" in one.why and "was refused" in one.why for one in found)


@pytest.mark.parametrize("name", ["healthy", "healthy-quiet", "shedding", "compaction", "kill-owner", "metadata-store"])
def test_recorded_calls_were_done_elsewhere(name: str) -> None:
    for law in (done_as_asked, refusal_is_told):
        judged = law(recorded(name))
        assert (judged.findings, judged.doubts) == ([], [])
