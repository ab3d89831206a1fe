"""``has_session`` says whether a broker can read and write ZooKeeper: what every step that does so needs."""

from __future__ import annotations

from oneowner.model.channel.parts import Metadata
from oneowner.model.channel.state import State

ZOOKEEPER_UP = "ZooKeeper is up"
HAS_SESSION = "the broker has a session, for all it and ZooKeeper know"


def has_session(state: State, broker: int) -> bool:
    """Return whether ZooKeeper and *broker* both can use a session of it."""
    if state.zookeeper_down or state.session_ended[broker]:
        return False
    return state.metadata[broker] != Metadata.UNSTABLE
