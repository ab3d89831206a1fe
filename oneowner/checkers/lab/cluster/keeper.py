"""
The process that keeps a cluster: the parent of all others, which starts them, answers requests, and ends them.

It reads the description of the cluster from a line of its standard input, and reports progress on its standard output,
a line of JSON each. Until it reads the word ``keep`` there, the end of that input ends it and all that it has started:
so an interrupted or killed parent leaves nothing behind.
"""

import json
import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.collect.admin import Admin
from oneowner.checkers.lab.cluster.cluster import LOAD_MANAGERS, NAME, VIEWS, Cluster
from oneowner.checkers.lab.cluster.named import Broker, Named, file_of, forget, write
from oneowner.checkers.lab.cluster.relay import Passage, Relay

KEEP: Final = "keep\n"
ASKED: Final = (f"/admin/v2/brokers/{NAME}", "/admin/v2/brokers/leaderBroker")
"""The registered brokers, and the leader, as seen by one broker."""


class Keeper:
    """Keep one cluster; *wanted* has the fields of `Wanted` of ``start.py``."""

    def __init__(self, wanted: dict[str, Any], told: Callable[[dict[str, Any]], None]) -> None:
        self.home, self.told = Path(wanted["home"]), told
        self.admin = Admin()
        self.listener = socket.create_server(("127.0.0.1", 0))
        settings = {**LOAD_MANAGERS[wanted["load_manager"]], **VIEWS[wanted["storage"]], **wanted["settings"]}
        folder = self.home / wanted["name"]
        self.cluster = Cluster(Path(wanted["pulsar"]), folder, wanted["brokers"], settings, **wanted["gates"])
        self.relays = [Relay(self.cluster.keeper_port) for _ in self.cluster.brokers]
        self.cluster.stores = [relay.port for relay in self.relays]
        self.named = Named(
            wanted["name"], wanted["release"], wanted["storage"], wanted["load_manager"], os.getpid(),
            int(self.listener.getsockname()[1]), secrets.token_hex(16), str(self.cluster.folder),
            time.time_ns() // 1_000_000, zookeeper=self.cluster.keeper_port,
            brokers=[
                Broker(self.cluster.ids[at], self.cluster.binary[at], self.relays[at].port, port)
                for at, port in enumerate(wanted["ports"] or [None] * wanted["brokers"])
            ],
        )  # fmt: skip

    def up(self, seconds: float) -> None:
        """Start all processes, and wait until the brokers see each other and one leads, *seconds* for each."""
        self.note()

        def told(words: str) -> None:
            self.note()
            self.told({"told": words})

        self.cluster.up(told, seconds)
        began = time.monotonic()
        while len(found := registered(self.admin, self.cluster.ids)) < len(self.cluster.brokers):
            if time.monotonic() - began > seconds:
                raise RuntimeError(f"brokers do not know of each other after {seconds:.0f} s: {found}")
            time.sleep(0.2)
        self.named = replace(self.named, is_up=True)
        self.note()

    def note(self) -> None:
        """Write the list of the present processes."""
        found = {one.name: one.running.pid for one in self.cluster.processes if one.running is not None}
        self.named = replace(self.named, processes=found)
        write(self.home, self.named)

    def serve(self) -> None:
        """Answer one request after another, until one asks for the end."""
        while True:
            line, _ = self.listener.accept()
            with line, line.makefile("rw") as file:
                line.settimeout(10)
                try:
                    answer = self.answer(json.loads(file.readline()))
                except (OSError, ValueError, KeyError, TypeError, RuntimeError, IndexError, AttributeError) as error:
                    answer = {"refused": f"{type(error).__name__}: {error}"}
                try:
                    file.write(json.dumps(answer) + "\n")
                    file.flush()
                except OSError:
                    continue  # the client has gone
            if answer.get("down"):
                return

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out a request; the thread that starts a process stays, for the process ends with it."""
        if not secrets.compare_digest(str(request["token"]), self.named.token):
            return {"refused": "another token"}
        if request["do"] == "down":
            self.end()
            return {"down": True}
        if request["do"] == "state":
            return {"paused": [one.name for one in self.cluster.processes if one.paused],
                    "relays": [relay.passage.value for relay in self.relays]}  # fmt: skip
        at = int(request["broker"]) - 1
        if not 0 <= at < len(self.relays):
            return {"refused": f"there is no broker {at + 1}; there are {len(self.relays)}"}
        if request["do"] == "relay":
            self.relays[at].turn(Passage(request["passage"]))
        elif request["do"] == "signal":
            self.cluster.brokers[at].signal(signal.Signals[request["signal"]])
        elif request["do"] == "start":
            self.cluster.brokers[at].kill()
            self.cluster.start_broker(at + 1)
            self.note()
        else:
            return {"refused": f"no such request: {request['do']}"}
        return {"done": True}

    def end(self) -> None:
        self.cluster.kill()
        for relay in self.relays:
            relay.close()


def registered(admin: Admin, brokers: Sequence[str]) -> list[str]:
    """Return the brokers that each of these lists; none while one of them does not answer, or sees no leader."""
    lists = []
    for broker in brokers:
        listed, leads = (admin.ask("GET", f"http://{broker}{path}", wait=5).data() for path in ASKED)
        lists.append(set(listed or ()) if leads else set())
    return sorted(set.intersection(*lists))


def end_with(lines: Any) -> None:
    """End this process, as by SIGTERM, when *lines* end, unless the next one orders it to stay."""
    if lines.readline() != KEEP:
        os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Keep a cluster until it is asked to end it, or SIGTERM comes."""
    wanted = json.loads(sys.stdin.readline())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    threading.Thread(target=end_with, args=(sys.stdin,), daemon=True).start()

    def told(what: dict[str, Any]) -> None:
        with suppress(OSError):  # its parent may be gone
            print(json.dumps(what), flush=True)

    keeper, failed = None, ""
    try:
        keeper = Keeper(wanted, told)
        keeper.up(wanted["seconds"])
        told({"up": True})
        keeper.serve()
    except (RuntimeError, OSError) as error:
        failed = " ".join(str(error).split())
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if keeper is not None:
            keeper.end()
        if failed:  # logs stay: the message names one
            file_of(Path(wanted["home"]), wanted["name"]).unlink(missing_ok=True)
            told({"failed": failed})
        else:
            forget(Path(wanted["home"]), wanted["name"])


if __name__ == "__main__":
    main()
