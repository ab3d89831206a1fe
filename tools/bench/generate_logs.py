"""
Generate a recorded run of any size from runs of the model: a channel dump, and the logs of its brokers in debug mode.

``python -m tools.bench.generate_logs FOLDER --records 2000000``. A few random runs of the model are rendered once, and
follow on each other again and again, each time in namespaces of their own: the brokers and their processes stay; times,
message ids and counters go on. Same arguments, same bytes.
"""

import argparse
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from tools.render.broker_logs import logs_of
from tools.render.channel_dump import Rendered, rendered
from tools.render.dump_files import START
from tools.render.model_runs import settled_run

TEMPLATES = 20
"""Runs of the model that are rendered; the others are copies of them."""
RECORDS = 110
"""Records of each, about."""
ALL = frozenset({1, 2, 3, 4})
PAUSE = 1_000
"""Milliseconds between one run and the next."""

_OWN = re.compile(r"rig/|(?<=timestamp=)\d+|(?<=\"timestamp\": )\d+|(?<=totalHandledRequests:)\d+")
_STATE = re.compile(r"(?:data|cur):(?:ServiceUnitStateData\[state=(\w+)|null|,)")


class Part(NamedTuple):
    """A piece of a line, and its continuation: a namespace, a time, or the counter of a state."""

    text: str
    kind: str
    time: int
    """Milliseconds since the beginning of the run."""
    number: int


@dataclass(frozen=True, slots=True)
class Line:
    """One line, at any time and in any namespace."""

    time: int
    """Milliseconds since the beginning of the run."""
    parts: tuple[Part, ...]
    end: str
    state: str
    """Of which state's records it counts one; none if it is empty."""


class Numbers:
    """State that carries over from one copy to the next."""

    def __init__(self) -> None:
        self.start = START
        self.copy = 0
        self.entry = 0
        self.handled: Counter[tuple[int, str]] = Counter()
        """By broker and state."""
        self.sent: Counter[int] = Counter()
        """By broker: each has one producer, which numbers its messages."""

    def text(self, line: Line, broker: int) -> str:
        """Return a line as it is in this copy."""
        found = []
        for text, kind, time, number in line.parts:
            found.append(text)
            if kind == "namespace":
                found.append(f"t{self.copy}/")
            elif kind == "time":
                found.append(str(self.start + time))
            else:
                found.append(str(self.handled[broker, line.state] + number))
        found.append(line.end)
        return "".join(found)


def cut_up(text: str, time: int) -> Line:
    """Cut a line where a copy differs."""
    parts, at = [], 0
    for found in _OWN.finditer(text):
        kind = "namespace" if found[0] == "rig/" else "time" if len(found[0]) > 10 else "counter"
        number = int(found[0]) if kind != "namespace" else 0
        is_time = kind == "time"
        parts.append(Part(text[at : found.start()], kind, number - START if is_time else 0, number))
        at = found.end()
    state = _STATE.search(text)
    is_counted = any(part.kind == "counter" for part in parts)
    return Line(time, tuple(parts), text[at:], (state[1] if state else "") or "Init" if is_counted else "")


@dataclass(frozen=True, slots=True)
class Template:
    """One run of the model."""

    messages: tuple[tuple[int, Line], ...]
    """The publisher of each, and the rest of its line."""
    starts: dict[int, list[str]]
    """Of each broker, the lines with which it starts."""
    logs: dict[int, tuple[Line, ...]]
    handled: Counter[tuple[int, str]]
    """The number of records that each broker handled, by state."""
    lasts: int


def template(seed: int) -> Template:
    """Render one run of the model, and cut its lines."""
    told: Rendered = rendered(settled_run("commands", seed, RECORDS))
    logs = logs_of(told, ALL)
    starts = {broker: [line for line in lines if _millis(line) < START] for broker, lines in logs.items()}
    cut = {
        broker: tuple(cut_up(line[_HEAD:], _millis(line) - START) for line in lines if _millis(line) >= START)
        for broker, lines in logs.items()
    }
    handled: Counter[tuple[int, str]] = Counter()
    for broker, lines in cut.items():
        for line in lines:
            for part in line.parts:
                if part.kind == "counter":
                    handled[broker, line.state] = max(handled[broker, line.state], part.number)
    messages = []
    for message, one in zip(told.messages, told.run.appended, strict=True):
        producer = f"standalone-0-{one.broker}"
        rest = json.dumps({"key": message["key"], "producer": producer, "value": message["value"]})
        messages.append((one.broker, cut_up(rest[1:], int(message["publishTime"]) - START)))
    return Template(tuple(messages), starts, cut, handled, told.moments[-1] - START + PAUSE)


_HEAD = len("2026-11-21T00:18:19,896+0000")


def _millis(line: str) -> int:
    return int(datetime.strptime(line[:_HEAD], "%Y-%m-%dT%H:%M:%S,%f%z").timestamp() * 1000)


@lru_cache(maxsize=1024)
def _second(time: int) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def stamp(time: int) -> str:
    """Return a time as a log has it."""
    return f"{_second(time // 1000)},{time % 1000:03}+0000"


OTHERS = tuple(
    f"[{thread}] INFO  {logger} - {words}"
    for thread, logger, words in (
        (
            "pulsar-web-38-4",
            "org.eclipse.jetty.server.RequestLog",
            '127.0.0.1 - - [21/Nov/2026:00:18:19 +0000] "GET /admin/v2/persistent/t/a/b/stats HTTP/1.1" 200 96',
        ),
        (
            "pulsar-io-3-7",
            "org.apache.pulsar.broker.service.ServerCnx",
            "[/10.1.2.3:51234] Subscribing on topic persistent://t/a/b / s-1. consumerId: 17",
        ),
        (
            "pulsar-io-3-2",
            "org.apache.pulsar.broker.service.ServerCnx",
            "[/10.1.2.3:51234] Closed consumer, consumerId=17",
        ),
        (
            "BookKeeperClientWorker-OrderedExecutor-1-0",
            "org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl",
            "[t/a/persistent/b] Creating ledger, metadata: {component=[109, 97], pulsar/managed-ledger=[116]}",
        ),
        (
            "bookkeeper-ml-scheduler-OrderedScheduler-0-0",
            "org.apache.bookkeeper.mledger.impl.ManagedCursorImpl",
            "[t/a/persistent/b] Rewind from 73:12 to 73:12 after 0 entries were read and none was sent",
        ),
        (
            "broker-topic-workers-OrderedExecutor-3-0",
            "org.apache.pulsar.broker.service.Consumer",
            "Disconnecting consumer: Consumer{subscription=PersistentSubscription{topic=persistent://t/a/b, name=s-1}}",
        ),
        ("pulsar-2-1", "org.apache.bookkeeper.client.LedgerCreateOp", "Ensemble: [10.1.2.4:3181] for ledger: 73"),
    )
)
"""Lines of loggers that no law reads, or reads little of, as a production log is full of."""


def write(folder: Path, records: int, others: int = 0) -> tuple[int, int]:
    """
    Write a run of at least so many records to *folder*; return how many records and log lines there are.

    So many lines of *others* stand before each line of the load balancer; they are not counted.
    """
    templates = [template(seed) for seed in range(TEMPLATES)]
    numbers, lines = Numbers(), 0
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        dump = stack.enter_context((folder / "channel.jsonl").open("w", encoding="ascii"))
        logs = {n: stack.enter_context((folder / f"broker-{n}.log").open("w", encoding="ascii")) for n in sorted(ALL)}
        for broker, begun in templates[0].starts.items():
            logs[broker].writelines(f"{line}\n" for line in begun)
            lines += len(begun)
        while numbers.entry < records:
            one = templates[numbers.copy % TEMPLATES]
            dump.writelines(_messages(one, numbers))
            for broker, cut in one.logs.items():
                for number, line in enumerate(cut):
                    now = stamp(numbers.start + line.time)
                    logs[broker].writelines(_other(now, number, n) for n in range(others))
                    logs[broker].write(f"{now}{numbers.text(line, broker)}\n")
                lines += len(cut)
            numbers.handled += one.handled
            numbers.start += one.lasts
            numbers.copy += 1
    return numbers.entry, lines


def _other(now: str, number: int, place: int) -> str:
    """Return a line of another logger, with a number of its own, so that it is not compressed better than real ones."""
    own = zlib.crc32(f"{now} {number} {place}".encode())
    return f"{now} {OTHERS[(number + place) % len(OTHERS)]} {own:08x}\n"


def _messages(one: Template, numbers: Numbers) -> Iterator[str]:
    for broker, message in one.messages:
        number, numbers.entry = numbers.entry, numbers.entry + 1
        sequence, numbers.sent[broker] = numbers.sent[broker], numbers.sent[broker] + 1
        yield (
            f'{{"messageId": "0:{number}", "publishTime": {numbers.start + message.time}, "eventTime": 0, '
            f'"sequenceId": {sequence}, {numbers.text(message, 0)}\n'
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--records", type=int, default=200_000)
    chosen = parser.parse_args()
    print("{:,} records, {:,} log lines".format(*write(chosen.folder, chosen.records)))
