"""
A process stands still and goes on, and the channel's topic moves meanwhile.

A broker that is stopped (SIGSTOP), or collects garbage for long, does nothing at all, but its TCP connections stay up:
clients hang on it, and so does whoever publishes into a topic that it hosts. ZooKeeper ends its session
(``sessions.expire``) and others take its units. When it goes on it knows nothing of that: its view, its caches and what
it was about to publish are as they were. Sources: run.G1 (``zombie``), run.G3 (``leader-hang``), channel.10.
"""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.sessions import end_process
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget, Choice
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch

PAUSES = Budget(
    "pauses",
    "How many times a broker's process may stand still; its session may expire meanwhile",
    clashes={"in_store": "what a lost session does to a view there is not modelled yet"},
)

CHANNEL_HOST = Choice(
    "channel_host",
    "1: the channel's topic lies at one broker, and publishes wait while that one stands still; 0: anywhere",
    apart={"crashes shutdowns compactions": "the leader is the host there"},
    clashes={"in_store": "only a topic has a host"},
)

CHANNEL_LOSSES = Budget(
    "channel_losses",
    "How often the channel's topic may be closed at its host by a change of roles; needs channel_host",
    needs={"channel_host": "without channel_host it lies anywhere"},
)

KEEP_ALIVE = Switch(
    "A connection to a broker that does not answer is closed after twice ``keepAliveIntervalSeconds`` (run.G3).",
)

CHANNEL_SERVED_AGAIN = Switch(
    "The leader's monitor opens the channel's topic where nobody serves it; no release does (#25976, #25977).",
)

LONG_PAUSE_ENDS_PROCESS = Switch(
    "A process that stood still for longer than its session time-out ends by its own clock (repair of run.G1).",
)


@action(broker=BROKER, budget=PAUSES, fairness=never("a perturbation"))
def pause(state: State, broker: int) -> None:
    """
    The process of *broker* stands still.

    Enabled: the broker is up.
    Changes: it is paused: it takes no step, but keeps its view, cursor, outbox and what it serves. What it has handed
    to its producer may arrive.
    Mirrors: SIGSTOP, a pause of the JVM.
    """
    require(state.pauses_left > 0, "the budget allows another pause")
    require(state.run[broker] == Run.UP, UP)
    state.pauses_left = state.pauses_left - 1
    state.run[broker] = Run.PAUSED


@action(
    broker=BROKER,
    budget=PAUSES,
    fairness=never("a process may stand still for ever; the cluster must heal without it"),
)
def resume(state: State, broker: int) -> None:
    """
    The process of *broker* goes on.

    It acts again on what it knew before; that its session has ended it finds out by ``reestablish``, what the
    channel holds by ``consume``.

    Enabled: the broker is paused.
    Changes: it is up. With the repair ``long_pause_ends_process``, which no release has, one without node ends: by its
    own clock it stood still for longer than its session time-out.
    Mirrors: SIGCONT.
    """
    require(state.run[broker] == Run.PAUSED, "the broker's process stands still")
    state.run[broker] = Run.UP
    if state.bounds.rules.long_pause_ends_process and state.node[broker] == Node.ABSENT:
        end_process(state, broker)


@action(
    broker=BROKER,
    when=lambda bounds: bounds.channel_host,
    fairness=weak("the keep-alive closes connections, and clients look the topic up again"),
)
def move_channel(state: State, broker: int) -> None:
    """
    The elected *broker* comes to host the channel's topic, and everybody is connected to it there.

    The topic is an internal one, owned by the leader. Whoever is connected to the former host looks the topic up again
    once that connection is closed: by a former leader that gives its role up, or else by the keep-alive, after twice 30
    s without an answer. How long that takes is left open.

    Enabled: the broker is up, the leader, and not the host; without ``keep_alive`` the former host is not paused.
    Changes: it is the host, and the topic is open.
    Mirrors: ``PulsarHandler.handleKeepAliveTimeout``, ``ExtensibleLoadManagerImpl.playFollower``
    (``closeInternalTopics``), ``assign`` (``isInternalTopic``), ``BrokerService.getTopic``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.leader == broker, "the broker was elected")
    require(state.host != broker, "another broker hosts the channel's topic")
    if state.run[state.host] == Run.PAUSED:
        require(state.bounds.rules.keep_alive, "a connection without an answer is closed")
    state.host = broker
    state.channel_closed = False


@action(budget=CHANNEL_LOSSES, fairness=never("a perturbation"))
def lose_channel(state: State) -> None:
    """
    A change of roles leaves the channel's topic closed at the broker that owns it.

    Enabled: the host is up, and the topic is open there.
    Changes: the topic is closed there (``channel_closed``): nothing is appended. The host stays the host.
    Mirrors: ``ExtensibleLoadManagerImpl.closeInternalTopics`` amid elections that follow each other (#25976, #25977:
    seen in tests).
    """
    require(state.channel_losses_left > 0, "the budget allows another loss of the channel's topic")
    require(not state.channel_closed, "the channel's topic is open")
    require(state.run[state.host] == Run.UP, "the host is up")
    state.channel_losses_left = state.channel_losses_left - 1
    state.channel_closed = True


@action(
    broker=BROKER,
    when=lambda bounds: bounds.channel_losses and bounds.rules.channel_served_again,
    fairness=weak("a monitor that runs every 120 s"),
)
def serve_channel(state: State, broker: int) -> None:
    """
    The monitor of the elected *broker*, which hosts the channel, finds its topic closed and opens it.

    No release does that: ``monitor`` compares roles, and a channel without owner starts an election anew.

    Enabled: the broker is up, the leader and the host, and the topic is closed.
    Changes: the topic is open.
    Mirrors: what tests do since #25976.
    """
    require(state.bounds.rules.channel_served_again, "the monitor opens a topic that is not served")
    require(state.run[broker] == Run.UP, UP)
    require(state.leader == broker, "the broker was elected")
    require(state.host == broker, "the broker hosts the channel's topic")
    require(state.channel_closed, "the channel's topic is closed")
    state.channel_closed = False
