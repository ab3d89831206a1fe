"""Lines that print a record are read at once as the table of patterns reads them, however they are bent."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from oneowner.checkers.recordings.read import record_lines
from oneowner.checkers.recordings.read.file_reads import FileRead
from oneowner.checkers.recordings.read.kept_lines import Block
from oneowner.checkers.recordings.read.line_columns import LineColumns
from oneowner.checkers.recordings.read.log_files import LogPlace, read_at_once, read_file
from oneowner.checkers.recordings.read.log_patterns import read_table, table
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.read.record_lines import RecordLines, library
from oneowner.checkers.recordings.scene import packed_logs
from oneowner.checkers.recordings.scene.packed_logs import Packing, read_packed

RECORD = (
    "ServiceUnitStateData[state=Owned, dstBroker=b1:8080, sourceBroker=null, splitServiceUnitToDestBroker=null, "
    "force=false, timestamp=1795000000125, versionId=2]"
)
UNIT = "t/n/0x80000000_0xc0000000"
HEAD = "2026-11-21T00:18:19,896+0000 [pulsar-2-1] INFO  org.apache.pulsar."
CHANNEL = f"{HEAD}broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl - b1:8080 "
TOPIC = "persistent://pulsar/system/loadbalancer-service-unit-state"
LINES = [
    f"{CHANNEL}received a handle request for serviceUnit:{UNIT}, data:{RECORD}. totalHandledRequests:7",
    f"{CHANNEL}received a handle request for serviceUnit:{UNIT}, data:null. totalHandledRequests:8",
    f"{CHANNEL}handled Owned event for serviceUnit:{UNIT}, cur:{RECORD}, next:null, totalHandledRequests:7, "
    "totalFailedRequests:0",
    f"{HEAD}client.impl.TableViewImpl - Skipped the message from topic {TOPIC}. "
    f"key={UNIT} value={RECORD} prev={RECORD}",
]
STRANGE = (
    "", " ", "\t", "\r", "\x1c", "\u00a0", "\u00e9", "\udcff", "null", "Optional[x]", "Optional.empty", "-", "9" * 20,
    "\u0663", "}", "{a=1}", "] INFO  x - ", ", ", ". ", "b2:8080 ", "main", "30", "DEBUG", "Free", "nothing",
    "{0x80000000_0xa0000000=Optional.empty, 0xa0000000_0xc0000000=Optional[b1:8080]}", "true", RECORD, UNIT,
    "totalHandledRequests:1", f"\n at x\n{HEAD}",
)  # fmt: skip
"""The replacements for a part of a line."""


compiles = pytest.mark.skipif(library() is None, reason="no C compiler is found")


def bent(line: str, chance: random.Random) -> str:
    """A line of which a part is gone, doubled, or something strange."""
    words = ["b1:8080", "null", "false", "Owned", "INFO", "pulsar-2-1", "7", "2", RECORD, UNIT, "impl", "-21T", "18:19"]
    word = chance.choice([one for one in words if one in line])
    begin = chance.choice([line.index(word), line.rindex(word), chance.randrange(len(line))])
    end = min(len(line), begin + chance.choice([0, 1, len(word), len(word)]))
    return line[:begin] + chance.choice([*STRANGE, line[begin:end] * 2]) + line[end:]


def both(path: Path) -> tuple[tuple[list[LogEvent], FileRead], tuple[list[LogEvent], FileRead], LineColumns]:
    """A file as it is read at once, and line by line; and the columns of the first."""
    packing, slow = Packing(), list[LogEvent]()
    reads = list[FileRead]()
    place = LogPlace(0, str(path))
    for part in (*read_packed(place, table()), *read_file(place, table())):
        if isinstance(part, FileRead):
            reads.append(part)
        elif isinstance(part, Block):
            packing.add(part)
        else:
            slow += part
    log = packing.log("")
    return ([*log], reads[0]), (slow, reads[1]), packed_logs.columns_of(log)


def shown(lines: list[LogEvent]) -> list[tuple[object, ...]]:
    return [(*line[:-1], line.text) for line in lines]


def bare(line: str, _: random.Random) -> str:
    return f"{line}\n"


def in_parts(line: str, chance: random.Random) -> str:
    """A line as containerd writes it, sometimes in two parts, between which another stream may write."""
    stamp = "2026-11-21T00:18:19.896000001Z"
    cut = chance.randrange(len(line) + 1) if chance.random() < 0.2 else 0
    other = f"{stamp} stderr F careful\n" if chance.random() < 0.2 else ""
    return (f"{stamp} stdout P {line[:cut]}\n{other}" if cut else "") + f"{stamp} stdout F {line[cut:]}\n"


@pytest.mark.parametrize("wrap", [bare, in_parts])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4))])
def test_bent_lines_are_read_as_the_table_reads_them(
    wrap: Callable[[str, random.Random], str], seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    lines = [
        bent(chance.choice(LINES), chance) if chance.random() < 0.8 else chance.choice(LINES) for _ in range(1_500)
    ]
    path = tmp_path / "b.log"
    path.write_bytes("".join(wrap(line, chance) for line in lines).encode("utf-8", "surrogateescape"))
    quick, slow, columns = both(path)
    assert shown(quick[0]) == shown(slow[0])
    assert quick[1] == slow[1]
    alone = LineColumns.of(slow[0])
    recoded = LineColumns.joined([alone.with_rows(alone.table[:0]), columns])  # names may come in another order
    assert recoded.names() == alone.names()
    assert (recoded.table == alone.table).all()


def test_words_of_lines_are_packed_before_a_block_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the lines that are handed on together the last are no whole pack of words, and end a block."""
    monkeypatch.setattr(packed_logs, "BLOCK", 8)
    split = LINES[0].replace("DestBroker=null", "DestBroker={0x80000000_0xa0000000=Optional.empty}")
    path = tmp_path / "b.log"
    path.write_text("".join(f"{line}\n" for line in [split, split, *[LINES[0], split] * 600]), "ascii")
    quick, slow, _ = both(path)
    assert shown(quick[0]) == shown(slow[0])
    assert len(quick[0]) == 1_202


@compiles
def test_usual_lines_are_read_at_once(tmp_path: Path) -> None:
    """But for those up to the first head of the file, each of which is looked at."""
    path = tmp_path / "b.log"
    path.write_text("".join(f"{line}\n" for line in [LINES[0], *LINES]), "ascii")
    parts = [part for part in read_at_once(LogPlace(0, str(path)), table()) if not isinstance(part, FileRead)]
    first, *lines = [line for part in parts for line in part]
    assert isinstance(first, LogEvent)
    assert [len(line) for line in lines if isinstance(line, RecordLines)] == [len(LINES)]


def test_without_a_compiler_all_lines_are_read_by_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "b.log"
    path.write_text("".join(f"{line}\n" for line in [LINES[0], *LINES]), "ascii")
    quick, slow, columns = both(path)
    monkeypatch.setattr(record_lines, "compiled", lambda _: None)
    assert not [line for part in read_at_once(LogPlace(0, str(path)), table()) if not isinstance(part, FileRead)
                for line in part if not isinstance(line, LogEvent)]  # fmt: skip
    without = both(path)
    assert shown(without[0][0]) == shown(quick[0]) == shown(slow[0])
    assert without[0][1] == quick[1] == slow[1]
    assert (without[2].table == columns.table).all()


def test_table_without_these_statements_is_asked_for_each_line(tmp_path: Path) -> None:
    small = tmp_path / "table.yaml"
    small.write_text(
        "- class: ServiceUnitStateChannelImpl\n  counted: yes\n  lines:\n"
        '  - {id: any, level: INFO, message: "{broker} received a handle request for {rest:str}"}\n'
    )
    path = tmp_path / "b.log"
    path.write_text(f"{LINES[0]}\n", "ascii")
    parts = [part for part in read_at_once(LogPlace(0, str(path)), read_table(small)) if not isinstance(part, FileRead)]
    assert [line.event for part in parts for line in part if isinstance(line, LogEvent)] == ["any"]
