"""The topic of a cluster's channel as a source: Pulsar's client keeps reading it, and reconnects by itself."""

import json
import time
from typing import Any, Final

from oneowner.checkers.collect.admin import now
from oneowner.checkers.collect.channel_reader import Say, connected, place_of
from oneowner.checkers.collect.credentials import Credentials
from oneowner.checkers.recordings.live.resuming import topic_order
from oneowner.checkers.recordings.scripts.dump_channel import TOPIC, line_of
from oneowner.checkers.verdict import EngineError, Misuse
from oneowner.checkers.watch.checkpoint import ANEW
from oneowner.checkers.watch.sources import Batch, Place

TRIED_EVERY: Final = 50
"""Milliseconds of one wait of the reader."""


class ChannelTopic:
    """The channel's messages, as lines of a dump."""

    is_over = False

    def __init__(self, service_url: str, who: Credentials, place: Place | None, say: Say) -> None:
        """
        Connect.

        :param say: a printer of lines while there is no answer.
        :raises Misuse: the service cannot be reached, or refuses; *place* is of another cluster's channel.
        """
        import pulsar

        self.file = TOPIC
        self._timeout: type[Exception] = pulsar.Timeout
        self._place: Place = place or {}
        begin = place_of(place["id"]) if place else None
        arguments: dict[str, Any] = {"start_message_id_inclusive": True} if place else {}
        self._client, self._reader = connected(service_url, who.of_client(), begin, say, **arguments)
        self._expected = place
        self._service_url = service_url

    def read(self, most: int, wait: float) -> Batch:
        """Return the messages received so far."""
        lines: list[bytes] = []
        until = time.monotonic() + wait
        clock = now()  # the batch has all received messages published before that
        while len(lines) < most:
            message = self._next(0 if lines else TRIED_EVERY)
            if message is None:
                if lines or time.monotonic() >= until:
                    break
                clock = now()
                continue
            line = line_of(message)
            if not self._is_known(line):
                lines.append(json.dumps(line).encode() + b"\n")
                self._place = {"id": line["messageId"], "time": line["publishTime"], "key": line["key"]}
        return Batch(lines, self._place, clock, len(lines) < most and self._is_at_end())

    def _next(self, wait: int) -> Any:
        try:
            return self._reader.read_next(timeout_millis=max(1, wait))
        except self._timeout:
            return None
        except Exception as error:  # the client has a class of its own for each of some forty
            raise EngineError(f"{self._service_url}: {type(error).__name__}: {error}") from None

    def _is_known(self, line: dict[str, Any]) -> bool:
        """Return whether the checkpoint covers a message; the last covered message must be the same."""
        expected = self._expected
        if expected is None:
            return False
        order = topic_order(line["messageId"], expected["id"])
        if order < 0:  # of the same batch, which is sent as a whole
            return True
        self._expected = None
        if order > 0:
            return False
        if (line["publishTime"], line["key"]) != (expected["time"], expected["key"]):
            raise Misuse(f"{self._service_url}: its channel is not the one that the checkpoint is of; {ANEW}")
        return True

    def _is_at_end(self) -> bool:
        try:
            return not self._reader.has_message_available()
        except Exception:  # unknown without an answer
            return False

    @property
    def is_up(self) -> bool:
        return bool(self._reader.is_connected())

    def close(self) -> None:
        """Close the client and its reader."""
        self._client.close()
