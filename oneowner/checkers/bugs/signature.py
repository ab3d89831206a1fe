"""
A signature is the trace that a bug leaves in a text: statements of logs, stack frames, answers, in an order.

Text is compared without white space, so that a line that mail or a terminal has wrapped reads the same. A placeholder
has the form of its name's first word: ``{bundle}``, ``{broker}``, ``{topic}``, ``{n}``; ``{}`` is any text.
Placeholders of one name have one value in all lines of a signature.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from oneowner.checkers.documents import Part
from oneowner.checkers.times import duration_ms

LEAST_STEM: Final = 10
"""Letters of the longest literal of a template: a shorter one would match other programs' words."""


class Sureness(StrEnum):
    """How far a signature proves its bug, from most to least."""

    CERTAIN = "certain"
    """Nothing but this bug prints these lines."""
    LIKELY = "likely"
    """The lines are its symptom; another cause is possible, and rare."""
    POSSIBLE = "possible"
    """The lines occur without the bug, too: a piece of a log that someone chose is a hint, a whole log is none."""


MEANING: Final[Mapping[Sureness, str]] = {
    Sureness.CERTAIN: "nothing but this bug prints these lines",
    Sureness.LIKELY: "these lines are its symptom, and another cause is rare",
    Sureness.POSSIBLE: "these lines occur without the bug, too: collect more to decide",
}

DASH: Final = "\x02"
_DASH: Final = re.compile(r"\s-\s")
_RANGE = r"0x[0-9a-fA-FxX*]{8}_0x[0-9a-fA-FxX*]{8}"  # people hide some digits, and names
_FORMS: Final[Mapping[str, str]] = {
    "bundle": rf"[^,;()\[\]{{}}\"'=\n]+?/{_RANGE}",
    "range": _RANGE,
    "address": r"[\w.-]+:\d+",
    "broker": r"(?!null\b)(?:[a-z+]+://)?[\w.<>*-]+(?::\d+)?",
    "me": r"(?:[a-z+]+://)?[\w.<>*-]+(?::\d+)?",
    "topic": r"(?:non-)?persistent://[^,;()\[\]{}\"'\n]+?",
    "n": r"-?\d+(?:\.\d+)?",
}
_PLACEHOLDER: Final = re.compile(r"\{(?:([a-z]+)(?:_([a-z]+))?)?\}")
_CLASS: Final = re.compile(r"[A-Z]\w*(?: \| [A-Z]\w*)*")
TEXT, FRAME, ANSWER = "text", "frame", "answer"
"""Kinds of lines that are no log statements: any text, a stack frame, an answer of an admin call."""
_OPTIONS: Final = ("times", "within", "after", "without", "log")
PAIR: Final = 2


def squeezed(text: str) -> str:
    """
    Return *text* without white space; a dash between spaces, which ends the logger, becomes ``DASH``.

    >>> squeezed("a.B - Lock was not\\n in valid state")
    'a.B\\x02Lockwasnotinvalidstate'
    """
    return "".join(_DASH.sub(DASH, text).split())


@dataclass(frozen=True, slots=True)
class Template:
    """A text with placeholders."""

    text: str
    pattern: re.Pattern[str]
    """It matches squeezed text; its groups are named after placeholders."""
    stem: str
    """Its longest literal, squeezed."""


@dataclass(frozen=True)
class Clue:
    """One line of a signature."""

    kind: str
    """``text``, ``frame``, ``answer``, or empty for a log statement."""
    classes: tuple[str, ...]
    """The simple names of the classes that log it."""
    templates: tuple[Template, ...]
    """Its texts in different releases."""
    times: int = 1
    """The least number of such lines."""
    within: int | None = None
    """The longest time since the line before, in milliseconds."""
    after: int = 0
    """The shortest time since the line before, in milliseconds."""
    without: tuple[Clue, ...] = ()
    """Lines that do not come between the line before and this one."""
    log: str = ""
    """A label: lines of one label are in one log, lines of different labels are in different ones."""

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of its placeholders."""
        return frozenset(name for one in self.templates for name in one.pattern.groupindex)

    @property
    def whole(self) -> tuple[Clue, ...]:
        """The line and those that do not come before it."""
        return (self, *self.without)


@dataclass(frozen=True)
class Signature:
    """Lines that show one bug."""

    sure: Sureness
    why: str
    """The meaning of the lines, with placeholders."""
    lines: tuple[Clue, ...]
    is_ordered: bool = True
    never: tuple[Clue, ...] = ()
    """Lines that do not follow, while the log goes on."""
    goes_on: int = 0
    """The time for which the log goes on after the last line, in milliseconds, if lines must not follow."""
    differ: tuple[str, ...] = ()
    """Placeholders with different values."""
    inside: tuple[str, ...] = ()
    """Placeholders of two bundles: the first is a part of the second, and not all of it."""

    @cached_property
    def clues(self) -> tuple[Clue, ...]:
        """All lines that are sought, also those that must not be there."""
        return tuple(one for clue in (*self.lines, *self.never) for one in clue.whole)

    @cached_property
    def shared(self) -> frozenset[str]:
        """The placeholders of more than one line."""
        names = [name for clue in self.clues for name in clue.names]
        return frozenset(name for name in names if names.count(name) > 1)


def signature_in(part: Part) -> Signature:
    """Return the signature that a part of a finding's file describes; raise Misuse for an invalid one."""
    row = part.mapping(["sure", "why", "lines"], ["order", "never", "goes_on", "differ", "inside"])
    lines = tuple(clue_in(one) for one in row["lines"].items())
    if not lines:
        raise row["lines"].refuse("one line at least is needed")
    never = tuple(clue_in(one) for one in row["never"].items()) if "never" in row else ()
    if bool(never) != ("goes_on" in row):
        raise part.complaint("never and goes_on stand together: an absence needs a time for which it lasts")
    known = {name: name for clue in lines for name in clue.names}
    for name, _ in placeholders(row["why"].text()):
        if name not in known:
            raise row["why"].complaint(f"why refused: no line has the placeholder {{{name}}}")
    return Signature(
        row["sure"].one_of({one.value: one for one in Sureness}, "sureness"),
        row["why"].text().strip(),
        lines,
        row["order"].one_of({"lines": True, "any": False}, "order") if "order" in row else True,
        never,
        _duration(row["goes_on"]) if "goes_on" in row else 0,
        _named(row, "differ", known),
        _named(row, "inside", known),
    )


def _named(row: Mapping[str, Part], key: str, known: Mapping[str, str]) -> tuple[str, ...]:
    """Return the two placeholders under a key, or nothing."""
    named = tuple(one.one_of(known, "placeholder") for one in row[key].items()) if key in row else ()
    if named and len(named) != PAIR:
        raise row[key].refuse("it is a pair of placeholders")
    return named


def clue_in(part: Part) -> Clue:
    """Return one line of a signature; raise Misuse for an invalid one."""
    kinds = [key for key in part.mapping() if key not in _OPTIONS]
    if len(kinds) != 1 or not (kinds[0] in (TEXT, FRAME, ANSWER) or _CLASS.fullmatch(kinds[0])):
        raise part.refuse("it has one text, under the class that logs it, or under text, frame or answer")
    (key,) = kinds
    row = part.mapping([key], _OPTIONS)
    texts = row[key].items() if isinstance(row[key].data, list) else [row[key]]
    kind = key if key in (TEXT, FRAME, ANSWER) else ""
    return Clue(
        kind,
        () if kind else tuple(key.split(" | ")),
        tuple(one.give(_frame if kind == FRAME else template, one.text(), one) for one in texts),
        row["times"].number(2) if "times" in row else 1,
        _duration(row["within"]) if "within" in row else None,
        _duration(row["after"]) if "after" in row else 0,
        tuple(clue_in(one) for one in row["without"].items()) if "without" in row else (),
        row["log"].line() if "log" in row else "",
    )


def _duration(part: Part) -> int:
    return int(part.give(duration_ms, squeezed(part.line())))


def placeholders(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each placeholder in *text* that has one, and the word that names its form."""
    for found in _PLACEHOLDER.finditer(text):
        if found[1]:
            yield found[0][1:-1], found[1]


def template(text: str, part: Part) -> Template:
    """Compile a text with placeholders; raise Misuse for an unknown form, and for a text that is too short."""
    pieces: list[str] = []
    literals: list[str] = []
    at, seen = 0, set[str]()
    for found in _PLACEHOLDER.finditer(text):
        literals.append(squeezed(text[at : found.start()]))
        is_last = not text[found.end() :].strip()
        pieces += [re.escape(literals[-1]), _group(found, seen, is_last, part)]
        at = found.end()
    literals.append(squeezed(text[at:]))
    stem = max(literals, key=len)
    if len(stem) < LEAST_STEM:
        raise part.refuse(f"{LEAST_STEM} letters between two placeholders are needed at least")
    end = r"(?!\.?\d)" if literals[-1][-1:].isdigit() else ""  # 0 is not 0.41
    return Template(text, re.compile("".join([*pieces, re.escape(literals[-1]), end])), stem)


def _group(found: re.Match[str], seen: set[str], is_last: bool, part: Part) -> str:
    """Return the expression of a placeholder: a group, or a reference to the group of its name before it."""
    if not found[1]:
        return r"[^\n]*" if is_last else r"[^\n]*?"
    name = found[0][1:-1]
    if found[1] not in _FORMS:
        raise part.refuse(f"a placeholder begins with one of {', '.join(_FORMS)}, or is {{}}")
    if name in seen:
        return f"(?P={name})"
    seen.add(name)
    form = _FORMS[found[1]]
    return f"(?P<{name}>{form.removesuffix('?') if is_last and form.endswith('+?') else form})"


def _frame(text: str, part: Part) -> Template:
    """Compile ``Class.method``, a frame of a stack trace; lambdas of the method count."""
    if not re.fullmatch(r"[A-Z][\w$]*\.\w+", text):
        raise part.refuse("a frame is Class.method")
    name, method = map(re.escape, text.split("."))
    pattern = rf"\b{name}(?:\$\w+)*\.(?:lambda\$)?{method}(?:\$\d+)?\("
    return Template(text, re.compile(pattern), max(text.split("."), key=len))
