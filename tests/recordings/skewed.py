"""A recording under traces/real as it would be if one machine's clock had been off."""

import gzip
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from oneowner.checkers.places import TOP
from oneowner.checkers.yaml_text import data_of

OBSERVER, ZOOKEEPER = "the observer", "ZooKeeper"
OBSERVED = ("lookups", "owned", "actions", "clients")
TIMES = ("t", "t_start", "t_end", "t_ack")
STAMP = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d),(\d{3})\+0000", re.MULTILINE)
CREATED = re.compile(r"loadbalancer-service-unit-state\] \[([^\]]+)\] Created producer")
RECORD = re.compile(
    r"state=(\w+), dstBroker=([^,]*), sourceBroker=([^,]*), splitServiceUnitToDestBroker=.*?, force=\w+, "
    r"timestamp=(\d{13}), versionId=(\d+)\]"
)
Record = tuple[str, str, str, int, int]
Move = Callable[[int], int]


def skewed(name: str, clock: str, by: int, folder: Path, rate: float = 0.0, files: str = "") -> str:
    """
    Write a recording into *folder* with one clock ahead *by* milliseconds, and *rate* more for each; return the folder.

    *clock* is a broker, the observer's or ZooKeeper's; only *files* whose names match this pattern are written.
    """
    source = TOP / "traces" / "real" / name
    manifest: Any = data_of((source / "manifest.yaml").read_text())
    start = int(manifest["started_ms"])

    def move(time: int) -> int:
        return time + by + int(rate * (time - start))

    log = next((one["log"] for one in manifest["brokers"] if one["id"] == clock), None)
    made = _made(source, clock, log)
    for path in sorted(source.iterdir()):
        if path.name != "expectation.yaml" and re.match(files, path.name):
            text = _text(path)
            kind = path.name.partition(".jsonl")[0]
            if re.match(r"broker-.*\.log", path.name):
                text = RECORD.sub(lambda found: _printed(found, made, move), text)
                text = STAMP.sub(lambda found: _stamp(found, move), text) if path.name.startswith(f"{log}") else text
            elif kind in ("channel", "compacted") and log:
                producers = {*CREATED.findall(_text(next(source.glob(f"{log}*"))))}
                text = _lines(text, partial(_published, own=producers, move=move))
            elif kind == "zookeeper":
                text = _lines(text, partial(_written, made=made, move=move, is_server=clock == ZOOKEEPER))
            elif kind in OBSERVED and clock == OBSERVER:
                text = _lines(text, partial(_observed, move=move))
            (folder / path.name).write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return str(folder)


def _text(path: Path) -> str:
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8", "replace")


def _lines(text: str, change: Callable[[dict[str, Any]], None]) -> str:
    changed = [json.loads(line) for line in text.splitlines()]
    for line in changed:
        change(line)
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in changed)


def _made(source: Path, clock: str, log: str | None) -> set[Record]:
    """Return the records that a broker has published."""
    return {_identity(value) for value in _values(source, clock, log)} if log else set()


def _values(source: Path, clock: str, log: str | None) -> Iterator[dict[str, Any]]:
    producers = {*CREATED.findall(_text(next(source.glob(f"{log}*"))))}
    for path in source.glob("channel.jsonl*"):
        for line in map(json.loads, _text(path).splitlines()):
            if line["producer"] in producers and isinstance(line["value"], dict):
                yield line["value"]
    for path in source.glob("zookeeper.jsonl*"):
        lines = [json.loads(line) for line in _text(path).splitlines()]
        own = {line["session"] for line in lines if line.get("path") == f"/loadbalance/brokers/{clock}"}
        for line in lines:
            if line["session"] in own and "/service_unit_state/" in line.get("path", "") and line.get("data"):
                yield json.loads(line["data"])


def _identity(value: dict[str, Any]) -> Record:
    brokers = (value.get(name) or "null" for name in ("dstBroker", "sourceBroker"))
    return value["state"], *brokers, value["timestamp"], value["versionId"]


def _printed(found: re.Match[str], made: set[Record], move: Move) -> str:
    record = found[1], found[2], found[3], int(found[4]), int(found[5])
    return found[0].replace(found[4], str(move(int(found[4])))) if record in made else found[0]


def _stamp(found: re.Match[str], move: Move) -> str:
    time = int(datetime.fromisoformat(found[1]).replace(tzinfo=UTC).timestamp() * 1000) + int(found[2])
    second, millis = divmod(move(time), 1000)
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S},{millis:03d}+0000"


def _published(line: dict[str, Any], own: set[str], move: Move) -> None:
    if line["producer"] in own:
        line["publishTime"] = move(line["publishTime"])
        if isinstance(line["value"], dict):
            line["value"]["timestamp"] = move(line["value"]["timestamp"])


def _written(line: dict[str, Any], made: set[Record], move: Move, is_server: bool) -> None:
    if is_server:
        line["time"] = move(line["time"])
    elif "/service_unit_state/" in line.get("path", "") and line.get("data"):
        value = json.loads(line["data"])
        if _identity(value) in made:
            line["data"] = json.dumps(value | {"timestamp": move(value["timestamp"])})


def _observed(line: dict[str, Any], move: Move) -> None:
    for name in TIMES:
        if isinstance(line.get(name), int):
            line[name] = move(line[name])
