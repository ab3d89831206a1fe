"""A ZooKeeper history is what took effect: a write that the resolver refuses breaks a law."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.recordings.dumps import REAL, Json, Judged, audit, dump, text_of, write, write_bytes

METADATA_VIEW = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateMetadataStoreTableViewImpl"
MAX, MIN = 2**63 - 1, -(2**63)


def history(messages: Sequence[Json]) -> list[Json]:
    """
    Return the writes that would leave the same records in the metadata store, between two lines of another kind.

    A node is created with version 1 of its record; a unit that begins later was created before the history.
    """
    nodes: dict[str, int] = {}
    lines: list[Json] = [{"zxid": 1, "time": 0, "session": "0x1", "op": "createSession", "timeoutMs": 30000}]
    for zxid, one in enumerate(messages, 2):
        key, value = one["key"], one["value"]
        line = {"zxid": zxid, "time": one["publishTime"], "session": "0x1", "path": f"/service_unit_state/{key}"}
        if value is None:
            nodes.pop(key, None)
            lines.append({**line, "op": "delete"})
        elif key not in nodes and (value["versionId"] == 1 or any(key in other["path"] for other in lines[1:])):
            nodes[key] = 0
            lines.append({**line, "op": "create", "data": json.dumps(value), "ephemeral": False})
        else:
            nodes[key] = nodes.get(key, 7) + 1
            lines.append({**line, "op": "setData", "version": nodes[key], "data": json.dumps(value)})
    other = {"op": "create", "path": "/loadbalance/brokers/b1", "data": "{}", "ephemeral": True}
    return [*lines, {"zxid": 99, "time": 0, "session": "0x1", **other}]


def judge_history(folder: Path, lines: Sequence[str]) -> Judged:
    return audit(write(folder / "zookeeper.jsonl", history(dump(*lines))), "--storage", "metadata-store")


LEGAL: dict[str, tuple[str, ...]] = {
    "a transfer": (
        "0-8 Assigning(1) v1", "0-8 Owned(1) v2", "0-8 Releasing(2, from 1) v3", "0-8 Assigning(2, from 1) v4",
        "0-8 Owned(2, from 1) v5",
    ),
    "a split": (
        "0-8 Owned(1) v1", "0-8 Splitting(from 1) v2 split 0-4 4-8", "0-4 Owned(1) v1", "4-8 Owned(1) v1",
        "0-8 Deleted(from 1) v3", "0-8 -",
    ),
    "a forced record": ("0-8 Owned(1) v1", "0-8 Owned(2, from 1) v2 forced"),
    "version 1 again after a tombstone": ("0-8 Owned(1) v1", "0-8 Releasing(from 1) v2", "0-8 Free(from 1) v3", "0-8 -",
                                          "0-8 Assigning(2) v1"),
}  # fmt: skip

ILLEGAL: dict[str, tuple[tuple[str, ...], list[str], str]] = {
    "first-version": (("0-8 Free() v1", "0-8 -", "0-8 Assigning(1) v2"), ["zxid:4"], "version 1"),
    "first-version, forced": (("0-8 Free() v1", "0-8 -", "0-8 Owned(1) v2 forced"), ["zxid:4"], "version 1"),
    "gap": (("0-8 Assigning(1) v1", "0-8 Owned(1) v3"), ["zxid:3"], "next one, 2"),
    "gap, forced": (("0-8 Assigning(1) v1", "0-8 Owned(2) v3 forced"), ["zxid:3"], "next one, 2"),
    "version": (("0-8 Assigning(1) v1", "0-8 Owned(1) v1"), ["zxid:3"], "not above"),
    "transition": (("0-8 Owned(1) v1", "0-8 Owned(2) v2"), ["zxid:3"], "Owned to Owned"),
    "transition of the system topic": (("0-8 Owned(1) v1", "0-8 Releasing(from 1) v2", "0-8 Free(from 1) v3",
                                        "0-8 Init(1) v4"), ["zxid:5"], "Free to Init"),
    "broker": (("0-8 Assigning(1) v1", "0-8 Owned(2) v2"), ["zxid:3"], "destination and source"),
    "no destination": (("0-8 Assigning(1) v1", "0-8 Owned(from 1) v2 forced"), ["zxid:3"], "destination"),
    "no destination, first of all": (("0-8 Owned(from 1) v1",), ["zxid:2"], "destination"),
    "the write counts all the same": (
        ("0-8 Owned(1) v1", "0-8 Owned(2) v2", "0-8 Releasing(from 2) v3"), ["zxid:3"], "",
    ),
    "each one": (("0-8 Owned(1) v1", "0-8 Owned(2) v2", "0-8 Owned(1) v3"), ["zxid:3", "zxid:4"], ""),
}  # fmt: skip


@pytest.mark.parametrize("lines", LEGAL.values(), ids=list(LEGAL))
def test_history_is_legal(lines: tuple[str, ...], tmp_path: Path) -> None:
    found = judge_history(tmp_path, lines)
    assert (found.verdict, found.exit_code) == ("valid", 0)
    assert found.law("legal-history")["verdict"] == "valid"
    assert found.exercised("legal-history") == sum(not line.endswith(" -") for line in lines), "tombstones cannot fail"
    assert found.json["stats"]["events"] == len(lines)
    assert found.violations == found.refused == []


@pytest.mark.parametrize(("lines", "at", "words"), ILLEGAL.values(), ids=list(ILLEGAL))
def test_history_with_an_illegal_write_breaks_a_law(
    lines: tuple[str, ...], at: list[str], words: str, tmp_path: Path
) -> None:
    found = judge_history(tmp_path, lines)
    broken = [one for one in found.json["findings"] if one["law"] == "legal-history"]
    assert [one["at"]["messageId"] for one in broken] == at
    assert [one["at"]["line"] for one in broken] == [int(zxid.removeprefix("zxid:")) for zxid in at]
    assert all(one["severity"] == "violation" and words in one["why"] for one in broken)
    assert (found.verdict, found.exit_code) == ("invalid", 1)
    assert found.refused == []


def test_node_that_is_created_with_another_version_than_1_breaks_a_law(tmp_path: Path) -> None:
    lines = history(dump("0-8 Assigning(1) v2"))
    lines[1]["op"] = "create"
    del lines[1]["version"]
    found = audit(write(tmp_path / "zookeeper.jsonl", lines), "--storage", "metadata-store")
    assert found.violations == [("legal-history", "zxid:2")]


def test_history_that_lacks_a_write_is_never_valid(tmp_path: Path) -> None:
    lines = text_of(REAL / "metadata-store" / "zookeeper.jsonl.gz").splitlines(keepends=True)
    writes = [number for number, line in enumerate(lines) if '"op":"setData","path":"/service_unit_state' in line]
    for number in writes[50:350:60]:
        rest = "".join([*lines[:number], *lines[number + 1 :]])
        found = audit(write_bytes(tmp_path / "zookeeper.jsonl", rest.encode()), "--storage", "metadata-store")
        assert found.verdict in ("invalid", "unknown")


def test_history_without_a_write_to_a_unit_is_unknown(tmp_path: Path) -> None:
    found = judge_history(tmp_path, ())
    assert (found.verdict, found.exit_code) == ("unknown", 3)
    assert found.exercised("legal-history") == 0


def test_history_breaks_the_laws_of_a_dump_too(tmp_path: Path) -> None:
    found = judge_history(tmp_path, ("0-8 Owned(1) v1", "0-8 -", "4-8 Owned(1) v1", "0-8 Owned(2) v1"))
    assert found.violations == [("tombstone-of-active", "zxid:3"), ("overlapping-owners", "zxid:5")]


@pytest.mark.parametrize("versions", [(7, 8), (MAX, MIN)], ids=["7", "before the wrap"])
def test_history_that_begins_in_the_middle_of_a_unit_has_a_note(versions: tuple[int, int], tmp_path: Path) -> None:
    found = judge_history(tmp_path, [f"0-8 Assigning(1) v{versions[0]}", f"0-8 Owned(1) v{versions[1]}"])
    assert (found.verdict, found.exit_code) == ("valid", 0)
    assert [message for _, message in found.findings("note")] == ["zxid:2"]
    assert found.exercised("legal-history") == 1


def test_history_is_the_channel_where_the_manifest_says_so(tmp_path: Path) -> None:
    write(tmp_path / "zookeeper.jsonl", history(dump("0-8 Assigning(1) v1", "0-8 Owned(1) v3")))
    assert audit(tmp_path).exit_code == 3  # no channel dump, and the storage is the system topic
    manifest = f"config_overrides:\n  loadManagerServiceUnitStateTableViewClassName: {METADATA_VIEW}\n"
    write_bytes(tmp_path / "manifest.yaml", manifest.encode())
    found = audit(tmp_path)
    assert ("legal-history", "zxid:3") in found.violations
    assert found.exit_code == 1


def test_history_with_an_unreadable_write_ends_in_2(tmp_path: Path) -> None:
    lines = history(dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2"))
    lines[1]["data"] = '{"state":"Owned"'
    file = write(tmp_path / "zookeeper.jsonl", lines)
    found = audit(file, "--storage", "metadata-store")
    assert (found.verdict, found.exit_code) == ("unknown", 2)
    assert f"{file}:2:" in found.json["reasons"][0]
    assert found.json["stats"]["events"] == 1


def test_dump_of_a_metadata_store_channel_has_the_refusals_of_its_rules(tmp_path: Path) -> None:
    lines = ("0-8 Owned(1) v2", "0-8 Owned(1) v1", "0-8 Releasing(from 1) v3", "0-8 Owned(2) v2", "0-8 Owned(1) v1")
    found = audit(write(tmp_path / "channel.jsonl", dump(*lines)), "--storage", "metadata-store")
    assert found.refused == [("0:0", "first-version"), ("0:2", "gap"), ("0:3", "transition"), ("0:4", "version")]
    assert found.violations == []


def test_write_of_several_nodes_in_one_transaction_is_read_in_its_order(tmp_path: Path) -> None:
    lines = history(dump("0-8 Assigning(1) v1", "4-8 Assigning(1) v1", "0-8 Owned(1) v2"))
    for line in lines:
        line["zxid"] = min(line["zxid"], 2)
    found = audit(write(tmp_path / "zookeeper.jsonl", lines), "--storage", "metadata-store")
    assert (found.verdict, found.json["findings"]) == ("valid", [])
    assert found.json["stats"]["events"] == 3


@pytest.mark.parametrize(("later", "verdict"), [(119_000, "unknown"), (121_000, "invalid")])
def test_unit_in_flight_is_stuck_by_the_last_write_of_any_kind(later: int, verdict: str, tmp_path: Path) -> None:
    """Another record of the channel need not follow: the history goes on, and would show it."""
    lines = history(dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2", "0-8 Releasing(2, from 1) v3"))
    write(tmp_path / "zookeeper.jsonl", [*lines[:-1], lines[-1] | {"time": lines[-2]["time"] + later}])
    write(tmp_path / "actions.jsonl", [{"t_start": 1, "t_end": 2, "action": "look", "asked": "b1", "status": 200}])
    found = audit(tmp_path, "--storage", "metadata-store")
    stuck = [one["why"] for one in found.json["findings"] if one["law"] == "stuck-in-flight"]
    assert bool(stuck) == (verdict == "invalid"), stuck
    assert (found.law("stuck-in-flight")["verdict"] == "invalid") == (verdict == "invalid")
