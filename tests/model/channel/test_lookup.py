"""Commands: each is served by any living broker, from its own view and registry cache."""

import pytest

from oneowner.model.channel.record import OWNED, SPLITTING, Record
from oneowner.model.channel.releases import RELEASES
from tests.model.channel.cluster import start


def test_lookup_selects_a_broker_where_the_view_knows_no_owner() -> None:
    cluster = start(assigns=1)
    assert cluster.guard("look_up(broker=2)") == ""
    cluster.state.view[2, 1] = Record(OWNED, 2)
    assert cluster.guard("look_up(broker=2)") == "the broker's view knows no owner of the unit"


@pytest.mark.parametrize(
    ("release", "guard"), [("3.2.1", ""), ("3.2.0", "the unit is not in flight by the broker's view")]
)
def test_lookup_of_a_released_unit_selects_since_it_is_redirected(release: str, guard: str) -> None:
    """Found by the classes of 3.0.0 and 3.1.2, along every edge of ``removal``."""
    cluster = start(owner=1, assigns=1, unloads=1, rules=RELEASES[release])
    cluster.do("unload(broker=1)", "append(broker=1)", "consume(broker=2)")
    assert cluster.guard("look_up(broker=2)") == guard


def test_lookups_of_one_unit_at_one_broker_are_one() -> None:
    cluster = start(assigns=2, units=2).do("look_up(broker=1, unit=1)")
    assert cluster.guard("look_up(broker=1, unit=1)") == "no lookup of the unit waits at the broker"
    assert cluster.guard("look_up(broker=1, unit=2)") == ""
    assert cluster.guard("look_up(broker=2, unit=1)") == ""


def test_assign_publishes_what_the_view_says_by_then() -> None:
    """Selecting takes time: a rival assignment in between is refused by transition, not by version."""
    cluster = start(assigns=2).do("look_up(broker=1)", "look_up(broker=2)", "assign(broker=1, destination=1)")
    cluster.do("append(broker=1)", "consume(broker=2)", "assign(broker=2, destination=2)")
    assert cluster.outbox(2) == ["Assigning(2) v2"]
    assert str(cluster.state.outbox[2][1].basis) == "Assigning(1) v1"


def test_assign_answers_one_lookup() -> None:
    cluster = start(assigns=1)
    assert cluster.guard("assign(broker=1, destination=1)") == "a lookup of the unit waits at the broker"
    cluster.do("look_up(broker=1)", "assign(broker=1, destination=1)")
    assert cluster.guard("assign(broker=1, destination=2)") == "a lookup of the unit waits at the broker"


@pytest.mark.parametrize("step", ["assign(broker=1, destination=2)", "transfer(broker=1, destination=2)"])
def test_destination_must_be_in_the_serving_brokers_registry_cache(step: str) -> None:
    cluster = start(owner=0 if step.startswith("assign") else 1, assigns=1, transfers=1)
    if step.startswith("assign"):
        cluster.do("look_up(broker=1)")
    assert cluster.guard(step) == ""
    cluster.state.known[1, 2] = False
    assert cluster.guard(step) == "the serving broker's registry cache lists the destination"


def test_assign_may_choose_a_dead_broker_that_is_still_registered() -> None:
    """run.G7."""
    cluster = start(assigns=1, crashes=1).do("look_up(broker=1)", "crash(broker=2)")
    cluster.do("assign(broker=1, destination=2)", "append(broker=1)", "consume(broker=1)")
    assert cluster.entry == "Assigning(2) v1"


def test_unload_asks_the_owner_of_an_owned_unit() -> None:
    cluster = start(unloads=1, transfers=1, brokers=3)
    cluster.state.view[1, 1] = Record(SPLITTING, 0, 2, version=5)
    for step in ("unload(broker=1)", "transfer(broker=1, destination=3)"):
        assert cluster.guard(step) == "the broker's view says that the unit is owned"
    cluster.state.view[1, 1] = Record(OWNED, 2, 1, version=5)
    assert cluster.do("unload(broker=1)").outbox(1) == ["Releasing(from 2) v6"]


def test_transfer_goes_to_another_broker_than_the_owner() -> None:
    """channel.5: ``cannot be transfer to same broker``."""
    cluster = start(owner=1, transfers=1)
    assert cluster.guard("transfer(broker=2, destination=1)") == "the unit is not owned by the destination"
    assert cluster.do("transfer(broker=2, destination=2)").outbox(2) == ["Releasing(2, from 1) v3"]


def test_command_remembers_the_entry_that_it_was_computed_from() -> None:
    cluster = start(owner=1, transfers=1).do("transfer(broker=2, destination=2)")
    assert cluster.state.outbox[2][1].basis == Record(OWNED, 1, version=2)


@pytest.mark.parametrize(
    ("bound", "step", "guard"),
    [
        ("assigns", "look_up(broker=1)", "the budget allows another assignment"),
        ("unloads", "unload(broker=1)", "the budget allows another unload"),
        ("transfers", "transfer(broker=1, destination=2)", "the budget allows another transfer"),
    ],
)
def test_commands_are_budgeted(bound: str, step: str, guard: str) -> None:
    cluster = start(owner=0 if bound == "assigns" else 1, **{bound: 1}).do(step)
    assert getattr(cluster.state, f"{bound}_left") == 0
    assert cluster.guard(step) == guard


def test_deletion_is_an_unload_that_is_forced_and_its_free_is_not() -> None:
    """recordings: delete-decommission 0:39 and 0:44."""
    cluster = start(owner=1, removals=1).do("remove(broker=2)")
    assert cluster.outbox(2) == ["Releasing(from 1) v3 forced"]
    cluster.deliver().do("close(broker=1, number=1)").deliver()
    assert cluster.entry == "Free(from 1) v4"
    assert not cluster.state.tainted[1]


def test_deletion_needs_an_owner_and_a_budget() -> None:
    assert start(removals=1).guard("remove(broker=1)") == "the broker's view says that the unit is owned"
    assert start(owner=1, removals=1).do("remove(broker=1)").guard("remove(broker=2)").startswith("the budget")
