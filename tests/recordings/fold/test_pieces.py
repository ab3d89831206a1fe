"""A dump in pieces is the dump; several dumps are several runs; an overlap is reported as a repetition."""

import json
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneowner.checkers.recordings.fold import runs
from oneowner.checkers.recordings.read.lines import chunks_of
from tests.recordings.dumps import (
    Json,
    Judged,
    audit,
    dump,
    lines_of,
    recorded,
    run,
    silently,
    steadily,
    write,
    write_bytes,
)

RUN = "split"
MESSAGES = recorded(RUN)
VALID = ("0-8 Assigning(1) v1", "0-8 Owned(1) v2")
INVALID = ("0-8 Owned(1) v1", "0-4 Owned(2) v1")


def outcome(judged: Judged) -> Json:
    """Everything that was found, but not in which file, line, run and time."""
    found = {key: value for key, value in judged.json.items() if key not in ("runs", "stats", "reasons")}
    found["findings"] = [{**one, "at": {**one["at"], "file": "", "line": 0}} for one in judged.json["findings"]]
    return {**found, "stats": {**judged.json["stats"], "seconds": 0}, "exit": judged.exit_code}


def audit_in_chunks(file: Path, size: int) -> Judged:
    """Audit with chunks of *size* bytes instead of megabytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "chunks_of", partial(chunks_of, size=size))
        return silently("audit", file)


def broken_split() -> list[Json]:
    """The recorded dump with a violation near its end, which must be found in pieces too."""
    changed = [dict(one) for one in MESSAGES]
    changed[-10:] = dump("rig:0-8 Owned(1) v1", "rig:0-4 Owned(2) v1", "rig:4-8 Owned(3) v1")
    for number, one in enumerate(changed[-3:]):
        one["messageId"] = f"7:{number}"
    return changed


def write_pieces(folder: Path, messages: Sequence[Json], pieces: Sequence[int], names: Sequence[str]) -> list[Path]:
    """Write each message into the piece that *pieces* names."""
    return [
        write(folder / name, [one for one, piece in zip(messages, pieces, strict=True) if piece == number])
        for number, name in enumerate(names)
    ]


@pytest.mark.parametrize(
    "names",
    [
        ("channel-1.jsonl", "channel-2.jsonl", "channel-3.jsonl"),
        ("channel-3.jsonl", "channel-2.jsonl", "channel-1.jsonl"),
        ("channel.jsonl.gz", "channel-b.jsonl", "channel-a.jsonl.gz"),
    ],
    ids=["in order", "backwards", "some compressed"],
)
@pytest.mark.parametrize("how", ["one after the other", "interleaved"])
def test_pieces_of_a_dump_are_the_dump(names: tuple[str, ...], how: str, tmp_path: Path) -> None:
    messages = broken_split()
    whole = audit(write(tmp_path / "whole" / "channel.jsonl", messages))
    assert (whole.exit_code, len(whole.violations), len(whole.refused)) == (1, 2, 14)
    count = len(messages)
    pieces = [number * 3 // count if how == "one after the other" else number % 3 for number in range(count)]
    files = write_pieces(tmp_path / "pieces", messages, pieces, names)
    assert outcome(audit(tmp_path / "pieces")) == outcome(whole)
    for order in (files, files[::-1]):
        assert outcome(audit(*order)) == outcome(whole)


@settings(steadily, max_examples=20)
@given(st.lists(st.integers(0, 3), min_size=len(MESSAGES), max_size=len(MESSAGES)), st.permutations("abcd"))
def test_pieces_may_hold_any_messages(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[int], letters: list[str]
) -> None:
    messages = broken_split()
    folder = tmp_path_factory.mktemp("pieces")
    whole = silently("audit", write(folder / "whole" / "channel.jsonl", messages))
    names = [f"channel{letter}.jsonl" for letter in letters]
    write_pieces(folder / "run", messages, pieces[: len(messages)], names)
    assert outcome(silently("audit", folder / "run")) == outcome(whole)


def test_finding_names_the_piece_and_its_line(tmp_path: Path) -> None:
    messages = broken_split()
    write_pieces(
        tmp_path, messages, [number % 2 for number in range(len(messages))], ["channel1.jsonl", "channel2.jsonl"]
    )
    found = audit(tmp_path).json["findings"]
    assert len({one["at"]["file"] for one in found}) == 2
    for one in found:
        line = Path(one["at"]["file"]).read_bytes().splitlines()[one["at"]["line"] - 1]
        assert json.loads(line)["messageId"] == one["at"]["messageId"]


def test_unreadable_line_of_one_piece_spoils_the_run_and_is_named(tmp_path: Path) -> None:
    lines = lines_of(MESSAGES)
    write_bytes(tmp_path / "channel-1.jsonl", b"".join(lines[:70]))
    bad = write_bytes(tmp_path / "channel-2.jsonl.gz", b"".join([*lines[70:80], b"[]\n", *lines[80:]]))
    found = audit(tmp_path)
    assert (found.verdict, found.exit_code, found.json["stats"]["events"]) == ("unknown", 2, len(MESSAGES))
    assert found.json["reasons"][0].startswith(f"{bad}:11: ")


@pytest.mark.parametrize("other", ["0-8 Owned(1) v2", "8-c Owned(1) v1", "b:0-8 Owned(1) v1", "-"])
def test_message_id_in_two_files_is_said_to_repeat(other: str, tmp_path: Path) -> None:
    """The same message, one of another unit, of another namespace, a tombstone: an id is that of the topic."""
    messages = dump(*VALID)
    (again,) = dump(other if " " in other else "c:0-8 -")
    write(tmp_path / "channel-1.jsonl", messages)
    write(tmp_path / "channel-2.jsonl", [{**again, "messageId": "0:1"}])
    found = audit(tmp_path)
    assert (found.verdict, found.exit_code, found.violations) == ("unknown", 3, [])
    (finding,) = [one for one in found.json["findings"] if one["severity"] == "warning"]
    assert finding["at"]["messageId"] == "0:1"
    assert finding["at"]["file"] == str(tmp_path / "channel-2.jsonl")
    assert any("repeat" in reason for reason in found.json["reasons"])


def test_dump_beside_its_compressed_copy_is_unknown(tmp_path: Path) -> None:
    write(tmp_path / "channel.jsonl", MESSAGES)
    write(tmp_path / "channel.jsonl.gz", MESSAGES)
    found = audit(tmp_path)
    assert (found.verdict, found.exit_code) == ("unknown", 3)
    assert found.violations == []
    assert len(found.findings("warning")) == len(MESSAGES)


def test_files_of_one_folder_given_together_are_one_run(tmp_path: Path) -> None:
    files = write_pieces(tmp_path, MESSAGES, [number % 2 for number in range(len(MESSAGES))], ["a.jsonl", "b.jsonl"])
    together = audit(*files)
    assert (together.verdict, together.exit_code, len(together.json["runs"])) == ("valid", 0, 1)
    assert together.json["stats"]["events"] == len(MESSAGES)
    assert audit(files[0]).exit_code == 1, "half a dump has gaps"


def test_paths_of_several_folders_are_several_runs(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("b", "a", "c")]
    for folder, lines in zip(folders, (VALID, INVALID, ()), strict=True):
        write(folder / "channel.jsonl", dump(*lines))
    found = audit(*folders)
    assert [(run["run"], run["verdict"]) for run in found.json["runs"]] == [
        (str(tmp_path / "a"), "invalid"),
        (str(tmp_path / "b"), "valid"),
        (str(tmp_path / "c"), "unknown"),
    ]
    assert (found.verdict, found.exit_code) == ("invalid", 1)
    assert found.json["stats"]["events"] == 4
    assert outcome(audit(*reversed(folders))) == outcome(found)
    files = audit(*(folder / "channel.jsonl" for folder in folders))
    assert outcome(files) == outcome(found)


def test_runs_do_not_share_units(tmp_path: Path) -> None:
    for name, line in (("a", "0-8 Owned(1) v1"), ("b", "0-4 Owned(2) v1")):
        write(tmp_path / name / "channel.jsonl", dump(line))
    assert audit(tmp_path / "a", tmp_path / "b").exit_code == 0


def test_path_given_twice_is_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "channel.jsonl", dump(*VALID))
    monkeypatch.chdir(tmp_path)
    for paths in ((file, file), ("channel.jsonl", "./channel.jsonl"), (tmp_path, f"{tmp_path}{os.sep}")):
        found = audit(*paths)
        assert (found.exit_code, len(found.json["runs"]), found.json["stats"]["events"]) == (0, 1, 2)


@settings(steadily, max_examples=25)
@given(st.integers(1, 2800))
def test_chunks_of_any_size_give_the_same_result(tmp_path_factory: pytest.TempPathFactory, size: int) -> None:
    lines = lines_of(broken_split()[-12:])
    lines[5:5] = [b"[]\n", b"\n", lines[4], b"\xff\n"]
    file = write_bytes(tmp_path_factory.mktemp("chunks") / "channel.jsonl", b"".join(lines)[:-1])
    whole, cut = silently("audit", file), audit_in_chunks(file, size)
    assert outcome(cut) == outcome(whole)
    assert cut.json["findings"] == whole.json["findings"]
    assert len(whole.findings("warning")) == 3
    assert whole.exit_code == 2


def test_message_id_that_repeats_where_chunks_meet_is_named_with_its_line(tmp_path: Path) -> None:
    lines = lines_of(dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2", "4-c Assigning(1) v1"))
    lines.insert(2, lines[1])
    file = write_bytes(tmp_path / "channel.jsonl", b"".join(lines))
    for size in (len(lines[0]) + len(lines[1]), 10_000):
        found = audit_in_chunks(file, size)
        assert (found.verdict, found.exit_code) == ("unknown", 3)
        assert [one["at"]["line"] for one in found.json["findings"]] == [3]
        (reason,) = found.json["reasons"]
        assert reason.startswith(f"{file}:3: ")


def test_timeline_of_pieces_is_that_of_the_dump(tmp_path: Path) -> None:
    whole = run("timeline", write(tmp_path / "whole" / "channel.jsonl", MESSAGES), "--at", MESSAGES[70]["publishTime"])
    write_pieces(
        tmp_path / "run",
        MESSAGES,
        [number % 2 for number in range(len(MESSAGES))],
        ["channel2.jsonl", "channel1.jsonl"],
    )
    parts = run("timeline", tmp_path / "run", "--at", MESSAGES[70]["publishTime"])
    assert parts.json["intervals"] == whole.json["intervals"]
    assert parts.json["owners"] == whole.json["owners"]


def test_producer_that_publishes_as_two_brokers_is_told_once_of_all_namespaces(tmp_path: Path) -> None:
    messages = dump(
        "a:0-8 Owned(1) v1", "b:0-8 Owned(2) v1", "b:8-f Owned(1) v1", "a:8-f Owned(2) v1", "c:0-f Owned(2) v1"
    )
    write(tmp_path / "channel.jsonl", [one | {"producer": "p"} for one in messages])
    findings = [one for one in audit(tmp_path).json["findings"] if one["law"] == "publisher-discipline"]
    assert [one["at"]["line"] for one in findings] == [2]
