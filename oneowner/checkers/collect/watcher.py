"""Watches a cluster from outside, read-only: lookups, and each broker's own list of bundles and idea of the leader."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from oneowner.checkers.collect.admin import WAIT, Admin, Answer, now
from oneowner.checkers.verdict import Misuse

Line = dict[str, Any]
MOST_HOPS: Final = 5


class Watcher:
    """Appends answers to ``lookups.jsonl`` and ``owned.jsonl``."""

    def __init__(
        self, brokers: Sequence[str], topics: Sequence[str], folder: Path, cluster: str, admin: Admin,
        base: Callable[[str], str] = "http://{}".format,
    ) -> None:  # fmt: skip
        """
        Watch from `start` to `stop`, or ask once by the other methods.

        :param brokers: their ids; :param topics: whole names, ``persistent://tenant/namespace/topic``.
        :param cluster: its name, which the path of a poll has; :param base: the address of a broker's web service.
        """
        self.brokers, self.topics, self.folder = brokers, topics, folder
        self.cluster, self.admin, self.base = cluster, admin, base
        self.counts: Counter[str] = Counter()
        """The number of lines of each file, of unanswered requests (``unanswered``), and of refusals by status."""
        self.answered = 0
        self._ended, self._threads = threading.Event(), list[threading.Thread]()
        self._lock = threading.Lock()

    def start(self, lookup_every: float, poll_every: float) -> None:
        """Look every topic up at every broker, and poll every broker, each in its own thread, until `stop`."""
        for broker in self.brokers:
            self.watch(broker, lookup_every, poll_every)

    def watch(self, broker: str, lookup_every: float, poll_every: float) -> None:
        """Begin with one broker; the times are in seconds."""
        self._begin(partial(self.poll, broker), poll_every)
        for topic in self.topics:
            self._begin(partial(self.look_up, broker, topic), lookup_every)

    def stop(self) -> None:
        """End all threads; pending answers are recorded."""
        self._ended.set()
        for thread in self._threads:
            thread.join(2 * WAIT)

    def once(self) -> None:
        """Poll every broker and look up every topic there, once, one after the other."""
        for broker in self.brokers:
            self.poll(broker)
            for topic in self.topics:
                self.look_up(broker, topic)

    def look_up(self, broker: str, topic: str) -> None:
        """Look a topic up at a broker, follow redirects as a client does, and record each answer."""
        url: str | None = f"{self.base(broker)}/lookup/v2/topic/{topic.replace('://', '/')}"
        for _ in range(MOST_HOPS):
            if url is None:
                break
            line: Line = {"t_start": now(), "asked": urlsplit(url).netloc, "topic": topic}
            answer = self._ask(url)
            line |= {"t_end": now(), "status": answer.status or None}
            data, url = answer.data(), answer.redirect
            if url:
                line["redirect"] = url
            elif isinstance(data, dict):
                line["url"] = data.get("httpUrl") or data.get("httpUrlTls")
            else:
                line["error"] = answer.reason()
            self.write("lookups.jsonl", line)

    def poll(self, broker: str) -> Line:
        """Poll a broker for its bundles and the leader once, and record the answer."""
        line: Line = {"t_start": now(), "broker": broker}
        answer = self._ask(f"{self.base(broker)}/admin/v2/brokers/{self.cluster}/{broker}/ownedNamespaces")
        owned = answer.data()
        line |= {"status": answer.status or None, "owned": sorted(owned) if isinstance(owned, dict) else []}
        line["leader"] = leader_of(self._ask(f"{self.base(broker)}/admin/v2/brokers/leaderBroker"))
        return self.write("owned.jsonl", line | {"t_end": now()})

    def _ask(self, url: str) -> Answer:
        answer = self.admin.ask("GET", url)
        with self._lock:
            if answer.status in (200, 307):
                self.answered += 1
            elif not answer.status:
                self.counts["unanswered"] += 1
            else:
                self.counts[f"status {answer.status}"] += 1
        return answer

    def _begin(self, once: Callable[[], object], every: float) -> None:
        def again() -> None:
            while not self._ended.wait(every):
                once()

        thread = threading.Thread(target=again, daemon=True)
        self._threads.append(thread)
        thread.start()

    def write(self, name: str, line: Line) -> Line:
        """Append one line to a file of the recording, and return it."""
        with self._lock, (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            self.counts[name] += 1
        return line


def leader_of(answer: Answer) -> str | None:
    data = answer.data()
    if not isinstance(data, dict):
        return None
    return data.get("brokerId") or urlsplit(data.get("serviceUrl") or "").netloc or None


def whole(topic: str) -> str:
    """
    Return the whole name of a topic; raise Misuse if it is none.

    >>> whole("tenant/ns/t"), whole("non-persistent://tenant/ns/t")
    ('persistent://tenant/ns/t', 'non-persistent://tenant/ns/t')
    """
    named = topic if "://" in topic else f"persistent://{topic}"
    if named.count("/") != 4:
        raise Misuse(f"--topic refused: {topic}; such as persistent://tenant/namespace/topic is allowed")
    return named
