"""
Things done to a copy of a recorded run: losses, forgeries and mix-ups on its way to the auditor.

Each takes the folder of the copy and changes files in it. The expected result is written down in
``injections.yaml``, before it was tried.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.recordings.laws.files import HANDLE, changed, changing, file_of, lines_of, middle, rewrite, write_lines

SHIFT = 1_000_003_000
"""Milliseconds; no round number of hours."""


@changing("broker-2.log")
def handle_line_removed(lines: list[bytes]) -> list[bytes]:
    """One line of a handler is missing in a log that prints them all."""
    place = middle(lines, HANDLE)
    return lines[:place] + lines[place + 1 :]


@changing("broker-2.log")
def handle_line_garbled(lines: list[bytes]) -> list[bytes]:
    """The record in a line of a handler is cut off, as where two threads write at once."""
    place = middle(lines, HANDLE)
    cut = lines[place].index(b"ServiceUnitStateData[") + 40 if b"ServiceUnitStateData[" in lines[place] else -20
    return [*lines[:place], lines[place][:cut], *lines[place + 1 :]]


def clock_shifted(folder: Path) -> None:
    """The clock of one broker is three seconds ahead."""

    def later(match: re.Match[bytes]) -> bytes:
        hours, minutes, seconds = (int(part) for part in match[2].split(b":"))
        total = (hours * 3600 + minutes * 60 + seconds + 3) % 86_400
        return b"%s%02d:%02d:%02d" % (match[1], total // 3600, total // 60 % 60, total % 60)

    stamp = re.compile(rb"^(\d{4}-\d\d-\d\dT)(\d\d:\d\d:\d\d)")
    rewrite(folder, "broker-2.log", lambda lines: [stamp.sub(later, line) for line in lines])


def log_torn(folder: Path) -> None:
    """A zipped log is cut short."""
    path = folder / "broker-2.log.gz"
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])


@changing("broker-2.log")
def log_ends_early(lines: list[bytes]) -> list[bytes]:
    """The last third of a log was never copied; the rest is whole."""
    return lines[: len(lines) * 2 // 3]


def log_missing(folder: Path) -> None:
    """One broker's log is not there at all."""
    file_of(folder, "broker-2.log").unlink()


def logs_swapped(folder: Path) -> None:
    """Two logs carry each other's names."""
    one, other = file_of(folder, "broker-1.log"), file_of(folder, "broker-2.log")
    first, second = lines_of(one), lines_of(other)
    write_lines(one, second)
    write_lines(other, first)


def _last_owned(lines: list[bytes]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for raw in lines:
        message = json.loads(raw)
        if message["value"] and message["value"]["state"] == "Owned":
            found = message
    return found


@changing("channel.jsonl")
def owned_forged(lines: list[bytes]) -> list[bytes]:
    """Somebody forces a bundle to another broker in the dump, and no broker has noticed."""
    last, final = _last_owned(lines), json.loads(lines[-1])
    ledger, entry = final["messageId"].split(":")[:2]
    value = last["value"]
    brokers = {json.loads(raw)["value"]["dstBroker"] for raw in lines if b'"dstBroker"' in raw}
    other = min(brokers - {value["dstBroker"]})
    value = {**value, "dstBroker": other, "sourceBroker": value["dstBroker"], "force": True}
    value["versionId"], value["timestamp"] = value["versionId"] + 1, final["publishTime"]
    forged = {
        **last,
        "messageId": f"{ledger}:{int(entry) + 1}",
        "publishTime": final["publishTime"],
        "value": value,
    }
    return [*lines, json.dumps(forged).encode()]


@changing("channel.jsonl")
def record_removed(lines: list[bytes]) -> list[bytes]:
    """A message in the middle of the dump is missing."""
    place = middle(lines, b'"Assigning"')
    return lines[:place] + lines[place + 1 :]


def dump_is_older(folder: Path) -> None:
    """The dump was taken when two thirds of it were there, and everything else later."""
    for name in ("channel.jsonl", "compacted.jsonl"):
        rewrite(folder, name, lambda lines: lines[: 2 * len(lines) // 3])


def older_beside_lookups(folder: Path) -> None:
    """The dump was taken when two thirds of it were there, and neither logs nor lists are beside it."""
    dump_is_older(folder)
    for path in (*folder.glob("broker-*"), *folder.glob("owned*")):
        path.unlink()


@changing("channel.jsonl")
def record_repeated(lines: list[bytes]) -> list[bytes]:
    """A message of the dump comes twice with the same id."""
    place = middle(lines, b'"Owned"')
    return [*lines[: place + 1], *lines[place:]]


@changing("channel.jsonl")
def version_changed(lines: list[bytes]) -> list[bytes]:
    """A record of the dump carries another version than the one that was published."""
    place = middle(lines, b'"Owned"')
    value = json.loads(lines[place])["value"]
    value["versionId"] += 5
    return [*lines[:place], changed(lines[place], value=value), *lines[place + 1 :]]


@changing("lookups.jsonl")
def lookup_forged(lines: list[bytes]) -> list[bytes]:
    """In the middle of the run a broker names itself, by a forged line, for a topic that was never there."""
    for place in range(len(lines) // 2, len(lines)):
        seen = json.loads(lines[place])
        if seen["status"] == 200 and seen["asked"] not in seen["url"]:
            return [*lines[:place], changed(lines[place], url=f"http://{seen['asked']}"), *lines[place + 1 :]]
    raise AssertionError("no lookup names another broker")


@changing("lookups.jsonl")
def two_answer_for_long(lines: list[bytes]) -> list[bytes]:
    """From the middle of the run on every broker that is asked names itself."""
    half = len(lines) // 2
    return lines[:half] + [
        changed(raw, url=f"http://{json.loads(raw)['asked']}") if b'"status":200' in raw else raw
        for raw in lines[half:]
    ]


@changing("owned.jsonl")
def claims_forged(lines: list[bytes]) -> list[bytes]:
    """From the middle of the run on one broker lists all bundles as its own."""
    polls = [json.loads(raw) for raw in lines]
    everything = sorted({unit for poll in polls for unit in poll.get("owned", ()) if not unit.startswith("pulsar/")})
    liar = polls[0]["broker"]
    return [
        changed(raw, owned=everything)
        if place > len(lines) // 2 and poll["broker"] == liar and "owned" in poll
        else raw
        for place, (raw, poll) in enumerate(zip(lines, polls, strict=True))
    ]


@changing("zookeeper.jsonl")
def registration_removed(lines: list[bytes]) -> list[bytes]:
    """The line with which the last broker registered is missing in the ZooKeeper history."""
    place = max(p for p, raw in enumerate(lines) if b'"/loadbalance/brokers/' in raw and b'"create"' in raw)
    return lines[:place] + lines[place + 1 :]


def refused_is_handled(folder: Path) -> None:
    """A log reports that a view took a record which the resolver refuses."""
    record = (
        "ServiceUnitStateData[state=Owned, dstBroker={0}, sourceBroker={0}, splitServiceUnitToDestBroker=null,"
        " force=false, timestamp={1}, versionId={2}]"
    )
    last = _last_owned(lines_of(file_of(folder, "channel.jsonl")))
    value = {**last["value"], "force": False}
    value["sourceBroker"] = value["dstBroker"]

    def add_message(lines: list[bytes]) -> list[bytes]:
        final = json.loads(lines[-1])
        ledger, entry = final["messageId"].split(":")[:2]
        message_id = f"{ledger}:{int(entry) + 1}"
        return [*lines, changed(lines[-1], key=last["key"], messageId=message_id, value=value)]

    def add_line(lines: list[bytes]) -> list[bytes]:
        place = max(p for p, line in enumerate(lines) if HANDLE in line)
        head = lines[place][: lines[place].index(b"serviceUnit:")]
        told = record.format(value["dstBroker"], value["timestamp"], value["versionId"])
        forged = b"%sserviceUnit:%s, data:%s. totalHandledRequests:1" % (head, last["key"].encode(), told.encode())
        return [*lines[: place + 1], forged, *lines[place + 1 :]]

    rewrite(folder, "channel.jsonl", add_message)
    rewrite(folder, "broker-2.log", add_line)


def manifest_removed(folder: Path) -> None:
    """There is no manifest: nothing states the configuration, and the broker of each log."""
    (folder / "manifest.yaml").unlink()


def faults_removed(folder: Path) -> None:
    """The manifest does not list the operations on the cluster."""
    path = folder / "manifest.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.index("\nevents:") + 1], encoding="utf-8")


def times_shifted(folder: Path) -> None:
    """All of it happened on another day: every time of every file is later by the same span."""
    fields = re.compile(
        rb'("(?:t|t_start|t_end|t_ack|time|publishTime|timestamp|startTimestamp|registrationTime)":\s*)(\d{13})'
    )
    escaped = re.compile(rb'(\\"(?:timestamp|startTimestamp|registrationTime)\\":\s*)(\d{13})')
    stamp = re.compile(rb"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)[,.](\d{3})")
    printed = re.compile(rb"(timestamp=|at timestamp:|event_ts:|updatedAt= |reportedAt= )(\d{13})")

    def later(match: re.Match[bytes]) -> bytes:
        return match[1] + str(int(match[2]) + SHIFT).encode()

    def at(match: re.Match[bytes]) -> bytes:
        moment = datetime.strptime(match[1].decode(), "%Y-%m-%dT%H:%M:%S").replace(tzinfo=UTC)
        ms = round(moment.timestamp() * 1000) + int(match[2]) + SHIFT
        whole = datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        return f"{whole},{ms % 1000:03d}".encode()

    for path in sorted(folder.iterdir()):
        if ".jsonl" in path.name or ".log" in path.name:
            lines = lines_of(path)
            if ".jsonl" in path.name:
                lines = [escaped.sub(later, fields.sub(later, line)) for line in lines]
            else:
                lines = [printed.sub(later, stamp.sub(at, line)) for line in lines]
            write_lines(path, lines)


INJECTIONS: dict[str, Callable[[Path], None]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        handle_line_removed, handle_line_garbled, clock_shifted, log_torn, log_ends_early, log_missing, logs_swapped,
        owned_forged, record_removed, dump_is_older, older_beside_lookups, record_repeated, version_changed,
        lookup_forged, two_answer_for_long, claims_forged, registration_removed, refused_is_handled, manifest_removed,
        faults_removed, times_shifted,
    )
}  # fmt: skip
