"""Short scenarios: a cluster that takes steps as a scenario file writes them."""

from typing import Any, Self

import pytest

from oneowner.checkers.scenarios.scenario import find_action
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import entry
from oneowner.model.channel.state import State
from oneowner.model.channel.topics import holds_ledger
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import actions, initial_states, step

DELIVERIES = ("append", "consume", "notify")


class Cluster:
    """One run of the model; a step that is not enabled fails the test with the guard that refused it."""

    def __init__(self, state: State) -> None:
        self.state = state

    def do(self, *steps: str) -> Self:
        """Take *steps* one after another."""
        for words in steps:
            try:
                self.state = step(self.state, find_action(self.state.bounds, words)).copy()  # a test may alter it
            except Disabled as disabled:
                pytest.fail(f"{words} is not enabled; it needs: {disabled.guard}")
        return self

    def guard(self, words: str) -> str:
        """Return the guard that refuses a step, or an empty string if it is enabled."""
        try:
            step(self.state, find_action(self.state.bounds, words))
        except Disabled as disabled:
            return disabled.guard
        return ""

    def deliver(self) -> Self:
        """Append and consume until nothing is under way (closes of topics excepted)."""
        moving = True
        while moving:
            moving = False
            for words in self._deliveries():
                if self.guard(words) == "":
                    self.do(words)
                    moving = True
        return self

    def _deliveries(self) -> list[str]:
        return [str(action) for action in actions(self.state.bounds) if action.name in DELIVERIES]

    @property
    def entry(self) -> str:
        """The channel's entry of unit 1."""
        return str(entry(self.state, 1))

    @property
    def views(self) -> list[str]:
        """Each broker's entry of unit 1."""
        return [str(self.state.view[broker, 1]) for broker in range(1, self.state.bounds.brokers + 1)]

    @property
    def log(self) -> list[str]:
        """The records of the window."""
        return [str(message.record) for message in self.state.log]

    @property
    def servers(self) -> list[int]:
        """The brokers that serve unit 1."""
        return [broker for broker in range(1, self.state.bounds.brokers + 1) if self.state.serving[broker, 1]]

    @property
    def writers(self) -> list[int]:
        """The brokers that serve unit 1 or have yet to close it."""
        return [broker for broker in range(1, self.state.bounds.brokers + 1) if holds_ledger(self.state, broker, 1)]

    def outbox(self, broker: int) -> list[str]:
        """The records that a broker has under way."""
        return [str(publish.record) for publish in self.state.outbox[broker]]

    def closing(self, broker: int) -> list[str]:
        """The records on whose behalf a broker closes topics."""
        return [str(message.record) for message in self.state.closing[broker]]


def start(**bounds: Any) -> Cluster:
    """Return a cluster in the initial state of some bounds."""
    return Cluster(initial_states(Bounds(**bounds))[0])
