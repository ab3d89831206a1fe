"""The input of ``oneowner decide``: a YAML file, or Pulsar's own JSON, which a YAML file may name."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from oneowner.checkers.cli.decide_snapshot import SNAPSHOTS
from oneowner.checkers.documents import Document, Part, parse_document, read_document
from oneowner.checkers.inputs.content import is_pasted, pasted
from oneowner.checkers.inputs.kinds import SNAPSHOT, kind_of_file
from oneowner.checkers.load_json.load_snapshot import Snapshot, snapshot_of
from oneowner.checkers.load_json.snapshot_files import AnotherKind, Named, values_of
from oneowner.model.balancer.batch.extensible import WEIGHTS
from oneowner.model.kernel.releases import version

_RELEASE: Final = re.compile(r"\d+\.\d+\.\d+(?:-M\d+)?")
"""The release at the beginning of a build's version, such as 4.0.6-SNAPSHOT."""


class Given(NamedTuple):
    """A snapshot and its shedder."""

    document: Document
    shedder: str
    remarks: tuple[str, ...] = ()
    """Lines before the answer: the source within Pulsar's own JSON, and values that it lacks."""
    facts: tuple[str, ...] = ()
    """Conclusions that need no shedder."""

    @property
    def release(self) -> str:
        """Return the release that most brokers state in their reports, the newest of several; empty: none is stated."""
        told = self.document.data.get("brokers") if isinstance(self.document.data, dict) else None
        brokers = [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []
        stated = Counter(found.group() for one in brokers if (found := _RELEASE.match(str(one.get("version") or ""))))
        return max(stated, key=lambda name: (stated[name], version(name)), default="")

    @property
    def is_known(self) -> bool:
        """True if Pulsar's own JSON has the load of a broker; a handwritten snapshot without loads is refused."""
        return not self.remarks or any(len(broker) > 1 for broker in self.document.data["brokers"])


def snapshot_in(path: Path, shedder: str | None) -> Given:
    """Read a snapshot; raise Misuse if it cannot be read."""
    if path.is_dir():
        return in_folder(path, shedder)
    if not is_document(path):
        return given(Document(path, {}), snapshot_of(values_of(path), shedder))
    document = parse_document(path, pasted().decode("utf-8", "replace")) if is_pasted(path) else read_document(path)
    if not isinstance(document.data, dict) or "files" not in document.data:
        usual = usual_for(document)
        return Given(without_nothing(document), shedder or usual, () if shedder else asked_remark(usual))
    parts = Part(document, document.data).mapping()
    values = [value for part in parts["files"].items() for value in values_of(path.parent / part.line())]
    return given(document, snapshot_of(values, shedder))


def in_folder(folder: Path, shedder: str | None) -> Given:
    """Read the load data of a folder, and its only handwritten snapshot, if it has one, as if that named the rest."""
    own = [file for file in sorted(folder.iterdir()) if file.is_file() and kind_of_file(file) is SNAPSHOT]
    if len(own) != 1:
        return given(Document(folder, {}), snapshot_of(values_of(folder), shedder))
    document = read_document(own[0])
    others = [value for value in others_of(folder) if value.where != str(own[0])]
    if not others or not isinstance(document.data, dict) or "files" in document.data:
        return snapshot_in(own[0], shedder)
    found = snapshot_of(others, shedder)
    if shedder is None and found.shedder == "transfer" and (usual := usual_for(document)) != "transfer":
        found = snapshot_of(others, usual)
        found = found._replace(remarks=(*found.remarks, *asked_remark(usual)))
    return given(without_nothing(document), found)


def usual_for(document: Document) -> str:
    """Return the shedder for which a snapshot was written: only one of the modular load manager has bundles."""
    return "threshold" if isinstance(document.data, dict) and "bundles" in document.data else "transfer"


def asked_remark(shedder: str) -> tuple[str, ...]:
    """Return the line that reports a shedder that nobody asked for."""
    return (f"asked is the shedder {shedder}; --shedder names another",) if shedder != "transfer" else ()


def others_of(folder: Path) -> list[Named]:
    """Return the values of a folder; none if no file has load data."""
    try:
        return values_of(folder)
    except AnotherKind:
        return []


def without_nothing(document: Document) -> Document:
    """Return a document without a ``conf`` of which all is commented out."""
    if not isinstance(document.data, dict) or document.data.get("conf", {}) is not None:
        return document
    return replace(document, data={key: value for key, value in document.data.items() if key != "conf"})


def is_document(path: Path) -> bool:
    """Return whether a file is a handwritten snapshot: YAML, or JSON with brokers or the names of files."""
    return path.suffix in (".yaml", ".yml") or kind_of_file(path) is SNAPSHOT


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
    return Given(Document(document.path, data, document.lines), found.shedder, found.remarks, found.facts)
