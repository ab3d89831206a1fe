"""
The leader's role is played by the broker that was elected, as soon as it hears of it.

The election node in ZooKeeper is the truth (``leader``). A broker takes the role, or gives it up, when it hears of
it, and on a thread that may be busy; until then two brokers can play the leader, or none. With the bound ``beliefs``
at 0 truth and role are one. Sources: ``ExtensibleLoadManagerImpl.playLeader`` and ``playFollower`` (v4.0.6),
channel.10, run.G2, run.G3.
"""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.load_topics import close_load_topic, open_load_topic
from oneowner.model.channel.parts import Node, Run, Stage
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.session import HAS_SESSION, has_session
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.channel.threads import require_load_manager
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Choice
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, before, since

BELIEFS = Choice("beliefs", "1: who leads and who plays the leader are two things; 0: they are one")

LEADER_READ_FROM_CACHE = Switch(
    "The leader is read from a cache of the election's node (until #26000); where that cache is modelled.",
    turned=(since("4.0.12", "4.2.3", "5.0.0"),),
    source="apache/pulsar#26000: LeaderElectionImpl keeps the leader's value itself",
)

FOLLOWER_CLOSES_TOPICS = Switch(
    "A broker that no longer leads closes the topics of load data (#23144); else those who report there stay.",
    turned=(before("3.0.7", "3.3.2"),),
    source="apache/pulsar#23144: playFollower calls closeInternalTopics",
)

FOLLOWER_OPENS_TOPICS = Switch(
    "A broker that no longer leads looks for the topics of load data at the elected one, in a loop (since #21764).",
    turned=(before("3.0.3", "3.1.3", "3.2.0"),),
    source="apache/pulsar#21764: playFollower calls brokerLoadDataStore.init; before, it closed a table view alone",
)

RUNNING = "the broker does not shut down, which ends every change of role"
IN_VAIN = "the broker does not try to change its role in vain"


def leads(state: State, broker: int) -> bool:
    if state.bounds.beliefs:
        return state.believes[broker]
    if state.bounds.leader_caches and state.bounds.rules.leader_read_from_cache:
        return state.leader_read[broker] == broker
    return state.leader == broker


def give_out_roles(state: State) -> None:
    """Have every broker that is up play the role that the election gave it, be it the one that it has."""
    if state.bounds.role_races:
        for broker in brokers(state):
            if state.run[broker] == Run.UP:
                state.role_due[broker] = True


@action(
    broker=BROKER,
    when=lambda bounds: bounds.role_races,
    fairness=never("nothing waits for it where truth and role are one"),
)
def play_role(state: State, broker: int) -> None:
    """
    *broker* has played the role that the last election gave it.

    Where truth and role are one this only ends the moment in which the topics of load data are opened anew.

    Enabled: the broker is up, has a role to play, and its load manager's thread waits for nothing.
    Changes: it has none to play.
    Mirrors: ``ExtensibleLoadManagerImpl.playLeader``, ``playFollower``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.role_due[broker], "the broker has a role to play")
    require_load_manager(state, broker)
    state.role_due[broker] = False


def is_stuck(state: State, broker: int) -> bool:
    """
    Return whether *broker* tries in vain to take the leader's role or to give it up: the elected one is not registered.

    Either needs internal topics, whose look-up refuses a broker that is not registered; it is retried without end on
    the one thread on which the broker would be registered again (run.G2; in the recording, at both). A follower opens
    such topics since #21764 (``follower_opens_topics``). One that shuts down leaves the loop. That a follower begins
    its own role anew at each election, and waits likewise, is not modelled.
    """
    if not state.bounds.beliefs or state.leader == NOBODY or state.stage[broker] != Stage.RUNNING:
        return False
    if state.leader == broker:
        return not state.believes[broker] and state.node[broker] == Node.ABSENT
    has_to_follow = state.believes[broker] and state.bounds.rules.follower_opens_topics
    return has_to_follow and state.node[state.leader] == Node.ABSENT


def require_manager_free(state: State, broker: int) -> None:
    """
    Require that the one thread of the load manager of *broker* waits for nothing, a change of role included.

    Whatever else runs there comes after the change, in the order of that executor's queue.
    """
    require_load_manager(state, broker)
    require(not is_stuck(state, broker), IN_VAIN)


@action(
    broker=BROKER,
    when=lambda bounds: bounds.brokers_go and bounds.beliefs,
    fairness=weak("the role is taken in a loop, and monitor repairs a role that is not the one"),
)
def play_leader(state: State, broker: int) -> None:
    """
    *broker*, which was elected, takes the leader's role.

    The internal topics that the role needs are only found at a registered broker, and where the channel's host is
    modelled they have moved there (run.G3: until then taking the role hangs).

    Enabled: the broker is up and running, the leader, has heard of it, does not play it, and has a node; its load
    manager's thread waits for nothing; with ``channel_host`` it is the host.
    Changes: it plays the leader, and the topic of load data is open there.
    Mirrors: ``ExtensibleLoadManagerImpl.playLeader``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.stage[broker] == Stage.RUNNING, RUNNING)
    require_load_manager(state, broker)
    require(state.leader == broker, "the broker was elected")
    require(not state.believes[broker], "the broker does not play the leader yet")
    require(not state.unaware[broker], "the broker has heard that it was elected")
    require(state.node[broker] != Node.ABSENT, "the broker is registered")
    if state.bounds.channel_host:
        require(state.host == broker, "the internal topics lie at the broker")
    state.believes[broker] = True
    open_load_topic(state, broker)


@action(
    broker=BROKER,
    when=lambda bounds: bounds.brokers_go and bounds.beliefs,
    fairness=weak("the role is given up in the same loop"),
)
def play_follower(state: State, broker: int) -> None:
    """
    *broker*, which leads no longer, gives the role up: another one leads.

    While nobody leads, no broker is told to follow: one with a new session runs for the lead again, and its listener
    hears only of another outcome than the last one (``LeaderElectionImpl.handleSessionNotification``, ``changeState``);
    the monitor, which mends a role, fails with ``There is no channel owner now``, or has the election run first. So it
    is in every release that was read, from 3.0.0 to 5.0.1. An election that fails, which has a broker follow too, is
    not modelled.

    A broker whose session has ended hears of no election: until it has a new one it reads its old leader, itself.

    Enabled: the broker is up and running, plays the leader, and has a session; another one is the leader, which, with
    ``follower_opens_topics``, has a node, so that the topics of load data are found there; its load manager's thread
    waits for nothing.
    Changes: it does not play it, and the topic of load data is closed there: who reported there reports to nobody (not
    without ``follower_closes_topics``). Clean-ups that it has scheduled stay scheduled.
    Mirrors: ``ExtensibleLoadManagerImpl.playFollower``, ``monitor``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.stage[broker] == Stage.RUNNING, RUNNING)
    require_load_manager(state, broker)
    require(state.believes[broker], "the broker plays the leader")
    require(state.leader != broker, "the broker is not the elected one")
    require(state.leader != NOBODY, "another broker was elected")
    require(has_session(state, broker), HAS_SESSION)
    require(not is_stuck(state, broker), "the elected broker is registered")
    state.believes[broker] = False
    if state.bounds.rules.follower_closes_topics:
        close_load_topic(state, broker)
