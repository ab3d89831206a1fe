"""Skipped lines yield the same events as lines that are read one by one: another reader is the judge."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneowner.checkers.recordings.read.file_reads import FileRead
from oneowner.checkers.recordings.read.log_files import LogPlace, read_file
from oneowner.checkers.recordings.read.log_patterns import EVERY_LINE, Table, table
from oneowner.checkers.recordings.read.wanted_lines import LineIndex, WantedLines
from tests.recordings.dumps import REAL

HEAD = "2026-11-21T00:18:{:02d},896+0000 [{}] {} {} - "
LOGGERS = [
    "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl",
    "org.apache.pulsar.broker.service.ServerCnx",
    "org.apache.pulsar.broker.service.BrokerService",
    *(f"org.example.Other{number}" for number in range(4)),
]
WORDS = [
    "words",
    "b1:8080 is waiting for owner for serviceUnit:rig/a/0x00000000_0x40000000",
    "[/127.0.0.1:1] Created new prod",
    "[/127.0.0.1:1] Created new producer: Producer{topic=PersistentTopic{topic=persistent://rig/a/t}}",
    "at 2026-11-21T00:18:19,896+0000 [main] INFO  org.example.Other0 - and another line",
    "",
    "an end\u00a0 ",
]
REST = [
    "\tat org.example.Some.call(Some.java:1) - ServiceUnitStateChannelImpl - x",
    "java.lang.Exception: null",
    "",
    "7 of 9",
    "pulsar.broker.loadbalance.extensions.X - the rest of a line",
    '{"SeverityText": "INFO"',
    "2026-11-21T00:18:19,8",
]
HEADS = st.builds(
    lambda second, thread, level, logger, words: HEAD.format(second, thread, level, logger) + words,
    st.integers(10, 61),
    st.sampled_from(["main", "pulsar-io-4-1", "a[1]"]),
    st.sampled_from(["INFO ", "WARN ", "DEBUG"]),
    st.sampled_from(LOGGERS),
    st.sampled_from(WORDS),
)
LOGS = st.lists(st.one_of(HEADS, HEADS, HEADS, st.sampled_from(REST)), min_size=1, max_size=60)


def events_of(path: Path) -> list[Any]:
    """Return all that is read of a log, but for the identity of words."""
    found: list[Any] = []
    for part in read_file(LogPlace(0, str(path)), table()):
        if isinstance(part, FileRead):
            coverage = part.coverage
            found.append((coverage.lines, coverage.understood, coverage.shapes, coverage.places))
            found.append((part.damage, part.speakers, part.settled, part.first, part.last, part.is_foreign))
            found.append(part.tail and (part.tail.origin, part.tail.time, part.tail.text))
        else:
            found += [(said.origin, said.time, said.event, said.thread, said.values, said.text) for said in part]
    return found


def read_one_by_one(path: Path, patch: pytest.MonkeyPatch) -> list[Any]:
    """Read a log with nothing passed over."""
    with patch.context() as one_by_one:
        one_by_one.setattr(WantedLines, "find", find_all)
        look_at_all(one_by_one)
        return events_of(path)


def find_all(_: WantedLines, text: bytes) -> LineIndex:
    begins = np.array([0, *(at + 1 for at, letter in enumerate(text) if letter == ord("\n"))])
    return LineIndex(begins, np.arange(len(begins) - 1), np.arange(len(begins) - 1))


def look_at_all(patch: pytest.MonkeyPatch) -> None:
    wanted = Table.wanted
    patch.setattr(Table, "wanted", lambda table, logger: EVERY_LINE if wanted(table, logger) is not None else None)


@settings(deadline=None)  # the first one reads the table
@given(lines=LOGS, is_whole=st.booleans())
def test_log_is_read_as_line_by_line(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], is_whole: bool
) -> None:
    path = tmp_path_factory.mktemp("log") / "b.log"
    path.write_text("\n".join(lines) + "\n" * is_whole, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        assert events_of(path) == read_one_by_one(path, patch)


@pytest.mark.parametrize(
    "time", ["2026-11-21T00:18:61", "2026-11-21T00:18:6x", "2026-11-31T00:18:19", "2026-11-21T00:61:19"]
)
def test_no_line_of_a_wanted_class_is_passed_over_whose_time_there_is_not(
    time: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = [HEAD.format(second, "main", "INFO ", logger) + "x" for second in range(10, 20) for logger in LOGGERS[1:4]]
    path = tmp_path / "b.log"
    path.write_text("\n".join([*good, good[0].replace("2026-11-21T00:18:10", time), *good]) + "\n")
    found = events_of(path)
    assert found == read_one_by_one(path, monkeypatch)
    is_time = "x" in time  # else it is no head, and follows on the line before
    assert any(":31: no such time" in words for words in found[1][0]) != is_time


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "name", ["zombie", pytest.param("zk-restart", marks=pytest.mark.slow), "locks-kill-owner", "split-crash"]
)
def test_recorded_log_is_read_as_line_by_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = sorted((REAL / name).glob("broker-*.log*"))
    assert logs
    for path in logs:
        assert events_of(path) == read_one_by_one(path, monkeypatch)


@pytest.mark.parametrize("prefix", ["", "[pod/b/broker] ", "Nov 21 00:18:19 b pulsar[12]: "])
def test_lines_are_passed_over(prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    find = WantedLines.find

    def watched(known: WantedLines, text: bytes) -> LineIndex:
        found = find(known, text)
        seen.extend([len(found.begins) - 1, len(found.wanted)])
        return found

    monkeypatch.setattr(WantedLines, "find", watched)
    path = tmp_path / "b.log"
    path.write_text("".join(prefix + HEAD.format(19, "main", "INFO ", LOGGERS[3]) + "words\n" for _ in range(5_000)))
    events_of(path)
    assert sum(seen[::2]) > 4_900
    assert sum(seen[1::2]) == 0
