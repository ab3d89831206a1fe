"""
Laws of load data: the fate of reports of brokers that have gone, and the brokers that the leader may consider idle.

The report of a broker that has gone is not harmless. ``TransferShedder`` sorts it with the others, and as long as it is
the lowest, its broker is what every round wants to move bundles to: ``isTransferable`` refuses, since the registry does
not have it, and nothing is moved at all.
"""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, LivenessLaw, StateLaw, Status, leads_to, sometimes
from oneowner.model.load_data.state import NOBODY, Report, State, brokers, is_sorted, leads


def is_kept(state: State, observer: int, broker: int) -> bool:
    """Return whether *observer*, which is live, has a report of *broker*, which is not registered."""
    return state.up[observer] and not state.registered[broker] and state.view[observer, broker] != Report.NONE


def some_is_kept(state: State) -> bool:
    return any(is_kept(state, observer, broker) for observer in brokers(state) for broker in brokers(state))


def sorts_the_gone(state: State) -> bool:
    return any(
        leads(state, leader) and not state.registered[broker] and is_sorted(state, leader, broker)
        for leader in brokers(state)
        for broker in brokers(state)
    )


def sorts_no_gone(state: State) -> bool:
    return not sorts_the_gone(state)


def somebody_is_gone(state: State) -> bool:
    return any(not state.registered[broker] for broker in brokers(state))


def misses_a_report(state: State) -> bool:
    """Return whether who leads has no report of a broker that lives, is registered and does not shut down."""
    return any(
        leads(state, leader)
        and state.up[broker]
        and state.registered[broker]
        and not state.leaving[broker]
        and state.view[leader, broker] == Report.NONE
        for leader in brokers(state)
        for broker in brokers(state)
    )


SORTED_ARE_REGISTERED = StateLaw(
    "sorted-are-registered",
    "The brokers that the leader sorts by load are registered. (It does not hold: a report stays until the clean-up of"
    " its broker deletes it.)",
    "TransferShedder.findBundlesForUnloading",
    when=somebody_is_gone,
    holds=sorts_no_gone,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)

SHEDDING_IS_NOT_BLOCKED = LivenessLaw(
    "shedding-is-not-blocked",
    "A leader does not sort a broker that has gone for ever: no tombstone of a report is lost, or old reports are"
    " deleted.",
    "PIP-192, BrokerLoadData; TransferShedder.isTransferable",
    when=sorts_the_gone,
    good=sorts_no_gone,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)


@leads_to(
    "reports-go-with-brokers",
    "PIP-192, BrokerLoadData (a time to live for rows); ServiceUnitStateChannelImpl.doCleanup",
    when=some_is_kept,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)
def none_is_kept(state: State) -> bool:
    """The report of a broker that has gone goes from all views in the end; under the same guard."""
    return not some_is_kept(state)


@leads_to(
    "leader-is-told",
    "BrokerLoadDataReporter.reportAsync; TransferShedder.findBundlesForUnloading",
    when=misses_a_report,
    kind=LawKind.PROTOCOL,
)
def has_all_reports(state: State) -> bool:
    """A leader that has no report of a broker that lives is given one: until then it moves nothing (NoLoadData)."""
    return not misses_a_report(state)


@sometimes("report-is-deleted", "ServiceUnitStateChannelImpl.doCleanup")
def a_report_goes(before: State, action: Action, after: State) -> bool:
    """The last report of a broker that has gone is deleted."""
    return before.leader != NOBODY and some_is_kept(before) and none_is_kept(after)
