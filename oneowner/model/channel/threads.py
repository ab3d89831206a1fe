"""
The threads of a broker, with the actions that run on each and the event that it waits for, which disables them.

Roles, the monitor, clean-ups, registration by the monitor and rounds of shedding share one thread of the load manager
(``PulsarService.getLoadManagerExecutor``). A broker that is notified that its node is gone registers on other threads
(``BrokerRegistryImpl.registerAsyncWithRetries``, since #23359); the action ``register`` stands for both, and waits for
the thread all the same, which is too pessimistic of a broker that was notified. The channel is read by one thread of
the client. Lookups, commands, a graceful shutdown, closes of topics and the election itself run elsewhere. A leader
that cannot take its role for want of registration holds up the former thread as well (``leader.is_stuck``, run.G2).
"""

from enum import StrEnum
from typing import Final

from oneowner.model.channel.parts import Wait
from oneowner.model.channel.state import State
from oneowner.model.kernel.guards import require


class Thread(StrEnum):
    """A thread of a broker on which several things run, one after the other."""

    READER = "the thread that reads the channel"
    LOAD_MANAGER = "the load manager's thread"


RUNS_ON: Final = {
    Thread.READER: ("consume", "jump", "skip", "deadlock"),
    Thread.LOAD_MANAGER: (
        "override",
        "free_orphan",
        "free_refused",
        "monitor",
        "end_clean_up",
        "end_flight",
        "tombstone",
        "register",
        "play_role",
        "deadlock",
        "play_leader",
        "play_follower",
        "begin_shedding",
    ),
}
"""The actions that run on each thread, as ``require_reader`` and ``require_load_manager`` have it."""

READS = f"{Thread.READER} waits for nothing"
MANAGES = f"{Thread.LOAD_MANAGER} waits for nothing"


def require_reader(state: State, broker: int) -> None:
    """Require that the thread of *broker* that reads the channel waits for nothing."""
    require(not state.held_up[broker], READS)


def require_load_manager(state: State, broker: int) -> None:
    """Require that the one thread of the load manager of *broker* waits for nothing."""
    require(state.waits_for[broker] == Wait.NOTHING, MANAGES)


def require_load_data(state: State, broker: int) -> None:
    """Require that *broker* can read load data, as a selection of a broker does (``BrokerMaxTopicCountFilter``)."""
    require(state.waits_for[broker] != Wait.READER, "nobody holds the lock of the load data for ever")
