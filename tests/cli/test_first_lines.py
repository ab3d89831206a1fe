"""Every verb that takes a file refuses nonsense, an empty file, a picture and another product's log, in one line."""

from pathlib import Path

import pytest

from tests.cli.test_wrong_types import PYTHON
from tests.command_line import oneowner
from tests.inputs.texts import BINARY, TEXTS

VERBS: dict[str, tuple[str, ...]] = {
    "audit": ("audit", "FILE"),
    "timeline": ("timeline", "FILE"),
    "explain": ("explain", "FILE"),
    "decide": ("decide", "FILE"),
    "decide --batch": ("decide", "--batch", "FILE"),
    "decide --place": ("decide", "FILE", "--place", "t/n/0x00000000_0x40000000"),
    "assign": ("assign", "--batch", "FILE"),
    "lint": ("lint", "FILE"),
    "upgrade": ("upgrade", "FILE", "--from", "4.0.6", "--to", "5.0.1"),
    "where": ("where", "t/n/a", "FILE"),
    "where --topics": ("where", "--topics", "FILE", "--bundles", "4"),
    "why": ("why", "t/n/a", "FILE"),
    "replay": ("replay", "FILE"),
    "replay --system": ("replay", "FILE", "--system", "locks"),
    "step": ("step", "transfer", "FILE"),
    "drive": ("drive", "FILE", "--plan"),
    "export": ("export", "FILE", "--to", "itf"),
    "simulate": ("simulate", "FILE", "--shedder", "threshold"),
    "audit --waivers": ("audit", "traces/real/healthy", "--waivers", "FILE"),
}
OTHERS = (
    "a log of Redis",
    "a log of Kafka",
    "a log of Elasticsearch",
    "a log of ZooKeeper",
    "an answer of Elasticsearch",
)
FILES: dict[str, bytes] = {
    "nonsense": b"lorem ipsum dolor\nsit amet, {{\n",
    "empty": b"",
    "picture": BINARY["a picture"],
    "binary": BINARY["binary data"],
    "page": b"<!DOCTYPE html>\n<html><body>503</body></html>",
    "unreadable": b"\xff\xfe\xfa nothing \xc3\x28\n",
    **{name: next(text for kind, text in TEXTS if kind == name).encode() for name in OTHERS},
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("file", FILES)
def test_what_no_verb_reads_is_refused_in_one_line(tmp_path: Path, verb: str, file: str) -> None:
    for name in (
        "given",
        "given.txt",
        "given.yaml",
        "given.json",
        "given.jsonl",
        "given.log",
        "given.conf",
        "given.csv",
    ):
        path = tmp_path / name
        path.write_bytes(FILES[file])
        outcome = oneowner(*(str(path) if part == "FILE" else part for part in VERBS[verb]))
        first = outcome.said.partition("\n")[0]
        assert outcome.code in (2, 3), (name, outcome)
        assert not PYTHON.search(outcome.said), (name, outcome.said)
        assert 0 < len(first) <= 400, first
        if outcome.code == 2 and not outcome.out:
            assert outcome.err.count("\n") == 1, (name, outcome.err)
            assert first.startswith("error: "), first
