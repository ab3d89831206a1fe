"""Records a cluster from outside: the observations of `Watcher`, and its own admin calls and sends."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from oneowner.checkers.collect.admin import Admin, now
from oneowner.checkers.collect.watcher import MOST_HOPS, Line, Watcher
from oneowner.checkers.lab.cluster.cluster import NAME
from oneowner.checkers.recordings.scripts import dump_channel


class Recorder(Watcher):
    """Appends to ``actions.jsonl`` and ``clients.jsonl``, too."""

    def __init__(self, brokers: Sequence[str], topics: Sequence[str], folder: Path) -> None:
        """:param brokers: their ids; :param topics: whole names, ``persistent://tenant/namespace/topic``."""
        super().__init__(brokers, topics, folder, NAME, Admin())

    def call(self, action: str, broker: str, method: str, path: str, body: object = None, **parameters: object) -> Line:
        """Make an admin call at a broker, follow its redirects, and record the result."""
        line: Line = {"t_start": now(), "action": action, "asked": broker, "hops": []}
        url = f"http://{broker}{path}"
        while True:
            answer = self.admin.ask(method, url, body, wait=60)
            if not answer.redirect:
                break
            url = answer.redirect
            line["hops"].append(urlsplit(url).netloc)
            if len(line["hops"]) == MOST_HOPS:
                break
        failed = answer.status >= 300 or not answer.status
        line |= {
            "t_end": now(),
            "status": answer.status or None,
            "result": answer.reason() if failed else "",
            **parameters,
        }
        return self.write("actions.jsonl", line)

    def sends(self, urls: str, rate: float, sizes: Mapping[str, int] | None = None) -> None:
        """
        Send to every topic, *rate* messages a second each, with ``pulsar-client`` of PyPI, until `stop`.

        :param sizes: other topics, each with the least bytes of its messages
        """
        import pulsar  # late: only recordings of sends need it

        client = pulsar.Client(
            f"pulsar://{urls}", operation_timeout_seconds=30, logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Error)
        )
        for topic, size in (sizes or dict.fromkeys(self.topics, 0)).items():
            producer = client.create_producer(topic, send_timeout_millis=10_000)
            self._begin(partial(self._send, topic, producer, count(), size), 1 / rate)

    def visits(self, urls: str, topics: Iterator[str], ended: threading.Event) -> None:
        """Run clients one after the other until *ended*: each looks a topic up, sends one message and leaves."""
        import pulsar

        client = pulsar.Client(
            f"pulsar://{urls}", operation_timeout_seconds=5, logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Error)
        )
        while not ended.is_set():
            line: Line = {"t": now(), "ev": "visit", "topic": next(topics), "n": 0}
            try:
                producer = client.create_producer(line["topic"], send_timeout_millis=5_000)
                place = producer.send(b"visit")
                line |= {"result": "Ok", "mid": f"{place.ledger_id()}:{place.entry_id()}"}
                producer.close()
            except pulsar.PulsarException as error:
                line |= {"result": type(error).__name__, "mid": None}
            self.write("clients.jsonl", line | {"t_ack": now()})

    def dump(self, url: str) -> str:
        """Write the channel to ``channel.jsonl``, as a reader at *url* reads it; return the error, if any."""
        import pulsar

        whole = self.folder / "channel.jsonl"
        try:
            dump_channel.dump(url, str(whole))
        except pulsar.PulsarException as error:
            whole.unlink(missing_ok=True)  # a part would be judged as a whole
            return str(error) or type(error).__name__
        return ""

    def _send(self, topic: str, producer: Any, numbers: Iterator[int], size: int) -> None:
        number = next(numbers)
        line: Line = {"t": now(), "ev": "send", "topic": topic, "n": number}

        def acknowledged(result: Any, message: Any) -> None:
            if self._ended.is_set():  # the recording is over
                return
            place = f"{message.ledger_id()}:{message.entry_id()}" if message is not None else None
            self.write("clients.jsonl", line | {"t_ack": now(), "result": result.name, "mid": place})

        producer.send_async(str(number).encode().ljust(size), acknowledged)
