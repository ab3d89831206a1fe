"""``ROUND_ROBIN`` judges the next broker of ``RoundRobinBrokerSelector``."""

from collections.abc import Mapping
from typing import Any

from oneowner.model.balancer.placement.placement_inputs import CandidateSizes, some_turn
from oneowner.model.balancer.placement.round_robin import MOST, Choice, Turn, round_robin
from oneowner.model.kernel.decision import Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind, Status

CLASS = "RoundRobinBrokerSelector.selectBroker"


def has_candidates(turn: Turn, found: Choice) -> bool:
    return bool(turn.candidates)


def has_copied_them(turn: Turn, found: Choice) -> bool:
    return has_candidates(turn, found) and set(turn.listed) == set(turn.candidates) and turn.turns < MOST


def is_a_candidate(turn: Turn, found: Choice) -> bool:
    return found.chosen in turn.candidates


def everyone_has_a_turn(turn: Turn, found: Choice) -> bool:
    chosen = []
    for _ in turn.candidates:
        chosen.append(found.chosen)
        found = round_robin(Turn(turn.candidates, found.turns, found.listed))
    return len(set(chosen)) == len(chosen)


def counts_the_turn(turn: Turn, found: Choice) -> bool:
    """The count has 32 bits: the largest one is followed by 0. Without candidates nothing is counted."""
    return found.turns == (turn.turns if not turn.candidates else (turn.turns + 1) % 2**31)


def begins_where_it_was(turn: Turn, found: Choice) -> bool:
    return found.chosen == turn.listed[turn.turns % len(turn.listed)]


def read(row: Mapping[str, Any]) -> Turn:
    """Return the input that a fact gives."""
    return Turn(tuple(row["candidates"]), row["turns"], tuple(row["listed"]))


def told(found: Choice) -> Any:
    """Return who is chosen."""
    return found.chosen


ROUND_ROBIN = Decision(
    "balancer/round-robin",
    "Whose turn it is to be given a bundle (RoundRobinBrokerSelector)",
    CandidateSizes,
    some_turn,
    round_robin,
    (
        InputLaw("turn-is-a-candidates", "It is a candidate's turn.", CLASS, has_candidates, is_a_candidate,
                 kind=LawKind.PURPOSE),
        InputLaw("everyone-has-a-turn", "Of the same candidates everyone has a turn before one has another.", CLASS,
                 has_copied_them, everyone_has_a_turn, kind=LawKind.PROTOCOL),
        InputLaw("turn-is-counted", "Each turn is counted; after 2^31 - 1 the count begins anew.", CLASS, always,
                 counts_the_turn, kind=LawKind.MIRROR),
        InputLaw("turn-is-by-the-count", "Of the same candidates it is the turn of the one at the count, by the list"
                 " as it was copied.", CLASS, has_copied_them, begins_where_it_was, kind=LawKind.MIRROR),
        InputLaw("everyone-has-a-turn-always", "The same, whoever was a candidate before. (Not if the list is copied"
                 " anew amid a round, in another order, or if the count begins anew.)", CLASS, has_candidates,
                 everyone_has_a_turn, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    read,
    told=told,
)  # fmt: skip
