"""Long dumps that lack records, and the reports of a watch on them."""

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.live.channel_watch import LiveFinding
from oneowner.checkers.watch.clusters import Cluster
from oneowner.checkers.watch.inline import Follower, Terms
from oneowner.checkers.watch.readings import Readings
from oneowner.checkers.watch.watching import source_of
from oneowner.model.channel.rules import Storage
from tools.bench.generate import START, bundle, payload, records

LIMIT = 3_000
"""Milliseconds in flight that some hand-overs of these dumps take."""
QUESTION = Question(Storage.SYSTEM_TOPIC, is_history=False, in_flight_limit=LIMIT, partial=False)
OPTIONS = ("--in-flight-limit", f"{LIMIT}ms", "--least", "note")


def write_broken(path: Path, count: int, units: int = 400, seed: int = 7) -> Path:
    """Write a dump of which one record in 300 is missing, so that versions have gaps."""
    rng = random.Random(seed)
    lines = (line for line in records(count, units, seed) if rng.random() > 1 / 300)
    path.write_text("".join(lines))
    return path


class ListSink(list[LiveFinding]):
    """A sink that keeps its messages."""

    def tell(self, found: LiveFinding, is_again: bool) -> None:
        self.append(found)


def watched(dump: Path, checkpoint: Path | None = None, question: Question = QUESTION) -> list[LiveFinding]:
    """Return the reports on a dump that is replayed as fast as it goes."""
    kept = ListSink()
    terms = Terms(question, 0, checkpoint, [kept])
    Follower(Cluster("c", replay=str(dump)), terms, source_of, Readings()).run(lambda: False)
    return kept


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the findings of a file of JSON lines, without the time of each report."""
    return [timeless(json.loads(line)) for line in path.read_text().splitlines()]


def timeless(line: dict[str, Any]) -> dict[str, Any]:
    """Return a finding without the time of its report."""
    return {key: value for key, value in line.items() if key != "told"}


def names(found: Iterable[LiveFinding]) -> list[str]:
    """Return the identities of findings."""
    return [one.name for one in found]


def write_day(path: Path, units: int, moves: int, seconds: int, seed: int = 3) -> Path:
    """
    Write a dump of a time in which bundles move from broker to broker, each move in 50 ms, one after the other.

    Of 1,000 moves one lacks its last record, so that the bundle stays in flight until it moves again.
    """
    rng = random.Random(seed)
    brokers = [f"10.0.0.{number}:8080" for number in range(12)]
    keys = [f"tenant-{number // 1000}/ns-{number // 50}/{bundle(number % 50, 50)}" for number in range(units)]
    held: dict[str, tuple[str, int]] = {}
    with path.open("w", encoding="ascii") as stream:
        entry = 0
        for move in range(moves):
            time, key = START + move * seconds * 1000 // moves, rng.choice(keys)
            owner, version = held.get(key, ("", 0))
            other = rng.choice([broker for broker in brokers if broker != owner])
            steps = [("Releasing", other, owner, 0), ("Assigning", other, owner, 20), ("Owned", other, owner, 50)]
            for state, destination, source, later in steps[not owner :]:
                version += 1
                publisher = source if source and state == "Assigning" else destination
                value = payload((state, destination, source, version), time + later)
                if state != "Owned" or rng.random() > 1 / 1000:
                    stream.write(
                        f'{{"messageId":"0:{entry}","publishTime":{time + later},"producer":"{publisher}",'
                        f'"key":"{key}","value":{value}}}\n'
                    )
                entry += 1
            held[key] = other, version
    return path
