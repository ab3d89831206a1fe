"""The log statements of signatures occur in releases of Pulsar, as the statements that were read from their sources."""

import re
from collections import defaultdict
from collections.abc import Sequence

import pytest

from oneowner.checkers.bugs.known_bugs import KnownBug, known_bugs
from oneowner.checkers.bugs.signature import Clue, squeezed
from tools.log_statements import written
from tools.source_statements import VALUE

LEAST = 20
"""Letters of a statement that a text must share with it, or half of its own if it is short."""


def statements() -> dict[str, set[str]]:
    """Return the texts of the statements that were read from Pulsar's sources, by simple class."""
    found: dict[str, set[str]] = defaultdict(set)
    for one in written():
        found[one.logger.rpartition(".")[2]].add(one.text)
    return found


def shared(text: str, statement: str) -> int:
    """Return how many letters of *text* are those of *statement*, if it is a part of its output; 0 if it is none."""
    tokens: list[str | None] = []
    for number, piece in enumerate(statement.split(VALUE)):
        tokens += [None] * bool(number) + list(squeezed(piece))
    reached: dict[int, int] = dict.fromkeys(range(len(tokens)), 0)
    for letter in squeezed(text):
        reached = _after(letter, tokens, reached)
    return max(reached.values(), default=0)


def _after(letter: str, tokens: Sequence[str | None], reached: dict[int, int]) -> dict[int, int]:
    """Return the places of a statement that are reached by one letter more, with the letters that they share."""
    found: dict[int, int] = {}
    for place, count in reached.items():
        for at in range(place, len(tokens)):
            if tokens[at] == letter:
                found[at + 1] = max(found.get(at + 1, 0), count + 1)
            if tokens[at] is not None:
                break
            found[at] = max(found.get(at, 0), count)
    return found


def is_known(text: str, there: set[str]) -> bool:
    plain = re.sub(r"\{[a-z_]*\}", "?", text)
    least = min(LEAST, len(squeezed(plain.replace("?", ""))) / 2)
    return any(shared(plain, one) >= least for one in there)


def clues(bug: KnownBug) -> list[Clue]:
    return [clue for one in bug.signatures for clue in one.clues if clue.classes]


THERE = statements()
UNKNOWN = {
    name: [
        one.text
        for clue in clues(bug)
        for one in clue.templates
        if not any(is_known(one.text, THERE[name]) for name in clue.classes)
    ]
    for name, bug in known_bugs().items()
}


@pytest.mark.parametrize("name", known_bugs())
def test_statements_of_a_signature_are_those_of_a_release(name: str) -> None:
    assert not UNKNOWN[name] or known_bugs()[name].verified


def test_statements_of_most_signatures_are_among_the_vectors() -> None:
    there = [name for name, bug in known_bugs().items() if clues(bug) and not UNKNOWN[name]]
    assert len(there) > 20


def test_text_is_compared_with_the_output_of_a_statement() -> None:
    statement = "This broker:{} is setting the role from {} to {}"
    assert is_known("This broker:{broker} is setting the role from Follower to Follower", {statement})
    assert not is_known("This broker:{broker} plays a follower now.", {statement})
