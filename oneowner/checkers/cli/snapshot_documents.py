"""The input of ``oneowner decide``: a YAML file, or Pulsar's own JSON, which a YAML file may name."""

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
    """A snapshot and its shedder."""

    document: Document
    shedder: str
    remarks: tuple[str, ...] = ()
    """Lines before the answer: the source within Pulsar's own JSON, and values that it lacks."""

    @property
    def is_known(self) -> bool:
        """True if Pulsar's own JSON has the load of a broker; a handwritten snapshot without loads is refused."""
        return not self.remarks or any(len(broker) > 1 for broker in self.document.data["brokers"])


def snapshot_in(path: Path, shedder: str | None) -> Given:
    """Read a snapshot; raise Misuse if it cannot be read."""
    if path.is_dir() or not is_document(path):
        return given(Document(path, {}), snapshot_of(values_of(path), shedder))
    document = read_document(path)
    if not isinstance(document.data, dict) or "files" not in document.data:
        return Given(document, shedder or "transfer")
    parts = Part(document, document.data).mapping()
    values = [value for part in parts["files"].items() for value in values_of(path.parent / part.line())]
    return given(document, snapshot_of(values, shedder))


def is_document(path: Path) -> bool:
    """Return whether a file is a handwritten snapshot: YAML, or JSON with brokers or the names of files."""
    if path.suffix in (".yaml", ".yml") or path.suffix in (".gz", ".jsonl") or is_printed(str(path)):
        return path.suffix in (".yaml", ".yml")
    try:
        text = path.read_text(encoding="utf-8").lstrip()
    except (OSError, UnicodeDecodeError):
        return True  # reading it as a document reports the error
    try:
        told, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return not text.startswith(('{"', "["))
    return not isinstance(told, dict | list) or (isinstance(told, dict) and bool({"brokers", "files"} & told.keys()))


def given(document: Document, found: Snapshot) -> Given:
    """Merge the values of Pulsar's own JSON with those of the document, which take precedence."""
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
