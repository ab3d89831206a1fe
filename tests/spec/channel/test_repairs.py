"""A repair mends a hole: with its switch turned, laws that fail in 4.0.6 hold, and are exercised."""

from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.engines.explore.compiled import explore_compiled
from oneowner.checkers.engines.liveness.check import check_liveness
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Rules
from oneowner.spec.channel.registry import LIVENESS, PROPERTIES
from oneowner.spec.channel.system import SYSTEM
from tests.channel import channel_families

pytestmark = pytest.mark.slow

CONNECTIONS_END = SYSTEM.liveness_by_name["connections-end"]
SHUTDOWN_ENDS = SYSTEM.liveness_by_name["shutdown-ends"]
LEADER_PLAYS = SYSTEM.liveness_by_name["leader-plays"]
ORPHAN_CLEANED = SYSTEM.liveness_by_name["orphan-cleaned"]
REGISTERED_AGAIN = SYSTEM.liveness_by_name["registered-again"]
CLEAN_ONLY_BY_LEADER = SYSTEM.laws_by_name["clean-only-by-leader"]
UNREGISTERED_OWNS_NOTHING = SYSTEM.laws_by_name["unregistered-owns-nothing"]
FENCED_WHILE_CLOSING = SYSTEM.laws_by_name["fenced-while-closing"]
OWNER_CAN_SERVE = SYSTEM.liveness_by_name["owner-can-serve"]
ASKING_AGAIN = Rules(clean_up_asks_again=True)
LEADER_ASKED = Rules(clean_up_asks_leader=True)
LEAVING_TOLD = Rules(shutdown_retries=True, shutdown_is_registered=True)
REGISTERED_LEAD = Rules(unregistered_may_lead=False)
DIALECTS = {
    "safe-mode-quiet": Bounds(owner=2, expiries=1, outages=1, safe_mode=1, closings=2, rules=ASKING_AGAIN),
    "clean-only-by-leader": Bounds(
        brokers=3, owner=2, expiries=2, safe_mode=1, closings=1, window=2, rules=ASKING_AGAIN
    ),
}


@pytest.mark.parametrize("name", DIALECTS)
def test_clean_up_that_asks_again_keeps_what_the_published_one_breaks(name: str) -> None:
    """models.H9, H10: ask for the lead and for Stable when the job fires, not only when it is scheduled."""
    (law,) = (law for law in PROPERTIES if law.name == name)
    assert law.status.is_violated
    found = explore_compiled(DIALECTS[name], [law]).laws[name]
    assert found.exercised > 0
    assert found.steps is None


@pytest.mark.parametrize("name", ["late-clean-up", "leader-of-three"])
def test_clean_up_that_asks_who_leads_is_made_by_the_elected_alone(name: str) -> None:
    """``late_clean_up``, in every family where it shows."""
    bounds = channel_families()[name].bounds
    found = explore_compiled(replace(bounds, rules=LEADER_ASKED), [CLEAN_ONLY_BY_LEADER]).laws["clean-only-by-leader"]
    assert found.exercised > 0
    assert found.steps is None


@pytest.mark.parametrize("name", ["shutdown-together", "shutdown-race", "shutdown-in-flight"])
def test_broker_that_says_it_leaves_and_waits_leaves_nothing_that_it_owns(name: str) -> None:
    """``shutdown_together``, in every family where it shows."""
    bounds = replace(channel_families()[name].bounds, rules=LEAVING_TOLD)
    whole = explore_compiled(bounds, [UNREGISTERED_OWNS_NOTHING])
    found = whole.laws["unregistered-owns-nothing"]
    assert (found.steps, whole.stopped) == (None, "")
    assert found.exercised > 0


@pytest.mark.parametrize("bounds", [
    Bounds(brokers=3, owner=2, shutdowns=2, closings=1, restarts=0, window=2, versions=16),
    Bounds(assigns=1, shutdowns=1, late_handlers=1, pending=2, closings=2),
], ids=["together", "race"])  # fmt: skip
def test_broker_that_waits_until_nothing_names_it_ends_all_the_same(bounds: Bounds) -> None:
    """``shutdown_together``: a broker that shuts down is not given bundles without end."""
    found = check_liveness(replace(bounds, rules=LEAVING_TOLD), [SHUTDOWN_ENDS])[1]["shutdown-ends"]
    assert found.lasso is None
    assert found.exercised > 0


@pytest.mark.parametrize("bounds", [
    Bounds(owner=2, crashes=1, expiries=1, safe_mode=1, closings=2, brokers=2),
    Bounds(owner=2, expiries=2, beliefs=1, closings=2, brokers=2),
], ids=["safe mode", "roles"])  # fmt: skip
def test_what_an_old_leader_gives_up_the_new_one_cleans_up(bounds: Bounds) -> None:
    """``late_clean_up``: the new leader's monitor does the clean-up that the old leader gives up."""
    found = check_liveness(replace(bounds, rules=LEADER_ASKED), [ORPHAN_CLEANED, REGISTERED_AGAIN])[1]
    assert [name for name, result in found.items() if result.lasso is not None] == []
    assert all(result.exercised > 0 for result in found.values())


def test_leader_that_must_be_registered_plays() -> None:
    """run.G2: the election is the place where the livelock can be kept out."""
    bounds = replace(families()["leader"].bounds, rules=REGISTERED_LEAD)
    found = check_liveness(bounds, LIVENESS)[1]
    assert [name for name, result in found.items() if result.lasso is not None] == []
    for law in (LEADER_PLAYS, ORPHAN_CLEANED, REGISTERED_AGAIN):
        assert found[law.name].exercised > 0


def test_outage_alone_interrupts_nobody() -> None:
    """models.S41 holds where no session has ended before the outage: then no clean-up is scheduled."""
    bounds = Bounds(owner=2, outages=1, safe_mode=1, closings=2)
    (law,) = (law for law in PROPERTIES if law.name == "outage-no-interrupt")
    found = explore_compiled(bounds, [law]).laws[law.name]
    assert found.exercised > 0
    assert found.steps is None


def two_phased() -> list[str]:
    """Return the families that allow a transfer in two phases, and are not too large for laws of runs."""
    found = []
    for name, family in channel_families().items():
        try:
            closed_whole(family.bounds)
        except ValueError:
            continue
        if family.states <= 30_000:
            found.append(name)
    return found


def closed_whole(bounds: Bounds) -> Bounds:
    rules = replace(bounds.rules, returned_unit_is_closed=True)
    return replace(bounds, multi_phase=1, closings=max(2, bounds.closings), rules=rules)


@pytest.mark.parametrize("name", two_phased())
def test_unit_that_comes_back_is_closed_whole_and_no_fence_stays(name: str) -> None:
    """``returned_unit_stays_fenced``: no fence stays without a reason, and every owner can serve in the end."""
    bounds = closed_whole(channel_families()[name].bounds)
    fenced = explore_compiled(bounds, [FENCED_WHILE_CLOSING]).laws[FENCED_WHILE_CLOSING.name]
    assert fenced.steps is None
    # In `starts` a destination that restarts never answers, so the hand-over itself does not end (bugs.R8).
    laws = [OWNER_CAN_SERVE] if name == "starts" else [OWNER_CAN_SERVE, CONNECTIONS_END]
    found = check_liveness(bounds, laws)[1]
    assert [law for law, result in found.items() if result.lasso is not None] == []
    if name in {"multi-phase", "multi-phase-metadata-store", "transfer-given-back", "shedding"}:
        assert fenced.exercised > 0
        assert all(result.exercised > 0 for result in found.values())
