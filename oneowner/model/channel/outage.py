"""
ZooKeeper goes down and comes back, and each broker draws conclusions from its session events.

While ZooKeeper is down nothing expires, registers or is elected. A broker that has lost its session, or thinks so,
is in *safe mode*: Unstable until the session is re-established, Jittery for 180 s after it, Stable then. Sources:
PIP-192 ("metadata store failure"), ``ZKSessionWatcher``, ``ServiceUnitStateChannelImpl.getMetadataState`` (v4.0.6),
channel.9, and the recordings (run.G2, run.G9). Timers are not modelled: what they end may end at any time.
"""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.invalidation import begin_filling, invalidate
from oneowner.model.channel.parts import Metadata, Run
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.session import ZOOKEEPER_UP, has_session
from oneowner.model.channel.sessions import read_caches_anew
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action, action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch

OUTAGES = Budget(
    "outages",
    "How many times ZooKeeper may go down; needs safe_mode",
    needs={"safe_mode": "they are modelled with safe_mode: 1 only"},
)

SESSION_EVENTS_SEEN = Switch(
    "Every thread sees the last session event; until #25132 one could see SessionLost for ever."
)

WATCH_SET_AGAIN = Switch(
    "A broker that reconnects after an outage sets its watch again and hears of its session; else never (run.G9).",
)


@action(budget=OUTAGES, fairness=never("a perturbation"))
def stop_zookeeper(state: State) -> None:
    """
    ZooKeeper cannot be reached by any broker.

    Enabled: ZooKeeper is up.
    Changes: it is down; brokers go on serving.
    Mirrors: a quorum that is lost.
    """
    require(state.outages_left > 0, "the budget allows another outage")
    require(not state.zookeeper_down, ZOOKEEPER_UP)
    state.outages_left = state.outages_left - 1
    state.zookeeper_down = True


@action(budget=OUTAGES, fairness=weak("an outage ends: what models.L9 and L14 presume"))
def start_zookeeper(state: State) -> None:
    """
    ZooKeeper is back, with the ephemeral nodes that it had.

    Enabled: ZooKeeper is down.
    Changes: it is up. Sessions of brokers that gave theirs up may end now (``expire``). A broker without a session is
    ``unreached`` until it has one.
    Mirrors: a quorum that is found again; sessions are timed anew.
    """
    require(state.zookeeper_down, "ZooKeeper is down")
    state.zookeeper_down = False
    for broker in brokers(state):
        state.unreached[broker] = state.run[broker] == Run.UP and not has_session(state, broker)


def ends_unawares(before: State, action: Action, after: State) -> bool:
    """Return whether the broker's session has ended in ZooKeeper."""
    return action.name == "lose_session" and before.session_ended[action.argument("broker")]


@action(
    broker=BROKER,
    when=lambda bounds: bounds.brokers_go and bounds.safe_mode,
    fairness=weak(
        "ZooKeeper tells a client that its session has ended; a client that only has no contact need not give it up",
        owed=ends_unawares,
    ),
)
def lose_session(state: State, broker: int) -> None:
    """
    *broker* hears that its session is lost, or gives it up after 5/6 of its time-out without contact.

    Enabled: the broker is up and not Unstable; ZooKeeper is down, or has ended the session.
    Changes: the broker is Unstable, and knows. In the metadata store its notifications are gone; of each unit of which
    its view holds something the view is nothing, the unit is ``listed``, and a close on behalf of *nothing* starts if
    it is served.
    Mirrors: ``ZKSessionWatcher.checkState``, ``ServiceUnitStateChannelImpl.handleMetadataSessionEvent``,
    ``MetadataStoreTableViewImpl.handleSessionEvent``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.metadata[broker] != Metadata.UNSTABLE, "the broker thinks that it has a session")
    require(state.zookeeper_down or state.session_ended[broker], "ZooKeeper is down, or has ended the session")
    state.metadata[broker] = Metadata.UNSTABLE
    state.session_ended[broker] = False
    invalidate(state, broker)


@action(
    broker=BROKER,
    when=lambda bounds: bounds.brokers_go and bounds.safe_mode,
    fairness=weak("the client of ZooKeeper connects again until it has a session"),
)
def reconnect(state: State, broker: int) -> None:
    """
    *broker* has a session again, an unbroken one or a new one: its caches of ZooKeeper are emptied, and read anew.

    No watch tells it of any node that changed meanwhile. It is not registered again by this, but since #24932 (after
    4.0.6) and until 3.3.1 (``registers_with_session``). Without ``watch_set_again`` that event never comes after an
    outage: it is delivered when the watch on all nodes is set in the new session, and a race of the client sets it in
    the old one (``ZKMetadataStore.receivedSessionEvent``, ``Failed to recreate persistent watch on ZooKeeper:
    SESSIONEXPIRED``; run.G9, #25910).

    Enabled: the broker is up and Unstable, ZooKeeper is up; without ``watch_set_again`` no outage has begun.
    Changes: the broker is Jittery; its registry cache says what the registry says, and its cache of the election who
    leads; in the metadata store it has to read every node of a unit (``filling``).
    Mirrors: ``AbstractMetadataStore.receivedSessionEvent``,
    ``ServiceUnitStateChannelImpl.handleMetadataSessionEvent``, ``MetadataStoreTableViewImpl.handleSessionEvent``.
    """
    if not state.bounds.rules.watch_set_again:
        require(state.outages_left == state.bounds.outages, "no outage has left the broker without its watch")
    require(state.bounds.rules.session_events_seen, "every thread sees the last session event")
    require(state.run[broker] == Run.UP, UP)
    require(state.metadata[broker] == Metadata.UNSTABLE, "the broker thinks that its session is lost")
    require(not state.zookeeper_down, ZOOKEEPER_UP)
    state.metadata[broker] = Metadata.JITTERY
    state.unreached[broker] = False
    read_caches_anew(state, broker)
    begin_filling(state, broker)


@action(
    broker=BROKER,
    when=lambda bounds: bounds.brokers_go and bounds.safe_mode,
    fairness=weak("a timer of 180 s"),
)
def settle(state: State, broker: int) -> None:
    """
    *broker* has had its session for 180 s: its safe mode ends.

    Enabled: the broker is up and Jittery.
    Changes: it is Stable.
    Mirrors: ``MAX_CLEAN_UP_DELAY_TIME_IN_SECS`` in ``ServiceUnitStateChannelImpl.getMetadataState``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.metadata[broker] == Metadata.JITTERY, "the broker's session was re-established not long ago")
    state.metadata[broker] = Metadata.STABLE
