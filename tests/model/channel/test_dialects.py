"""Protocols that no release speaks: tables against facts, and who owes what to whom."""

from typing import Any

import pytest

from oneowner.model.channel.channel import entry
from oneowner.model.channel.dialects import answer, answerer, closer, has_versions
from oneowner.model.channel.record import (
    ASSIGNING,
    FREE,
    OWNED,
    RELEASING,
    SPLITTING,
    TOMBSTONE,
    Record,
    ServiceUnitState,
)
from oneowner.model.channel.resolver import moves, refusal, state_of
from oneowner.model.channel.rules import Dialect, Rules, Storage
from oneowner.model.kernel.relation import Relation
from tests.model.channel.cluster import Cluster, start
from tests.model.channel.vectors import BROKERS, vector

UNRELEASED = [dialect for dialect in Dialect if dialect != Dialect.RELEASED]
PIP, GENERATION_0, GENERATION_1 = Dialect.PIP_192, Dialect.GENERATION_0, Dialect.GENERATION_1
WITH_BROKERS = [GENERATION_0, GENERATION_1]


def table(dialect: Dialect) -> Relation[Any]:
    return moves(Storage.SYSTEM_TOPIC, dialect)


@pytest.mark.parametrize("dialect", UNRELEASED)
def test_table_equals_the_facts(dialect: Dialect) -> None:
    facts = vector(f"transition-{dialect}.yaml")
    allowed = {
        (before, after)
        for before, row in facts["rows"].items()
        for after, mark in zip(facts["columns"], row, strict=True)
        if mark == "Y"
    }
    assert facts["dialect"] == dialect
    assert {(str(before), str(after)) for before, after, _ in table(dialect).rows} == allowed
    assert len(allowed) == facts["legal"]
    assert state_of(TOMBSTONE, dialect) == facts["absent"]


@pytest.mark.parametrize("dialect", WITH_BROKERS)
@pytest.mark.parametrize("verdict", ["accepted", "refused"])
def test_brokers_fit_as_the_facts_say(dialect: Dialect, verdict: str) -> None:
    for pair, examples in vector(f"transition-{dialect}.yaml")[verdict].items():
        before, after = map(ServiceUnitState, pair.split(" > "))
        for (held_to, held_from), (to, from_) in examples:
            held = Record(before, BROKERS[held_to], BROKERS[held_from], version=1)
            proposed = Record(after, BROKERS[to], BROKERS[from_], version=2)
            refused = refusal(held, proposed, dialect=dialect)
            assert (refused.rule if refused else "") == ("" if verdict == "accepted" else "broker"), (pair, to, from_)


@pytest.mark.parametrize("dialect", WITH_BROKERS)
def test_every_broker_rule_has_a_fact_that_passes_and_one_that_does_not(dialect: Dialect) -> None:
    facts = vector(f"transition-{dialect}.yaml")
    ruled = {f"{before} > {after}" for before, after, guard in table(dialect).rows if guard.__name__ != "any_brokers"}
    assert set(facts["accepted"]) == set(facts["refused"]) == ruled


def test_design_text_looks_at_arrows_alone() -> None:
    assert {guard.__name__ for _, _, guard in table(PIP).rows} == {"any_brokers"}
    assert refusal(Record(ASSIGNING, 2, version=7), Record(OWNED, 1, 2, version=3), dialect=PIP) is None


@pytest.mark.parametrize("dialect", UNRELEASED)
def test_versions_came_with_generation_1(dialect: Dialect) -> None:
    old = Record(OWNED, 2, version=3)
    refused = refusal(Record(ASSIGNING, 2, version=3), old, dialect=dialect)
    assert (refused is not None) == has_versions(dialect) == (dialect == GENERATION_1)


def test_generation_1_refuses_a_gap_that_every_release_accepts() -> None:
    """apache/pulsar#20110."""
    held, later = Record(OWNED, 2, version=2), Record(OWNED, 1, version=4)
    refused = refusal(held, later, dialect=GENERATION_1)
    assert refused is not None
    assert refused.rule == "gap"
    assert refusal(held, later) is None


HAND_OVER = Record(ASSIGNING, 2, 1, version=3)


@pytest.mark.parametrize(
    ("dialect", "record", "closes", "answers", "answered"),
    [
        (GENERATION_1, HAND_OVER, 0, 2, Record(RELEASING, 2, 1, version=4)),
        (GENERATION_1, Record(RELEASING, 2, 1, version=4), 1, 1, Record(OWNED, 2, 1, version=5)),
        (GENERATION_1, Record(ASSIGNING, 2, version=1), 0, 2, Record(OWNED, 2, version=2)),
        (GENERATION_1, Record(RELEASING, 1, version=3), 1, 1, Record(FREE, 1, version=4)),
        (GENERATION_0, HAND_OVER, 0, 2, Record(RELEASING, 2, 1, version=4)),
        (PIP, HAND_OVER, 1, 1, Record(OWNED, 2, 1, version=4)),
        (PIP, Record(ASSIGNING, 2, version=1), 0, 2, Record(OWNED, 2, version=2)),
    ],
)
def test_each_record_has_one_who_closes_and_one_who_answers(
    dialect: Dialect, record: Record, closes: int, answers: int, answered: Record
) -> None:
    assert (closer(record, dialect), answerer(record, dialect, Rules())) == (closes, answers)
    assert answer(record, dialect) == answered


def test_destination_may_return_where_the_text_leaves_it_open() -> None:
    """models.H1."""
    assert answerer(HAND_OVER, PIP, Rules(source_returns=False)) == 2
    assert answerer(HAND_OVER, GENERATION_1, Rules(source_returns=False)) == 2


def test_transfer_of_the_design_text_goes_through_four_states_without_versions() -> None:
    cluster = start(dialect=PIP, owner=1, transfers=1).do("transfer(broker=2, destination=2)")
    assert cluster.outbox(2) == ["Assigning(2, from 1) v0"]
    cluster.do("append(broker=2)", "consume(broker=1)", "close(broker=1)", "append(broker=1)").deliver()
    assert (cluster.entry, cluster.writers) == ("Owned(2, from 1) v0", [])


def test_transfer_of_generation_1_assigns_before_it_releases() -> None:
    cluster = start(dialect=GENERATION_1, owner=1, transfers=1).do(
        "transfer(broker=1, destination=2)", "append(broker=1)"
    )
    cluster.do("consume(broker=2)", "append(broker=2)")
    assert cluster.entry == "Releasing(2, from 1) v4"
    cluster.do("consume(broker=1)", "consume(broker=1)", "close(broker=1)", "append(broker=1)")
    assert (cluster.entry, cluster.writers) == ("Owned(2, from 1) v5", [])


def test_unload_of_generation_1_names_the_owner_as_destination() -> None:
    cluster = start(dialect=GENERATION_1, owner=1, unloads=1).do("unload(broker=2)", "append(broker=2)")
    assert cluster.entry == "Releasing(1) v3"
    cluster.do("consume(broker=1)", "close(broker=1)", "append(broker=1)")
    assert (cluster.entry, cluster.writers) == ("Free(1) v4", [])


def test_brokers_of_two_generations_fold_one_record_differently() -> None:
    """models.S48."""
    cluster = start(dialect=GENERATION_1, upgraded=1, owner=2, transfers=1)
    cluster.do("transfer(broker=1, destination=1)", "append(broker=1)", "consume(broker=1)", "consume(broker=2)")
    assert [str(cluster.state.view[broker, 1]) for broker in (1, 2)] == ["Releasing(1, from 2) v3", "Owned(2) v2"]


def test_discard_of_the_design_text_is_judged_by_the_arrows() -> None:
    held = {state: Record(state, 1, version=0) for state in (OWNED, SPLITTING, ASSIGNING)}
    refused = {state: refusal(record, TOMBSTONE, dialect=PIP) is not None for state, record in held.items()}
    assert refused == {OWNED: False, SPLITTING: False, ASSIGNING: True}
    assert refusal(held[ASSIGNING], TOMBSTONE) is None  # in every release a tombstone is always accepted


def test_unload_of_the_design_text_is_an_empty_message_which_makes_the_owner_close() -> None:
    """models.H3: another broker may own the unit before."""
    cluster = start(dialect=PIP, owner=1, unloads=1, assigns=1).do("unload(broker=2)")
    assert cluster.outbox(2) == ["nothing"]
    cluster.deliver()
    assert (cluster.entry, cluster.closing(1), cluster.servers) == ("nothing", ["nothing"], [])
    cluster.do("look_up(broker=2)", "assign(broker=2, destination=2)").deliver().do("open(broker=2)")
    assert (cluster.entry, cluster.closing(1), cluster.servers) == ("Owned(2) v0", ["nothing"], [2])


def split(**bounds: Any) -> Cluster:
    return start(**{"dialect": PIP, "owner": 1, "units": 3, "splits": 1, "pending": 2, "window": 4, **bounds})


def test_split_of_the_design_text_creates_the_children_and_discards_the_parent() -> None:
    cluster = split().do("split(broker=1)", "append(broker=1)", "consume(broker=1)")
    assert cluster.entry == "Splitting(from 1) v0"
    assert cluster.outbox(1) == ["Owned(1) v0", "Owned(1) v0"]
    cluster.do("append(broker=1)", "append(broker=1)", "move_boundaries(broker=1)", "delete_parent(broker=1)")
    assert cluster.outbox(1) == ["nothing"]
    cluster.deliver().do("close(broker=1, number=1)")
    assert (cluster.entry, cluster.servers) == ("nothing", [])
    assert [str(entry(cluster.state, unit)) for unit in (2, 3)] == ["Owned(1) v0", "Owned(1) v0"]


def test_only_its_owner_splits_a_unit_of_the_design_text() -> None:
    assert split().guard("split(broker=2)") == "the broker owns the unit that it splits"
