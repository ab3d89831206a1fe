"""The trace of ownership: a thread per unit, a process per broker, slices that are the intervals."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.command_line import REAL, oneowner, refused
from tests.recordings.dumps import START, dump, write

Event = dict[str, Any]


def trace(*arguments: object) -> list[Event]:
    """Return the events of a trace; every process and thread is named before it is used."""
    document = oneowner(*arguments, "--perfetto", "-").json
    named: set[tuple[int, int]] = set()
    for event in document["traceEvents"]:
        assert {"ph", "pid", "tid"} <= event.keys()
        if event["ph"] == "M":
            named.add((event["pid"], event["tid"]))
        else:
            assert (event["pid"], event["tid"]) in named
            assert isinstance(event["ts"], int)
    return list(document["traceEvents"])


def of(events: list[Event], phase: str) -> list[Event]:
    return [event for event in events if event["ph"] == phase]


def names(events: list[Event]) -> dict[tuple[int, int], str]:
    return {(one["pid"], one["tid"]): one["args"]["name"] for one in of(events, "M")}


def test_slices_are_the_intervals_of_the_timeline() -> None:
    path = REAL / "transfer" / "channel.jsonl.gz"
    events = trace("timeline", path)
    named = names(events)
    intervals = oneowner("timeline", path, "--json", "-").json["intervals"]
    slices = [
        (f"{named[one['pid'], 0]}/{named[one['pid'], one['tid']]}", one["name"], one["ts"]) for one in of(events, "X")
    ]
    assert slices == [
        (one["unit"], f"{one['state']} {one['broker']}" if one["broker"] else one["state"], one["from"]["time"] * 1000)
        for one in intervals
    ]


def test_slices_of_a_thread_do_not_overlap_even_if_times_go_back(tmp_path: Path) -> None:
    lines = (
        "0-8 Assigning(1) v1 @10",
        "0-8 Owned(1) v2 @5",
        "0-8 Releasing(2, from 1) v3 @7",
        "0-8 Assigning(2, from 1) v4 @30",
    )
    events = trace("timeline", write(tmp_path / "channel.jsonl", dump(*lines)))
    ends: dict[tuple[int, int], int] = defaultdict(int)
    for one in of(events, "X"):
        assert one["dur"] >= 0
        assert one["ts"] >= ends[one["pid"], one["tid"]]
        ends[one["pid"], one["tid"]] = one["ts"] + one["dur"]
    assert len(of(events, "X")) == 4


def test_broker_is_a_process_with_the_units_that_it_owned(tmp_path: Path) -> None:
    lines = ("0-8 Assigning(1) v1", "0-8 Owned(1) v2 @1", "8-end Owned(1) v1 @2", "0-8 Releasing(from 1) v3 @9")
    events = trace("timeline", write(tmp_path / "channel.jsonl", dump(*lines)))
    (process,) = [pid for (pid, tid), name in names(events).items() if (tid, name) == (0, "broker b1")]
    begun = {one["id"]: one for one in of(events, "b")}
    ended = {one["id"]: one for one in of(events, "e")}
    assert begun.keys() == ended.keys()
    assert {one["pid"] for one in begun.values()} == {process}
    spans = {
        one["name"]: (one["ts"] // 1000 - START, ended[number]["ts"] // 1000 - START) for number, one in begun.items()
    }
    assert spans == {
        "tenant/ns/0x00000000_0x80000000": (1000, 9000),
        "tenant/ns/0x80000000_0xffffffff": (2000, 9000),  # to the end of the dump
    }


def test_findings_are_instants_of_their_unit(tmp_path: Path) -> None:
    path = write(tmp_path / "channel.jsonl", dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2", "0-8 Owned(2) v9 forced"))
    events = trace("audit", path)
    (instant,) = [one for one in of(events, "i") if one["cat"] == "violation"]
    assert instant["name"] == "version-chain"
    assert instant["s"] == "t"
    assert instant["ts"] == (START + 2000) * 1000
    assert names(events)[instant["pid"], instant["tid"]] == "0x00000000_0x80000000"
    assert "version gap" in instant["args"]["why"]


def test_findings_of_no_unit_are_instants_of_all() -> None:
    events = trace("audit", REAL / "zombie")
    everywhere = [one for one in of(events, "i") if one["s"] == "g"]
    assert everywhere
    assert {names(events)[one["pid"], 0] for one in everywhere} == {"all units"}


def test_runs_are_kept_apart() -> None:
    paths = [REAL / "healthy" / "channel.jsonl", REAL / "zombie" / "channel.jsonl"]
    processes = {name for (_, tid), name in names(trace("audit", *paths)).items() if tid == 0}
    for path in paths:
        assert f"{path}: rig/a" in processes


def test_trace_is_written_to_a_file_whole(tmp_path: Path) -> None:
    target = tmp_path / "trace.json"
    assert oneowner("timeline", REAL / "healthy", "--perfetto", target).code == 0
    assert json.loads(target.read_text())["displayTimeUnit"] == "ms"
    refused(oneowner("timeline", REAL / "healthy", "--perfetto", tmp_path / "no" / "trace.json"), "no folder")


def test_only_one_output_may_be_standard_output() -> None:
    refused(oneowner("timeline", REAL / "healthy", "--perfetto", "-", "--json", "-"), "-")
    refused(oneowner("audit", REAL / "healthy", "--junit", "-", "--sarif", "-"), "-")
