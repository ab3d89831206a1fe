"""The verdict on a walk, without Java."""

from oneowner.checkers.real_classes.in_words import reasons_of, verdict_of
from oneowner.checkers.real_classes.walk import Walk
from oneowner.checkers.verdict import Verdict


def test_graph_without_an_edge_is_unknown() -> None:
    walk = Walk(all_edges=0, is_whole=True, beyond="")
    assert verdict_of(walk) == Verdict.UNKNOWN
    assert reasons_of(walk) == ["the graph has no edge: no action is enabled within these bounds"]


def test_walk_of_every_edge_is_valid_and_of_fewer_unknown() -> None:
    assert verdict_of(Walk(2, True, "", walked=2)) == Verdict.VALID
    assert verdict_of(Walk(2, True, "", walked=1)) == Verdict.UNKNOWN
