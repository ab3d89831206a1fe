"""The catalogue of known bugs, searched by release, by words of a symptom and by class."""

from collections.abc import Iterable, Sequence

from oneowner.checkers.bugs.known_bugs import KnownBug, known_bugs
from oneowner.checkers.bugs.signature import Clue, squeezed
from oneowner.checkers.catalogue.releases import check_release
from oneowner.checkers.documents import suggestion
from oneowner.checkers.verdict import Misuse


def chosen_bugs(
    names: Sequence[str], release: str | None, symptom: str | None, class_name: str | None
) -> list[KnownBug]:
    """Return the known bugs of these names or issues, that *release* may have, with these words and this class."""
    check_release(release)
    found = _named(names) if names else list(known_bugs().values())
    if symptom is not None:
        found = [one for one in found if _holds(one, symptom)]
    if class_name is not None:
        simple = class_name.rpartition(".")[2]
        found = [one for one in found if any(simple in clue.classes for clue in clues_of(one))]
    return found if release is None else [one for one in found if one.affects(release) is not False]


def _named(names: Iterable[str]) -> list[KnownBug]:
    there = known_bugs()
    found: dict[str, KnownBug] = {}
    for name in names:
        number = name.removeprefix("#")
        of_issue = {one.name: one for one in there.values() if number.isdigit() and int(number) in one.issues}
        if not of_issue and name not in there:
            raise Misuse(f"no such bug: {name}; {suggestion(name, there)}")
        found.update(of_issue or {name: there[name]})
    return list(found.values())


def clues_of(bug: KnownBug) -> list[Clue]:
    """Return the lines of all signatures of a bug."""
    return [clue for one in bug.signatures for clue in one.clues]


def _holds(bug: KnownBug, words: str) -> bool:
    """Return whether the texts of a bug hold *words*, whatever their case and spaces, or each of them."""
    texts = [bug.title, bug.about, *(one.text for clue in clues_of(bug) for one in clue.templates)]
    whole = squeezed(" ".join(texts)).lower()
    return squeezed(words).lower() in whole or all(word in whole for word in words.lower().split())
