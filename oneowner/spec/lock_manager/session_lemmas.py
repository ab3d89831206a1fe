"""
These lemmas prove that owners by nodes exclude each other if sessions are fenced, with any number of brokers and steps.

They are about two brokers of any number, and one bundle. The invariant: a broker that acts as owner has the node.
A *fenced* session ends for its broker no later than for the store; in Pulsar it ends later, and the invariant is lost.
"""

from typing import Final, NamedTuple

from oneowner.model.kernel.language import BOOLEAN, Fields
from oneowner.model.kernel.lemma import REFUTED, Interval, Lemma, Mutant
from oneowner.model.lock_manager.state import NOBODY

__traced__ = False  # two individuals that are written there; formula and predicate are compared

SOURCE: Final = "OwnershipCache.tryAcquiringOwnership; ZooKeeper's ephemeral nodes"
BROKERS: Final = Interval(0, 2**31 - 1, "broker")


class Pair(NamedTuple):
    """Two brokers, the node of a bundle, and who of the two takes itself for the owner."""

    first: int
    second: int
    node: int
    first_owns: bool
    second_owns: bool


BEFORE: Final = {
    "before": Fields(Pair, first=BROKERS, second=BROKERS, node=BROKERS, first_owns=BOOLEAN, second_owns=BOOLEAN)
}


def are_two(before: Pair) -> bool:
    return before.first != NOBODY and before.second != NOBODY and before.first != before.second


def owners_have_the_node(before: Pair) -> bool:
    first = not before.first_owns or before.node == before.first
    second = not before.second_owns or before.node == before.second
    return first and second


def one_owns(before: Pair) -> bool:
    return not (before.first_owns and before.second_owns)


def somebody_owns(before: Pair) -> bool:
    return before.first_owns or before.second_owns


def nobody_has_the_node(before: Pair) -> bool:
    return before.node == NOBODY


def after_creating(before: Pair) -> Pair:
    """The first broker creates the node if there is none, and takes itself for the owner then."""
    creates = before.node == NOBODY
    node = before.first if creates else before.node
    return Pair(before.first, before.second, node, before.first_owns or creates, before.second_owns)


def after_creating_twice(before: Pair) -> Pair:
    """The first broker takes itself for the owner whosever the node is."""
    return Pair(before.first, before.second, before.node, True, before.second_owns)


def after_fenced_end(before: Pair) -> Pair:
    """The session of the node ends, and its broker takes itself for the owner no more."""
    first = before.first_owns and before.node != before.first
    second = before.second_owns and before.node != before.second
    return Pair(before.first, before.second, NOBODY, first, second)


def after_end(before: Pair) -> Pair:
    """The session of the node ends unnoticed by its broker."""
    return Pair(before.first, before.second, NOBODY, before.first_owns, before.second_owns)


EXCLUDES = Lemma(
    "node-excludes",
    "Of two brokers that have the node if they take themselves for the owner, one does.",
    SOURCE,
    over=BEFORE,
    claim=one_owns,
    given=(are_two, owners_have_the_node),
    occasion=somebody_owns,
    mutant=Mutant("the brokers need not have the node", given=(are_two,)),
)

CREATED = Lemma(
    "node-created",
    "Who takes itself for the owner has the node, also after a broker has created it.",
    SOURCE,
    over=BEFORE,
    claim=owners_have_the_node,
    given=(are_two, owners_have_the_node),
    step=after_creating,
    occasion=nobody_has_the_node,
    mutant=Mutant("the broker does not ask whose the node is", step=after_creating_twice),
)

FENCED = Lemma(
    "fenced-session-ends",
    "Who takes itself for the owner has the node, also after a fenced session has ended.",
    SOURCE,
    over=BEFORE,
    claim=owners_have_the_node,
    given=(are_two, owners_have_the_node),
    step=after_fenced_end,
    occasion=somebody_owns,
    mutant=Mutant("the broker does not know", step=after_end),
)

UNFENCED = Lemma(
    "session-ends",
    "Who takes itself for the owner has the node, also after a session has ended. (It has not: a broker hears of the"
    " end of its session later than the store ends it.)",
    "ZKSessionWatcher; apache/pulsar#12194",
    over=BEFORE,
    claim=owners_have_the_node,
    given=(are_two, owners_have_the_node),
    step=after_end,
    occasion=somebody_owns,
    expected=REFUTED,
)

LEMMAS: Final = (EXCLUDES, CREATED, FENCED, UNFENCED)
