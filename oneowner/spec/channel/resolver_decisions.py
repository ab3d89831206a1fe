"""``ARROWS`` and ``RESOLVER`` judge which record may follow which."""

from collections.abc import Callable
from typing import Any, NamedTuple

from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FIRST_VERSION,
    FREE,
    INIT,
    MAX_VERSION,
    MIN_VERSION,
    NOBODY,
    NOTHING,
    OWNED,
    RELEASING,
    SPLITTING,
    ServiceUnitState,
)
from oneowner.model.channel.record_inputs import (
    ACCEPTED,
    MoveSizes,
    Race,
    RaceSizes,
    drawn,
    read_race,
    ruled,
    some_move,
    some_race,
)
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.decision import Decision, InputLaw, OnAnswer
from oneowner.model.kernel.law import LawKind

__traced__ = False  # laws of decisions, concrete

RESOLVES = "ServiceUnitStateDataConflictResolver.shouldKeepLeft"
DIAGRAM = "ServiceUnitState.isValidTransition; ServiceUnitStateDataConflictResolver.shouldKeepLeft"


# ---- which record may follow which ----


class Before(NamedTuple):
    """A state that may come before another one, under a condition; in words."""

    state: ServiceUnitState
    holds: Callable[[Race], bool]
    words: str


def only(after: ServiceUnitState, *known: Before) -> InputLaw:
    """Return the law that a record in state *after* follows those that are known, each under its condition, alone."""
    conditions = {before.state: before.holds for before in known}

    def holds(asked: Race, answer: Any) -> bool:
        condition = conditions.get(asked.held.state)
        return bool((answer == ACCEPTED) == (condition is not None and condition(asked)))

    words = ", or ".join(f"{before.state.value} {before.words}" for before in known)
    return InputLaw(
        f"{after.value.lower()}-follows-what-it-may",
        f"An unforced record {after.value} is accepted after {words}, and after nothing else.",
        DIAGRAM,
        lambda asked, answer: asked.proposed.state == after,
        holds,
        kind=LawKind.PROTOCOL,
    )


def has_same_brokers(asked: Race) -> bool:
    return asked.proposed[1:3] == asked.held[1:3]


AFTER_COMPACTION = Before(
    INIT,
    lambda asked: asked.storage == Storage.SYSTEM_TOPIC,
    "on the system topic, where compaction may hide what was before",
)
SAME_BROKERS = "of the same brokers"


def is_refused(asked: Race, answer: Any) -> bool:
    return bool(answer != ACCEPTED)


def names_the_rule(asked: Race, answer: Any) -> bool:
    arrow = asked.held.state, asked.proposed.state
    has_condition = arrow in {
        (OWNED, SPLITTING), (OWNED, RELEASING), (ASSIGNING, OWNED), (RELEASING, ASSIGNING), (RELEASING, FREE),
        (SPLITTING, DELETED), (FREE, ASSIGNING),
    }  # fmt: skip
    return bool(answer == ("broker" if has_condition else "transition"))


ARROWS = Decision(
    "channel/arrows",
    "Which record may follow which, whatever the versions (ServiceUnitState.isValidTransition, and the brokers)",
    MoveSizes,
    some_move,
    drawn,
    (
        only(
            INIT,
            Before(DELETED, lambda asked: True, "whoever is named"),
            Before(FREE, lambda asked: asked.storage == Storage.SYSTEM_TOPIC, "on the system topic"),
        ),
        only(
            ASSIGNING,
            Before(INIT, lambda asked: True, "whoever is named"),
            Before(
                FREE,
                lambda asked: asked.proposed.destination != NOBODY and asked.proposed.source == NOBODY,
                "if it names a destination and no source",
            ),
            Before(
                RELEASING,
                lambda asked: has_same_brokers(asked) and asked.proposed.destination != NOBODY,
                "of the same brokers, with a destination",
            ),
        ),
        only(OWNED, Before(ASSIGNING, has_same_brokers, SAME_BROKERS), AFTER_COMPACTION),
        only(
            RELEASING,
            Before(
                OWNED,
                lambda asked: asked.proposed.source == asked.held.destination != asked.proposed.destination,
                "if its source is the owner, and its destination is not",
            ),
            AFTER_COMPACTION,
        ),
        only(FREE, Before(RELEASING, has_same_brokers, SAME_BROKERS), AFTER_COMPACTION),
        only(
            SPLITTING,
            Before(
                OWNED,
                lambda asked: asked.proposed.source == asked.held.destination and asked.proposed.destination == NOBODY,
                "if its source is the owner, and it has no destination",
            ),
            AFTER_COMPACTION,
        ),
        only(DELETED, Before(SPLITTING, has_same_brokers, SAME_BROKERS), AFTER_COMPACTION),
        InputLaw(
            "refusal-names-its-rule",
            "A record is refused for its brokers where the states fit, and else for the transition.",
            DIAGRAM,
            is_refused,
            names_the_rule,
            kind=LawKind.MIRROR,
        ),
    ),
    read_race,
)


# ---- the resolver ----


def is_tombstone(asked: Race, answer: Any) -> bool:
    return asked.proposed.state == NOTHING


def is_accepted(asked: Race, answer: Any) -> bool:
    return bool(answer == ACCEPTED)


def comes_first(asked: Race, answer: Any) -> bool:
    return asked.held.state == NOTHING != asked.proposed.state


def first_fits(asked: Race, answer: Any) -> bool:
    if asked.storage == Storage.METADATA_STORE:
        return bool(answer == (ACCEPTED if asked.proposed.version == FIRST_VERSION else "first-version"))
    is_odd = asked.proposed.state == INIT and not asked.proposed.force
    return bool(answer == ("transition" if is_odd else ACCEPTED))


def wraps(asked: Race) -> bool:
    return asked.held.version == MAX_VERSION and asked.proposed.version == MIN_VERSION


def both_there(asked: Race) -> bool:
    return asked.held.state != NOTHING != asked.proposed.state


def is_not_above(asked: Race, answer: Any) -> bool:
    return both_there(asked) and asked.proposed.version <= asked.held.version and not wraps(asked)


def is_behind_a_gap(asked: Race, answer: Any) -> bool:
    return both_there(asked) and asked.proposed.version > asked.held.version + 1


def is_next(asked: Race, answer: Any) -> bool:
    return both_there(asked) and (wraps(asked) or asked.proposed.version == asked.held.version + 1)


def is_refused_by(rule: str) -> OnAnswer:
    return lambda asked, answer: bool(answer == rule)


def gap_fits(asked: Race, answer: Any) -> bool:
    return bool(answer == ("gap" if asked.storage == Storage.METADATA_STORE else ACCEPTED))


def is_next_and_forced(asked: Race, answer: Any) -> bool:
    return is_next(asked, answer) and asked.proposed.force


def is_next_and_unforced(asked: Race, answer: Any) -> bool:
    return is_next(asked, answer) and not asked.proposed.force


def is_as_drawn(asked: Race, answer: Any) -> bool:
    return bool(answer == drawn(asked))


RESOLVER = Decision(
    "channel/resolver",
    "Whether a reader that holds one record takes the next one (ServiceUnitStateDataConflictResolver.shouldKeepLeft)",
    RaceSizes,
    some_race,
    ruled,
    (
        InputLaw("tombstone-is-taken", "A tombstone is always taken.", RESOLVES, is_tombstone, is_accepted,
                 kind=LawKind.PROTOCOL),
        InputLaw(
            "first-record-fits-the-storage",
            "Where there is no entry the metadata store takes version 1 alone, and the system topic any record, but an "
            "unforced Init.",
            RESOLVES,
            comes_first,
            first_fits, kind=LawKind.MIRROR,
        ),
        InputLaw(
            "version-goes-up",
            "A record whose version is not above the held one is refused, but that of the lowest after the highest.",
            RESOLVES,
            is_not_above,
            is_refused_by("version"), kind=LawKind.PROTOCOL,
        ),
        InputLaw(
            "gap-fits-the-storage",
            "A record behind a gap of versions is taken from the system topic and refused by the metadata store, forced"
            " or not.",
            RESOLVES,
            is_behind_a_gap,
            gap_fits, kind=LawKind.MIRROR,
        ),
        InputLaw("force-overrules", "The next record is taken if it is forced.", RESOLVES, is_next_and_forced,
                 is_accepted, kind=LawKind.PROTOCOL),
        InputLaw(
            "unforced-goes-by-the-arrows",
            "The next record, unforced, is taken where the arrows allow it (channel/arrows).",
            RESOLVES,
            is_next_and_unforced,
            is_as_drawn, kind=LawKind.PROTOCOL,
        ),
    ),
    read_race,
)  # fmt: skip
