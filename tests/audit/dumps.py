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

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from hypothesis import settings

from oneowner.checkers.cli.main import main
from oneowner.checkers.cli.options import BUG
from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge import audit as verbs
from oneowner.checkers.report.json import write_to

Json = dict[str, Any]

steadily = settings(deadline=None, derandomize=True, database=None)
"""The same examples on every machine, however slow: a red test is red for everybody."""

REAL = Path(__file__).resolve().parents[2] / "traces" / "real"

START = 1_795_000_000_000
"""Publish time of second 0."""

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


def message(message_id: str, key: str, value: Json | None, time: int = START) -> Json:
    """Return one message of the channel."""
    return {"messageId": message_id, "publishTime": time, "eventTime": 0, "key": key, "value": value}


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


def lines_of(messages: Iterable[Json]) -> list[bytes]:
    """Return messages as lines, each with its end."""
    return [json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in messages]


def write(path: Path, messages: Iterable[Json]) -> Path:
    """Write a dump; ``.gz`` is compressed."""
    return write_bytes(path, b"".join(lines_of(messages)))


def write_bytes(path: Path, text: bytes) -> Path:
    """Write a file; ``.gz`` is compressed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path


def recorded(run: str) -> list[Json]:
    """Return the messages of a recorded run's channel."""
    (file,) = (REAL / run).glob("channel.jsonl*")
    return [json.loads(line) for line in text_of(file).splitlines()]


def text_of(file: Path) -> str:
    """Return the text of a file, compressed or not."""
    raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return raw.decode("utf-8", "replace")


@dataclass(frozen=True)
class Judged:
    """What one call of the command line said."""

    exit_code: int
    said: str
    """What a user reads: the table and the errors."""
    json: Json
    """The result; empty where the contract wants none (misuse)."""

    @property
    def verdict(self) -> str:
        return str(self.json.get("verdict"))

    @property
    def refused(self) -> list[tuple[str, str]]:
        return [(refusal["messageId"], refusal["rule"]) for refusal in self.json["refusals"]]

    @property
    def violations(self) -> list[tuple[str, str]]:
        """Law and message of every violation, in order."""
        return self.findings("violation")

    def findings(self, *severities: str) -> list[tuple[str, str]]:
        found = [one for one in self.json["findings"] if one["severity"] in severities]
        return [(one["law"], one["at"]["messageId"]) for one in found]

    def exercised(self, law: str) -> int:
        return int(self.law(law)["exercised"])

    def law(self, name: str) -> Json:
        (row,) = (row for row in self.json["laws"] if row["law"] == name)
        return dict(row)


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


def silently(verb: str, file: Path, **options: Any) -> Judged:
    """Judge one path without a command line and a table: ten times as fast, for many random dumps."""
    if verb == "audit":
        result, _, _ = verbs.audit([str(file)], Options(**options), "inline", None)
    else:
        at, settings = options.get("at"), Options(**{**options, "intervals": True})
        result, _, _ = verbs.timeline(str(file), None, at, settings, "inline", None)
    stream = StringIO()
    write_to(stream, result)
    return Judged(result.exit_code, "", json.loads(stream.getvalue()))


def judged(folder: Path, lines: Sequence[str], *options: object) -> Judged:
    """Audit a dump in words."""
    return audit(write(folder / "channel.jsonl", dump(*lines)), *options)
