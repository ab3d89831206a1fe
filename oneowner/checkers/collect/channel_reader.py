"""
The channel's topic, written as lines of a dump as they arrive; an existing dump is continued behind its last line.

It reads with Pulsar's Python client, whose reader leaves no trace in the cluster.
"""

import json
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.recordings.scripts.dump_channel import TOPIC, line_of
from oneowner.checkers.verdict import Misuse

SYSTEM: Final = "pulsar/system"
LOAD_TOPICS: Final = ("loadbalancer-broker-load-data", "loadbalancer-top-bundles-load-data")
"""Topics in which brokers publish their load; without persistence only a connected reader receives it."""
TIMED_OUT: Final = 500
"""Milliseconds for which a reader waits for a message before it checks for its end."""
PATIENCE: Final = 30
"""Seconds that a broker is waited for, while others may be elected."""
TOLD_AFTER: Final = 1
"""Seconds of waiting after which the reason is printed."""
Say = Callable[[str], None]
Place = tuple[int, int, int, int]
"""Partition, ledger, entry and batch index of a message, as the client takes them."""
SILENT: Final = logging.getLogger(__name__)
"""The log level of the client's connections; failures are raised, too."""
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False


class ChannelReader:
    """Follows the channel of a cluster from its earliest message, or from the last one that a folder has."""

    def __init__(
        self, service_url: str, folder: Path, arguments: Mapping[str, Any], most_a_second: int, say: Say
    ) -> None:
        """
        Connect, and find where to begin.

        :param arguments: of ``pulsar.Client``; :param most_a_second: messages that are read in a second;
            *say* prints a line while there is no answer.
        :raises Misuse: the service cannot be reached, or refuses; a file of *folder* is not one of ours.
        """
        import pulsar  # late: only who follows a channel needs it

        self._pulsar, self._folder, self._most = pulsar, folder, most_a_second
        self.read = 0
        self._second = time.monotonic()
        last = last_place(folder / "channel.jsonl")
        self._client, self._reader = connected(service_url, arguments, last, say)

    def follow(self, is_over: Callable[[], bool]) -> None:
        """Write present and new messages, until *is_over* at the end of the topic or between messages."""
        with (self._folder / "channel.jsonl").open("a", encoding="utf-8") as file:
            while True:
                message = self._next(self._reader)
                if message is not None:
                    print(json.dumps(line_of(message)), file=file)
                    self.read += 1
                    self._keep_rate()
                else:
                    file.flush()
                if is_over() and (message is None or not self._reader.has_message_available()):
                    return

    def compacted(self) -> int:
        """Write ``compacted.jsonl``, the present compacted topic; return the number of lines."""
        reader = self._client.create_reader(TOPIC, self._pulsar.MessageId.earliest, is_read_compacted=True)
        lines = 0
        with (self._folder / "compacted.jsonl").open("w", encoding="utf-8") as file:
            while reader.has_message_available():
                print(json.dumps(line_of(reader.read_next(timeout_millis=30_000))), file=file)
                lines += 1
        reader.close()
        return lines

    def follow_loads(self, is_over: Callable[[], bool]) -> None:
        """Write load data from now on, to one file for each of the two topics."""
        readers = {
            name: self._client.create_reader(f"non-persistent://{SYSTEM}/{name}", self._pulsar.MessageId.latest)
            for name in LOAD_TOPICS
        }
        while not is_over():
            for name, reader in readers.items():
                message = self._next(reader)
                if message is not None:
                    line = {"time": message.publish_timestamp(), "key": message.partition_key()}
                    line["value"] = json.loads(message.data() or "null")
                    with (self._folder / f"{name}.jsonl").open("a", encoding="utf-8") as file:
                        print(json.dumps(line), file=file)

    def close(self) -> None:
        self._client.close()

    def _next(self, reader: Any) -> Any:
        try:
            return reader.read_next(timeout_millis=TIMED_OUT)
        except self._pulsar.Timeout:
            return None

    def _keep_rate(self) -> None:
        if self.read % self._most == 0:
            time.sleep(max(0.0, self._second + 1 - time.monotonic()))
            self._second = time.monotonic()


def connected(
    service_url: str, arguments: Mapping[str, Any], last: Place | None, say: Say, **of_reader: Any
) -> tuple[Any, Any]:
    """
    Return a client, and its reader of the channel: behind the message *last*, or from the earliest one.

    :param arguments: of ``pulsar.Client``; *of_reader* are those of its ``create_reader``; *say* prints a line
        while there is no answer.
    :raises Misuse: the service cannot be reached, or refuses.
    """
    import pulsar

    try:
        client = pulsar.Client(service_url, operation_timeout_seconds=PATIENCE, logger=SILENT, **arguments)
    except ValueError as error:  # of the address: it says which part
        raise Misuse(
            f"--service-url refused: {service_url}: {error}; such as pulsar://host:6650 or pulsar+ssl://host:6651 is"
            " allowed"
        ) from None
    begin = pulsar.MessageId(*last) if last else pulsar.MessageId.earliest
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def create() -> None:
        try:
            answers.put(client.create_reader(TOPIC, begin, **of_reader))
        except Exception as error:  # the client has a class of its own for each of some forty
            answers.put(error)

    # In a thread, for where no host answers the client takes twice its own time-out.
    threading.Thread(target=create, daemon=True).start()
    try:
        reader = _waited_for(answers, service_url, say)
    except BaseException:  # also Ctrl-C: a thread that is left in the client makes the process crash at its end
        client.close()  # ends the thread
        raise
    return client, reader


def _waited_for(answers: queue.SimpleQueue[Any], service_url: str, say: Say) -> Any:
    """Return the reader; raise Misuse if there is none in time, or the client refuses."""
    try:
        answer = answers.get(timeout=TOLD_AFTER)
    except queue.Empty:
        say(f"{service_url}: no answer yet; it is waited for {PATIENCE} s at most")
        try:
            answer = answers.get(timeout=max(0, PATIENCE - TOLD_AFTER))
        except queue.Empty:
            raise Misuse(f"{service_url}: no answer within {PATIENCE} s; {_hint('Timeout')}") from None
    if isinstance(answer, Exception):
        kind = type(answer).__name__
        raise Misuse(f"{service_url}: {kind}: {answer}; {_hint(kind)}")
    return answer


def last_place(path: Path) -> Place | None:
    """
    Return partition, ledger, entry and batch index of the last whole line of a dump; a torn line behind it is cut off.

    :raises Misuse: the last line is none of a dump.
    """
    cut_torn(path)
    if not path.exists() or not path.stat().st_size:
        return None
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - (1 << 20)))
        line = file.read().splitlines()[-1]
    try:
        return place_of(json.loads(line)["messageId"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Misuse(f"{path}: its last line is no message of a dump, so it cannot be continued") from None


def place_of(message_id: str) -> Place:
    """
    Return the place of a message by the id that a dump gives it.

    >>> place_of("7:3"), place_of("7:3:-1:2")
    ((-1, 7, 3, -1), (-1, 7, 3, 2))
    """
    ledger, entry, *rest = map(int, message_id.split(":"))
    partition, batch = rest if len(rest) == 2 else (-1, -1)
    return partition, ledger, entry, batch


def cut_torn(path: Path) -> None:
    """Cut off an incomplete last line: its writer was killed."""
    if path.exists():
        with path.open("rb+") as file:
            file.seek(0, os.SEEK_END)
            end = file.tell()
            while end:
                begin = max(0, end - 4096)
                file.seek(begin)
                newline = file.read(end - begin).rfind(b"\n")
                if newline >= 0:
                    file.truncate(begin + newline + 1)
                    return
                end = begin
            file.truncate(0)


def _hint(error: str) -> str:
    if "Auth" in error:
        return "see --auth-plugin, --auth-params; the role needs consume on pulsar/system"
    if error == "TopicNotFound":
        return "this cluster has no channel as a topic: its load manager is another, or it is in the metadata store"
    return "is --service-url the address of a broker (pulsar://host:6650), reachable from here?"
