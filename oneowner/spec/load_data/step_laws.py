"""
Laws of steps: when brokers report load data and remove that of brokers that have gone, and each step's changes.

The laws of ``laws.py`` judge the final outcome. They see a missing step only if it is never made up for. These restate
the model's behaviour from another side, and call none of its steps.
"""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.enabled import Rule, enabled_law, exactly
from oneowner.model.kernel.law import LawKind, Status, step_law
from oneowner.model.load_data.bounds import Bounds
from oneowner.model.load_data.state import NOBODY, CleanUp, Report, State, brokers

# ---- when a broker may go on ----


def is_there(state: State, broker: int) -> bool:
    return state.up[broker] and state.registered[broker]


def is_missed(state: State, broker: int) -> bool:
    return any(state.up[other] and state.view[other, broker] != Report.FRESH for other in brokers(state))


def has_to_report(state: State, broker: int) -> bool:
    return may_report(state, broker) and not state.leaving[broker]


def may_report(state: State, broker: int) -> bool:
    return is_there(state, broker) and is_missed(state, broker)


def grows_old(state: State, broker: int) -> bool:
    is_read = any(state.up[other] and state.view[other, broker] == Report.FRESH for other in brokers(state))
    return is_read and not state.up[broker]


def has_a_role(state: State, broker: int) -> bool:
    return state.up[broker] and state.role_due[broker]


def may_crash(state: State, broker: int) -> bool:
    return state.up[broker] and state.crashes_left > 0


def its_session_ends(state: State, broker: int) -> bool:
    return state.registered[broker] and not state.up[broker]


def may_be_stopped(state: State, broker: int) -> bool:
    return is_there(state, broker) and not state.leaving[broker] and state.shutdowns_left > 0


def leaves(state: State, broker: int) -> bool:
    return state.up[broker] and state.leaving[broker]


def may_lead(state: State, broker: int) -> bool:
    return state.leader == NOBODY and is_there(state, broker)


def has_to_hear(state: State, observer: int, broker: int) -> bool:
    return state.told[observer, broker]


def finds(state: State, observer: int, broker: int) -> bool:
    plays = state.up[observer] and state.leader == observer and not state.role_due[observer]
    is_gone = state.owns[broker] and not state.registered[broker]
    return plays and is_gone and state.cleaning[observer, broker] == CleanUp.NONE


def gives(state: State, observer: int, broker: int) -> bool:
    return state.cleaning[observer, broker] == CleanUp.BEGUN


def deletes(state: State, observer: int, broker: int) -> bool:
    return state.cleaning[observer, broker] == CleanUp.UNITS_GIVEN


def deletes_and_loses(state: State, observer: int, broker: int, deaf: int) -> bool:
    return deletes(state, observer, broker) and state.up[deaf] and state.losses_left > 0


def in_any_bounds(bounds: Bounds) -> bool:
    return True


BROKERS_GO_ON = enabled_law(
    "brokers-go-on",
    "A broker that lives and is registered reports while somebody lacks a fresh report of it; only what a dead one has"
    " reported grows old. Who is registered leads, if nobody does; its monitor finds those that own units and are not"
    " registered. A clean-up gives the units away, and deletes the report after that.",
    "BrokerLoadDataReporter.reportAsync; ServiceUnitStateChannelImpl.monitorOwnerships, doCleanup",
    Rule("report", has_to_report, may_report),
    exactly("grow_old", grows_old),
    exactly("play_role", has_a_role),
    exactly("crash", may_crash),
    exactly("expire_session", its_session_ends),
    exactly("begin_shutdown", may_be_stopped),
    exactly("leave", leaves),
    exactly("elect", may_lead),
    exactly("hear", has_to_hear),
    exactly("monitor", finds),
    exactly("give_units", gives),
    exactly("delete_report", deletes),
    exactly("lose_deletion", deletes_and_loses),
    where=in_any_bounds,
)


# ---- what a step changes ----


def a_broker_goes_on(before: State, action: Action, after: State) -> bool:
    of_reports = action.name == "report" or action.name == "grow_old" or action.name == "play_role"
    return of_reports or action.name == "expire_session" or action.name == "leave" or action.name == "elect"


@step_law(
    "change-is-known",
    "TableViewLoadDataStoreImpl.pushAsync; BrokerRegistryImpl.unregister; ExtensibleLoadManagerImpl.start",
    when=a_broker_goes_on,
    kind=LawKind.MIRROR,
)
def it_is_known(before: State, action: Action, after: State) -> bool:
    """
    All that live read a report, hear of who has left, and have a role to play after an election. Who has left is not
    registered and does not lead.
    """
    broker = action.argument("broker")
    if action.name == "report":
        return all(after.view[other, broker] == Report.FRESH for other in brokers(after) if after.up[other])
    if action.name == "grow_old":
        return all(after.view[other, broker] != Report.FRESH for other in brokers(after))
    if action.name == "play_role":
        return not after.role_due[broker] and after.leader == before.leader
    if action.name == "elect":
        have_roles = all(after.role_due[other] == after.up[other] for other in brokers(after))
        return after.leader == broker and have_roles
    is_out = not after.registered[broker] and not after.up[broker]
    leader = NOBODY if before.leader == broker else before.leader
    hear = all(after.told[other, broker] == after.up[other] for other in brokers(after))
    return is_out and after.leader == leader and hear


def a_clean_up_goes_on(before: State, action: Action, after: State) -> bool:
    ends = action.name == "delete_report" or action.name == "lose_deletion"
    return ends or action.name == "hear" or action.name == "monitor" or action.name == "give_units"


@step_law(
    "clean-up-goes-on",
    "ServiceUnitStateChannelImpl.handleBrokerDeletionEvent, doCleanup; TableViewLoadDataStoreImpl.removeAsync",
    when=a_clean_up_goes_on,
    kind=LawKind.MIRROR,
)
def it_is_a_step_further(before: State, action: Action, after: State) -> bool:
    """
    Who leads begins a clean-up when it hears that a broker is gone, and who does not, does not. With it the broker
    loses its units, then its report in all views, but for one that the message does not reach.
    """
    observer, broker = action.argument("observer"), action.argument("broker")
    stage, owns = before.cleaning[observer, broker], before.owns[broker]
    if action.name == "hear":
        begun = CleanUp.BEGUN if before.leader == observer else stage
        return not after.told[observer, broker] and after.cleaning[observer, broker] == begun
    if action.name == "monitor":
        return after.cleaning[observer, broker] == CleanUp.BEGUN and after.owns[broker] == owns
    if action.name == "give_units":
        return after.cleaning[observer, broker] == CleanUp.UNITS_GIVEN and not after.owns[broker]
    kept = 0
    for other in brokers(after):
        kept = kept + (1 if after.up[other] and after.view[other, broker] != Report.NONE else 0)
    is_over = after.cleaning[observer, broker] == CleanUp.NONE
    return is_over and kept <= (1 if action.name == "lose_deletion" else 0)


def somebody_leaves(before: State, action: Action, after: State) -> bool:
    return action.name == "begin_shutdown" or (action.name == "report" and before.leaving[action.argument("broker")])


@step_law(
    "who-shuts-down-leaves-nothing",
    "ServiceUnitStateChannelImpl.cleanOwnerships; BrokerLoadDataReporter (#23349)",
    when=somebody_leaves,
    status=Status.GUARDED,
    kind=LawKind.MIRROR,
)
def it_leaves_nothing(before: State, action: Action, after: State) -> bool:
    """
    Who begins to shut down owns no unit from then on, and no view has a report of it; in 3.0.0 it does not clean up
    behind itself, and until #23349 it reports on.
    """
    broker = action.argument("broker")
    unread = all(after.view[other, broker] == Report.NONE for other in brokers(after) if after.up[other])
    return after.leaving[broker] and not after.owns[broker] and unread


def a_role_is_played(before: State, action: Action, after: State) -> bool:
    return action.name == "play_role"


@step_law(
    "role-reads-anew",
    "apache/pulsar#21764; TableViewLoadDataStoreImpl.init",
    when=a_role_is_played,
    status=Status.GUARDED,
    kind=LawKind.MIRROR,
)
def it_reads_anew(before: State, action: Action, after: State) -> bool:
    """A broker with a role has no report until others report anew, since the topic keeps nothing; from #21764 on."""
    return all(after.view[action.argument("broker"), other] == Report.NONE for other in brokers(after))
