"""Laws of liveness require that safe mode ends, that some broker comes to play the leader, and no second one."""

from oneowner.model.channel.parts import Metadata, Node, Run
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import LawKind, LivenessLaw, Status, eventually_always, leads_to
from oneowner.spec.channel.liveness import living, the_leader_is_stuck
from oneowner.spec.channel.sessions import at_most_one_plays_the_leader, believers

# ---- models.L9 ----


def some_broker_is_in_safe_mode(state: State) -> bool:
    return any(state.run[broker] == Run.UP and state.metadata[broker] != Metadata.STABLE for broker in brokers(state))


@leads_to(
    "safe-mode-ends",
    "ServiceUnitStateChannelImpl.getMetadataState; apache/pulsar#25132",
    when=some_broker_is_in_safe_mode,
    kind=LawKind.PROTOCOL,
)
def no_broker_is_in_safe_mode(state: State) -> bool:
    """Safe mode ends: a broker whose session was lost becomes Stable."""
    return not some_broker_is_in_safe_mode(state)


# ---- models.L7, the role ----


def the_role_is_vacant(state: State) -> bool:
    return state.bounds.beliefs > 0 and living(state) > 0 and not the_elected_plays(state)


@leads_to(
    "leader-plays",
    "ExtensibleLoadManagerImpl.playLeader; apache/pulsar#24932; seen in traces/real/zk-partition-livelock",  # run.G2
    when=the_role_is_vacant,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def the_elected_plays(state: State) -> bool:
    """
    When no elected broker plays the leader, one does in the end.

    (In 4.0.6 a broker that is not registered can win the election; it can neither take the role nor register, and keeps
    the lead for ever.)
    """
    if state.leader == NOBODY:
        return False
    return state.believes[state.leader]


# ---- models.S37, its window ----


def two_play_the_leader(state: State) -> bool:
    return believers(state) > 1


ONE_BELIEVER_AGAIN = LivenessLaw(
    "one-believer-again",
    "When two brokers play the leader, all but one come to give the role up.",
    "ExtensibleLoadManagerImpl.playFollower",
    when=two_play_the_leader,
    good=at_most_one_plays_the_leader,
    kind=LawKind.PROTOCOL,
)

# ---- models.L7, models.S37: roles and the election come to agree ----


@eventually_always(
    "roles-settle",
    "ExtensibleLoadManagerImpl.playLeader, playFollower; apache/pulsar#23138, #10457, #10522",  # bugs.L4, bugs.L8
    kind=LawKind.PROTOCOL,
)
def roles_agree(state: State) -> bool:
    """
    In the end, and from then on, the elected broker plays the leader and nobody else does, unless no broker lives or
    the elected one cannot take the role (leader-plays).
    """
    if state.bounds.beliefs == 0 or living(state) == 0 or the_leader_is_stuck(state):
        return True
    return the_elected_plays(state) and at_most_one_plays_the_leader(state)


# ---- models.S31, bugs.R59 ----


def some_registry_cache_is_old(state: State) -> bool:
    return any(
        state.run[observer] == Run.UP and state.known[observer, broker] != (state.node[broker] != Node.ABSENT)
        for observer in brokers(state)
        for broker in brokers(state)
    )


@leads_to(
    "registry-caches-converge",
    "MetadataCacheImpl, AbstractMetadataStore; apache/pulsar#11202, #14177, #14283",  # bugs.L5, bugs.S7
    when=some_registry_cache_is_old,
    kind=LawKind.PROTOCOL,
)
def every_registry_cache_is_current(state: State) -> bool:
    """When a living broker's registry cache differs from the registry, all caches agree with it in the end."""
    return not some_registry_cache_is_old(state)


# ---- bugs.R48 ----


@eventually_always(
    "load-data-reaches-leader",
    "ExtensibleLoadManagerImpl.playFollower; apache/pulsar#21764, #23144",  # bugs.S8, bugs.L1
    kind=LawKind.PROTOCOL,
)
def load_data_reaches_the_leader(state: State) -> bool:
    """
    In the end, and from then on, every living broker reports its load to the elected leader, unless that one cannot
    take its role (leader-plays).
    """
    if state.bounds.load_topics == 0 or living(state) == 0 or the_leader_is_stuck(state):
        return True
    return all(
        state.leader != NOBODY and state.reports_to[broker] == state.leader
        for broker in brokers(state)
        if state.run[broker] == Run.UP
    )
