"""Files and arguments that are no dump: the exit code, one clear line, and the output all the same."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line import oneowner, refused
from tests.recordings.dumps import REAL, audit, dump, lines_of, run, write_bytes

VALID = lines_of(dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2"))
INVALID = lines_of(dump("0-8 Owned(1) v1", "0-4 Owned(2) v1"))
UNKNOWN: list[bytes] = []
UNREADABLE = [*VALID, b"[]\n"]

MIB = 1024 * 1024


def long_line(message_id: str, size: int) -> bytes:
    """A good line of exactly *size* bytes, its end not counted."""
    (line,) = dump("8-c Owned(1) v1")
    line |= {"messageId": message_id, "properties": ""}
    line["properties"] = "x" * (size - len(json.dumps(line)))
    return json.dumps(line).encode()


def assert_misuse(words: list[str], *arguments: object, verb: str = "audit") -> None:
    found = run(verb, *arguments)
    assert (found.exit_code, found.json) == (2, {})
    assert not [word for word in words if word not in found.said], found.said


@pytest.mark.parametrize("verb", ["audit", "timeline"])
def test_missing_path_is_misuse(verb: str, tmp_path: Path) -> None:
    assert_misuse([str(tmp_path / "none"), "no such file"], tmp_path / "none", verb=verb)


def test_missing_path_is_misuse_beside_a_good_one(tmp_path: Path) -> None:
    assert_misuse(["none"], write_bytes(tmp_path / "channel.jsonl", b"".join(VALID)), tmp_path / "none")


def test_folder_without_a_known_file_is_misuse(tmp_path: Path) -> None:
    assert_misuse([str(tmp_path), "channel.jsonl"], tmp_path)
    write_bytes(tmp_path / "notes.txt", b"it was a dark night")
    (tmp_path / "channel.jsonl").mkdir()
    assert_misuse([str(tmp_path), "channel.jsonl"], tmp_path)


def test_folder_without_a_dump_is_unknown_and_names_what_is_missing(tmp_path: Path) -> None:
    write_bytes(tmp_path / "broker-1.log", b"2026-11-21T00:18:19,896+0000 [main] INFO  started\n")
    found = audit(tmp_path)
    assert (found.verdict, found.exit_code) == ("unknown", 3)
    assert "channel*.jsonl" in found.json["reasons"][0]


@pytest.mark.parametrize("name", ["channel.jsonl", "channel.jsonl.gz"])
@pytest.mark.parametrize("text", [b"", b"\n\n"], ids=["nothing", "blank lines"])
def test_empty_file_is_unknown(name: str, text: bytes, tmp_path: Path) -> None:
    file = write_bytes(tmp_path / name, text)
    found = audit(file)
    assert (found.verdict, found.exit_code) == ("unknown", 3)
    assert found.json["reasons"][0].startswith(f"{file}: empty")


def test_file_of_no_bytes_is_unknown_even_if_it_is_called_gz(tmp_path: Path) -> None:
    (tmp_path / "channel.jsonl.gz").touch()
    assert audit(tmp_path).exit_code == 3


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda packed: b"not gzip at all", "gzip"),
        (lambda packed: packed[: len(packed) // 2], "cut short"),
        (lambda packed: packed[:-1], "cut short"),
        (lambda packed: packed[:5], "cut short"),
        (lambda packed: packed[:-8] + bytes(4) + packed[-4:], "gzip"),
        (lambda packed: packed[:9000] + bytes(100) + packed[9100:], ""),
        (lambda packed: gzip.decompress(packed), "gzip"),
    ],
    ids=["garbage", "half", "one byte short", "half a header", "wrong checksum", "a hole", "plain text"],
)
def test_damaged_gzip_ends_in_2_and_what_it_gave_is_judged(
    damage: Callable[[bytes], bytes], words: str, tmp_path: Path
) -> None:
    packed = (REAL / "transfer" / "channel.jsonl.gz").read_bytes()
    file = tmp_path / "channel.jsonl.gz"
    file.write_bytes(damage(packed))
    found = audit(file)
    assert (found.verdict, found.exit_code) == ("unknown", 2)
    events = found.json["stats"]["events"]
    where, _, why = found.json["reasons"][0].removeprefix(f"{file}:").partition(": ")
    assert words in why
    assert int(where) >= events + 1
    if words == "cut short" and len(file.read_bytes()) > 100:
        assert events > 100


def test_gzip_of_several_members_is_legal(tmp_path: Path) -> None:
    file = tmp_path / "channel.jsonl.gz"
    file.write_bytes(b"".join(gzip.compress(line) for line in VALID))
    assert audit(file).exit_code == 0


def test_any_text_file_is_no_dump(tmp_path: Path) -> None:
    file = write_bytes(tmp_path / "notes.txt", b"it was\na dark night\n")
    refused(oneowner("audit", file), f"{file}: a text of no known kind; a channel dump")
    named = audit(write_bytes(tmp_path / "channel.jsonl", file.read_bytes()))
    assert (named.verdict, named.exit_code) == ("unknown", 2)
    assert named.json["reasons"][0].startswith(f"{tmp_path}/channel.jsonl:1: ")


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["channel.jsonl", "channel.jsonl.gz"])
@pytest.mark.parametrize(("size", "legal"), [(16 * MIB, True), (16 * MIB + 1, False), (17_000_000, False)])
def test_line_over_16_mib_is_unreadable(name: str, size: int, legal: bool, tmp_path: Path) -> None:
    for place in (0, 1, 2) if name.endswith("l") else (1,):
        lines = [VALID[0].rstrip().replace(b"0:0", b"0:1"), VALID[1].rstrip().replace(b"0:1", b"0:3")]
        lines.insert(place, long_line(f"0:{2 * place}", size))
        file = write_bytes(tmp_path / name, b"\n".join(lines))
        found = audit(file, "--engine", "inline")
        if legal:
            assert (found.verdict, found.exit_code, found.json["stats"]["events"]) == ("valid", 0, 3)
        else:
            assert (found.verdict, found.exit_code, found.json["stats"]["events"]) == ("unknown", 2, 2)
            assert found.json["reasons"] == [f"{file}:{place + 1}: a line over 16 MiB"]


RUNS = {0: VALID, 1: INVALID, 2: UNREADABLE, 3: UNKNOWN}


@pytest.mark.parametrize(
    ("codes", "worst"),
    [((0, 0), 0), ((0, 3), 3), ((0, 1), 1), ((3, 1), 1), ((0, 2), 2), ((3, 2), 2), ((1, 2), 2), ((0, 1, 2, 3), 2)],
)
def test_worst_of_several_runs_decides(codes: tuple[int, ...], worst: int, tmp_path: Path) -> None:
    files = []
    for number, code in enumerate(codes):
        files.append(write_bytes(tmp_path / str(number) / "channel.jsonl", b"".join(RUNS[code])))
        assert audit(files[-1]).exit_code == code
    for order in (files, files[::-1]):
        found = audit(*order)
        assert found.exit_code == worst
        assert found.verdict == {0: "valid", 1: "invalid", 3: "unknown"}.get(worst, found.verdict)
        assert found.verdict != "valid" or worst == 0
