"""Recordings of a real cluster against the words of its own brokers and lookups."""

import json
import re
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.recordings.dumps import REAL, Json, audit, recorded, run, text_of

ON_THE_SYSTEM_TOPIC = sorted(folder.parent.name for folder in REAL.glob("*/channel.jsonl*"))

ALL_BROKERS_LIVED_THROUGH = (
    "forced-free", "healthy", "healthy-quiet", "isolation-4.2.4", "leader-hang", "shedding",
    "shedding-4.2.4", "split", "transfer", "transfer-told-done", "zk-partition",
)  # fmt: skip
KILLED = {
    "carried-over": {2}, "clean-up-called-off": {2}, "compaction": {1, 2}, "delete-decommission": {1, 2},
    "fell-behind": {3}, "fenced-for-good-4.2.4": {2}, "kill-mid-transfer": {2}, "kill-owner": {2, 3},
    "late-clean-up": {3}, "migration": {1, 2, 3}, "rolling-restart": {1, 2, 3}, "shutdown-together": {2, 3},
    "split-crash": {2}, "stop-mid-split-4.2.4": {3}, "trimmed-4.2.4": {3}, "zk-restart": {2},
}  # fmt: skip
"""Which brokers were stopped or killed, or went on behind a compaction, by the README: they do not read all records."""
KEEPS_A_DEAD_ENTRY = {"carried-over": {3}}
"""Which broker drops what all others take: that is what its recording shows."""


def rows_of(file: Path) -> list[Json]:
    return [json.loads(line) for line in text_of(file).splitlines()]


def manifest_of(name: str) -> Json:
    return dict(yaml.safe_load((REAL / name / "manifest.yaml").read_text(encoding="utf-8")))


class Skipped(NamedTuple):
    """A record that a broker's view dropped: enough of it to identify it in the dump."""

    unit: str
    state: str
    destination: str | None
    source: str | None
    force: bool
    timestamp: int
    version: int


_SKIPPED = re.compile(
    r"TableViewImpl - Skipped the message from topic \S+ key=(\S+) value=(.*?) prev=(.*)$", re.MULTILINE
)
_DATA = re.compile(
    r"ServiceUnitStateData\[state=(\w+), dstBroker=(\S+), sourceBroker=(\S+), splitServiceUnitToDestBroker=.*, "
    r"force=(\w+), timestamp=(\d+), versionId=(-?\d+)\]"
)


def skipped_by(broker: int, name: str) -> list[tuple[Skipped, str]]:
    """The skipped records of one broker's log, each with the state and version that it held."""
    found = []
    for unit, value, previous in _SKIPPED.findall(text_of(REAL / name / f"broker-{broker}.log.gz")):
        data, held = _DATA.fullmatch(value), _DATA.fullmatch(previous)
        assert data is not None
        assert held is not None
        destination, source = (None if text == "null" else text for text in data.group(2, 3))
        number = int(data[5]), int(data[6])
        found.append((Skipped(unit, data[1], destination, source, data[4] == "true", *number), f"{held[1]} v{held[6]}"))
    return found


def refused_in(name: str) -> list[tuple[Skipped, str]]:
    """The audit's refusals, found in the dump by message id, with the state and version that it reports as held."""
    messages = {message["messageId"]: message for message in recorded(name)}
    found = []
    for refusal in audit(REAL / name).json["refusals"]:
        message = messages[refusal["messageId"]]
        value = message["value"]
        assert refusal["unit"] == message["key"]
        held = re.search(r" after (\w+)\(.*?\) v(-?\d+)", refusal["why"])
        assert held is not None, refusal["why"]
        brokers = value.get("dstBroker"), value.get("sourceBroker")
        record = Skipped(
            message["key"], value["state"], *brokers, value["force"], value["timestamp"], value["versionId"]
        )
        found.append((record, f"{held[1]} v{held[2]}"))
    return found


def test_recordings_on_the_system_topic_are_those_of_the_readme() -> None:
    assert sorted([*ALL_BROKERS_LIVED_THROUGH, *KILLED, "zombie"]) == ON_THE_SYSTEM_TOPIC


@pytest.mark.slow
@pytest.mark.parametrize("name", ON_THE_SYSTEM_TOPIC)
def test_refusals_equal_what_every_surviving_broker_skipped(name: str) -> None:
    refused = Counter(refused_in(name))
    killed = KILLED.get(name, set())
    for broker in {1, 2, 3} - killed - KEEPS_A_DEAD_ENTRY.get(name, set()):
        assert Counter(skipped_by(broker, name)) == refused, f"broker {broker}"
    for broker in killed:  # it may have slept through some, and read some twice
        assert {record for record, _ in skipped_by(broker, name)} <= {record for record, _ in refused}


@pytest.mark.slow
def test_refusals_are_many_enough_to_mean_something() -> None:
    counted = {name: len(audit(REAL / name).json["refusals"]) for name in ON_THE_SYSTEM_TOPIC}
    expected = {"transfer": 31, "kill-mid-transfer": 47, "compaction": 21, "split": 15, "zk-restart": 6}
    expected |= {"healthy-quiet": 5, "delete-decommission": 4, "kill-owner": 3}
    expected |= {"transfer-told-done": 5, "split-crash": 1, "shutdown-together": 6, "fell-behind": 1}
    assert {name: count for name, count in counted.items() if count} == expected


SLACK = 100
"""Milliseconds by which a lookup must lie within the interval: publish times are not yet the readers' times."""


def unit_of(topic: str, boundaries: dict[str, list[int]]) -> str:
    """Return the bundle of a topic: the CRC-32 of its name is its place on the ring (NamespaceService)."""
    namespace = topic.removeprefix("persistent://").rpartition("/")[0]
    ends = boundaries[namespace]
    place = bisect_right(ends, zlib.crc32(topic.encode()))
    return f"{namespace}/0x{ends[place - 1]:08x}_0x{ends[place]:08x}"


def answered_lookups(name: str) -> Iterator[tuple[str, Json]]:
    bundles = json.loads((REAL / name / "bundles.json").read_bytes())
    before, after = bundles["before"]["namespaces"], bundles["after"]["namespaces"]
    assert before == after, "the run splits nothing"
    boundaries = {namespace: [int(end, 16) for end in one["boundaries"]] for namespace, one in before.items()}
    for lookup in rows_of(REAL / name / "lookups.jsonl.gz"):
        if lookup["status"] == 200:
            yield unit_of(lookup["topic"], boundaries), lookup


def compared(intervals: list[Json], name: str, late: int = 0) -> Counter[tuple[str, str, bool]]:
    """Count lookups within an Owned interval: by unit, answer, and whether the timeline (*late* ms late) agrees."""
    owned: dict[str, list[tuple[float, float, str]]] = {}
    for one in intervals:
        if one["state"] == "Owned":
            until = one["to"]["time"] + late if one["to"] else float("inf")
            owned.setdefault(one["unit"], []).append((one["from"]["time"] + late, until, one["broker"]))
    counts: Counter[tuple[str, str, bool]] = Counter()
    for unit, lookup in answered_lookups(name):
        for since, until, broker in owned.get(unit, []):
            if since + SLACK <= lookup["t_start"] and lookup["t_end"] <= until - SLACK:
                counts[unit, lookup["url"], lookup["url"] == f"http://{broker}"] += 1
    return counts


def agreeing(counts: Counter[tuple[str, str, bool]], agrees: bool) -> int:
    return sum(count for (_, _, same), count in counts.items() if same == agrees)


@pytest.mark.parametrize(
    ("name", "at_least"),
    [pytest.param("transfer", 2300, marks=pytest.mark.slow), ("kill-mid-transfer", 3500), ("compaction", 2700)],
)
def test_timeline_agrees_with_every_lookup_of_the_run(name: str, at_least: int) -> None:
    counts = compared(run("timeline", REAL / name).json["intervals"], name)
    assert agreeing(counts, False) == 0
    assert agreeing(counts, True) >= at_least
    assert len({unit for unit, _, _ in counts}) == 12
    assert len({url for _, url, _ in counts}) == 3


def test_timeline_would_not_agree_five_seconds_late() -> None:
    counts = compared(run("timeline", REAL / "transfer").json["intervals"], "transfer", late=5000)
    assert agreeing(counts, False) > 500


@pytest.mark.parametrize("event", ["prepared", "recording ends"])
def test_timeline_at_a_moment_agrees_with_the_manifest(event: str) -> None:
    manifest = manifest_of("transfer")
    (moment,) = (one for one in manifest["events"] if one["event"] == event)
    brokers = {one["index"]: one["id"] for one in manifest["brokers"]}
    polled = {unit: brokers[index] for unit, (index,) in moment["owners"].items()}
    found = run("timeline", REAL / "transfer", "--at", moment["t"])
    assert {unit: found.json["owners"][unit] for unit in polled} == polled
    assert len(polled) == 12
    by_iso: dict[str, Any] = run("timeline", REAL / "transfer", "--at", moment["time"]).json["owners"]
    assert by_iso == found.json["owners"]


def test_timeline_of_one_unit_is_that_part_of_the_whole() -> None:
    unit = "rig/a/0x00000000_0x40000000"
    whole = run("timeline", REAL / "transfer").json["intervals"]
    part = run("timeline", REAL / "transfer", "--unit", unit).json["intervals"]
    assert part == [one for one in whole if one["unit"] == unit]
    assert len(part) > 50
    for one, following in pairwise(part):
        assert one["to"] == following["from"]
