"""``has_session`` says whether a broker can read and write ZooKeeper: what every step that does so needs."""

from oneowner.model.channel.parts import Metadata
from oneowner.model.channel.state import State
from oneowner.model.kernel.releases import Switch, before, since

RE_REGISTRATION = Switch(
    "A living broker whose registration is gone registers again (#23359).",
    turned=(since("3.3.2", until="3.3.3"),),
    source="apache/pulsar#23298 gave up the lock that renews itself, #23359 registers again: 3.3.2 alone lies between",
)

RE_ELECTION = Switch("When the leader's node vanishes, brokers run for the lead again (#23516).")

UNREGISTERED_MAY_LEAD = Switch(
    "A broker that is not registered may win the election (4.0.6: run.G2); where roles are modelled.",
)

EPHEMERAL_REGISTRATION = Switch(
    "A broker's registration goes with its session; until #23984 it was a persistent node.",
    turned=(since("3.3.2", until=("3.3.5", "4.0.3")),),
    source="apache/pulsar#23984: ZKMetadataStore.internalStorePut dropped the options of an unversioned put (#23298)",
)

REGISTERS_WITH_SESSION = Switch(
    "A broker whose session is re-established registers in it at once (since #24932); before, when it next looks.",
    turned=(before("3.3.2"), since("4.0.8", "4.1.2", "4.2.0", "5.0.0")),
    source="apache/pulsar#24932: BrokerRegistryImpl.handleMetadataSessionEvent; until #23298 a lock renewed itself",
)

CHILDREN_MISS_CACHED = Switch("A cached list of children is not looked at again when a node is created (#14177).")

CHANNEL_FOLLOWS_ELECTION = Switch(
    "The channel's topic moves with the election, whatever the former leader does (repair of run.G3).",
)

ZOOKEEPER_UP = "ZooKeeper is up"
HAS_SESSION = "the broker has a session, for all it and ZooKeeper know"


def has_session(state: State, broker: int) -> bool:
    """Return whether ZooKeeper and *broker* both can use a session of it."""
    if state.zookeeper_down or state.session_ended[broker]:
        return False
    return state.metadata[broker] != Metadata.UNSTABLE
