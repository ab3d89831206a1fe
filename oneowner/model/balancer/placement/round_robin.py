"""``RoundRobinBrokerSelector``: one candidate after another (policies.4.4)."""

from typing import Final, NamedTuple

MOST: Final = 2**31 - 1
"""Then the count begins anew."""


class Turn(NamedTuple):
    """The brokers that could be given a bundle, in the order of their set, and the selector's memory."""

    candidates: tuple[str, ...]
    turns: int = 0
    """The number of bundles that it has placed."""
    listed: tuple[str, ...] = ()
    """The candidates as it has copied them."""


class Choice(NamedTuple):
    """The chosen broker, and the selector's memory afterwards."""

    chosen: str | None
    turns: int
    listed: tuple[str, ...]


def round_robin(turn: Turn) -> Choice:
    """
    Return whose turn it is, by the list as it was copied last.

    It is copied anew if it has another length than the candidates, or if whose turn it is is no candidate: so its order
    may be one that the candidates no longer have.
    """
    if not turn.candidates:
        return Choice(None, turn.turns, turn.listed)
    place = turn.turns % len(turn.candidates)
    listed = turn.listed if len(turn.listed) == len(turn.candidates) else turn.candidates
    if listed[place] not in turn.candidates:
        listed = turn.candidates
    return Choice(listed[place], 0 if turn.turns == MOST else turn.turns + 1, listed)
