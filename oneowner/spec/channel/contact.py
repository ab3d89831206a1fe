"""Laws of contact forbid a broker without a session to open topics, register or be elected."""

from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, StepLaw
from oneowner.spec.channel.brokers import keeps_a_session


def a_session_may_be_lost(state: State) -> bool:
    return state.bounds.live_sessions_end or state.bounds.outages > 0


def its_broker_keeps_a_session(before: State, action: Action, after: State) -> bool:
    return keeps_a_session(before, action.argument("broker"))


# ---- an assumption about topics ----


def opens_topics(before: State, action: Action, after: State) -> bool:
    return action.name == "open" and a_session_may_be_lost(before)


OPENS_IN_CONTACT = StepLaw(
    "opens-in-contact",
    "No broker opens topics while its session is lost or ZooKeeper is down: their ledgers are listed there. (What the"
    " model assumes of Pulsar; of persistent topics.)",
    "PIP-192, Failure Recovery (assumed); BrokerService.getTopic, ManagedLedgerFactoryImpl",
    when=opens_topics,
    holds=its_broker_keeps_a_session,
    kind=LawKind.MIRROR,
)


# ---- ephemeral nodes ----


def makes_an_ephemeral_node(before: State, action: Action, after: State) -> bool:
    return (action.name == "register" or action.name == "elect") and a_session_may_be_lost(before)


WRITES_IN_CONTACT = StepLaw(
    "writes-in-contact",
    "A broker registers, and is elected, with a session that both it and ZooKeeper take for alive.",
    "BrokerRegistryImpl.registerAsync, LeaderElectionImpl.elect",
    when=makes_an_ephemeral_node,
    holds=its_broker_keeps_a_session,
    kind=LawKind.PROTOCOL,
)
