"""A record that logs print accuses where logs prove the records beside it, and nowhere else."""

from typing import Any

import pytest

from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.judge.logged_fold import fold_logged
from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.checkers.recordings.scene.logged_channel import logged_channel
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.crafted import B1, B2, B3, OTHER, UNIT, logs, printed, said

HALF = "t/n/0x00000000_0x40000000"
LATE = 200_000
GIVEN = printed("Assigning", 4, B2, B1, timestamp=40)
BACK = printed("Owned", 5, B1, B2, force=True, timestamp=50)
TOMBSTONE = None


def request(number: int, data: Printed | None, unit: str = UNIT, broker: str = B1) -> LogEvent:
    """A line of debug mode, which prints every record that its process takes."""
    time = data.timestamp + 1 if data else 100
    return said(number, time, "handle-request", unit, broker, data=data, handled=number)


def handled(number: int, data: Printed, unit: str = UNIT, broker: str = B1) -> LogEvent:
    """A line of stock settings, beside which records may have been taken without a line."""
    return said(number, data.timestamp + 1, "handled", unit, broker, cur=data, next=None)


def owned(version: int, broker: str, timestamp: int) -> Printed:
    return printed("Owned", version, broker, timestamp=timestamp)


def assigned(version: int, timestamp: int) -> Printed:
    return printed("Assigning", version, B1, timestamp=timestamp)


BEFORE = [handled(1, owned(2, B1, 20)), handled(2, printed("Releasing", 3, B2, B1, timestamp=30))]
CASES: dict[str, tuple[str, list[LogEvent], list[LogEvent]]] = {
    # the law, lines that prove that it is broken, and lines that leave it open
    "all records by one process: two owners": (
        "overlapping-owners",
        [request(1, owned(1, B1, 10), broker=B3), request(2, owned(1, B2, 20), HALF, B3)],
        [handled(1, owned(1, B1, 10), broker=B1), handled(1, owned(1, B2, 20), HALF, B2)],
    ),
    "all records by one process: a tombstone of an owner's entry": (
        "tombstone-of-active",
        [request(1, owned(1, B1, 10)), request(2, TOMBSTONE), request(3, assigned(1, 120))],
        [handled(1, owned(1, B1, 10), broker=B2), request(2, TOMBSTONE), request(3, assigned(1, 120))],
    ),
    "the version before: given back by force": (
        "given-back-by-force",
        [*BEFORE, handled(3, GIVEN), handled(4, BACK)],
        [*BEFORE, handled(3, GIVEN), handled(4, BACK._replace(record=BACK.record._replace(version=6)))],
    ),
    "the version after: stuck for long": (
        "stuck-in-flight",
        [handled(1, assigned(1, 10)), handled(2, owned(2, B1, LATE))],
        [handled(1, assigned(1, 10)), handled(2, owned(3, B1, LATE))],
    ),
    "a later record of the same process: stuck to the end": (
        "stuck-in-flight",
        [request(1, assigned(1, 10)), request(2, owned(1, B2, LATE), OTHER)],
        [request(1, assigned(1, 10)), request(1, owned(1, B2, LATE), OTHER, B2)],
    ),
}


def accused(lines: list[LogEvent], storage: Storage = Storage.SYSTEM_TOPIC, **changes: Any) -> set[str]:
    """Return the laws that break by the records in some lines."""
    logged = logged_channel((((broker, 0), own) for broker, own in logs(*lines).items()), storage)
    return {
        one.law for one in fold_logged(Question(storage, False, 120_000, False, **changes), logged, storage).findings
    }


@pytest.mark.parametrize("case", CASES)
def test_law_accuses_where_logs_prove_the_records_beside_it(case: str) -> None:
    law, proved, _ = CASES[case]
    assert accused(proved) == {law}


@pytest.mark.parametrize("case", CASES)
def test_law_is_left_open_where_a_record_may_be_missing(case: str) -> None:
    *_, doubtful = CASES[case]
    assert accused(doubtful) == set()


def test_watches_of_the_metadata_store_prove_no_two_owners() -> None:
    """They may pass over values, so a record between the two may be missing."""
    _, proved, _ = CASES["all records by one process: two owners"]
    assert accused(proved, Storage.METADATA_STORE) == set()
