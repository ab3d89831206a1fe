"""
The life of a bundle: the states of its entry in the channel, and the arrows between them.

An arrow of the transition tables has a guard, and is one of both storages or of the system topic alone. Other arrows
are those by which entries moved in replayed runs: forced records, tombstones, and records that the gap rule accepted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple

from oneowner.model.channel.record import NOTHING, ServiceUnitState
from oneowner.model.channel.resolver import METADATA_STORE_MOVES, SYSTEM_TOPIC_MOVES
from tools.site.ring import Arrow
from tools.site.runs import Move

STATES: Final = tuple(one.value for one in ServiceUnitState if one != NOTHING)
"""An absent entry counts as Init."""


class Step(NamedTuple):
    """An arrow of the life of a bundle, with its evidence."""

    arrow: Arrow
    demand: str
    """The demand of the tables on the brokers, or the reason why it is taken although no table has it."""
    times: int
    """How often entries move along it in the runs."""
    causes: tuple[str, ...]
    """The actions that make such a record in the runs, the commonest first."""
    example: Move | None
    """The move of the shortest run that has it."""


def steps(moves: Iterable[Move]) -> list[Step]:
    """Return the arrows of the tables in their order, then those that runs show beside them."""
    seen: dict[tuple[str, str], list[Move]] = defaultdict(list)
    for move in moves:
        seen[move.before, move.after].append(move)
    found = []
    for before, after, guard in SYSTEM_TOPIC_MOVES.rows:
        pair = str(before), str(after)
        is_both = METADATA_STORE_MOVES.get(before, after) is not None
        where = "both storages" if is_both else "the system topic, where compaction may hide what came before"
        demand = f"{' '.join((guard.__doc__ or guard.__name__).split())} ({where})"
        found.append(_step(pair, "table" if is_both else "topic", demand, seen.pop(pair, [])))
    for pair, some in sorted(seen.items()):
        if pair[1] == "Init":
            kind, why = "tombstone", "A tombstone deletes the entry."
        elif all(move.forced for move in some):
            kind, why = "forced", "A forced record overrules the tables."
        else:
            kind, why = "beyond", "No table has it: a record that skips versions, or the first one of a node."
        found.append(_step(pair, kind, why, some))
    return found


def _step(pair: tuple[str, str], style: str, demand: str, some: list[Move]) -> Step:
    example = min(some, key=lambda move: (move.step, move.scenario), default=None)
    causes = tuple(cause for cause, _ in Counter(move.cause for move in some if move.cause).most_common())
    return Step(Arrow(*pair, style, f"{pair[0]} to {pair[1]}: {demand}"), demand, len(some), causes, example)
