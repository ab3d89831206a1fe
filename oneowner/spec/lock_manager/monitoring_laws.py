"""Laws of bundles that belong to one broker, and of the permits of lookups."""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, leads_to, step_law
from oneowner.model.lock_manager.permits import is_on
from oneowner.model.lock_manager.state import FIRST, NOBODY, Lookup, State, belongs_to, brokers, clients


def heartbeat_is_owned(state: State) -> bool:
    return state.bounds.monitored > 0 and not state.bounds.service_level and state.node[FIRST] != NOBODY


@always(
    "heartbeat-stays",
    "NamespaceService.getHeartbeatOrSLAMonitorBrokerId, registerBootstrapNamespaces",
    when=heartbeat_is_owned,
    kind=LawKind.PROTOCOL,
)
def its_broker_owns_it(state: State) -> bool:
    """Nobody but its broker owns the bundle of a heartbeat."""
    return state.node[FIRST] == state.bounds.monitored


def is_chosen(before: State, after: State, client: int) -> bool:
    """Return whether a broker that searches for *client* chooses itself, or redirects the client."""
    chooses_itself = after.stage[client] == Lookup.ACQUIRING
    return before.stage[client] == Lookup.SEARCHING and (chooses_itself or after.hops[client] > before.hops[client])


def its_choice_is_fixed(before: State, action: Action, after: State) -> bool:
    return belongs_to(before) != NOBODY and any(is_chosen(before, after, client) for client in clients(before))


@step_law(
    "sent-to-its-broker",
    "NamespaceService.searchForCandidateBroker, getHeartbeatOrSLAMonitorBrokerId",
    when=its_choice_is_fixed,
    kind=LawKind.PROTOCOL,
)
def it_is_sent_home(before: State, action: Action, after: State) -> bool:
    """
    Whoever chooses an owner for a bundle that belongs to a broker chooses that broker; what monitors a service level
    belongs to nobody while its broker is not registered.
    """
    return all(after.at[client] == belongs_to(before) for client in clients(before) if is_chosen(before, after, client))


def another_owns_it(state: State) -> bool:
    """Return whether another owns what belongs to a broker that is registered, and that has nothing more to claim."""
    home, owner = belongs_to(state), state.node[FIRST]
    return home != NOBODY and not state.to_claim[home] and owner != NOBODY and owner != home


@leads_to(
    "service-level-returns",
    "PulsarService.acquireSLANamespace",
    when=another_owns_it,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def no_other_owns_it(state: State) -> bool:
    """
    A bundle that belongs to a registered broker is not for ever another's.

    (It does not hold: only a start claims it. After the end of a session the broker registers again and leaves the
    bundle where lookups took it meanwhile.)
    """
    return not another_owns_it(state)


def permits_are_held(state: State) -> bool:
    return state.bounds.permits > 0 and any(is_on(state, client) for client in clients(state))


@always("permit-comes-back", "apache/pulsar#8273; ServerCnx.handleLookup", when=permits_are_held, kind=LawKind.PURPOSE)
def a_permit_can_come_back(state: State) -> bool:
    """
    Lookups that never end do not hold all permits of a broker: else it refuses every lookup until it is restarted.
    """
    return all(state.stuck[broker] < state.bounds.permits for broker in brokers(state))
