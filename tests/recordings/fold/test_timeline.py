"""The owners of a unit over time: intervals between accepted records, owners at a moment."""

from pathlib import Path

import pytest

from tests.recordings.dumps import START, Json, dump, run, write

UNIT = "tenant/ns/0x00000000_0x80000000"

TRANSFER = (
    "0-8 Assigning(1) v1 @0", "0-8 Owned(1) v2 @1", "0-8 Releasing(2, from 1) v3 @2", "0-8 Assigning(2, from 1) v4 @3",
    "0-8 Owned(3, from 1) v5 @4", "0-8 Owned(2, from 1) v5 @5",
)  # fmt: skip
UNLOADED = ("0-8 Releasing(from 2) v6 @6", "0-8 Free(from 2) v7 @7", "0-8 - @8")
SPLIT = (
    "0-8 Assigning(1) v1 @9", "0-8 Owned(1) v2 @10", "0-8 Splitting(from 1) v3 split 0-4 4-8 @11",
    "0-8 Deleted(from 1) v4 @12", "0-8 - @13",
)  # fmt: skip

Row = tuple[str, str | None, int, int | None]


def rows(intervals: list[Json]) -> list[Row]:
    """State, broker, and the seconds between which it was so."""
    return [
        (
            one["state"],
            one["broker"],
            (one["from"]["time"] - START) // 1000,
            None if one["to"] is None else (one["to"]["time"] - START) // 1000,
        )
        for one in intervals
    ]


def test_timeline_shows_every_state_and_who_holds_it(tmp_path: Path) -> None:
    found = run("timeline", write(tmp_path / "channel.jsonl", dump(*TRANSFER, *UNLOADED, *SPLIT)))
    assert rows(found.json["intervals"]) == [
        ("Assigning", "b1", 0, 1),
        ("Owned", "b1", 1, 2),
        ("Releasing", "b1", 2, 3),
        ("Assigning", "b2", 3, 5),  # the record at second 4 is refused
        ("Owned", "b2", 5, 6),
        ("Releasing", "b2", 6, 7),
        ("Free", None, 7, 8),
        ("Assigning", "b1", 9, 10),  # nothing after the tombstone
        ("Owned", "b1", 10, 11),
        ("Splitting", "b1", 11, 12),
        ("Deleted", None, 12, 13),
    ]
    assert {one["unit"] for one in found.json["intervals"]} == {UNIT}
    assert found.json["intervals"][4]["from"] == {"messageId": "0:5", "time": START + 5000}
    assert found.json["intervals"][4]["to"] == {"messageId": "0:6", "time": START + 6000}


def test_timeline_leaves_the_last_interval_open(tmp_path: Path) -> None:
    found = run("timeline", write(tmp_path / "channel.jsonl", dump(*TRANSFER)))
    assert rows(found.json["intervals"])[-1] == ("Owned", "b2", 5, None)
    assert (found.verdict, found.exit_code) == ("valid", 0)


@pytest.mark.parametrize(
    ("second", "owner"),
    [
        (-1, None), (0, None), (0.999, None), (1, "b1"), (1.999, "b1"), (2, None), (3, None), (4, None), (5, "b2"),
        (6, None), (7, None), (8, None), (9, None), (10, "b1"), (11, "b1"), (12, None), (13, None), (10**6, None),
    ],
)  # fmt: skip
def test_owner_at_a_moment_is_that_of_the_last_record_by_then(second: float, owner: str | None, tmp_path: Path) -> None:
    file = write(tmp_path / "channel.jsonl", dump(*TRANSFER, *UNLOADED, *SPLIT, "0-4 Owned(1) v1 @2000000"))
    found = run("timeline", file, "--at", START + round(second * 1000))
    assert found.json["owners"] == {UNIT: owner, "tenant/ns/0x00000000_0x40000000": None}


def test_moment_before_the_dump_is_unknown_and_one_after_it_is_told(tmp_path: Path) -> None:
    file = write(tmp_path / "channel.jsonl", dump(*TRANSFER))
    before = run("timeline", file, "--at", START - 60_000)
    assert (before.verdict, before.exit_code) == ("unknown", 3)
    assert "is before the first record of the dump" in before.json["reasons"][0]
    after = run("timeline", file, "--at", START + 600_000)
    assert after.verdict == "valid"
    assert "is after the last record of the dump" in after.json["reasons"][0]


@pytest.mark.parametrize(("second", "owner"), [(1, None), (3, "b2"), (4, "b2"), (5, "b2"), (6, "b2")])
def test_owner_follows_the_topic_where_times_go_back(second: int, owner: str | None, tmp_path: Path) -> None:
    """The contract: the last record in topic order with publishTime <= t."""
    lines = ("0-8 Assigning(1) v1 @2", "0-8 Owned(1) v2 @5", "0-8 Owned(2, from 1) v3 forced @3")
    found = run("timeline", write(tmp_path / "channel.jsonl", dump(*lines)), "--at", START + second * 1000)
    assert found.json["owners"] == {UNIT: owner}


@pytest.mark.parametrize(
    "text", ["1795000005000", "2026-11-18T11:06:45Z", "2026-11-18T11:06:45", "2026-11-18 12:06:45+01:00"]
)
def test_moment_may_be_milliseconds_or_iso(text: str, tmp_path: Path) -> None:
    file = write(tmp_path / "channel.jsonl", dump(*TRANSFER))
    assert run("timeline", file, "--at", text).json["owners"] == {UNIT: "b2"}


def test_timeline_of_one_unit_has_no_other(tmp_path: Path) -> None:
    file = write(tmp_path / "channel.jsonl", dump(*TRANSFER, "8-c Owned(1) v1", "a:0-8 Owned(1) v1"))
    found = run("timeline", file, "--unit", "tenant/a/0x00000000_0x80000000", "--at", START + 60_000)
    assert [one["unit"] for one in found.json["intervals"]] == ["tenant/a/0x00000000_0x80000000"]
    assert found.json["owners"] == {"tenant/a/0x00000000_0x80000000": "b1"}


def test_timeline_of_a_damaged_dump_is_not_valid(tmp_path: Path) -> None:
    messages = dump(*TRANSFER)
    assert run("timeline", write(tmp_path / "channel.jsonl", [*messages, {}])).exit_code == 2
    repeated = run("timeline", write(tmp_path / "channel.jsonl", [*messages, messages[-1]]))
    assert (repeated.verdict, repeated.exit_code) == ("unknown", 3)
    assert run("timeline", write(tmp_path / "channel.jsonl", [])).exit_code == 3


def test_timeline_of_a_dump_that_exercises_no_law_is_valid_all_the_same(tmp_path: Path) -> None:
    file = write(tmp_path / "channel.jsonl", dump("0-8 Free(from 1) v5"))
    assert (run("audit", file).verdict, run("timeline", file).verdict) == ("unknown", "valid")
