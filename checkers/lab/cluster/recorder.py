"""Watches a cluster from outside: lookups, each broker's own list of bundles, admin calls, sends of clients."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.lab.cluster.cluster import NAME

Line = dict[str, Any]
WAIT: Final = 12.0
"""How long a lookup or a poll waits for its answer, in seconds."""


MOST_HOPS: Final = 5


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer: it is recorded, not followed."""

    def redirect_request(self, *_: Any) -> None:
        """Follow nothing."""


OPENER: Final = urllib.request.build_opener(NoRedirect)


class Recorder:
    """Appends what it sees to ``lookups.jsonl``, ``owned.jsonl``, ``actions.jsonl`` and ``clients.jsonl``."""

    def __init__(self, brokers: Sequence[str], topics: Sequence[str], folder: Path) -> None:
        """:param brokers: their ids; :param topics: whole names, ``persistent://tenant/namespace/topic``."""
        self.brokers, self.topics, self.folder = brokers, topics, folder
        self._ended, self._threads = threading.Event(), list[threading.Thread]()
        self._lock = threading.Lock()

    def start(self, lookup_every: float, poll_every: float) -> None:
        """Look every topic up at every broker, and poll every broker, each in its own thread, until `stop`."""
        for broker in self.brokers:
            self._begin(partial(self.poll, broker), poll_every)
            for topic in self.topics:
                self._begin(partial(self.look_up, broker, topic), lookup_every)

    def stop(self) -> None:
        """End all threads; what is still waited for is recorded."""
        self._ended.set()
        for thread in self._threads:
            thread.join(2 * WAIT)

    def look_up(self, broker: str, topic: str) -> None:
        """Ask a broker who serves a topic, follow its redirects as a client does, and record each answer."""
        url: str | None = f"http://{broker}/lookup/v2/topic/{topic.replace('://', '/')}"
        for _ in range(MOST_HOPS):
            if url is None:
                break
            line: Line = {"t_start": now(), "asked": urllib.parse.urlsplit(url).netloc, "topic": topic}
            status, body, url = ask("GET", url)
            line |= {"t_end": now(), "status": status or None}
            if url:
                line["redirect"] = url
            elif status == 200:
                line["url"] = json.loads(body)["httpUrl"]
            else:
                line["error"] = reason(body)
            self.write("lookups.jsonl", line)

    def poll(self, broker: str) -> Line:
        """Ask a broker which bundles it owns and who leads, once, and record the answer."""
        line: Line = {"t_start": now(), "broker": broker}
        status, body, _ = ask("GET", f"http://{broker}/admin/v2/brokers/{NAME}/{broker}/ownedNamespaces")
        line |= {"status": status or None, "owned": sorted(json.loads(body)) if status == 200 else []}
        status, body, _ = ask("GET", f"http://{broker}/admin/v2/brokers/leaderBroker")
        line |= {
            "t_end": now(),
            "leader": urllib.parse.urlsplit(json.loads(body)["serviceUrl"]).netloc if status == 200 else None,
        }
        return self.write("owned.jsonl", line)

    def call(self, action: str, broker: str, method: str, path: str, body: object = None, **parameters: object) -> Line:
        """Make an admin call at a broker, follow its redirects, and record the result."""
        line: Line = {"t_start": now(), "action": action, "asked": broker, "hops": []}
        url: str | None = f"http://{broker}{path}"
        status, text = 0, ""
        while url and len(line["hops"]) < MOST_HOPS:
            status, text, redirect = ask(method, url, body, wait=60)
            if redirect:
                line["hops"].append(urllib.parse.urlsplit(redirect).netloc)
            url = redirect
        line |= {
            "t_end": now(),
            "status": status or None,
            "result": reason(text) if status >= 300 or not status else "",
            **parameters,
        }
        return self.write("actions.jsonl", line)

    def sends(self, urls: str, rate: float) -> None:
        """Send to every topic, *rate* messages a second each, with ``pulsar-client`` of PyPI, until `stop`."""
        import pulsar  # late: only who records sends needs it

        client = pulsar.Client(
            f"pulsar://{urls}", operation_timeout_seconds=30, logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Error)
        )
        for topic in self.topics:
            producer = client.create_producer(topic, send_timeout_millis=10_000)
            self._begin(partial(self._send, topic, producer, count()), 1 / rate)

    def _send(self, topic: str, producer: Any, numbers: Iterator[int]) -> None:
        number = next(numbers)
        line: Line = {"t": now(), "ev": "send", "topic": topic, "n": number}

        def acknowledged(result: Any, message: Any) -> None:
            place = f"{message.ledger_id()}:{message.entry_id()}" if message is not None else None
            self.write("clients.jsonl", line | {"t_ack": now(), "result": result.name, "mid": place})

        producer.send_async(str(number).encode(), acknowledged)

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
        return line


def ask(method: str, url: str, body: object = None, wait: float = WAIT) -> tuple[int, str, str | None]:
    """Return status, body and redirect of one HTTP request; status 0 and the error if nobody answered."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with OPENER.open(request, timeout=wait) as answer:
            return answer.status, answer.read().decode(), None
    except urllib.error.HTTPError as error:
        where = error.headers.get("Location")
        return error.code, "" if where else error.read().decode(errors="replace"), where
    except (OSError, urllib.error.URLError) as error:
        return 0, str(error), None


def reason(body: str) -> str:
    """Return why a broker refused, of its answer's JSON if it is some."""
    try:
        return str(json.loads(body)["reason"])
    except (ValueError, KeyError, TypeError):
        return body[:200]


def now() -> int:
    """Return the time in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
