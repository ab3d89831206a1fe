"""A cluster and its observer, on paper: operations on them are noted, in order; time passes by itself."""

import json
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from oneowner.checkers.collect.admin import Answer
from oneowner.checkers.lab.cluster.recording import Recording

HALVES = "0x00000000_0x80000000", "0x80000000_0xffffffff"
OWNED = {
    1: [f"lab/a/{HALVES[0]}"],
    2: [f"lab/a/{HALVES[1]}", f"lab/b/{HALVES[0]}", f"lab/b/{HALVES[1]}"],
    3: ["lab/c/0x00000000_0xffffffff"],
}


class Process:
    """A broker that lives until it is killed, or asked to end."""

    def __init__(self, name: str, notes: list[str]) -> None:
        self.name, self.notes, self.lives, self.log = name, notes, True, Path(os.devnull)

    def signal(self, what: signal.Signals) -> None:
        self.notes.append(f"{what.name} {self.name}")
        self.lives = what is signal.SIGCONT

    def end(self) -> int:
        return 0


class FakeCluster:
    """Three brokers, led by the first that lives; *starts* determines whether a started broker answers."""

    def __init__(self, starts: bool = True) -> None:
        self.notes: list[str] = []
        self.starts = starts
        self.ids, self.binary = ["b1:1", "b2:2", "b3:3"], [11, 12, 13]
        self.own: list[Mapping[str, object]] = [{}, {}, {}]
        self.brokers = [Process(str(number), self.notes) for number in (1, 2, 3)]
        self.bookie = Process("bookie", self.notes)
        self.admin = self

    def start_broker(self, number: int) -> int:
        moved = " in the metadata store" if "MetadataStore" in str(self.own[number - 1]) else ""
        self.notes.append(f"start {number}{moved}")
        self.brokers[number - 1].lives = True
        return 100 + number

    def wait_for_broker(self, number: int, seconds: float) -> float:
        if not self.starts:
            raise RuntimeError(f"broker-{number} not ready after {seconds:.0f} s")
        return 1.0

    def lose_zookeeper(self) -> None:
        self.notes.append("zookeeper lost")

    def start_zookeeper(self) -> float:
        self.notes.append("zookeeper back")
        return 1.0

    def ask(self, method: str, url: str, body: object = None, wait: float = 2) -> Answer:
        """Answer with the leader, and the units of a broker."""
        asked = self.ids.index(urlsplit(url).netloc) + 1
        first = next(number for number in (1, 2, 3) if self.brokers[number - 1].lives)
        data: dict[str, Any] = {unit: {} for unit in OWNED[asked]}
        if url.endswith("leaderBroker"):
            data = {"brokerId": self.ids[first - 1]}
        return Answer(200, json.dumps(data), None)

    def call(self, action: str, broker: str, method: str, path: str, body: object, **parameters: Any) -> dict[str, Any]:
        """Note an admin call, with the bundle or the namespace that it is of."""
        of = parameters.get("bundle") or parameters.get("namespace") or parameters.get("value") or ""
        self.notes.append(f"{action} {of}".strip())
        return {"path": path, **parameters}

    def look_up(self, broker: str, topic: str) -> None:
        self.notes.append(f"look up {topic} at {broker}")

    def visits(self, urls: str, topics: Iterator[str], ended: threading.Event) -> None:
        self.notes.append(f"visits from {next(topics)} on")

    def dump(self, url: str) -> str:
        """Read the channel where some broker but the first can be read from."""
        self.notes.append(f"dump at {url}")
        return "no leader" if url.endswith(":11") else ""

    def sends(self, urls: str, rate: float, sizes: object) -> None:
        self.notes.append("sends")


class FakeRelay:
    def __init__(self, number: int, notes: list[str]) -> None:
        self.number, self.notes = number, notes

    def turn(self, passage: str) -> None:
        self.notes.append(f"{passage} {self.number}")


def recording_of(cluster: FakeCluster) -> Recording:
    """Return a recording of a cluster on paper; waits of a second or more are noted."""
    notes = cluster.notes

    def wait(seconds: float) -> None:
        if seconds >= 1:
            notes.append(f"{seconds:g} s")

    relays = [FakeRelay(number, notes) for number in (1, 2, 3)]
    made: Any = Recording
    recording: Recording = made(cluster, cluster, lambda words: None, relays, (21, 22, 23), wait)
    return recording
