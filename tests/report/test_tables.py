"""Parquet tables: the contents of the JSON, with types, all or nothing."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from oneowner.checkers.recordings.fold import runs
from oneowner.checkers.recordings.judge import arrow_tables
from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.recordings.read.lines import CHUNK, chunks_of
from oneowner.checkers.report import tables
from oneowner.checkers.report.tables import write_tables
from tests.command_line import REAL, oneowner, refused
from tests.recordings.dumps import START, dump, recorded, write

Rows = list[dict[str, Any]]


def ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def table(folder: Path, name: str) -> Rows:
    found: Rows = pq.read_table(folder / f"{name}.parquet").to_pylist()
    return found


def result(verb: str, path: Path, folder: Path, *more: object) -> dict[str, Any]:
    return oneowner(verb, path, *more, "--engine", "inline", "--tables", folder, "--json", "-").json


def test_tables_hold_what_the_json_says(tmp_path: Path) -> None:
    path = REAL / "transfer" / "channel.jsonl.gz"
    found = result("audit", path, tmp_path / "t")
    assert sorted(file.name for file in (tmp_path / "t").iterdir()) == [
        f"{n}.parquet" for n in sorted(arrow_tables.SCHEMAS)
    ]
    findings = table(tmp_path / "t", "findings")
    assert [(one["law"], one["unit"], one["message_id"], one["line"], one["why"]) for one in findings] == [
        (one["law"], one["unit"], one["at"]["messageId"], one["at"]["line"], one["why"]) for one in found["findings"]
    ]
    refusals = table(tmp_path / "t", "refusals")
    assert [(one["unit"], one["message_id"], one["rule"]) for one in refusals] == [
        (one["unit"], one["messageId"], one["rule"]) for one in found["refusals"]
    ]
    assert {one["run"] for one in findings + refusals} == {str(path)}


def test_intervals_are_those_of_the_timeline(tmp_path: Path) -> None:
    path = REAL / "transfer" / "channel.jsonl.gz"
    oneowner("audit", path, "--tables", tmp_path / "a", "--quiet")
    found = result("timeline", path, tmp_path / "t")["intervals"]
    rows = table(tmp_path / "t", "intervals")
    assert rows == table(tmp_path / "a", "intervals")
    assert [(one["unit"], one["broker"], one["state"], one["from_message_id"]) for one in rows] == [
        (one["unit"], one["broker"], one["state"], one["from"]["messageId"]) for one in found
    ]
    assert [(ms(one["from_time"]), one["to_message_id"], one["to_time"] and ms(one["to_time"])) for one in rows] == [
        (one["from"]["time"], one["to"] and one["to"]["messageId"], one["to"] and one["to"]["time"]) for one in found
    ]
    assert {row["namespace"] == row["unit"].rpartition("/")[0] for row in rows} == {True}
    assert rows[0]["from_time"].tzinfo is not None


@pytest.mark.parametrize("run", ["transfer", "leader-hang"])  # the latter has ids of batches, too
def test_events_are_all_messages_with_their_lines(run: str, tmp_path: Path) -> None:
    (path,) = (REAL / run).glob("channel.jsonl*")
    oneowner("audit", path, "--tables", tmp_path, "--quiet")
    rows, messages = table(tmp_path, "events"), recorded(run)
    assert [(row["line"], row["message_id"], ms(row["time"]), row["unit"], row["producer"]) for row in rows] == [
        (line, one["messageId"], one["publishTime"], one["key"], one["producer"])
        for line, one in enumerate(messages, 1)
    ]
    for row, one in zip(rows, messages, strict=True):
        value = one["value"] or {}
        assert row["namespace"] == one["key"].rpartition("/")[0]
        assert (row["state"], row["version"]) == (value.get("state"), value.get("versionId"))
        assert (row["destination"], row["source"]) == (value.get("dstBroker"), value.get("sourceBroker"))


def test_tombstone_has_no_state_and_a_split_its_children(tmp_path: Path) -> None:
    lines = ("0-8 Owned(1) v1", "0-8 Splitting(from 1) v2 split 0-4 4-8", "a:0-8 -")
    path = write(tmp_path / "channel.jsonl", dump(*lines))
    oneowner("audit", path, "--tables", tmp_path / "t", "--quiet")
    rows = table(tmp_path / "t", "events")
    assert [row["state"] for row in rows] == ["Owned", "Splitting", None]
    assert rows[1]["children"] == ["0x00000000_0x40000000", "0x40000000_0x80000000"]
    assert rows[2]["version"] is None
    assert rows[0]["time"] == datetime.fromtimestamp(START / 1000, UTC)


def test_pieces_of_a_dump_have_their_own_files_and_lines(tmp_path: Path) -> None:
    messages = dump(*(f"0-8 Owned(1) v{n}" for n in range(1, 7)))
    for number, part in enumerate((messages[:4], messages[4:])):
        write(tmp_path / f"channel-{number}.jsonl", part)
    oneowner("audit", tmp_path, "--tables", tmp_path / "t", "--quiet")
    places = [(Path(row["file"]).name, row["line"]) for row in table(tmp_path / "t", "events")]
    assert places == [("channel-0.jsonl", n) for n in (1, 2, 3, 4)] + [("channel-1.jsonl", n) for n in (1, 2)]


@pytest.mark.parametrize("torn", [0, 9])
@pytest.mark.parametrize("size", [500, CHUNK])
def test_events_are_those_that_were_judged_if_the_file_grows_meanwhile(
    size: int, torn: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "channel.jsonl", dump(*(f"0-8 Owned(1) v{n}" for n in range(1, 7))))
    later = write(tmp_path / "later" / "channel.jsonl", dump(*(f"8-f Owned(1) v{n}" for n in range(1, 9)))).read_bytes()
    monkeypatch.setattr(runs, "chunks_of", partial(chunks_of, size=size))

    def growing(directory: Path, judgement: Judgement) -> None:
        with path.open("ab") as stream:
            stream.write(later + later[:torn])
        write_tables(directory, judgement)

    monkeypatch.setattr(tables, "write_tables", growing)
    assert result("audit", path, tmp_path / "t")["stats"]["events"] == 6
    assert [row["line"] for row in table(tmp_path / "t", "events")] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("count", [1, 6])
@pytest.mark.parametrize("change", [Path.unlink, lambda path: os.truncate(path, 100)], ids=["removed", "cut"])
def test_file_that_loses_lines_meanwhile_has_no_tables(
    change: Callable[[Path], None], count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "channel.jsonl", dump(*(f"0-8 Owned(1) v{n}" for n in range(1, count + 1))))

    def shrinking(directory: Path, judgement: Judgement) -> None:
        change(path)
        write_tables(directory, judgement)

    monkeypatch.setattr(tables, "write_tables", shrinking)
    called = oneowner("audit", path, "--tables", tmp_path / "t")
    assert (called.code, called.out, "lines have disappeared" in called.err) == (3, "", True)
    assert not list((tmp_path / "t").iterdir())


def test_run_without_any_lines_has_empty_tables(tmp_path: Path) -> None:
    (tmp_path / "manifest.yaml").write_text("config_overrides: {}\n")
    assert oneowner("audit", tmp_path, "--tables", tmp_path / "t", "--quiet").code == 3
    assert {name: table(tmp_path / "t", name) for name in arrow_tables.SCHEMAS} == {
        key: [] for key in arrow_tables.SCHEMAS
    }


def test_events_of_a_history_are_its_writes(tmp_path: Path) -> None:
    found = result("audit", REAL / "metadata-store", tmp_path)
    rows = table(tmp_path, "events")
    assert len(rows) == found["stats"]["events"] > 0
    assert all(row["message_id"].startswith("zxid:") and row["write"] for row in rows)


def test_time_range_and_unit_narrow_the_tables_down(tmp_path: Path) -> None:
    path = write(tmp_path / "channel.jsonl", dump("0-8 Owned(1) v1", "a:0-8 Owned(1) v1", "0-8 Releasing(from 1) v2"))
    oneowner("timeline", path, "--tables", tmp_path / "t", "--quiet", "--time-range", f"{START + 1500}..")
    assert [row["message_id"] for row in table(tmp_path / "t", "events")] == ["0:2"]
    unit = "tenant/ns/0x00000000_0x80000000"
    oneowner("timeline", path, "--tables", tmp_path / "t", "--quiet", "--unit", unit)
    for name in ("events", "intervals"):
        assert {row["unit"] for row in table(tmp_path / "t", name)} == {unit}


def test_evidence_and_windows_are_kept(tmp_path: Path) -> None:
    found = result("audit", REAL / "zombie", tmp_path)["findings"]
    rows = table(tmp_path, "findings")
    assert [len(row["evidence"] or ()) for row in rows] == [len(one.get("evidence", ())) for one in found]
    assert any(row["evidence"] for row in rows)
    for row, one in zip(rows, found, strict=True):
        if "window" in one and one["window"]["since"] is not None:
            assert ms(row["window"]["since"]) == one["window"]["since"]


def test_tables_are_the_same_bytes_again_and_replace_older_ones(tmp_path: Path) -> None:
    path = REAL / "healthy" / "channel.jsonl"
    (tmp_path / "findings.parquet").write_text("old")
    (tmp_path / "mine.txt").write_text("mine")
    oneowner("audit", path, "--tables", tmp_path, "--quiet")
    first = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    oneowner("audit", path, "--tables", tmp_path, "--quiet")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == first
    assert first["mine.txt"] == b"mine"
    assert len(first) == 5


def test_tables_that_cannot_be_written_are_misuse_and_none_appears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    refused(
        oneowner("audit", REAL / "healthy" / "channel.jsonl", "--tables", tmp_path / "file" / "t"), "cannot be written"
    )

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(arrow_tables.SCHEMAS, "refusals", arrow_tables.SCHEMAS["refusals"])
    monkeypatch.setattr(arrow_tables, "_refusals", full)
    refused(
        oneowner("audit", REAL / "healthy" / "channel.jsonl", "--tables", tmp_path / "t"), "No space left on device"
    )
    assert list((tmp_path / "t").iterdir()) == []


def test_rows_are_written_in_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow_tables, "ROWS", 7)
    oneowner("audit", REAL / "healthy" / "channel.jsonl", "--tables", tmp_path, "--quiet")
    parquet = pq.ParquetFile(tmp_path / "intervals.parquet")
    assert parquet.metadata.num_rows == 24
    assert parquet.metadata.num_row_groups == 4
