"""
A running cluster becomes a folder that ``audit``, ``timeline`` and ``replay`` read, without a write to the cluster.

A folder that was begun goes on where it stopped, so that a killed process loses unwatched events, and nothing already
written.
"""

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from oneowner.checkers.collect import cluster_facts
from oneowner.checkers.collect.admin import Admin, now
from oneowner.checkers.collect.channel_reader import LOAD_TOPICS, ChannelReader, cut_torn
from oneowner.checkers.collect.watcher import Watcher
from oneowner.checkers.documents import read_document
from oneowner.checkers.verdict import EngineError, Misuse
from oneowner.checkers.yaml_text import write_document

SOURCE: Final = "oneowner record: a running cluster, watched from outside"
MOST_PAIRS: Final = 400
"""The limit of parallel lookups of one topic at one broker."""
OURS: Final = ("lookups.jsonl", "owned.jsonl", *(f"{name}.jsonl" for name in LOAD_TOPICS))
"""Files that lines are appended to, beside the channel."""
EVERY: Final = 10.0
"""Seconds between two lines of progress."""


class Plan(NamedTuple):
    """The content and the duration of a recording."""

    folder: Path
    seconds: float | None
    """None: until an interrupt; 0: the present state, once."""
    topics: tuple[str, ...]
    namespaces: tuple[str, ...]
    """All of their persistent topics are looked up."""
    lookup_every: float
    poll_every: float
    follows_loads: bool


class Collection:
    """One recording of a cluster, from its first request to its manifest."""

    def __init__(
        self, plan: Plan, address: str, cluster: str | None, admin: Admin, told: Callable[[str], None],
        reader: Callable[[], ChannelReader] | None,
    ) -> None:  # fmt: skip
        """
        List the brokers; nothing is written yet.

        :param address: the web service of some broker; :param reader: connects to the channel, None: it is left out.
        :raises Misuse: no answer, or a missing permission.
        """
        self.plan, self.address, self.admin, self.told = plan, address, admin, told
        self.cluster = cluster_facts.cluster_name(admin, address, cluster)
        self.brokers = cluster_facts.brokers(admin, address, self.cluster)
        topics = [*plan.topics]
        for namespace in plan.namespaces:
            topics += cluster_facts.topics_of(admin, address, namespace)
        self.topics = tuple(dict.fromkeys(topics))
        if len(self.topics) * len(self.brokers) > MOST_PAIRS:
            raise Misuse(
                f"{len(self.topics)} topics at {len(self.brokers)} brokers are too many lookups at once; "
                f"at most {MOST_PAIRS} are made: name fewer by --topic"
            )
        self._reader = reader
        self._ended = threading.Event()
        self._lost: list[str] = []
        self._is_told = False
        """The note on unknown settings."""

    def run(self) -> dict[str, int]:
        """
        Record until the time is over or it is interrupted, and return how many lines each file got.

        :raises Misuse: the folder holds something else, or the channel is refused.
        :raises EngineError: the recording is not whole, or there is nothing in it.
        """
        plan, began = self.plan, now()
        before = self._begin_folder()
        reader = self._reader() if self._reader is not None else None
        watcher = Watcher(
            [*self.brokers], self.topics, plan.folder, self.cluster, self.admin,
            lambda broker: cluster_facts.address_of(broker, self.address),
        )  # fmt: skip
        changed = [self._settings()]
        first = self._boundaries()
        followers = [] if reader is None else [self._thread("the channel", lambda: reader.follow(self._is_over))]
        if reader is not None and plan.follows_loads:
            followers.append(self._thread("load data", lambda: reader.follow_loads(self._is_over)))
        try:
            if plan.seconds == 0:
                watcher.once()
            else:
                watcher.start(plan.lookup_every, plan.poll_every)
                self._wait(watcher, reader)
        finally:
            self._ended.set()
            watcher.stop()
            for follower in followers:
                follower.join()
        changed.append(self._settings())
        if reader is not None:
            self.told(f"{reader.compacted()} lines of the compacted channel")
            reader.close()
        bundles = {"before": first, "after": self._boundaries()}
        (plan.folder / "bundles.json").write_text(json.dumps(bundles, indent=1) + "\n", encoding="utf-8")
        self._write_manifest(before, began, changed)
        if self._lost:
            raise EngineError(f"{plan.folder}: not whole: {'; '.join(self._lost)}. Run it again to continue")
        if not watcher.answered and not (reader is not None and reader.read):
            raise EngineError(
                f"{plan.folder}: nothing was recorded: {counted(watcher.counts)}; ask from where brokers can be reached"
            )
        return {**watcher.counts, **({} if reader is None else {"channel.jsonl": reader.read})}

    def _begin_folder(self) -> dict[str, Any]:
        """Return the manifest of a continued folder, or make a new one."""
        folder = self.plan.folder
        manifest = folder / "manifest.yaml"
        if not folder.exists() or not any(folder.iterdir()):
            folder.mkdir(parents=True, exist_ok=True)
            self._write_manifest({}, now(), [])
            return {}
        data = read_document(manifest).data if manifest.exists() else None
        if not isinstance(data, dict) or data.get("source") != SOURCE:
            raise Misuse(f"{folder}: holds something else than a recording of this verb; name a new folder")
        if data.get("cluster") != self.cluster:
            raise Misuse(
                f"{folder}: holds a recording of the cluster {data.get('cluster')}, and this is {self.cluster}"
            )
        for name in OURS:  # what else is there its owner has put there
            cut_torn(folder / name)
        self.told(f"{folder}: continued")
        return data

    def _wait(self, watcher: Watcher, reader: ChannelReader | None) -> None:
        """Wait until the end or an interrupt; print progress."""
        began = time.monotonic()
        seconds = float("inf") if self.plan.seconds is None else self.plan.seconds
        try:
            while (left := began + seconds - time.monotonic()) > 0 and not self._lost:
                self._ended.wait(min(EVERY, left))
                for broker in cluster_facts.newcomers(self.admin, self.address, self.cluster, self.brokers):
                    self.brokers.append(broker)
                    watcher.watch(broker, self.plan.lookup_every, self.plan.poll_every)
                counts = dict(watcher.counts) if reader is None else {"channel.jsonl": reader.read, **watcher.counts}
                self.told(f"{time.monotonic() - began:.0f} s: {counted(counts)}")
        except KeyboardInterrupt:
            self.told("interrupted: the recording so far is complete")

    def _is_over(self) -> bool:
        return self.plan.seconds == 0 or self._ended.is_set()

    def _thread(self, what: str, work: Callable[[], None]) -> threading.Thread:
        def watched() -> None:
            try:
                work()
            except Exception as error:  # the client has a class of its own for each of some forty
                self._lost.append(f"{what} was lost: {type(error).__name__}: {error}")
                self._ended.set()

        thread = threading.Thread(target=watched, daemon=True)
        thread.start()
        return thread

    def _settings(self) -> tuple[dict[str, str], dict[str, str]]:
        found = cluster_facts.settings(self.admin, self.address)
        if not found[0] and not self._is_told:
            self.told("no broker returns its settings (this requires a superuser): an audit assumes Pulsar's defaults")
            self._is_told = True
        return found

    def _boundaries(self) -> dict[str, Any]:
        names = namespaces_of(self.topics, self.plan.namespaces, self.plan.folder / "channel.jsonl")
        found = cluster_facts.boundaries(self.admin, [self.address], names)
        if missing := sorted({*names} - {*found["namespaces"]}):
            self.told(f"no broker returns the bundles of {', '.join(missing)}")
        return found

    def _write_manifest(
        self, before: Mapping[str, Any], began: int, changed: Sequence[tuple[dict[str, str], dict[str, str]]]
    ) -> None:
        base, overrides = changed[-1] if changed else ({}, {})
        spans = [*(before.get("recorded") or []), {"from": began, "to": now()}]
        entries = {str(entry["id"]): entry for entry in before.get("brokers") or []}  # one may name its log by now
        entries |= {broker: {"id": broker} for broker in self.brokers if broker not in entries}
        manifest: dict[str, Any] = {
            **before, "source": SOURCE, "cluster": self.cluster,
            "versions": {"pulsar": cluster_facts.release(self.admin, self.address)},
            "recorded": spans if changed else [],
            "brokers": [entries[broker] for broker in sorted(entries)],
            "config_base": base, "config_overrides": overrides, "topics": list(self.topics),
        }  # fmt: skip
        if len({json.dumps(one) for one in changed}) > 1:
            manifest["config_changed"] = True
            self.told("the configuration changed while it was recorded; the manifest has the last one")
        (self.plan.folder / "manifest.yaml").write_text(write_document(manifest, flow=False), encoding="utf-8")


def counted(counts: Mapping[str, int]) -> str:
    """
    Describe the number of lines of each file.

    >>> counted({"channel.jsonl": 12, "unanswered": 1})
    '12 channel, 1 unanswered'
    """
    return ", ".join(f"{count} {name.removesuffix('.jsonl')}" for name, count in counts.items()) or "nothing yet"


def namespaces_of(topics: Iterable[str], named: Iterable[str], channel: Path) -> list[str]:
    """Return the known namespaces: those of topics, named ones, and those of the channel's keys."""
    found = {*named, *(topic.partition("://")[2].rpartition("/")[0] for topic in topics)}
    if channel.exists():
        with channel.open(encoding="utf-8") as lines:
            found |= {str(json.loads(line).get("key") or "").rpartition("/")[0] for line in lines}
    return sorted(found - {""})
