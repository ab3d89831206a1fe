"""Placements that answer otherwise: for every law of theirs one that breaks it."""

from typing import Any

from tests.spec.balancer.mutants import DECISIONS, Decide, instead, original


def nobody(name: str) -> Decide:
    return instead(name, lambda given, found: ())


def everybody(name: str) -> Decide:
    return instead(name, lambda given, found: given.candidates)


def choice(admissible: Any) -> Decide:
    return instead("least-usage", lambda given, found: found._replace(admissible=admissible(given)))


def from_the_past(given: Any, found: Any) -> Any:
    """The idle have a past."""
    return found._replace(history=tuple((name, usage / 2) for name, usage in found.history))


PLACEMENT_MUTANTS: dict[tuple[str, str], Decide] = {
    ("least-long-term", "someone-is-drawn"): nobody("least-long-term"),
    ("least-long-term", "least-score-is-drawn"): everybody("least-long-term"),
    ("least-long-term", "overloaded-is-passed-over"): everybody("least-long-term"),
    ("least-long-term", "order-of-candidates-draws-nobody"): instead(
        "least-long-term", lambda given, found: given.candidates[:1]
    ),
    ("least-usage", "some-usage-is-least"): choice(lambda given: ()),
    ("least-usage", "drawn-is-below-average"): choice(lambda given: given.candidates),
    ("least-usage", "least-used-may-be-drawn"): choice(lambda given: given.candidates[1:]),
    ("least-usage", "idle-broker-has-no-past"): instead("least-usage", from_the_past),
    ("least-usage-extensible", "some-load-is-least"): nobody("least-usage-extensible"),
    ("least-usage-extensible", "drawn-is-below-the-known"): instead(
        "least-usage-extensible", lambda given, found: tuple(name for name, _ in given.loads)
    ),
    ("modular-selection", "policies-are-obeyed"): instead(
        "modular-selection", lambda asked, found: asked.policies.available
    ),
    ("modular-selection", "allowed-bundle-finds-a-broker"): nobody("modular-selection"),
    ("round-robin", "turn-is-a-candidates"): instead(
        "round-robin", lambda turn, found: found._replace(chosen="b9")
    ),
    ("round-robin", "turn-is-counted"): instead(
        "round-robin", lambda turn, found: found._replace(turns=turn.turns)
    ),
    ("round-robin", "turn-is-by-the-count"): instead("round-robin", lambda turn, found: found._replace(chosen="b9")),
    ("round-robin", "everyone-has-a-turn"): instead(
        "round-robin", lambda turn, found: found._replace(turns=turn.turns)
    ),
}  # fmt: skip
for _name in ("least-long-term", "least-usage", "least-usage-extensible", "round-robin", "modular-selection"):
    for _law in DECISIONS[f"balancer/{_name}"].laws:
        if _law.status.is_violated:
            PLACEMENT_MUTANTS[_name, _law.name] = original(_name)
