"""Runs cover every wanted edge, and avoid those that differ; the edges of a budget are of every action."""

import pytest

from oneowner.checkers.catalogue.families import family_named
from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.real_classes.choice import chosen
from oneowner.checkers.real_classes.edges import Edges, edges_within
from oneowner.checkers.real_classes.projection import shown
from oneowner.checkers.real_classes.tours import LONGEST, Tours
from oneowner.model.channel.state import State

FAMILY = family_named("removal")


@pytest.fixture(scope="module")
def edges() -> Edges:
    return edges_within(FAMILY.bounds, 300_000)


def is_path(edges: Edges, run: list[int]) -> bool:
    """Return whether a run begins in the initial state, and each edge where the one before it ends."""
    at = 0
    for edge in run:
        if edges.sources[edge] != at:
            return False
        at = edges.targets[edge]
    return True


def test_edges_are_those_that_the_ledger_counts(edges: Edges) -> None:
    assert (len(edges.codes), len(edges.sources)) == (FAMILY.states, FAMILY.transitions)
    assert edges.is_whole


def test_bound_that_a_step_needs_larger_is_named() -> None:
    assert edges_within(bounds_with(FAMILY.bounds, {"versions": 4}), 300_000).beyond == "versions"


def test_first_part_of_a_graph_is_not_whole(edges: Edges) -> None:
    part = edges_within(FAMILY.bounds, 100)
    assert not part.is_whole
    assert part.sources.tolist() == edges.sources[: len(part.sources)].tolist()


def test_runs_cover_every_edge_with_fewer_steps_than_a_way_to_each(edges: Edges) -> None:
    tours = Tours(edges, range(len(edges.sources)))
    alone = sum(len(tours.way(source)) + 1 for source in edges.sources.tolist())
    runs = list(tours.runs(1_000_000))
    assert all(is_path(edges, run) for run in runs)
    assert {edge for run in runs for edge in run} == set(range(len(edges.sources)))
    assert max(map(len, runs)) <= LONGEST + 10
    assert sum(map(len, runs)) < alone / 3


def test_runs_avoid_an_edge_that_differs_and_take_what_followed_it_otherwise(edges: Edges) -> None:
    tours = Tours(edges, range(len(edges.sources)))
    (run,) = tours.runs(1)
    tours.broken(run, 0)
    tours.renew()
    after = list(tours.runs(1_000_000))
    assert all(run[0] not in one for one in after)
    taken = {edge for one in after for edge in one}
    reached = {edge for edge in run[1:] if tours.way(int(edges.sources[edge])) or edges.sources[edge] == 0}
    assert reached <= taken


def test_budget_has_edges_of_every_action(edges: Edges) -> None:
    some = chosen(edges, shown(FAMILY.bounds), 60)
    assert len(some) == len(set(some)) == 60
    everything = {edges.actions[label].name for label in edges.labels.tolist()}
    assert {edges.actions[edges.labels[edge]].name for edge in some} == everything


def test_projection_reads_the_flat_form_as_the_state(edges: Edges) -> None:
    projection, first = shown(FAMILY.bounds), State(FAMILY.bounds)
    for codes in edges.codes[::97]:
        state = first.with_codes(codes)
        words = dict(projection.of(codes))
        assert words["broker 2, entry of unit 1"] == str(state.view[2, 1])
        assert words["broker 1, records that it has not read"] == str(len(state.log) - state.cursor[1])
