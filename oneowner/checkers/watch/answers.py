"""Queries to the brokers of a watched cluster: lookups, and each broker's own list of bundles."""

import threading
from pathlib import Path
from typing import Final

from oneowner.checkers.collect import cluster_facts
from oneowner.checkers.collect.admin import Admin
from oneowner.checkers.collect.watcher import Line, Watcher
from oneowner.checkers.watch.clusters import Cluster

NEWCOMERS: Final = 10.0
"""Seconds between two searches for new brokers."""


class AnswerCollector(Watcher):
    """Queries the brokers of a cluster, as a recording does, and holds the answers until they are fetched."""

    def __init__(self, cluster: Cluster, lookup_every: float, poll_every: float, rate: float) -> None:
        """
        List the brokers and begin; intervals are in seconds, *rate* is in requests a second.

        :raises Misuse: no broker answers, or the role lacks the permission.
        """
        admin, address = Admin(cluster.who, rate), cluster.admin_url
        name = cluster_facts.cluster_name(admin, address, None)
        brokers = cluster_facts.brokers(admin, address, name)
        super().__init__(
            brokers, cluster.topics, Path(), name, admin, lambda broker: cluster_facts.address_of(broker, address)
        )
        self._times, self._address = (lookup_every, poll_every), address
        self._answers: list[tuple[str, Line]] = []
        self._answers_lock = threading.Lock()
        self.start(lookup_every, poll_every)
        self._begin(self._look_for_newcomers, NEWCOMERS)

    def _look_for_newcomers(self) -> None:
        for broker in cluster_facts.newcomers(self.admin, self._address, self.cluster, self.brokers):
            self.brokers = [*self.brokers, broker]
            self.watch(broker, *self._times)

    def write(self, name: str, line: Line) -> Line:
        """Hold an answer."""
        with self._answers_lock:
            self._answers.append((name, line))
        return line

    def fetch(self) -> list[tuple[str, Line]]:
        """Return the answers since the last call."""
        with self._answers_lock:
            answers, self._answers = self._answers, []
        return answers
