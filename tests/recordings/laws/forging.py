"""
Forgeries of recorded runs, one for each law of evidence that no recording breaks.

Each takes the folder of a copy and changes files in it, as those of ``injecting.py`` do; the expected result is
written down in ``injections.yaml``.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from tests.recordings.laws.files import HANDLE, changed, changing, middle, rewrite

COUNTER = re.compile(rb"totalHandledRequests:(\d+)")
BEGAN = ("0x00000000", "0x40000000", "0x80000000", "0xc0000000", "0xffffffff")
"""The boundaries of every namespace of the recordings when it is made."""
STATE = re.compile(rb"state=(\w+)")


@changing("channel.jsonl")
def producers_swapped(lines: list[bytes]) -> list[bytes]:
    """Two brokers' producers carry each other's names."""
    often = Counter(json.loads(raw)["producer"] for raw in lines).most_common(2)
    (one, _), (other, _) = often
    swapped = {one: other, other: one}
    return [changed(raw, producer=swapped.get(name := json.loads(raw)["producer"], name)) for raw in lines]


def _without_request(lines: list[bytes], instead: Callable[[bytes], list[bytes]]) -> list[bytes]:
    """Put something else in the place of a handle request about other brokers; later counters do not count it."""
    place = middle(lines, HANDLE, but=b"Broker=127.0.0.1:18082")
    lost = STATE.findall(lines[place])[0]

    def lower(line: bytes) -> bytes:
        if HANDLE not in line or STATE.findall(line)[:1] != [lost]:
            return line
        return COUNTER.sub(lambda found: b"totalHandledRequests:%d" % (int(found[1]) - 1), line)

    return [*lines[:place], *instead(lines[place]), *map(lower, lines[place + 1 :])]


@changing("broker-2.log")
def event_lost(lines: list[bytes]) -> list[bytes]:
    """A view missed a record, and the counter of its handler did not count it."""
    return _without_request(lines, lambda line: [])


def skip_forged(folder: Path) -> None:
    """A log reports that a view skipped a record which the resolver accepts."""

    def skip(line: bytes) -> list[bytes]:
        unit, record = re.findall(rb"serviceUnit:(\S+), data:(ServiceUnitStateData\[.*?\])\.", line)[0]
        told = (
            b"%s [main] INFO  org.apache.pulsar.client.impl.TableViewImpl - Skipped the message from topic "
            b"persistent://pulsar/system/loadbalancer-service-unit-state. key=%s value=%s prev=null"
        )
        return [told % (line.split(b" ")[0], unit, record)]

    rewrite(folder, "broker-2.log", lambda lines: _without_request(lines, skip))


@changing("lookups.jsonl")
def answer_goes_back(lines: list[bytes]) -> list[bytes]:
    """After a hand-over a broker answers once more what it answered before."""
    seen = [json.loads(raw) for raw in lines]
    asked: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, lookup in enumerate(seen):
        if lookup["status"] == 200:
            asked[lookup["asked"], lookup["topic"]].append(place)
    for places in asked.values():
        for before, after, later in zip(places, places[1:], places[2:], strict=False):
            urls = [seen[place]["url"] for place in (before, after, later)]
            if urls[0] != urls[1] == urls[2]:
                return [*lines[:later], changed(lines[later], url=urls[0]), *lines[later + 1 :]]
    raise AssertionError("no lookup sees a hand-over")


@changing("zookeeper.jsonl")
def leader_node_made_twice(lines: list[bytes]) -> list[bytes]:
    """The history makes the leader's node once more, while it is there."""
    made = next(raw for raw in lines if b'"/loadbalance/extension/leader"' in raw and b'"create"' in raw)
    last = json.loads(lines[-1])
    return [*lines, changed(made, zxid=last["zxid"] + 1, time=last["time"])]


@changing("actions.jsonl")
def call_in_a_circle(lines: list[bytes]) -> list[bytes]:
    """A call is sent on to another broker, back, and on again."""
    place = next(place for place, raw in enumerate(lines) if json.loads(raw)["hops"])
    call = json.loads(lines[place])
    circle = [call["hops"][0], call["asked"], call["hops"][0]]
    return [*lines[:place], changed(lines[place], hops=circle), *lines[place + 1 :]]


def _policies(lines: list[bytes]) -> list[int]:
    """Return where the bundles of the namespace that was split most were written."""
    paths = [(place, json.loads(raw).get("path", "")) for place, raw in enumerate(lines) if b'"setData"' in raw]
    found: dict[str, list[int]] = defaultdict(list)
    for place, path in paths:
        if path.startswith("/admin/local-policies/rig/"):
            found[path].append(place)
    return max(found.values(), key=len)


@changing("zookeeper.jsonl")
def policies_stay_unsplit(lines: list[bytes]) -> list[bytes]:
    """The boundaries of a namespace are written as they were before its splits."""
    places = _policies(lines)
    path = json.loads(lines[places[0]])["path"]
    made = next(raw for raw in lines if b'"create"' in raw and json.loads(raw).get("path") == path)
    data = json.loads(made)["data"]
    return [changed(raw, data=data) if place in places else raw for place, raw in enumerate(lines)]


@changing("zookeeper.jsonl")
def boundary_lost(lines: list[bytes]) -> list[bytes]:
    """The last write of a namespace's bundles drops a boundary that its first split wrote."""
    places = _policies(lines)
    first, last = (json.loads(json.loads(lines[place])["data"]) for place in (places[0], places[-1]))
    lost = next(cut for cut in first["bundles"]["boundaries"] if cut not in BEGAN)
    kept = [cut for cut in last["bundles"]["boundaries"] if cut != lost]
    last["bundles"] = {"boundaries": kept, "numBundles": len(kept) - 1}
    return [*lines[: places[-1]], changed(lines[places[-1]], data=json.dumps(last)), *lines[places[-1] + 1 :]]


@changing("broker-1.log")
def candidate_left_out(lines: list[bytes]) -> list[bytes]:
    """A broker that is as loaded as the others may not be drawn, by the log."""
    place = middle(lines, b"Selected 3 best brokers: [")
    fewer = re.sub(rb"3 best brokers: \[[^,]*, ", b"2 best brokers: [", lines[place])
    return [*lines[:place], fewer, *lines[place + 1 :]]


@changing("broker-1.log")
def hit_counted(lines: list[bytes]) -> list[bytes]:
    """A bundle of which no number exceeds its limit is counted as one that is to be split."""
    place = middle(lines, b"Split condition hit count: 0")
    return [*lines[:place], lines[place].replace(b"hit count: 0", b"hit count: 1"), *lines[place + 1 :]]


@changing("lookups.jsonl")
def owner_without_lock(lines: list[bytes]) -> list[bytes]:
    """From the middle of the run on clients learn that the third broker owns their topics."""
    seen = [json.loads(raw) for raw in lines]
    brokers = sorted({one["asked"] for one in seen})
    half = len(lines) // 2
    return lines[:half] + [
        changed(raw, url=f"http://{min(set(brokers) - {one['asked'], urlsplit(one['url']).netloc})}")
        if "url" in one and urlsplit(one["url"]).netloc != one["asked"]
        else raw
        for raw, one in zip(lines[half:], seen[half:], strict=True)
    ]


@changing("zookeeper.jsonl")
def child_lock_elsewhere(lines: list[bytes]) -> list[bytes]:
    """The first child of a split is made by another broker while the parent's lock is held."""
    writes = [json.loads(raw) for raw in lines]
    registered = {
        one["session"]: one["path"].rpartition("/")[2]
        for one in writes
        if one.get("path", "").startswith("/loadbalance/brokers/") and one["op"] == "create"
    }
    place = next(at for at, one in enumerate(writes) if one.get("path", "").endswith("_0xdfffffff") and "data" in one)
    other = next(session for session in registered if session != writes[place]["session"])
    data = json.loads(writes[place]["data"]) | {"httpUrl": f"http://{registered[other]}"}
    return [*lines[:place], changed(lines[place], session=other, data=json.dumps(data)), *lines[place + 1 :]]


def channel_left_out(folder: Path) -> None:
    """Nobody dumped the channel, and no client recorded its sends."""
    for path in [*folder.glob("channel*"), *folder.glob("compacted*"), *folder.glob("clients*")]:
        path.unlink()


FORGERIES: dict[str, Callable[[Path], None]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        producers_swapped, event_lost, skip_forged, answer_goes_back, leader_node_made_twice, call_in_a_circle,
        policies_stay_unsplit, boundary_lost, candidate_left_out, hit_counted, owner_without_lock,
        child_lock_elsewhere, channel_left_out,
    )
}  # fmt: skip
