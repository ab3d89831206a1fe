"""
Dumps to be judged: written in words, put into files, and sent through the command line.

A dump in words has a message a line: unit, record, and where it matters the time in seconds::

    0-8 Assigning(1) v1
    0-8 Owned(1) v2 @120.001
    0-8 Splitting(from 1) v3 split 0-4 4-8
    a:c-end Owned(2, from 1) v1 forced
    0-8 -

``0-8`` is ``tenant/ns/0x00000000_0x80000000``, ``a:c-end`` is ``tenant/a/0xc0000000_0xffffffff``, ``-`` a tombstone;
brokers are numbered. Message ids count up from 0:0, publish times by a second.
"""

import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path

from click.testing import CliRunner, Result
from hypothesis import settings

from oneowner.checkers.cli.main import main
from oneowner.checkers.cli.unexpected import BUG
from oneowner.checkers.places import TOP
from tools.random_recordings.judged import Judged, silently
from tools.render.dump_files import START, Json, lines_of, message, write, write_bytes

__all__ = [
    "REAL", "START", "Json", "Judged", "audit", "call", "dump", "judged", "lines_of", "message", "range_of", "recorded",
    "run", "silently", "steadily", "text_of", "write", "write_bytes",
]  # fmt: skip

steadily = settings(deadline=None, derandomize=True, database=None)
"""The same examples on every machine, however slow: a red test is red for everybody."""

REAL = TOP / "traces" / "real"

_WORDS = re.compile(
    r"(?:(?P<ns>[a-z]+):)?(?P<unit>[0-9a-f]+-(?:[0-9a-f]+|end)) "
    r"(?:-|(?P<state>[A-Z][a-z]+)\((?P<dst>\d+)?(?:, )?(?:from (?P<src>\d+))?\) v(?P<version>-?\d+)"
    r"(?P<force> forced)?(?: split(?P<split>(?: \S+)*?))?)(?: @(?P<time>-?[\d.]+))?"
)


def dump(*lines: str) -> list[Json]:
    """Return the messages that some lines stand for."""
    messages: list[Json] = []
    time = START
    for number, line in enumerate(lines):
        words = _WORDS.fullmatch(line)
        assert words is not None, line
        if words["time"] is not None:
            time = START + round(float(words["time"]) * 1000)
        key = f"tenant/{words['ns'] or 'ns'}/{range_of(words['unit'])}"
        messages.append(message(f"0:{number}", key, _record(words, time), time))
        time += 1000
    return messages


def range_of(text: str) -> str:
    """Return a range in Pulsar's form: ``0-8`` is 0x00000000_0x80000000."""
    low, high = ("ffffffff" if end == "end" else end.ljust(8, "0") for end in text.split("-"))
    return f"0x{low}_0x{high}"


def _record(words: re.Match[str], time: int) -> Json | None:
    if words["state"] is None:
        return None
    record: Json = {"state": words["state"]}
    for field, number in (("dstBroker", words["dst"]), ("sourceBroker", words["src"])):
        if number:
            record[field] = f"b{number}"
    if words["split"] is not None:
        record["splitServiceUnitToDestBroker"] = {range_of(text): None for text in words["split"].split()}
    return {**record, "force": bool(words["force"]), "timestamp": time, "versionId": int(words["version"])}


def recorded(run: str) -> list[Json]:
    """Return the messages of a recorded run's channel."""
    (file,) = (REAL / run).glob("channel.jsonl*")
    return [json.loads(line) for line in text_of(file).splitlines()]


def text_of(file: Path) -> str:
    """Return the text of a file, compressed or not."""
    raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return raw.decode("utf-8", "replace")


def run(verb: str, *arguments: object) -> Judged:
    """Call the command line in this process, with JSON to standard output."""
    called = call(verb, *arguments, "--json", "-")
    return Judged(called.exit_code, called.stderr, json.loads(called.stdout) if called.stdout else {})


def call(*arguments: object) -> Result:
    """Call the command line in this process; whatever it raises, other than its exit, fails the test."""
    called = CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)
    assert BUG not in called.stderr, called.stderr
    assert "Traceback" not in called.output
    return called


def audit(*arguments: object) -> Judged:
    """Call ``oneowner audit``."""
    return run("audit", *arguments)


def judged(folder: Path, lines: Sequence[str], *options: object) -> Judged:
    """Audit a dump in words."""
    return audit(write(folder / "channel.jsonl", dump(*lines)), *options)
