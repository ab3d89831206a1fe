"""
Running clusters by name: the record of each, and the requests to its keeper.

A cluster is a file ``NAME.json`` in a folder of the user's cache, and a folder ``NAME`` beside it with logs and data.
The file is there from before the first process is started until after the last one is gone.
"""

import json
import os
import re
import shutil
import socket
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.documents import shown
from oneowner.checkers.verdict import Misuse

NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")


@dataclass(frozen=True, slots=True)
class Broker:
    """The addresses of one broker; ``id`` is its web address, its name in Pulsar."""

    id: str
    binary: int
    relay: int
    """The port of its relay to ZooKeeper."""
    gates: int | None = None
    """The port of its gates, if it has any."""


@dataclass(frozen=True, slots=True)
class Named:
    """The record of a cluster: its keeper, its folder, and the ports of its parts on 127.0.0.1."""

    name: str
    release: str
    storage: str
    load_manager: str
    keeper: int
    """The process id of its keeper, the parent of all others."""
    port: int
    """The port on which the keeper listens for holders of the *token*."""
    token: str
    folder: str
    since: int
    """In milliseconds since the epoch."""
    is_up: bool = False
    """Every broker has answered; until then whoever starts the cluster waits for it."""
    zookeeper: int = 0
    processes: dict[str, int] = field(default_factory=dict)
    """The process id of each part, brokers first."""
    brokers: list[Broker] = field(default_factory=list)

    @property
    def kept(self) -> bool:
        """True if its keeper is live; if not, no other process of the cluster is."""
        return answers_to(self.keeper, "oneowner.checkers.lab.cluster.keeper")

    def running(self) -> list[str]:
        """Return the parts whose process lives."""
        return [name for name, pid in self.processes.items() if answers_to(pid, f"{self.folder}/")]


def answers_to(pid: int, word: str) -> bool:
    """Return whether the process *pid* lives and was started with *word*: another one may have its number by now."""
    try:
        return word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def file_of(home: Path, name: str) -> Path:
    """Return the file of a cluster; raise Misuse for an invalid name."""
    if not NAME.fullmatch(name):
        raise Misuse(f"lab: no name of a cluster: {shown(name)}; one is of small letters, digits and hyphens")
    return home / f"{name}.json"


def read(path: Path) -> Named | None:
    """Return the record of a cluster; None if there is no file, or if it is of another version of this tool."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Named(**{**found, "brokers": [Broker(**broker) for broker in found["brokers"]]})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write(home: Path, cluster: Named) -> None:
    """Write the record of a cluster atomically; nobody else may read its token."""
    home.mkdir(parents=True, exist_ok=True)
    part = home / f".{cluster.name}.{os.getpid()}"
    part.touch(mode=0o600)
    part.write_text(json.dumps(asdict(cluster), indent=1) + "\n", encoding="utf-8")
    part.replace(file_of(home, cluster.name))


def forget(home: Path, name: str) -> None:
    """Remove all files of a cluster of which no process lives."""
    shutil.rmtree(home / name, ignore_errors=True)
    file_of(home, name).unlink(missing_ok=True)


def every(home: Path) -> list[Named]:
    """Return all recorded clusters, by name."""
    return [found for path in sorted(home.glob("*.json")) if (found := read(path)) is not None]


def named(home: Path, name: str) -> Named:
    """Return a cluster that is up; raise Misuse if there is none of that name."""
    found = read(file_of(home, name))
    if found is None or not found.kept or not found.is_up:
        raise Misuse(f"lab: no cluster {name} is up; start it by: oneowner lab up --name {name}")
    return found


def ask(cluster: Named, seconds: float = 60, **request: object) -> dict[str, Any]:
    """
    Send a request to the keeper of a cluster, and return its answer.

    :raises Misuse: it refuses, or does not answer within *seconds*.
    """
    try:
        with (
            socket.create_connection(("127.0.0.1", cluster.port), timeout=seconds) as line,
            line.makefile("rw") as file,
        ):
            file.write(json.dumps({"token": cluster.token, **request}) + "\n")
            file.flush()
            answer: dict[str, Any] = json.loads(file.readline() or '{"refused": "its keeper has ended"}')
    except (OSError, ValueError) as error:
        answer = {"refused": f"its keeper does not answer: {error}"}
    if "refused" in answer:
        raise Misuse(f"lab: cluster {cluster.name}: {answer['refused']}")
    return answer


def take_down(home: Path, cluster: Named, told: Callable[[str], None], seconds: float = 60) -> None:
    """
    Order the keeper to end every process of a cluster, wait until all are gone, and remove its files.

    :raises Misuse: a process still lives after *seconds*.
    """
    if cluster.kept:
        try:
            ask(cluster, seconds, do="down")
        except Misuse as refused:
            told(f"{refused}; ending it by its process")
            os.kill(cluster.keeper, 9)  # its children end with it
    until = time.monotonic() + seconds
    while cluster.kept or cluster.running():
        if time.monotonic() > until:
            left = ", ".join(cluster.running()) or "its keeper"
            raise Misuse(f"lab: cluster {cluster.name}: still running after {seconds:.0f} s: {left}")
        time.sleep(0.05)
    forget(home, cluster.name)
