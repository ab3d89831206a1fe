"""
Brokers report their load on a topic that keeps nothing, and read what others report.

A broker that reads the topic anew has no row until the others report again. A row that is not deleted stays.
"""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import weak
from oneowner.model.kernel.guards import require
from oneowner.model.load_data.bounds import BROKER
from oneowner.model.load_data.state import NOBODY, Report, State


@action(broker=BROKER, fairness=weak("A broker reports at least every loadBalancerReportUpdateMaxIntervalMinutes."))
def report(state: State, broker: int) -> None:
    """
    *broker* reports its load, and all brokers that live read it.

    Enabled: it lives and is registered, and some broker that lives has no fresh report of it; it does not shut down,
    or reports on meanwhile.
    Changes: their views have one.
    Log: with debug mode ``publishing load report:..``.
    Mirrors: ``BrokerLoadDataReporter.reportAsync``, ``TableViewLoadDataStoreImpl.pushAsync``.
    """
    require(state.up[broker] and state.registered[broker], "the broker lives and is registered")
    is_over = state.leaving[broker] and state.bounds.rules.stops_reporting
    require(not is_over, "the broker does not shut down, or reports on meanwhile")
    is_missed = some_view_has(state, broker, Report.NONE) or some_view_has(state, broker, Report.OLD)
    require(is_missed, "some view has no fresh report of the broker")
    write_row(state, broker, Report.FRESH, NOBODY)


def some_view_has(state: State, broker: int, row: Report) -> bool:
    """Return whether *row* is what some broker that lives has of *broker*."""
    found = False
    for observer in range(1, state.bounds.brokers + 1):
        if state.up[observer] and state.view[observer, broker] == row:
            found = True
    return found


def write_row(state: State, broker: int, row: Report, deaf: int) -> None:
    """Make *row* what all that live have of *broker*, but for *deaf*, whom the message does not reach."""
    for observer in range(1, state.bounds.brokers + 1):
        if state.up[observer] and observer != deaf:
            state.view[observer, broker] = row


@action(broker=BROKER, fairness=weak("Time passes."))
def grow_old(state: State, broker: int) -> None:
    """
    The last report of *broker*, which lives no more, gets older than the time to live.

    Enabled: it does not live, and some view has a fresh report of it. Of one that lives none gets so old, as long as
    the time to live (30 minutes) is longer than the time between reports (15 minutes at most).
    Changes: those reports are old.
    Log: at the leader's next round ``Ignoring broker:.. load update because the load data timestamp:.. is too old.``
    Mirrors: ``TransferShedder.findBundlesForUnloading``.
    """
    require(not state.up[broker], "the broker lives no more")
    require(some_view_has(state, broker, Report.FRESH), "some view has a fresh report of the broker")
    for observer in range(1, state.bounds.brokers + 1):
        if state.view[observer, broker] == Report.FRESH:
            state.view[observer, broker] = Report.OLD


@action(
    broker=BROKER,
    when=lambda bounds: bounds.rules.old_reports_deleted,
    fairness=weak("PIP-192: a policy deletes old rows."),
)
def expire_report(state: State, broker: int) -> None:
    """
    The leader deletes the report of *broker*, which is too old.

    Enabled: somebody leads; the leader's view, or that of another that lives, has an old report of the broker.
    Changes: no view has one. Whoever misses this tombstone is given the next.
    Log: none; no release does it.
    Mirrors: PIP-192, BrokerLoadData: "a TTL policy to tombstone old KVs", because non-persistent views lose data.
    """
    require(state.leader != NOBODY, "somebody leads")
    require(some_view_has(state, broker, Report.OLD), "some view has an old report of the broker")
    write_row(state, broker, Report.NONE, NOBODY)


@action(broker=BROKER, fairness=weak("Every broker hears of an election."))
def play_role(state: State, broker: int) -> None:
    """
    *broker* takes up its role after an election, and reads the topic of load data anew.

    Enabled: it lives, and there was an election since it last did so.
    Changes: its view has no reports, if the release reads anew.
    Log: ``This broker:.. plays the leader now.`` or ``This broker:.. plays a follower now.``
    Mirrors: ``ExtensibleLoadManagerImpl.playLeader``, ``playFollower``; ``TableViewLoadDataStoreImpl.init``.
    """
    require(state.up[broker], "the broker lives")
    require(state.role_due[broker], "it has a role to play")
    state.role_due[broker] = False
    if state.bounds.rules.role_empties_view:
        for other in range(1, state.bounds.brokers + 1):
            state.view[broker, other] = Report.NONE
