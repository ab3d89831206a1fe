"""Laws of liveness: each fails where something owed is not, each fairness is needed, nothing disturbing is owed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from oneowner.checkers.engines.liveness.check import check_liveness
from oneowner.checkers.engines.liveness.obligations import demands_of
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Rules, Storage
from oneowner.model.kernel.fairness import Strength
from oneowner.model.kernel.law import LivenessLaw
from oneowner.model.kernel.system import actions
from oneowner.spec.channel.registry import LIVENESS
from oneowner.spec.channel.system import SYSTEM
from tests.channel import FAIRNESS

pytestmark = pytest.mark.slow

REGISTERED_AGAIN = SYSTEM.liveness_by_name["registered-again"]
VIEWS_CONVERGE = SYSTEM.liveness_by_name["views-converge"]
EXPIRING = Bounds(brokers=2, owner=2, expiries=1, closings=2)
CRASHING = Bounds(brokers=2, owner=2, crashes=1, closings=2)
ASSIGNING = Bounds(brokers=2, assigns=1)
ASKING = Bounds(brokers=2, lookups=1)
STOPPING = Bounds(brokers=2, owner=2, shutdowns=1, closings=2)
STOPPING_ASKED = Bounds(brokers=2, owner=1, lookups=1, shutdowns=2, closings=2)
COMPACTING = Bounds(brokers=2, owner=2, unloads=1, compactions=2, window=4)
STORED = Bounds(brokers=2, owner=1, transfers=1, storage=Storage.METADATA_STORE)

WITHOUT_ZOOKEEPER = Bounds(brokers=2, owner=2, outages=1, safe_mode=1)
SUSPECTING = Bounds(brokers=2, owner=2, expiries=1, safe_mode=1)
LEADING_IN_SAFE_MODE = Bounds(brokers=2, owner=2, crashes=1, expiries=1, safe_mode=1, closings=2)
WAITING_LATE = Bounds(brokers=2, owner=1, lookups=1, transfers=1, rules=Rules(waits_in_one_step=False))
CUT_OFF = Bounds(brokers=2, owner=2, shutdowns=1, closings=2, rules=Rules(unloads_before_closing=False))
GROWING = Bounds(brokers=2, newcomers=1, slow_starts=1, assigns=1)
STARTING = Bounds(brokers=2, owner=2, crashes=1, failed_starts=1, slow_starts=1)
BELIEVING = Bounds(brokers=2, owner=2, expiries=1, beliefs=1)
SPLITTING = Bounds(brokers=2, units=3, owner=1, splits=1, other_splits=1, pending=2)
HANGING = Bounds(brokers=2, owner=1, pauses=1, channel_host=1, window=4, closings=2)
TIMED = Bounds(brokers=2, assigns=1, crashes=1, flight_timer=1, window=2)
GIVING_BACK = Bounds(
    owner=1, transfers=1, multi_phase=1, flight_timer=1, closings=2, window=2, rules=Rules(returned_unit_is_closed=True)
)
WAITING_FOR_POLICIES = Bounds(units=2, owner=1, transfers=1, policies=1)
CLOSING_SLOWLY = Bounds(brokers=2, owner=1, unloads=1, slow_closes=1)  # a transfer closes twice
REFUSING = Bounds(assigns=1, crashes=1, restarts=0, refused=1)
RECREATING = Bounds(units=3, owner=1, splits=1, recreations=1, pending=2)
RACING = Bounds(assigns=1, shutdowns=1, late_handlers=1, pending=2, closings=2, rules=Rules(shutdown_retries=True))
REPORTING = Bounds(brokers=2, expiries=1, beliefs=1, load_topics=1)
LOSING_THE_CHANNEL = replace(HANGING, pauses=0, unloads=1, channel_losses=1, rules=Rules(channel_served_again=True))
SHEDDING = Bounds(brokers=2, owner=2, expiries=1, sheddings=1, leader_caches=1, closings=2)
LOSING_A_SHED_UNIT = Bounds(brokers=2, owner=2, crashes=1, restarts=0, sheddings=1, closings=2)
RACING_ROLES = Bounds(owner=2, crashes=1, restarts=0, role_races=1, closings=2)
MIGRATING = Bounds(brokers=2, migrations=1)
WRONG_ELECTIONS = replace(
    BELIEVING, rules=Rules(hears_of_election=False, foreign_leader_kept=False, refresh_before_invalidate=True)
)
OLD_MANAGERS = Bounds(brokers=2, assigns=1, old_managers=1, rules=Rules(managers_redirect=False))
OPERATING = Bounds(brokers=2, owner=1, unloads=1, operators=1, late_callbacks=1)
REGISTERED_LEAD = Rules(unregistered_may_lead=False)

FAILING = {
    "lookup-ends": ("assign", ASSIGNING),
    "flight-ends": ("append", ASSIGNING),
    "flight-ends-always": ("append", ASSIGNING),
    "orphan-cleaned": ("override", CRASHING),
    "views-converge": ("consume", ASSIGNING),
    "views-converge-always": ("consume", ASSIGNING),
    "reconciled": ("consume", EXPIRING),
    "reconciled-always": ("consume", EXPIRING),
    "leader-acts": ("elect", EXPIRING),
    "registered-again": ("register", EXPIRING),
    "split-ends": ("delete_parent", SPLITTING),
    "shutdown-ends": ("stop", STOPPING),
    "lookup-served": ("append", ASKING),
    "compaction-ends": ("show_ledger", COMPACTING),
    "syncer-start-ends": ("copy_existing", Bounds(owner=1, synced=1, syncs=1)),
    "connections-end": ("close", Bounds(owner=1, transfers=1, multi_phase=1)),
    "owner-can-serve": ("close", GIVING_BACK),
    "namespace-not-held-hostage": ("read_policies", WAITING_FOR_POLICIES),
    "bundle-usable": ("consume", RECREATING),
    "safe-mode-ends": ("settle", WITHOUT_ZOOKEEPER),
    "leader-plays": ("play_leader", replace(BELIEVING, rules=REGISTERED_LEAD)),
    "one-believer-again": ("play_follower", BELIEVING),
    "roles-settle": ("play_follower", BELIEVING),
    "registry-caches-converge": ("notice", EXPIRING),
    "load-data-reaches-leader": ("report", REPORTING),
}
"""For each law an action without whose fairness it fails, and the bounds in which it does."""

CUT_FROM_STORE = Bounds(owner=2, expiries=1, safe_mode=1, pending=2, closings=2, storage=Storage.METADATA_STORE)
IN_BOTH_STORAGES = Bounds(owner=2, unloads=1, synced=1, pending=2)
SYNCING = replace(IN_BOTH_STORAGES, owner=1, unloads=0, syncs=1)
LISTENING_LATE = replace(SYNCING, syncer_gaps=1)
NEW_IN_THE_GAP = replace(LISTENING_LATE, owner=0, assigns=1)
NEEDED = {
    "assign": ASSIGNING,
    "append": ASSIGNING,
    "consume": ASSIGNING,
    "notify": STORED,
    "close": STORED,
    "expire": CRASHING,
    "finish_start": GROWING,
    "register": EXPIRING,
    "reestablish": EXPIRING,
    "notice": CRASHING,
    "elect": EXPIRING,
    "override": CRASHING,
    "free_refused": REFUSING,
    "select": ASKING,
    "time_out": STOPPING_ASKED,
    "begin_wait": WAITING_LATE,
    "drain": STOPPING,
    "pass_over": STOPPING,
    "set_aside": replace(STOPPING, system_units=1),
    "retry": RACING,
    "unregister": STOPPING,
    "stop": STOPPING,
    "move_boundaries": SPLITTING,
    "delete_parent": SPLITTING,
    "reload_boundaries": SPLITTING,
    "write_ledger": COMPACTING,
    "show_ledger": COMPACTING,
    "save_cursor": COMPACTING,
    "delete_ledger": COMPACTING,
    "play_leader": replace(BELIEVING, rules=REGISTERED_LEAD),
    "play_follower": replace(BELIEVING, rules=REGISTERED_LEAD),
    "start_zookeeper": WITHOUT_ZOOKEEPER,
    "lose_session": SUSPECTING,
    "reconnect": SUSPECTING,
    "settle": SUSPECTING,
    "monitor": LEADING_IN_SAFE_MODE,
    "move_channel": HANGING,
    "end_flight": TIMED,
    "stop_waiting": LOSING_A_SHED_UNIT,
    "read_policies": WAITING_FOR_POLICIES,
    "fill": CUT_FROM_STORE,
    "put": IN_BOTH_STORAGES,
    "look": IN_BOTH_STORAGES,
    "copy_to_store": IN_BOTH_STORAGES,
    "copy_to_topic": IN_BOTH_STORAGES,
    "copy_existing": SYNCING,
    "listen": LISTENING_LATE,
    "end_syncer_start": LISTENING_LATE,
    "start_syncer_over": NEW_IN_THE_GAP,
    "reconcile": replace(NEW_IN_THE_GAP, rules=Rules(syncer_copies_deletions=True)),
    "report": REPORTING,
    "serve_channel": LOSING_THE_CHANNEL,
}
"""For each action that is owed bounds in which some law fails without it."""

TWO_THREADS = Bounds(assigns=1, overtakes=1, pending=2)
EVERYTHING = Bounds(
    assigns=1, unloads=1, transfers=1, crashes=1, expiries=1, tombstones=1, unplaced=1, resends=1, compactions=1,
    failed_writes=1, failed_closes=1, lost_cursors=1, early_acks=1, outages=1, safe_mode=1, trims=1, removals=1,
    early_flushes=1, failed_flushes=1,
)  # fmt: skip


@contextmanager
def without(action: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody owes *action* meanwhile."""
    with monkeypatch.context() as patch:
        patch.setitem(SYSTEM.fairness, action, replace(SYSTEM.fairness[action], strength=Strength.NONE))
        yield


def law_named(name: str) -> LivenessLaw:
    return next(law for law in LIVENESS if law.name == name)


@pytest.mark.parametrize("name", [law.name for law in LIVENESS])
def test_law_fails_without_the_fairness_of_an_action_and_holds_with_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    action, bounds = FAILING[name]
    found = check_liveness(bounds, [law_named(name)])[1][name]
    assert found.exercised > 0
    assert found.lasso is None
    with without(action, monkeypatch):
        assert check_liveness(bounds, [law_named(name)])[1][name].lasso is not None


@pytest.mark.parametrize("action", [one.action for one in FAIRNESS if one.strength != Strength.NONE])
def test_every_declared_fairness_is_needed_by_some_law(action: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with without(action, monkeypatch):
        found = check_liveness(NEEDED[action], LIVENESS)[1]
    broken = {name for name, result in found.items() if result.lasso is not None}
    assert broken - (set() if action == "end_flight" else {"flight-ends-always"})


def test_fairness_is_declared_for_every_action_once() -> None:
    stored = replace(
        EVERYTHING, crashes=0, expiries=0, compactions=0, failed_writes=0, failed_closes=0, lost_cursors=0,
        early_acks=0, trims=0, early_flushes=0, failed_flushes=0, outages=0, storage=Storage.METADATA_STORE,
    )  # fmt: skip
    nested = replace(SPLITTING, units=5, nested_splits=1, failed_splits=1)
    one_each = (
        STOPPING_ASKED, BELIEVING, SPLITTING, nested, HANGING, TIMED, CLOSING_SLOWLY, WAITING_FOR_POLICIES,
        replace(GIVING_BACK, late_loads=1), CUT_FROM_STORE, LISTENING_LATE, replace(SUSPECTING, late_call_offs=1),
    )  # fmt: skip
    recovering = (REFUSING, RECREATING, replace(RACING, system_units=1), replace(COMPACTING, stale_resets=1))
    starting = (WAITING_LATE, CUT_OFF, STARTING)
    asking = (OPERATING, replace(ASKING, late_callbacks=1))
    sessions = (REPORTING, LOSING_THE_CHANNEL, SHEDDING, RACING_ROLES, MIGRATING, WRONG_ELECTIONS, OLD_MANAGERS)
    everything = (EVERYTHING, TWO_THREADS, stored, *one_each, *recovering, *starting, *asking, *sessions)
    names = {action.name for bounds in everything for action in actions(bounds)}
    assert sorted(one.action for one in FAIRNESS) == sorted(names)
    assert all(one.source for one in FAIRNESS)


def test_nothing_that_disturbs_the_cluster_is_owed() -> None:
    budgeted = {"look_up", "unload", "transfer", "crash", "append_unacknowledged", "tombstone", "free_orphan"}
    budgeted |= {"open_lookup", "disable", "start_compaction", "stop_zookeeper", "split", "split_elsewhere"}
    budgeted |= {"pause", "time_out_close", "open_late", "split_child", "start_syncer", "fail_start", "begin_start"}
    budgeted |= {"hurry", "delete_namespace", "create_namespace", "start_migration", "lose_channel"}
    budgeted |= {"begin_shedding", "shed", "end_shedding", "prepare", "cut_over", "acquire"}  # in budgeted rounds
    budgeted |= {
        "flush_early", "fail_to_flush", "give_up_split", "give_up_waiting", "end_old_wait", "end_wait", "end_close",
    }  # fmt: skip
    wrong = {"elect_unheard", "depose", "keep_old_entry", "deadlock"}  # of bugs
    budgeted |= {
        "remove", "overtake", "fail_to_write", "fail_to_close", "lose_cursor", "reset_cursor_late", "skip_kept",
    }  # fmt: skip
    free = {one.action for one in FAIRNESS if one.strength == Strength.NONE}
    clients_networks_operators = (
        "open lose cut_off fail restart unload_leftover jump skip trim resume read_leader play_role"
    )
    others = wrong | set(clients_networks_operators.split())
    assert free == budgeted | others | {"end_clean_up", "call_off"}


def test_session_of_a_living_broker_may_last_for_ever() -> None:
    """A lost session of a living broker is a perturbation: no law may count on it."""
    someone_expires = replace(REGISTERED_AGAIN, when=REGISTERED_AGAIN.good, good=REGISTERED_AGAIN.when)
    assert check_liveness(EXPIRING, [someone_expires])[1][REGISTERED_AGAIN.name].lasso is not None


def test_free_choice_is_one_demand_and_everything_else_is_one_each() -> None:
    words = [demand.words for demand in demands_of(actions(replace(EVERYTHING, brokers=3)), SYSTEM.fairness)]
    assert len([one for one in words if one.startswith("override")]) == 3
    assert len([one for one in words if one.startswith("notice")]) == 9
    assert "override(broker=2, unit=1)" in words
    assert len(words) == len(set(words))


def test_flight_ends_has_its_guard_for_a_reason() -> None:
    """
    models.L13, bugs.R8: a broker that is being assigned a unit restarts, finds Assigning in the channel and does
    nothing; it is registered, so the leader does nothing either.
    """
    bounds = Bounds(brokers=2, assigns=1, crashes=1, closings=2)
    lasso = check_liveness(bounds, [law_named("flight-ends-always")])[1]["flight-ends-always"].lasso
    assert lasso is not None
    assert "restart" in {action.name for action in lasso.steps}
    assert check_liveness(bounds, [law_named("flight-ends")])[1]["flight-ends"].lasso is None


def test_views_converge_in_the_metadata_store_because_notifications_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_liveness(STORED, [VIEWS_CONVERGE])[1][VIEWS_CONVERGE.name].lasso is None
    with without("notify", monkeypatch):
        assert check_liveness(STORED, [VIEWS_CONVERGE])[1][VIEWS_CONVERGE.name].lasso is not None


def test_nothing_is_owed_where_no_broker_lives() -> None:
    """models.L3 and L7 presume a living broker; an operator's restart is nobody's duty."""
    found = check_liveness(Bounds(brokers=2, owner=2, crashes=2, closings=2), LIVENESS)[1]
    assert [name for name, result in found.items() if result.lasso is not None] == []
    assert found["orphan-cleaned"].exercised > 0
    assert found["leader-acts"].exercised > 0


def test_hand_over_that_waits_for_a_restart_is_ended_by_the_in_flight_time_out() -> None:
    """channel.9.5, bugs.R8: with the timer ``flight-ends-always`` holds in the bounds in which it fails without."""
    (law,) = (one for one in LIVENESS if one.name == "flight-ends-always")
    found = check_liveness(TIMED, [law])[1][law.name]
    assert found.exercised > 0
    assert found.lasso is None
    assert check_liveness(replace(TIMED, flight_timer=0), [law])[1][law.name].lasso is not None


def test_cluster_heals_without_a_broker_that_stands_still_for_ever() -> None:
    """Nobody owes it that it goes on; ZooKeeper owes the end of its session (run.G3)."""
    found = check_liveness(HANGING, LIVENESS)[1]
    assert [name for name, result in found.items() if result.lasso is not None] == []
    assert found["orphan-cleaned"].exercised > 0
