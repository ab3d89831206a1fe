"""What ``oneowner decide`` is given: a YAML file, or Pulsar's own JSON, which a YAML file may name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from oneowner.checkers.cli.decide_snapshot import SNAPSHOTS
from oneowner.checkers.documents import Document, Part, read_document
from oneowner.checkers.load_json.load_snapshot import Snapshot, snapshot_of
from oneowner.checkers.load_json.snapshot_files import values_of
from oneowner.checkers.recordings.read.pulsar_client_output import is_printed
from oneowner.model.balancer.batch.extensible import WEIGHTS


class Given(NamedTuple):
    """A snapshot, and which shedder is asked."""

    document: Document
    shedder: str
    remarks: tuple[str, ...] = ()
    """What is to be said before the answer: what was read of Pulsar's own JSON, and what it does not tell."""

    @property
    def is_known(self) -> bool:
        """Whether Pulsar's own JSON tells the load of a broker; what people write is refused if it tells none."""
        return not self.remarks or any(len(broker) > 1 for broker in self.document.data["brokers"])


def snapshot_in(path: Path, shedder: str | None) -> Given:
    """Return what is asked; raise Misuse if it cannot be read."""
    if path.is_dir() or not is_document(path):
        return given(Document(path, {}), snapshot_of(values_of(path), shedder))
    document = read_document(path)
    if not isinstance(document.data, dict) or "files" not in document.data:
        return Given(document, shedder or "transfer")
    parts = Part(document, document.data).mapping()
    values = [value for part in parts["files"].items() for value in values_of(path.parent / part.line())]
    return given(document, snapshot_of(values, shedder))


def is_document(path: Path) -> bool:
    """Say whether a file is a snapshot as people write it: YAML, or JSON with brokers in it or the names of files."""
    if path.suffix in (".yaml", ".yml") or path.suffix in (".gz", ".jsonl") or is_printed(str(path)):
        return path.suffix in (".yaml", ".yml")
    try:
        text = path.read_text(encoding="utf-8").lstrip()
    except (OSError, UnicodeDecodeError):
        return True  # whoever reads it as a document says what is wrong
    try:
        told, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return not text.startswith(('{"', "["))
    return not isinstance(told, dict | list) or (isinstance(told, dict) and bool({"brokers", "files"} & told.keys()))


def given(document: Document, found: Snapshot) -> Given:
    """Return what is asked: the values of Pulsar's own JSON, and above them what the document says itself."""
    own: dict[str, Any] = {key: value for key, value in document.data.items() if key != "files"}
    read = SNAPSHOTS[found.shedder].defaults
    conf = {key: value for key, value in found.row.get("conf", {}).items() if key in read or key in WEIGHTS}
    brokers = {broker.get("id"): broker for broker in own.get("brokers") or () if isinstance(broker, dict)}
    told = {broker["id"]: {**broker, **brokers.get(broker["id"], {})} for broker in found.row["brokers"]}
    data = {
        **found.row,
        **own,
        "brokers": [*({**told.get(name, {}), **broker} for name, broker in brokers.items()),
                    *(broker for name, broker in told.items() if name not in brokers)],
        "conf": {**conf, **(own.get("conf") or {})},
    }  # fmt: skip
    return Given(Document(document.path, data, document.lines), found.shedder, found.remarks)
