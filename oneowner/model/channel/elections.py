"""
Elections go wrong here: a winner does not hear of its own, or two brokers depose each other.

Neither happens in 4.0.6: the switches ``hears_of_election`` and ``foreign_leader_kept`` bring them back. Where who
leads is read from a cache (bound ``leader_caches``), that cache is told of a change here. Sources:
``LeaderElectionImpl`` (v4.0.6, and its history), channel.10; bugs.R43, bugs.R46, bugs.R49.
"""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.parts import Run
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.session import HAS_SESSION, has_session
from oneowner.model.channel.sessions import elect
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Choice
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch

LEADER_CACHES = Choice(
    "leader_caches",
    "1: a broker reads who leads from a cache, which is told of changes later; 0: it knows",
    apart={"beliefs crashes shutdowns": "what is read is the role then"},
)

HEARS_OF_ELECTION = Switch(
    "A broker that has contact again looks who was elected (#23138); else it may lead and not know it (bugs.R43).",
)

FOREIGN_LEADER_KEPT = Switch(
    "A candidate leaves another broker's election node alone (#10457); else it deletes it (bugs.R49).",
)


@action(
    broker=BROKER,
    when=lambda bounds: bounds.sessions_end and bounds.beliefs and not bounds.rules.hears_of_election,
    fairness=never("a lost contact is a perturbation"),
)
def elect_unheard(state: State, broker: int) -> None:
    """
    *broker* becomes the leader, and takes itself for a follower.

    The election's node was created and deleted while the broker had no contact to ZooKeeper, so that the watch for its
    existence told nothing, and what the broker makes of its own election is old. Once it has contact again it does not
    look who was elected.

    Enabled: as ``elect``.
    Changes: as ``elect``, but the broker has not heard of it: until it is elected anew ``play_leader`` is not enabled.
    Mirrors: ``LeaderElectionImpl`` before #23138.
    """
    require(not state.bounds.rules.hears_of_election, "a broker that has contact again looks who was elected")
    elect(state, broker)
    state.unaware[broker] = True


@action(
    broker=BROKER,
    when=lambda bounds: bounds.sessions_end and not bounds.rules.foreign_leader_kept,
    fairness=never("an election that runs again is a perturbation"),
)
def depose(state: State, broker: int) -> None:
    """
    *broker*, whose election runs again, deletes the election's node of another broker and creates its own.

    Enabled: the broker is up, has a session, and runs for the lead because its session was lost or its own node
    deleted, and not because it shuts down; another broker is the leader.
    Changes: it is the leader, and the other one, whose node was deleted, runs for the lead.
    Mirrors: ``LeaderElectionImpl.elect`` before #10457, which did not ask whose node it found.
    """
    require(not state.bounds.rules.foreign_leader_kept, "an election's node may be deleted by another broker")
    require(state.run[broker] == Run.UP, UP)
    require(has_session(state, broker), HAS_SESSION)
    require(state.running_for_lead[broker], "the broker runs for the lead")
    require(state.leader != NOBODY, "there is a leader")
    require(state.leader != broker, "another broker leads")
    state.running_for_lead[broker] = False
    state.running_for_lead[state.leader] = True
    state.leader = broker


@action(
    broker=BROKER,
    when=lambda bounds: bounds.leader_caches,
    fairness=never("a cache is filled by the next read"),
)
def read_leader(state: State, broker: int) -> None:
    """
    The cache of *broker* takes over what the election's node says.

    A notice that the node is gone empties the cache at once in Pulsar; it is filled by the next read, up to 5 minutes
    later: both are this step.

    Enabled: the broker is up and its cache does not say who is the leader.
    Changes: the cache says so.
    Mirrors: ``LeaderElectionImpl.getLeaderValue`` on ``MetadataCacheImpl`` (until #26000).
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.leader_read[broker] != state.leader, "the broker's cache says something else of who leads")
    state.leader_read[broker] = state.leader
