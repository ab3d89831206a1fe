"""
Stable pseudonyms replace the names in a result, so that a run can be attached to a public issue.

Tenants, namespaces, topics, brokers, hosts, producers, folders and files become ``kind-<10 hex digits>`` of a keyed
hash: with one salt a name has one pseudonym in all outputs and all runs, and without the salt names cannot be guessed.
Ranges, message ids, times, ports of clients, versions and the names in every Pulsar (``public``, ``default``) stay.

Longest names are replaced first. Names are those of the records, and all text with the shape of a unit, a topic, a URL
or an address in a sentence or a log line. A log line can hold names of no such shape (roles, subscriptions): read a
result before it is attached.
"""

import hashlib
import hmac
import os
import re
from collections.abc import Iterable
from typing import Any

from oneowner.checkers.recordings.read.compression import ENDING, ending_of, uncompressed

BUILTIN = frozenset(("public", "pulsar", "sla-monitor", "default", "system", "functions", "localhost", "null"))
"""Names that every Pulsar has; they identify no cluster."""

FIXED = frozenset(
    "law severity guard rule state verdict status expected messageId source storage expires tool version verb".split()
)
"""Keys whose values are our own words, never names."""

DIGITS = 10
"""Hex digits of a pseudonym: among ten thousand names two are alike once in twenty thousand times."""

SHORTEST = 3
"""The least length of a tenant or host that is replaced wherever it stands alone; "a" would be an article."""

_TOKEN = re.compile(r"[\w.:/-]+")
_SEPARATOR = re.compile(r"[/:._-]+")
_UNIT = re.compile(r"([\w.-]+/(?:[\w.-]+/)?[\w.:-]+)/0x[0-9a-fA-F]+(?:_0x[0-9a-fA-F]+)?")
_TOPIC = re.compile(r"persistent://([\w.:-]+/[\w.:-]+)/([^\s,;()\[\]{}\"'=<>]+)")
_HOST = re.compile(
    r"(?:(?<=://)[\w.-]+(?=:\d)|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+(?=[:/]\d))"
)
_CODE = re.compile(r".*\.(?:jsonl|json|log|gz|zst|lz4|yaml|java|parquet|[A-Z]\w*)")
"""Text that looks like host:port and is not: file:line, Class:line."""
_STANDARD = re.compile(
    r"(?:(?:channel|zookeeper|compacted|lookups|owned|actions|clients)(?:-\d+)?\.jsonl"
    + ENDING
    + r"|manifest\.yaml|bundles\.json)"
)
"""The names of files that every run has."""
_PARTITION = re.compile(r"-partition-\d+$")
_QUOTED = re.compile(r"""(refused: |value )('[^']*'|"[^"]*")""")
"""The text of a line that could not be read: the names in it are unknown."""


class Pseudonyms:
    """The pseudonyms of one salt; a learned name is replaced from then on."""

    def __init__(self, salt: str) -> None:
        self._salt = salt.encode()
        self._known: dict[str, str] = {}
        self._odd: dict[str, str] = {}
        self._tokens: dict[str, str] = {}

    def learn_brokers(self, names: Iterable[str]) -> None:
        """Learn ids of brokers, and their hosts."""
        for name in names:
            self._keep(name, "broker")
            host, colon, port = name.rpartition(":")
            if colon and port.isdigit():
                self._alone(host, "host")

    def learn_producers(self, names: Iterable[str]) -> None:
        for name in names:
            self._keep(name, "producer")

    def learn_units(self, keys: Iterable[str]) -> None:
        """Learn the tenants and namespaces of units; brokers first, for heartbeat namespaces are named for them."""
        for key in keys:
            self._namespace(key.rpartition("/")[0])

    def learn_files(self, paths: Iterable[str], logs: Iterable[str] = ()) -> None:
        """Learn paths of files, and the names of *logs*, which name processes."""
        for path in paths:
            self._path(path)
        for log in logs:
            self._alone(log.removesuffix(".log"), "process")

    def learn_chroots(self, roots: Iterable[str]) -> None:
        """Learn the chroots of a ZooKeeper, which are names of clusters."""
        for root in roots:
            for name in root.strip("/").split("/"):
                self._alone(name, "chroot")

    def show(self, value: Any) -> Any:
        """Return a JSON value with pseudonyms for names, in keys that are units too."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(k) if "/" in k else k: v if k in FIXED else self.show(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.show(item) for item in value]
        return value

    def text(self, words: str) -> str:
        """Return a sentence, a log line, a name or a path with pseudonyms for the names in it."""
        self._look_for_names(words)
        words = _QUOTED.sub(r"\1'...'", words)
        for odd in sorted(self._odd, key=len, reverse=True):
            words = words.replace(odd, self._odd[odd])
        return _TOKEN.sub(lambda match: self._token(match.group()), words)

    def _look_for_names(self, words: str) -> None:
        for match in _UNIT.finditer(words):
            self._namespace(match.group(1))
        for match in _TOPIC.finditer(words):
            self._topic(match.group(1), match.group(2))
        for match in _HOST.finditer(words):
            if not _CODE.fullmatch(match.group()):
                self._alone(match.group(), "host")

    def _token(self, token: str) -> str:
        """Replace the longest known names in a run of characters that may occur in names."""
        found = self._tokens.get(token)
        if found is None:
            found = self._tokens[token] = self._replaced(token)
        return found

    def _replaced(self, token: str) -> str:
        if token in self._known:
            return self._known[token]
        cuts = [match.span() for match in _SEPARATOR.finditer(token)]
        starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(token)]
        spans = [(start, end) for start in starts for end in ends if start < end]
        for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
            if (name := self._known.get(token[start:end])) is not None:
                return self._replaced(token[:start]) + name + self._replaced(token[end:])
        return token

    def _keep(self, name: str, kind: str) -> str:
        """Learn a name; return its pseudonym."""
        if not name or name in BUILTIN:
            return name
        if name not in self._known:
            digest = hmac.new(self._salt, name.encode(), hashlib.sha256).hexdigest()
            self._known[name] = f"{kind}-{digest[:DIGITS]}"
            self._tokens.clear()
        return self._known[name]

    def _alone(self, name: str, kind: str) -> None:
        """Learn a name that is replaced wherever it stands alone."""
        if len(name) >= SHORTEST:
            self._keep(name, kind)

    def _namespace(self, name: str) -> str:
        """Learn ``tenant/namespace`` (``tenant/cluster/namespace`` of old); return its pseudonym."""
        parts = name.split("/")
        if len(parts) > 2 and parts[0] not in BUILTIN:  # the path of a node ends in the namespace
            parts = parts[-2:]
        name = "/".join(parts)
        if name not in self._known:
            shown = [self._part(parts[0], "tenant")]
            shown += [self._part(part, "cluster") for part in parts[1:-1]]
            local = parts[-1]
            is_kept = local in BUILTIN or len(parts) == 1
            own = self._known.get(local) if ":" in local else None  # a heartbeat namespace is named for its broker
            shown += [] if len(parts) == 1 else [local if is_kept else own or self._hashed(name, "namespace")]
            self._known[name] = "/".join(shown)
            self._tokens.clear()
        return self._known[name]

    def _part(self, name: str, kind: str) -> str:
        if name in BUILTIN:
            return name
        if len(name) >= SHORTEST:
            return self._keep(name, kind)
        return self._hashed(name, kind)

    def _topic(self, namespace: str, local: str) -> None:
        name = f"{namespace}/{local}"
        if name not in self._known:
            stem = _PARTITION.sub("", local)
            shown = f"{self._namespace(namespace)}/{self._hashed(f'{namespace}/{stem}', 'topic')}{local[len(stem) :]}"
            self._known[name] = shown
            self._tokens.clear()

    def _path(self, path: str) -> None:
        """Learn the folder of a path, as given and as an absolute one, and its name, unless every run has that name."""
        folder, name = os.path.split(path)
        shown = self._hashed(os.path.abspath(folder), "folder")
        learned = {folder: shown, os.path.abspath(folder): shown}
        if not _STANDARD.fullmatch(name):
            learned[name] = self._hashed(name, "file") + _suffixes(name)
        for words, pseudonym in learned.items():
            if words.strip("./"):
                (self._known if _TOKEN.fullmatch(words) else self._odd)[words] = pseudonym
        self._tokens.clear()

    def _hashed(self, name: str, kind: str) -> str:
        digest = hmac.new(self._salt, name.encode(), hashlib.sha256).hexdigest()
        return f"{kind}-{digest[:DIGITS]}"


def _suffixes(name: str) -> str:
    """Return the last suffix of a file's name, with that of its compression after it."""
    return os.path.splitext(uncompressed(name))[1] + ending_of(name)
