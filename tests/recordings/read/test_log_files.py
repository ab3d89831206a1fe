"""Lines of files: their words packed, and equal parts of many kept once, also of other logs and processes."""

import pickle
from pathlib import Path

from oneowner.checkers.recordings.read.broker_logs import read_logs
from oneowner.checkers.recordings.read.file_reads import FileRead
from oneowner.checkers.recordings.read.log_files import PACKED, LogPlace, read_file
from oneowner.checkers.recordings.read.log_patterns import table
from oneowner.checkers.recordings.read.observations import Printed, Words
from tests.recordings.elsewhere import elsewhere

LINES = 20 * PACKED + 1


def log(tmp_path: Path) -> Path:
    """Return a log of many lines, each with words of its own."""
    path = tmp_path / "b.log"
    channel = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl"
    record = (
        "ServiceUnitStateData[state=Owned, dstBroker=b1:8080, sourceBroker=null, splitServiceUnitToDestBroker=null,"
        " force=false, timestamp=5, versionId=2]"
    )
    path.write_text(
        "".join(
            f"2026-11-21T00:00:00,{number % 1000:03}+0000 [main] INFO  {channel} - b1:8080 received a handle request "
            f"for serviceUnit:rig/a/0x00000000_0x40000000, data:{record}. totalHandledRequests:{number}\n"
            for number in range(1, LINES + 1)
        )
    )
    return path


def test_packed_words_are_those_of_the_lines_in_any_order(tmp_path: Path) -> None:
    path = log(tmp_path)
    *batches, read = read_file(LogPlace(0, str(path)), table())
    lines = [line for batch in batches if isinstance(batch, list) for line in batch]
    assert isinstance(read, FileRead)
    assert read.damage == []
    assert len(lines) == LINES
    assert all(isinstance(line.words, Words) for line in lines)
    words = [text.partition(" - ")[2] for text in path.read_text().splitlines()]
    assert [line.text for line in reversed(lines)] == words[::-1]
    assert [line.text for line in pickle.loads(pickle.dumps(lines))] == words


def test_what_is_equal_in_lines_of_other_processes_is_kept_once(tmp_path: Path) -> None:
    other = tmp_path / "c.log"
    other.write_text(log(tmp_path).read_text().replace("b1:8080 received", "b2:8080 received"))
    events = read_logs([(0, str(tmp_path / "b.log")), (1, str(other))], {}, elsewhere).said
    assert {line.broker for line in events} == {"b1:8080", "b2:8080"}
    printed = [value for line in events for value in line.values.values() if isinstance(value, Printed)]
    assert len(events) == len(printed) == 2 * LINES
    assert len({id(value) for value in printed}) == len({id(line.unit) for line in events}) == 1
    assert len({id(line.event) for line in events}) == len({id(line.thread) for line in events}) == 1
