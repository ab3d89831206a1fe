"""A log in a JSON layout reads like the same log as text; nothing torn is trusted."""

import json
import re
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.recordings.read.broker_logs import LAST, read_logs
from oneowner.checkers.recordings.read.log_lines import BrokenLine, LogLine
from tests.recordings.dumps import REAL
from tests.recordings.laws.files import copied, lines_of
from tests.recordings.read.test_log_lines import CHANNEL, STARTED, read
from tests.recordings.read.test_log_prefixes import WRAPS

HEAD = re.compile(r"(\S{23}\+0000) \[(.*?)\] (\w+) +(\S+) - ")

Fields = dict[str, Any]
Layout = Callable[[datetime, str, str, str, str], Fields]
"""A layout's form of time, thread, level, logger and message."""


def zulu(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}Z"


LAYOUTS: dict[str, Layout] = {
    "EcsLayout": lambda time, thread, level, logger, message: {
        "@timestamp": zulu(time), "ecs.version": "1.2.0", "log.level": level, "message": message,
        "process.thread.name": thread, "log.logger": logger,
    },
    "ECS, nested": lambda time, thread, level, logger, message: {
        "@timestamp": zulu(time), "log": {"level": level, "logger": logger},
        "process": {"thread": {"name": thread}}, "message": message,
    },
    "LogstashJsonEventLayoutV1": lambda time, thread, level, logger, message: {
        "@version": 1, "source_host": "b1", "message": message, "thread_name": thread,
        "@timestamp": f"{zulu(time)[:-1]}+0000", "level": level, "logger_name": logger,
    },
    "JsonLayout": lambda time, thread, level, logger, message: {
        "instant": {"epochSecond": int(time.timestamp()), "nanoOfSecond": time.microsecond * 1000},
        "thread": thread, "level": level, "loggerName": logger, "message": message, "endOfBatch": False,
        "loggerFqcn": "org.apache.logging.slf4j.Log4jLogger", "threadId": 1, "threadPriority": 5,
    },
    "JsonLayout, timeMillis": lambda time, thread, level, logger, message: {
        "timeMillis": round(time.timestamp() * 1000), "thread": thread, "level": level, "loggerName": logger,
        "message": message,
    },
    "GcpLayout": lambda time, thread, level, logger, message: {
        "timestamp": zulu(time), "severity": {"WARN": "WARNING"}.get(level, level), "message": message,
        "_thread": thread, "_logger": logger,
    },
    "GelfLayout": lambda time, thread, level, logger, message: {
        "version": "1.1", "host": "b1", "short_message": message, "timestamp": round(time.timestamp(), 3),
        "level": {"ERROR": 3, "WARN": 4, "INFO": 6, "DEBUG": 7}[level], "_logger": logger, "_thread": thread,
    },
    "plain": lambda time, thread, level, logger, message: {
        "timestamp": f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond:06}+00:00", "level": level, "logger": logger,
        "thread": thread, "message": message,
    },
}  # fmt: skip


def as_json(lines: list[bytes], layout: Layout, separators: tuple[str, str] = (",", ":")) -> list[bytes]:
    """Write the lines of a log in a JSON layout; a continuation line is a part of its message."""
    entries: list[tuple[re.Match[str], list[str]]] = []
    for raw in lines:
        text = raw.decode("utf-8", "replace")
        if (head := HEAD.match(text)) is not None:
            entries.append((head, [text[head.end() :]]))
        elif entries:
            entries[-1][1].append(text)
    return [
        json.dumps(
            layout(datetime.fromisoformat(head[1].replace(",", ".")), head[2], head[3], head[4], "\n".join(words)),
            separators=separators,
        ).encode()
        for head, words in entries
    ]


def events_of(run: Path) -> list[tuple[object, ...]]:
    found = read_logs([(number, str(path)) for number, path in enumerate(sorted(run.glob("*.log*")))], {})
    assert found.damage == []
    return [(*line[1:7], "" if line.event == LAST else line.text) for line in found.said]


@cache
def as_text() -> list[tuple[object, ...]]:
    return events_of(REAL / "locks-kill-owner")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "wrap"),
    [
        *((name, None) for name in LAYOUTS),
        *(("EcsLayout", wrap) for wrap in ("docker", "containerd", "docker compose")),
    ],
)
def test_recorded_log_says_the_same_in_a_json_layout(name: str, wrap: str | None, tmp_path: Path) -> None:
    run = copied("locks-kill-owner", tmp_path)
    for path in run.glob("*.log*"):
        lines = as_json(lines_of(path), LAYOUTS[name], (",", ":") if wrap else (", ", ": "))
        path.unlink()
        write = WRAPS[wrap] if wrap else lambda pod, line: line + b"\n"
        (run / path.name.removesuffix(".gz")).write_bytes(b"".join(write("pod", line) for line in lines))
    assert events_of(run) == as_text()


@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: {"time": "2026-11-21T00:18:19.8961Z", "stream": "stdout", "_p": "F", "log": text},
        lambda text: {"log": text + "\n", "stream": "stdout", "attrs": {"tag": "b"}, "time": "2026-11-21T00:18:19Z"},
    ],
    ids=["Fluent Bit", "docker with attributes"],
)
def test_line_in_an_object_of_a_container_is_read_whatever_the_order_of_its_fields(
    wrap: Callable[[str], Fields], tmp_path: Path
) -> None:
    plain = f"2026-11-21T00:18:19,896+0000 {STARTED}"
    ecs = json.dumps(LAYOUTS["EcsLayout"](datetime.fromisoformat("2026-11-21T00:18:19.896Z"), "main", "INFO", CHANNEL,
                                          "Successfully started the channel."))  # fmt: skip
    for text in (plain, ecs):
        (line,) = read(tmp_path / "b.log", json.dumps(wrap(text)) + "\n")
        assert isinstance(line, LogLine)
        assert (line.time, line.thread, line.message) == (1795220299896, "main", "Successfully started the channel.")


def ecs(message: str, logger: str = CHANNEL) -> str:
    time = datetime.fromisoformat("2026-11-21T00:18:19.896Z")
    return json.dumps(LAYOUTS["EcsLayout"](time, "t", "INFO", logger, message))


def broken(found: list[LogLine | BrokenLine]) -> list[tuple[int, str]]:
    return [(line.number, line.why) for line in found if isinstance(line, BrokenLine)]


def test_torn_lines_are_broken_and_whole_ones_among_them_are_read(tmp_path: Path) -> None:
    whole, other = ecs("Successfully started the channel."), ecs("words", "org.example.Other")
    lines = [whole, whole[:60], other[:50] + whole, whole[60:], other[:-1], whole]
    found = read(tmp_path / "b.log", "\n".join(lines))
    assert [line.number for line in found if isinstance(line, LogLine)] == [1, 3]
    assert broken(found) == [
        (2, "no JSON object that names its logger"),
        (3, "a line starts within it; its own end is lost"),
        (4, "not a line of the JSON layout: JSONDecodeError('Expecting value: line 1 column 1 (char 0)')"),
        (5, "no JSON object that names its logger"),
        (6, "the last line has no end"),
    ]


@pytest.mark.parametrize(
    ("field", "value"), [("@timestamp", "2026-11-21"), ("message", None), ("process.thread.name", None)]
)
def test_object_that_lacks_a_field_is_broken(field: str, value: str | None, tmp_path: Path) -> None:
    data = json.loads(ecs("Successfully started the channel."))
    data |= {field: value} if value else {}
    if value is None:
        del data[field]
    first = ecs("Successfully started the channel.")
    _, (number, why) = 0, broken(read(tmp_path / "b.log", f"{first}\n{json.dumps(data)}\n"))[0]
    assert (number, why.split(":")[0]) == (2, "not a line of the JSON layout")


def test_object_in_a_text_log_is_no_line_of_its_own(tmp_path: Path) -> None:
    text = f"2026-11-21T00:18:19,896+0000 {STARTED}\n" + '{"message": "Successfully started the channel."}\n'
    (line,) = read(tmp_path / "b.log", text)
    assert isinstance(line, LogLine)
    assert len(line.more) == 1
