"""Subsets of the evidence of a recording: what an operator has who has less than all of it."""

import gzip
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tools.logs_alone import at_info

Files = Mapping[str, bytes]
"""The files of a recording by name, uncompressed."""

_CHANNEL: Final = r"(channel|compacted)\b.*\.jsonl"
_ZOOKEEPER: Final = r"zookeeper.*\.jsonl"
_LOG: Final = r"broker.*\.log"
_CLIENTS: Final = r"(clients|lookups|owned)\b.*\.jsonl"
_SAID_ABOUT: Final = r"manifest\.yaml|bundles\.json"


def files_of(recording: Path) -> Files:
    """Return the files of a recording, but for its expectation."""
    return {
        file.name.removesuffix(".gz"): gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for file in sorted(recording.iterdir())
        if not file.name.startswith("expectation")
    }


def write(folder: Path, files: Files) -> Path:
    """Write files into a new folder, and return it."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def _only(pattern: str) -> Callable[[Files], Files]:
    return lambda files: {name: content for name, content in files.items() if re.fullmatch(pattern, name)}


def _without(pattern: str) -> Callable[[Files], Files]:
    return lambda files: {name: content for name, content in files.items() if not re.fullmatch(pattern, name)}


def _with_logs(change: Callable[[bytes], bytes], pattern: str = ".*") -> Callable[[Files], Files]:
    return lambda files: {
        name: change(content) if re.fullmatch(_LOG, name) else content
        for name, content in files.items()
        if re.fullmatch(pattern, name)
    }


def _without_beginning(log: bytes) -> bytes:
    """Return the last three quarters of a log."""
    return log[log.index(b"\n", len(log) // 4) + 1 :]


def _without_end(log: bytes) -> bytes:
    """Return the first three quarters of a log."""
    return log[: log.index(b"\n", len(log) * 3 // 4) + 1]


_OF_ALL: Final[Mapping[str, Callable[[Files], Files]]] = {
    "without channel": _without(_CHANNEL),
    "without ZooKeeper": _without(_ZOOKEEPER),
    "without channel and ZooKeeper": _without(f"{_CHANNEL}|{_ZOOKEEPER}"),
    "without logs": _without(_LOG),
    "without look-ups": _without(r"lookups.*\.jsonl"),
    "without polls": _without(r"owned.*\.jsonl"),
    "without clients": _without(r"clients.*\.jsonl"),
    "without clients, look-ups and polls": _without(_CLIENTS),
    "without admin calls": _without(r"actions.*\.jsonl"),
    "without manifest": _without(r"manifest\.yaml"),
    "without boundaries": _without(r"bundles\.json"),
    "logs at INFO": _with_logs(at_info),
    "without channel, logs at INFO": _with_logs(at_info, rf"(?!{_CHANNEL}).*"),
    "last three quarters of logs": _with_logs(_without_beginning),
    "first three quarters of logs": _with_logs(_without_end),
    "logs alone": _only(_LOG),
    "logs alone, INFO": _with_logs(at_info, _LOG),
    "logs alone, last three quarters": _with_logs(_without_beginning, _LOG),
    "logs alone, last three quarters, INFO": _with_logs(lambda log: at_info(_without_beginning(log)), _LOG),
    "logs alone, first three quarters": _with_logs(_without_end, _LOG),
    "logs and channel": _only(f"{_LOG}|{_CHANNEL}"),
    "logs and ZooKeeper": _only(f"{_LOG}|{_ZOOKEEPER}"),
    "channel and ZooKeeper": _only(f"{_CHANNEL}|{_ZOOKEEPER}"),
    "channel alone": _only(_CHANNEL),
    "ZooKeeper alone": _only(_ZOOKEEPER),
    "clients, look-ups and polls alone": _only(_CLIENTS),
}


def subsets(files: Files) -> dict[str, Files]:
    """Return the subsets by name: those of every recording, and those of each of its brokers' logs."""
    found = {name: chosen(files) for name, chosen in _OF_ALL.items()}
    for log in _only(_LOG)(files):
        found[f"without {log}"] = _without(re.escape(log))(files)
        found[f"{log} alone"] = _only(re.escape(log))(files)
        found[f"of logs, {log} alone"] = _without(rf"(?!{re.escape(log)}){_LOG}")(files)
    return {name: chosen for name, chosen in found.items() if chosen and chosen != files}
