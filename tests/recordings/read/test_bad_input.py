"""Files that are no dump: the exit code, one line with the place, the rest judged, no traceback, never valid."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.recordings.dumps import Json, audit, dump, lines_of, write_bytes

GOOD = lines_of(dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2", "0-8 Releasing(from 1) v3", "0-8 Free(from 1) v4"))
"""Four messages; the bad line comes between the second and the third."""

OVERLAP = lines_of(dump("0-8 Owned(1) v1", "0-4 Owned(2) v1"))


def changed(field: str, value: Any = ..., within: str | None = None) -> bytes:
    """A good line (a unit's first Owned record) in which one field has another value, or (...) is missing."""
    (line,) = dump("8-c Owned(1) v1")
    line["messageId"] = "0:1:-1:7"
    target: Json = line[within] if within else line
    target.pop(field, None)
    if value is not ...:
        target[field] = value
    return json.dumps(line).encode()


def record(**fields: Any) -> bytes:
    """A good line with another record."""
    return changed("value", {"force": False, "timestamp": 1, "versionId": 1, **fields})


UNREADABLE: dict[str, tuple[bytes, str]] = {
    "truncated": (GOOD[1][:60], "the JSON breaks off"),
    "half a line, and the next one": (GOOD[1][:60] + GOOD[1].rstrip(), "malformed"),
    "two messages": (GOOD[1].rstrip() + b" " + GOOD[1].rstrip(), "trailing"),
    "not JSON": (b"----- got message -----", "JSON"),
    "not UTF-8": (changed("producer", "caf").replace(b"caf", b"caf\xe9"), "UTF-8"),
    "not UTF-8, in an unknown field": (changed("properties", "caf").replace(b"caf", b"caf\xe9"), "UTF-8"),
    "NUL bytes": (b"\0" * 80, "JSON"),
    "a NUL within": (GOOD[1].rstrip().replace(b"0:1", b"0\0:1"), "JSON"),
    "an array": (b"[]", "object"),
    "a text": (b'"Owned"', "object"),
    "a number": (b"42", "object"),
    "a null": (b"null", "object"),
    "an empty object": (b"{}", "messageId"),
    "an array as key": (changed("key", ["tenant/ns/0x80000000_0xc0000000"]), "key"),
    "a number as value": (changed("value", 7), "value"),
    "an array as value": (changed("value", []), "value"),
    "a text that is no record": (changed("value", "Owned"), "value"),
    "a text time": (changed("publishTime", "2026-11-20T23:50:00Z"), "publishTime"),
    "no messageId": (changed("messageId"), "messageId"),
    "no publishTime": (changed("publishTime"), "publishTime"),
    "no key": (changed("key"), "key"),
    "no value": (changed("value"), "value"),
    "no state": (changed("state", within="value"), "state"),
    "no versionId": (changed("versionId", within="value"), "versionId"),
    "a null key": (changed("key", None), "key"),
    "a null state": (changed("state", None, within="value"), "state"),
    "unknown state": (changed("state", "Sleeping", within="value"), "Sleeping"),
    "unknown state nothing": (changed("state", "nothing", within="value"), "nothing"),
    "a state in lower case": (changed("state", "owned", within="value"), "owned"),
    "version above 64 bits": (changed("versionId", 2**63, within="value"), "versionId"),
    "version below 64 bits": (changed("versionId", -(2**63) - 1, within="value"), "versionId"),
    "version of a thousand digits": (changed("versionId", 10**999, within="value"), "versionId"),
    "version with a fraction": (changed("versionId", 1.5, within="value"), "versionId"),
    "version as text": (changed("versionId", "1", within="value"), "versionId"),
    "version true": (changed("versionId", True, within="value"), "versionId"),
    "key without range": (changed("key", "tenant/ns/bundle"), "tenant/ns/bundle"),
    "key with seven digits": (changed("key", "tenant/ns/0x8000000_0xc0000000"), "0x8000000_0xc0000000"),
    "key that goes on": (changed("key", "tenant/ns/0x80000000_0xc0000000/x"), "0x80000000_0xc0000000/x"),
    "key with other digits": (changed("key", "tenant/ns/0x8000000g_0xc0000000"), "0x8000000g"),
    "empty key": (changed("key", ""), "key"),
    "key of a range alone": (changed("key", "0x80000000_0xc0000000"), "0x80000000_0xc0000000"),
    "messageId of words": (changed("messageId", "first"), "first"),
    "messageId of one part": (changed("messageId", "7"), "messageId"),
    "messageId of five parts": (changed("messageId", "0:1:2:3:4"), "0:1:2:3:4"),
    "messageId as number": (changed("messageId", 7), "messageId"),
    "messageId above 64 bits": (changed("messageId", f"{2**63}:0"), "messageId"),
    "a lone surrogate as key": (changed("key", "\ud800/ns/0x80000000_0xc0000000"), "surrogate"),
    "a lone surrogate as payload": (changed("value", "\ud800"), ""),
    "nested deeply": (changed("properties", 0).replace(b": 0", b": " + b"[" * 99_999 + b"]" * 99_999), "nested"),
    **{
        f"both brokers blank in {state}": (record(state=state, dstBroker=blank, sourceBroker=other), "broker")
        for state, blank, other in (
            ("Owned", None, None), ("Assigning", "", ""), ("Releasing", " ", None), ("Splitting", "\t", ""),
            ("Deleted", None, None), ("Init", None, None),
        )
    },
}  # fmt: skip

LEGAL: dict[str, bytes] = {
    "a tombstone of no entry": changed("value", None),
    "an empty text, a tombstone too": changed("value", ""),
    "a record as text": changed("value", '{"state":"Owned","dstBroker":"b1","versionId":1}'),
    "unknown fields": changed("newInPulsar6", {"a": [1, "b"]}),
    "an unknown field of a record": changed("newInPulsar6", 1.5, within="value"),
    "no force, no timestamp, no eventTime": changed("value", {"state": "Owned", "dstBroker": "b1", "versionId": 1}),
    "both brokers blank in Free": record(state="Free", dstBroker=" ", sourceBroker=""),
    "the highest version": changed("versionId", 2**63 - 1, within="value"),
    "the lowest version": changed("versionId", -(2**63), within="value"),
    "version 0": changed("versionId", 0, within="value"),
    "a time before 1970": changed("publishTime", -1),
    "a namespace of odd characters": changed("key", "träger/n s%2F\u2028🐧/0x80000000_0xC0000000"),
    "a line of 10 MB": changed("properties", "x" * 10_000_000),
    "a blank line": b"",
    "a line of spaces": b" \t ",
    "a carriage return": GOOD[1].rstrip().replace(b"0:1", b"0:1:-1:7") + b"\r",
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_line_ends_in_2_and_the_rest_is_judged(name: str, tmp_path: Path) -> None:
    bad, words = UNREADABLE[name]
    file = write_bytes(tmp_path / "channel.jsonl", b"".join([*GOOD[:2], bad + b"\n", *GOOD[2:]]))
    found = audit(file)
    assert (found.verdict, found.exit_code) == ("unknown", 2)
    (reason,) = found.json["reasons"]
    assert reason.startswith(f"{file}:3: ")
    assert words in reason
    assert "\n" not in reason
    assert reason[:150] in found.said
    (finding,) = found.json["findings"]
    assert (finding["at"]["file"], finding["at"]["line"]) == (str(file), 3)
    assert found.json["stats"]["events"] == 4
    assert found.exercised("version-chain") == 3


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_line_does_not_hide_what_else_is_found(name: str, tmp_path: Path) -> None:
    file = write_bytes(tmp_path / "channel.jsonl", b"".join([UNREADABLE[name][0] + b"\n", *OVERLAP]))
    found = audit(file)
    assert (found.verdict, found.exit_code) == ("unknown", 2)
    assert found.violations == [("overlapping-owners", "0:1")]
    assert found.json["reasons"][0].startswith(f"{file}:1: ")


@pytest.mark.parametrize("name", LEGAL)
def test_odd_line_is_legal(name: str, tmp_path: Path) -> None:
    found = audit(write_bytes(tmp_path / "channel.jsonl", b"".join([*GOOD[:2], LEGAL[name] + b"\n", *GOOD[2:]])))
    assert (found.verdict, found.exit_code, found.json["reasons"]) == ("valid", 0, [])
    assert found.json["stats"]["events"] == (4 if not LEGAL[name].strip() else 5)


def test_id_of_three_parts_names_a_partition(tmp_path: Path) -> None:
    lines = [line.replace(b'","publishTime"', b':-1","publishTime"') for line in GOOD]
    found = audit(write_bytes(tmp_path / "channel.jsonl", b"".join(lines)))
    assert (found.verdict, found.exit_code, found.json["stats"]["events"]) == ("valid", 0, 4)


def test_id_of_64_bits_is_legal(tmp_path: Path) -> None:
    ids = (f"{2**63 - 1}:0", f"{2**63 - 1}:{2**63 - 1}")
    lines = [line.replace(b"0:3", ids[0].encode(), 1) for line in GOOD]
    lines += [lines_of(dump("8-c Owned(1) v1"))[0].replace(b"0:0", ids[1].encode(), 1)]
    found = audit(write_bytes(tmp_path / "channel.jsonl", b"".join(lines)))
    assert (found.verdict, found.exit_code, found.json["stats"]["events"]) == ("valid", 0, 5)


@pytest.mark.parametrize("ending", [b"", b"\n", b"\n\n\n"], ids=["none", "one", "many"])
def test_dump_may_end_in_any_number_of_line_ends(ending: bytes, tmp_path: Path) -> None:
    found = audit(write_bytes(tmp_path / "channel.jsonl", b"".join(GOOD).rstrip() + ending))
    assert (found.exit_code, found.json["stats"]["events"]) == (0, 4)


@pytest.mark.parametrize("blank", [b"\n", b"   \n", b"\r\n"])
def test_blank_lines_are_counted_where_a_later_line_is_named(blank: bytes, tmp_path: Path) -> None:
    file = write_bytes(tmp_path / "channel.jsonl", b"".join([blank, *GOOD[:2], blank, blank, b"[]\n", *GOOD[2:]]))
    found = audit(file)
    assert found.exit_code == 2
    assert found.json["reasons"][0].startswith(f"{file}:6: ")


def test_two_messages_on_a_line_stay_unreadable_beside_a_blank_line(tmp_path: Path) -> None:
    text = b"".join([*GOOD[:2], GOOD[2].rstrip(), b" ", GOOD[3], b"\n"])
    file = write_bytes(tmp_path / "channel.jsonl", text)
    found = audit(file)
    assert (found.verdict, found.exit_code, found.json["stats"]["events"]) == ("unknown", 2, 2)
    assert found.json["reasons"][0].startswith(f"{file}:3: ")


def test_message_over_two_lines_stays_unreadable_beside_two_on_one(tmp_path: Path) -> None:
    broken = GOOD[1].replace(b',"publishTime"', b',\n"publishTime"')
    text = b"".join([GOOD[0], broken, GOOD[2].rstrip(), GOOD[3]])
    found = audit(write_bytes(tmp_path / "channel.jsonl", text))
    assert (found.verdict, found.exit_code, found.json["stats"]["events"]) == ("unknown", 2, 1)


def test_many_unreadable_lines_are_each_a_finding_and_one_reason(tmp_path: Path) -> None:
    text = b"".join([*GOOD[:2], b"[]\n" * 5000, *GOOD[2:]])
    found = audit(write_bytes(tmp_path / "channel.jsonl", text))
    assert found.exit_code == 2
    assert [finding["at"]["line"] for finding in found.json["findings"]] == list(range(3, 5003))
    assert len(found.json["reasons"]) == 1


def test_bad_input_leaves_no_traceback_in_a_real_process(tmp_path: Path) -> None:
    file = write_bytes(tmp_path / "channel.jsonl", b"".join([*GOOD[:2], b"\0\xff\n", *GOOD[2:]]))
    command = [sys.executable, "-m", "oneowner", "audit", str(file)]
    called = subprocess.run(command, capture_output=True, text=True, check=False)
    assert called.returncode == 2
    assert f"{file}:3: " in called.stdout + called.stderr
    assert "Traceback" not in called.stderr
