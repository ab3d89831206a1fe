"""
Binding tables: the evidence of a real cluster for each action of a system, ``spec/SYSTEM/binding.yaml``.

A log statement is a row of the table of log lines, or the words of a class; a declaration may restrict its values.
Earlier statements of the same process tell actions apart that print the same.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain, count, zip_longest
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.catalogue.families import SPEC
from oneowner.checkers.documents import Document, Part, read_document
from oneowner.checkers.recordings.read.log_patterns import Pattern, class_of, table
from oneowner.checkers.verdict import Misuse
from oneowner.spec.systems import systems

OBSERVED: Final = {
    "records": "records of the channel",
    "registry": "writes of the registry and the election",
    "stores": "nodes beside records of the same content",
}
NAMED: Final = ("self", "other", "none")
"""Values of a field that are no pattern: the broker whose log it is, another broker, none at all."""


class Words(NamedTuple):
    """The lines that are one log statement."""

    event: str
    """The id of its row in the table of log lines; empty if *cls* and *text* name it."""
    cls: str
    text: str
    """With ``..`` for a value."""
    where: tuple[tuple[str, str], ...]
    """A field, of a text the number of a value from 1, and its value: one of NAMED, or a regular expression."""

    def __str__(self) -> str:
        names: Iterable[str]
        if not self.event:
            cls, names, parts = class_of(self.cls), map(str, count(1)), self.text.split("..")
        else:
            (pattern,) = (one for one in table() if one.id == self.event)
            form, cls = (*pattern.forms, *pattern.masters)[0], pattern.class_name
            names, parts = [name for name, _ in form.groups], form.parts
        given = {
            name: {"self": "itself", "other": "another", "none": "null"}.get(wanted, wanted)
            for name, wanted in self.where
        }
        values = [given.pop(name, "..") for name, _ in zip(names, parts[1:], strict=False)]
        words = "".join(chain(*zip_longest(parts, values, fillvalue="")))
        return f"``{words}`` of {cls}" + "".join(f", {name} {value}" for name, value in given.items())


class Condition(NamedTuple):
    """Something that a process may have shown before."""

    action: str
    """An action; empty: *words*."""
    words: Words | None
    until: tuple[str, ...]
    """Rows of the table of log lines that end it."""

    def __str__(self) -> str:
        since = f", and no {_or(self.until)} since" if self.until else ""
        return (f"``{self.action}``" if self.action else str(self.words)) + since


class Statement(NamedTuple):
    """A log statement that shows an action."""

    words: Words
    after: tuple[Condition, ...]
    """All of them hold."""
    unless: tuple[Condition, ...]
    """None of them holds."""
    same: tuple[tuple[str, str], ...]
    """A field, and that of the earlier lines in which its value must occur."""
    leap: str
    """The field with a record whose version is no successor of that in the unit's last such line; empty: none."""
    never: tuple[str, ...]
    """Rows of the table of log lines that the process does not show later."""
    goes_on: int
    """For how many seconds its log goes on at least."""
    again: bool
    """True if the log must show an earlier process of the broker."""

    def __str__(self) -> str:
        limits = [f"after {one}" for one in self.after] + [f"but not after {one}" for one in self.unless]
        limits += [f"of the same {one}" if one == other else f"{one} in its {other}" for one, other in self.same]
        limits += ["which leaves out versions"] * bool(self.leap) + ["of a later process"] * self.again
        limits += [f"and no {_or(self.never)} later, while it goes on for {self.goes_on} s"] * bool(self.never)
        return ", ".join([str(self.words), *limits])


class Binding(NamedTuple):
    """The declaration of one action."""

    action: str
    observed: str
    """The kind of observation that shows it; empty: none."""
    statements: tuple[Statement, ...]
    same_as: tuple[str, ...]
    """Actions that are the same real event in other steps of the model."""
    hidden: str
    needs: str
    beyond: str

    @property
    def evidence(self) -> list[str]:
        """The observations that show it, in words."""
        of_others = [f"as ``{other}``" for other in self.same_as]
        return [*filter(None, [OBSERVED.get(self.observed, "")]), *map(str, self.statements), *of_others]

    @property
    def reason(self) -> str:
        """Why it has not been seen, if it has not."""
        return self.beyond or "; ".join(filter(None, (self.hidden, self.needs and f"needs {self.needs}")))


CHANNEL: Final = "channel"


def path_of(system: str) -> Path:
    """Return the place of a system's binding table."""
    return SPEC / system / "binding.yaml"


@cache
def bound_systems() -> list[str]:
    """Return the systems that have a binding table."""
    return [name for name in systems() if path_of(name).exists()]


@cache
def bindings(system: str = CHANNEL) -> dict[str, Binding]:
    """Return the declaration of every action of a system, in the order of the model; empty if it has no table."""
    return bindings_in(read_document(path_of(system)), system) if system in bound_systems() else {}


def bindings_in(document: Document, system: str = CHANNEL) -> dict[str, Binding]:
    """Read a binding table; raise Misuse with the file and line of the part that does not fit."""
    parts = Part(document, document.data).mapping()
    actions = {one.name: one.name for one in systems()[system].declared}
    patterns = {pattern.id: pattern for pattern in table()}
    for name, part in parts.items():
        if name not in actions:
            Part(document, name, part.at).one_of(actions, "action")
    for name in actions:
        if name not in parts:
            raise document.refuse(f"the action {name} is missing; every action of {system} has a row")
    found = {name: _binding(name, parts[name], patterns, parts) for name in actions}
    for name, binding in found.items():
        for other in binding.same_as:
            if found[other].same_as:
                raise parts[name].complaint(f"as refused: {other} is itself declared by other actions; name those")
    return found


def _binding(name: str, part: Part, patterns: Mapping[str, Pattern], rows: Mapping[str, Part]) -> Binding:
    keys = part.mapping((), ("observed", "lines", "as", "hidden", "needs", "beyond"))
    given = {key: keys[key].line() for key in ("hidden", "needs", "beyond") if key in keys}
    if "beyond" in keys and keys.keys() - {"beyond", "lines"}:
        raise part.complaint(f"beyond refused for {name}: an action that no cluster shows has no other key but lines")
    if not keys.keys() & {"observed", "lines", "as", "hidden", "beyond"}:
        raise part.complaint(
            f"{name} has neither evidence nor a reason; observed, lines, as, hidden or beyond is needed"
        )
    if {"as", "hidden"} <= keys.keys():
        raise part.complaint(f"as refused for {name}: what lines of another action show is not hidden")
    observed = keys["observed"].one_of({kind: kind for kind in OBSERVED}, "observation") if "observed" in keys else ""
    statements = tuple(_statement(one, patterns, rows) for one in keys["lines"].items()) if "lines" in keys else ()
    others = keys["as"].items() if "as" in keys else []
    same_as = tuple(one.one_of({other: other for other in rows if other != name}, "action") for one in others)
    return Binding(name, observed, statements, same_as, *(given.get(key, "") for key in ("hidden", "needs", "beyond")))


def _statement(part: Part, patterns: Mapping[str, Pattern], rows: Iterable[str]) -> Statement:
    keys = part.mapping((), (*WORDS, "after", "unless", "same", "leap", "never", "goes_on", "again"))
    words = _words(part, keys, patterns)
    after, unless = (
        tuple(_condition(one, patterns, rows) for one in keys[key].items()) if key in keys else ()
        for key in ("after", "unless")
    )
    fields = {field: field for field in _fields(words, patterns)}
    same = tuple(
        (Part(part.document, field, other.at).one_of(fields, "field"), other.line())
        for field, other in (keys["same"].mapping().items() if "same" in keys else ())
    )
    if same and not after and not unless:
        raise part.complaint("same refused: it limits after or unless, and there is neither")
    leap = keys["leap"].one_of(fields, "field") if "leap" in keys else ""
    if ("never" in keys) != ("goes_on" in keys):
        raise part.complaint("never refused: the log must go on for some time (goes_on)")
    never = _rows(keys["never"], patterns) if "never" in keys else ()
    goes_on = keys["goes_on"].number(1) if "goes_on" in keys else 0
    return Statement(words, after, unless, same, leap, never, goes_on, "again" in keys and keys["again"].flag())


def _rows(part: Part, patterns: Mapping[str, Pattern]) -> tuple[str, ...]:
    return tuple(one.one_of({name: name for name in patterns}, "log line") for one in part.items())


WORDS: Final = ("id", "class", "text", "where")


def _words(part: Part, keys: Mapping[str, Part], patterns: Mapping[str, Pattern]) -> Words:
    if ("id" in keys) == ("class" in keys or "text" in keys) or ("class" in keys) != ("text" in keys):
        raise part.complaint("statement refused: it has an id, or a class and a text")
    event = keys["id"].one_of({name: name for name in patterns}, "log line") if "id" in keys else ""
    cls, text = (keys[key].line() if key in keys else "" for key in ("class", "text"))
    words = Words(event, cls, text, ())
    where = {}
    for field, value in keys["where"].mapping().items() if "where" in keys else ():
        allowed = {one: one for one in _fields(words, patterns)}
        name = Part(part.document, field, value.at).one_of(allowed, "field")
        where[name] = value.line()
        value.give(_compiled, where[name])
    return words._replace(where=tuple(where.items()))


def _fields(words: Words, patterns: Mapping[str, Pattern]) -> list[str]:
    """Return the names of the values of a statement."""
    return sorted(patterns[words.event].names) if words.event else [str(n + 1) for n in range(words.text.count(".."))]


def _condition(part: Part, patterns: Mapping[str, Pattern], rows: Iterable[str]) -> Condition:
    actions = {name: name for name in rows}
    if isinstance(part.data, str):
        name = part.one_of({name: name for name in patterns} | actions, "log line or action")
        return Condition("", Words(name, "", "", ()), ()) if name in patterns else Condition(name, None, ())
    keys = part.mapping((), (*WORDS, "action", "until"))
    action = keys["action"].one_of(actions, "action") if "action" in keys else ""
    words = None if action else _words(part, keys, patterns)
    return Condition(action, words, _rows(keys["until"], patterns) if "until" in keys else ())


def _or(rows: Iterable[str]) -> str:
    return " or ".join(str(Words(row, "", "", ())) for row in rows)


def _compiled(text: str) -> None:
    try:
        re.compile(text)
    except re.error as error:
        raise Misuse(f"regular expression refused: {text}; {error}") from None


def pattern_of(text: str) -> str:
    """
    Return the pattern of a statement's words; a value is one word, and one at the end ends the message.

    >>> pattern_of("Policy updated for namespace Optional[..], refreshing")
    'Policy updated for namespace Optional\\\\[(\\\\S+)\\\\], refreshing'
    >>> re.search(pattern_of("Deleting bundle .."), "Deleting bundle a force:true")
    """
    pattern = re.escape(text).replace("\\ ", " ").replace(r"\.\.", r"(\S+)")
    return pattern + "$" * text.endswith("..")
