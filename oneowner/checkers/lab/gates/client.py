"""The client of one broker's gates: hold, release, answer; read its view and its topics."""

import json
import re
import socket
from dataclasses import dataclass
from typing import Final

from oneowner.checkers.verdict import EngineError

FOR_ALL: Final = ""
_RECORD = re.compile(
    r"ServiceUnitStateData\[state=(?P<state>\w+), dstBroker=(?P<destination>[^,]*), sourceBroker=(?P<source>[^,]*), "
    r".*?force=(?P<force>true|false), .*?versionId=(?P<version>-?\d+)"
)


@dataclass(frozen=True, slots=True)
class Held:
    """A call that waits at a gate."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Read:
    """A record in a broker; brokers by their ids."""

    state: str
    destination: str = ""
    source: str = ""
    force: bool = False
    version: int = 0


NOTHING: Final = Read("nothing")


def read_record(text: str) -> Read:
    """
    Return the record in Pulsar's text; None for a tombstone or no entry.

    >>> read_record("a/b/0x0_0x1 null").state
    'nothing'
    """
    found = _RECORD.search(text)
    if found is None:
        return NOTHING
    named = [found["destination"], found["source"]]
    destination, source = ("" if name == "null" else name for name in named)
    return Read(found["state"], destination, source, found["force"] == "true", int(found["version"]))


class Gates:
    """The gates of one broker, which listen on *port* of the loopback address."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(self, *words: object, wait: float = 30) -> str:
        """
        Return the answer to one request.

        :raises EngineError: it is refused, or there is no answer within *wait* seconds.
        """
        try:
            with socket.create_connection(("127.0.0.1", self.port), wait) as line, line.makefile("rw") as file:
                file.write("\t".join(map(str, words)) + "\n")
                file.flush()
                answer = json.loads(file.readline())
        except (OSError, ValueError) as error:
            raise EngineError(f"gates: port {self.port} does not answer {words[0]}: {error}") from None
        if "refused" in answer:
            raise EngineError(f"gates: {' '.join(map(str, words))} is refused: {answer['refused']}")
        return str(answer["is"])

    def hold(self, point: str, text: str) -> None:
        """Hold every call at *point* whose text the pattern *text* finds."""
        self.ask("hold", point, text)

    def open(self, point: str) -> None:
        """Stop holding calls at *point*, and release the waiting ones."""
        self.ask("open", point)

    def answer(self, point: str, text: str, value: str) -> None:
        """Answer every call at *point* whose text contains *text* by *value*, without holding it; by none: no more."""
        self.ask("answer", point, text, value)

    def monitor(self, age: str) -> None:
        """Release one run of the monitor, for which the timeout in the field *age* has passed for all entries."""
        self.ask("monitor", age)

    def command(self, what: str, unit: str, destination: str = "") -> int:
        """Order the broker's load manager to unload, transfer, split or look up a bundle; return the call's number."""
        return int(self.ask("command", what, unit, destination))

    def has_ended(self, number: int) -> bool:
        return self.ask("ended", number) == "true"

    def waits(self, point: str, text: str = FOR_ALL, seconds: float = 30) -> Held | None:
        """Return the first call that waits at *point*; wait for it, at most so many seconds."""
        found = self.ask("await", point, text, int(seconds * 1000), wait=seconds + 10)
        number, _, words = found.partition(" ")
        return Held(int(number), words) if found else None

    def let_go(self, held: Held, value: str = "", seconds: float = 30) -> str:
        """Release a call, answered by *value* if there is one; return the error with which it ended, if any."""
        self.ask("go", held.number, value)
        return self.ask("done", held.number, int(seconds * 1000), wait=seconds + 10)

    def held(self) -> list[tuple[str, str]]:
        """Return every call that waits: its point and its text."""
        rows = [line.partition(": ") for line in self.ask("held").splitlines()]
        return [(point, text) for point, _, text in rows]

    def view(self, unit: str) -> Read:
        """Return the entry of a bundle in the broker's view of the channel."""
        return read_record(self.ask("view", unit))

    def plays_leader(self) -> bool:
        """Return whether the broker's load manager plays the leader."""
        return self.ask("role") == "Leader"

    def topics(self, prefix: str) -> list[tuple[str, int, str]]:
        """Return the broker's topics below *prefix*: name, number of producers, ``open`` or ``fenced``."""
        rows = [line.split() for line in self.ask("topics", prefix).splitlines()]
        return [(name, int(clients), standing) for name, clients, standing in rows]
