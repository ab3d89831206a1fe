"""Bytes of a log become lines, in three layouts; nothing torn is trusted."""

import gzip
import json
from functools import partial
from pathlib import Path

import pytest

from oneowner.checkers.recordings.read import lines as audit_lines
from oneowner.checkers.recordings.read import log_reader
from oneowner.checkers.recordings.read.log_lines import BrokenLine, LogLine
from oneowner.checkers.recordings.read.log_patterns import table
from oneowner.checkers.recordings.read.log_reader import LogReader
from oneowner.checkers.recordings.read.log_sources import first_time
from oneowner.checkers.recordings.read.log_values import split_attributes

CHANNEL = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl"
STARTED = f"[main] INFO  {CHANNEL} - Successfully started the channel."
OTHER = "2026-11-21T00:18:19,900+0000 [pulsar-io-3-1] INFO  org.eclipse.jetty.server.RequestLog - GET /"
RECORD = "ServiceUnitStateData[state=Splitting, dstBroker=null, sourceBroker=b1:8080, splitServiceUnitToDestBroker={0x00000000_0x7fffffff=Optional.empty, 0x7fffffff_0xffffffff=Optional[b2:8080]}, force=true, timestamp=5, versionId=7]"  # noqa: E501


def read(path: Path, text: str | bytes) -> list[LogLine | BrokenLine]:
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    lines = LogReader(0, str(path), table().wanted).read()
    return [line for line in lines if isinstance(line, LogLine | BrokenLine)]


def lines_of(found: list[LogLine | BrokenLine]) -> list[LogLine]:
    assert all(isinstance(line, LogLine) for line in found)
    return [line for line in found if isinstance(line, LogLine)]


def test_text_line_gives_its_fields(tmp_path: Path) -> None:
    (line,) = lines_of(read(tmp_path / "b.log", f"2026-11-21T00:18:19,896+0000 {STARTED}\n"))
    assert line.time == 1795220299896
    assert (line.level, line.logger, line.thread) == ("INFO", CHANNEL, "main")
    assert (line.message, line.attributes, line.more) == ("Successfully started the channel.", None, [])
    assert (line.number, line.origin) == (1, (0, 0, 1))


def test_times_have_comma_or_dot_and_offset_or_z(tmp_path: Path) -> None:
    stamps = ("00:18:19,896+0000", "00:18:19.896Z", "01:18:19.896+01:00", "05:48:19,896+0530")
    text = "".join(f"2026-11-21T{stamp} {STARTED}\n" for stamp in stamps)
    assert {line.time for line in lines_of(read(tmp_path / "b.log", text))} == {1795220299896}


def test_time_that_there_is_not_is_broken(tmp_path: Path) -> None:
    (line,) = read(tmp_path / "b.log", f"2026-02-31T00:18:19,896+0000 {STARTED}\n")
    assert line == BrokenLine(1, "no such time: 2026-02-31T00:18:19")


def test_stack_trace_belongs_to_the_line_before(tmp_path: Path) -> None:
    trace = "java.util.concurrent.TimeoutException: null\n\tat a.B.c(B.java:1) ~[?:?]\n\t... 9 more\n"
    text = f"2026-11-21T00:18:19,896+0000 {STARTED}\n{trace}{OTHER}\n\tat d.E.f(E.java:2)\n"
    (line,) = lines_of(read(tmp_path / "b.log", text))
    assert line.more == trace.encode().splitlines()


def test_lines_of_other_loggers_are_not_read_but_counted(tmp_path: Path) -> None:
    (line,) = lines_of(read(tmp_path / "b.log.gz", f"{OTHER}\n{OTHER}\r\n2026-11-21T00:18:19.896Z {STARTED}\r\n"))
    assert (line.number, line.message) == (3, "Successfully started the channel.")


def test_last_line_without_end_is_broken(tmp_path: Path) -> None:
    text = f"2026-11-21T00:18:19,896+0000 {STARTED}\n2026-11-21T00:18:20,896+0000 {STARTED[:-20]}"
    whole, torn = read(tmp_path / "b.log", text)
    assert isinstance(whole, LogLine)
    assert torn == BrokenLine(2, "the last line has no end")


def test_line_that_starts_within_another_is_read_and_the_other_is_broken(tmp_path: Path) -> None:
    stamp = "2026-11-21T00:18:19,896+0000"
    first, torn, whole = read(tmp_path / "b.log", f"{stamp} {STARTED}\n{stamp} {STARTED[:70]}{stamp} {STARTED}\n")
    assert isinstance(first, LogLine)
    assert torn == BrokenLine(2, "a line starts within it; its own end is lost")
    assert isinstance(whole, LogLine)
    assert (whole.number, whole.message) == (2, "Successfully started the channel.")


def test_zeros_before_a_line_are_told(tmp_path: Path) -> None:
    torn, whole = read(tmp_path / "b.log", b"\0" * 99 + f"2026-11-21T00:18:19,896+0000 {STARTED}\n".encode())
    assert isinstance(torn, BrokenLine)
    assert isinstance(whole, LogLine)


def test_line_without_its_beginning_is_broken(tmp_path: Path) -> None:
    torn, _ = read(tmp_path / "b.log", f"{STARTED[7:]}\n2026-11-21T00:18:19,896+0000 {STARTED}\n")
    assert torn == BrokenLine(1, "its beginning is lost")


def test_line_of_a_log_without_any_time_is_not_torn(tmp_path: Path) -> None:
    (whole,) = lines_of(read(tmp_path / "b.log", f"{STARTED[7:]}\n"))
    assert (whole.time, whole.message) == (0, "Successfully started the channel.")


def test_gzip_that_is_cut_short_is_broken_after_what_it_still_gave(tmp_path: Path) -> None:
    path = tmp_path / "b.log.gz"
    data = gzip.compress("".join(f"2026-11-21T00:18:1{n % 10},896+0000 {STARTED}\n" for n in range(9999)).encode())
    path.write_bytes(data[: len(data) // 2])
    found = list(LogReader(0, str(path), table().wanted).read())
    assert len(found) > 100
    assert isinstance(found[-1], BrokenLine)


def test_lines_are_numbered_within_their_chunk_and_their_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_reader, "chunks_of", partial(audit_lines.chunks_of, size=500))
    text = "".join(f"2026-11-21T00:18:19,896+0000 {STARTED}\n\tat a.B.c\n" for _ in range(20))
    found = lines_of(read(tmp_path / "b.log", text))
    assert [line.number for line in found] == list(range(1, 41, 2))
    assert {line.origin.chunk for line in found} >= {0, 1, 2}
    assert all(line.more == [b"\tat a.B.c"] for line in found)


def test_json_line_gives_its_fields_and_attributes(tmp_path: Path) -> None:
    attributes = {"thread.name": "pulsar-io-3-1", "thread.id": "31", "code.namespace": CHANNEL, "data": RECORD}
    data = {
        "Timestamp": "2026-11-21T00:18:19.896Z", "SeverityText": "INFO", "Body": "received a handle request",
        "TraceId": "", "Attributes": attributes,
    }  # fmt: skip
    (line,) = lines_of(read(tmp_path / "b.log", json.dumps(data) + "\n"))
    assert (line.time, line.thread, line.logger) == (1795220299896, "pulsar-io-3-1", CHANNEL)
    assert (line.message, line.attributes) == ("received a handle request", {"data": RECORD})
    assert first_time(str(tmp_path / "b.log")) == 1795220299896


def test_json_line_that_is_no_object_is_broken(tmp_path: Path) -> None:
    start = '{"Timestamp":"2026-11-21T00:18:19.896Z","SeverityText":"INFO",'
    torn, shapeless = read(tmp_path / "b.log", f'{start}\n{start}"Attributes":{{"code.namespace":"{CHANNEL}"}}}}\n')
    assert isinstance(torn, BrokenLine)
    assert isinstance(shapeless, BrokenLine)


def test_attributes_are_cut_between_brackets_only() -> None:
    text = f"Handled event for serviceUnit {{broker=b1:8080, cur={RECORD}, event=Splitting, next=}}"
    assert split_attributes(text) == (
        "Handled event for serviceUnit",
        {"broker": "b1:8080", "cur": RECORD, "event": "Splitting", "next": ""},
    )


def test_empty_attributes_are_attributes_and_a_record_is_none() -> None:
    assert split_attributes("Failed to monitor ownerships {}") == ("Failed to monitor ownerships", {})
    assert split_attributes("metrics:{a:1, b:2}") is None
    assert split_attributes("it {said}") is None
    assert split_attributes("one }") is None
