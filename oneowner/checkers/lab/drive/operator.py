"""Requests of operators and clients over HTTP: a namespace, topics, lookups, unloads, transfers, splits."""

import threading
import time
from collections.abc import Callable
from typing import Final

from oneowner.checkers.collect.admin import Admin, Answer
from oneowner.checkers.lab.cluster.cluster import NAME
from oneowner.checkers.lab.drive.namespace import TENANT, Names, bundle
from oneowner.checkers.lab.drive.real_event import Event, Kind
from oneowner.checkers.lab.gates.client import Gates
from oneowner.checkers.verdict import EngineError

PATIENCE: Final = 60.0
"""The timeout of a required answer, in seconds."""


class Operator:
    """Asks the brokers of *names* through *admin*."""

    def __init__(self, names: Names, admin: Admin) -> None:
        self.names, self.admin = names, admin
        self.asked: list[tuple[int, int, Callable[[], bool]]] = []
        """A request to a broker about a unit, and whether it is still unanswered."""

    def make_namespace(self, bundles: int) -> None:
        """Create the namespace, and its tenant if it does not exist."""
        host = self.names.broker(1)
        tenant, policies = {"adminRoles": [], "allowedClusters": [NAME]}, {"replication_clusters": [NAME]}
        self.call("PUT", host, f"/admin/v2/tenants/{TENANT}", tenant, or_there=True)
        many = {"numBundles": bundles}
        self.call("PUT", host, f"/admin/v2/namespaces/{self.names.namespace}", {**policies, "bundles": many})

    def load(self, broker: int, unit: int, client: str = "") -> None:
        """Order the owner of a unit to create its topic, or load it for a *client* that subscribes to it."""
        of = f"/subscription/{client}" if client else ""
        self.call("PUT", self.names.broker(broker), f"/admin/v2/{self.topic(unit)}{of}", or_there=True)

    def ask(self, action: str, event: Event) -> None:
        """Send a request to a broker, in a thread of its own: the answer comes after later steps."""
        host, part = self.names.broker(event.broker), self.names.parts[event.unit - 1]
        path = f"/admin/v2/namespaces/{self.names.namespace}/{bundle(part)}"
        if event.kind is Kind.LOOKUP:
            asked = "GET", f"http://{host}/lookup/v2/topic/{self.topic(event.unit)}"
        elif action == "split":
            asked = "PUT", f"http://{host}{path}/split?unload=false"
        else:
            to = f"?destinationBroker={self.names.broker(event.destination)}" if event.destination else ""
            asked = "PUT", f"http://{host}{path}/unload{to}"
        thread = threading.Thread(target=self.admin.ask, args=asked, kwargs={"wait": 300})
        thread.daemon = True
        thread.start()
        if event.kind is Kind.ADMIN:
            self.asked.append((event.broker, event.unit, thread.is_alive))

    def call_load_manager(self, action: str, event: Event, gate: Gates) -> None:
        """Order the load manager of a broker to unload, transfer, split or look up a bundle, whatever its owner."""
        to = self.names.broker(event.destination) if event.destination else ""
        number = gate.command(action, self.names.unit(event.unit), to)
        if action not in ("look_up", "open_lookup"):
            self.asked.append((event.broker, event.unit, lambda: not gate.has_ended(number)))

    def is_waiting(self, broker: int, unit: int) -> bool:
        """Return whether a request about a unit still waits at a broker."""
        return any(waits() for at, of, waits in self.asked if (at, of) == (broker, unit))

    def listed(self, broker: int) -> set[int]:
        """Return the units that a broker lists as its own."""
        host, units = self.names.broker(broker), range(1, len(self.names.parts) + 1)
        answer = self.admin.ask("GET", f"http://{host}/admin/v2/brokers/{NAME}/{host}/ownedNamespaces", wait=PATIENCE)
        return {unit for unit in units if self.names.unit(unit) in (answer.data() or ())}

    def topic(self, unit: int) -> str:
        """Return the topic of a unit in the form of paths."""
        return self.names.topic(unit).replace("://", "/")

    def call(self, method: str, host: str, path: str, body: object = None, or_there: bool = False) -> None:
        """
        Make an admin call, and repeat it until an answer; raise EngineError on a refusal, but not *or_there* already.
        """
        until, fine = time.monotonic() + PATIENCE, {200, 204, *([409] if or_there else [])}
        while (answer := self.answer_to(method, host, path, body)).status not in fine:
            if 0 < answer.status < 500 or time.monotonic() > until:
                raise EngineError(f"drive: {method} {path} is refused: {answer.status}, {answer.reason()}")
            time.sleep(0.5)

    def answer_to(self, method: str, host: str, path: str, body: object) -> Answer:
        """Return the answer to an admin call, and follow its redirects."""
        answer = self.admin.ask(method, f"http://{host}{path}", body, wait=PATIENCE)
        for _ in range(5):
            if answer.redirect is not None:
                answer = self.admin.ask(method, answer.redirect, body, wait=PATIENCE)
        return answer
