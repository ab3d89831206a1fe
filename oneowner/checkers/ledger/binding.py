"""
The binding table: the evidence of a real cluster for each action of the channel, ``spec/channel/binding.yaml``.

A log statement is a row of the table of log lines, whose values a declaration may restrict, or the words of a class.
Other statements of the same process tell actions apart that print the same.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from oneowner.checkers.catalogue.families import SPEC
from oneowner.checkers.documents import Document, Part, read_document
from oneowner.checkers.recordings.read.log_patterns import Pattern, class_of, table
from oneowner.checkers.verdict import Misuse
from oneowner.spec.channel.system import SYSTEM

PATH: Final = SPEC / "channel" / "binding.yaml"
EXPLAINED: Final = {"records": "records of the channel", "registry": "writes of the registry and the election"}
NAMED: Final = ("self", "other", "none")
"""Values of a field that are no pattern: the broker whose log it is, another broker, none at all."""


class Statement(NamedTuple):
    """A log statement that shows an action."""

    event: str
    """The id of its row in the table of log lines; empty if *cls* and *words* name it."""
    cls: str
    words: str
    """With ``..`` for a value."""
    where: Mapping[str, str]
    """By field its value: one of NAMED, or a regular expression."""
    after: str
    """A row of the table, or an action, that the process has shown before; empty: any."""
    unless: str
    """One that the process has not shown before; empty: none."""
    same: str
    """The field whose value *after* or *unless* must share; empty: whatever its values are."""
    again: bool
    """True if the log must show an earlier process of the broker."""
    line: int
    """Its place in the table."""

    def __str__(self) -> str:
        limits = [f"{field} {value}" for field, value in self.where.items()]
        limits += [f"{word} {other}" for word, other in (("after", self.after), ("unless", self.unless)) if other]
        limits += [f"of the same {self.same}"] * bool(self.same)
        limits += ["of a later process"] * self.again
        return (self.event or f"{self.cls}: {self.words}") + (f" ({', '.join(limits)})" if limits else "")


class Binding(NamedTuple):
    """The declaration of one action."""

    action: str
    explained: str
    """The kind of observation that shows it in the explanation of a recording; empty: none."""
    statements: tuple[Statement, ...]
    same_as: tuple[str, ...]
    """Actions that are the same real event in other steps of the model."""
    hidden: str
    needs: str
    beyond: str

    @property
    def reason(self) -> str:
        """Why it has not been seen, if it has not."""
        return self.beyond or "; ".join(filter(None, (self.hidden, self.needs and f"needs {self.needs}")))


@cache
def bindings() -> dict[str, Binding]:
    """Return the declaration of every action of the channel, in the order of the model."""
    return bindings_in(read_document(PATH))


def bindings_in(document: Document) -> dict[str, Binding]:
    """Read a binding table; raise Misuse with the file and line of the part that does not fit."""
    parts = Part(document, document.data).mapping()
    actions = dict.fromkeys(one.name for one in SYSTEM.declared)
    patterns = {pattern.id: pattern for pattern in table()}
    for name, part in parts.items():
        if name not in actions:
            Part(document, name, part.at).one_of(actions, "action")
    for name in actions:
        if name not in parts:
            raise document.refuse(f"the action {name} is missing; every action of the channel has a row")
    found = {name: _binding(name, parts[name], patterns, parts) for name in actions}
    for name, binding in found.items():
        for other in binding.same_as:
            if found[other].same_as:
                raise parts[name].complaint(f"as refused: {other} is itself declared by other actions; name those")
    return found


def _binding(name: str, part: Part, patterns: Mapping[str, Pattern], rows: Mapping[str, Part]) -> Binding:
    keys = part.mapping((), ("explained", "lines", "as", "hidden", "needs", "beyond"))
    given = {key: keys[key].line() for key in ("hidden", "needs", "beyond") if key in keys}
    if "beyond" in keys and len(keys) > 1:
        raise part.complaint(f"beyond refused for {name}: an action that no cluster shows has no other key")
    if not keys.keys() & {"explained", "lines", "as", "hidden", "beyond"}:
        raise part.complaint(
            f"{name} has neither evidence nor a reason; explained, lines, as, hidden or beyond is needed"
        )
    if {"as", "hidden"} <= keys.keys():
        raise part.complaint(f"as refused for {name}: what lines of another action show is not hidden")
    explained = (
        keys["explained"].one_of({kind: kind for kind in EXPLAINED}, "observation") if "explained" in keys else ""
    )
    statements = tuple(_statement(one, patterns) for one in keys["lines"].items()) if "lines" in keys else ()
    others = keys["as"].items() if "as" in keys else []
    same_as = tuple(one.one_of({other: other for other in rows if other != name}, "action") for one in others)
    return Binding(name, explained, statements, same_as, *(given.get(key, "") for key in ("hidden", "needs", "beyond")))


def _statement(part: Part, patterns: Mapping[str, Pattern]) -> Statement:
    keys = part.mapping((), ("id", "class", "text", "where", "after", "unless", "same", "again"))
    if ("id" in keys) == ("class" in keys or "text" in keys) or ("class" in keys) != ("text" in keys):
        raise part.complaint("statement refused: it has an id, or a class and a text")
    by_id = {name: name for name in patterns}
    event = keys["id"].one_of(by_id, "log line") if "id" in keys else ""
    where = {}
    for field, value in keys["where"].mapping().items() if "where" in keys else ():
        if not event or field not in patterns[event].names:
            allowed = ", ".join(sorted(patterns[event].names)) if event else "a statement by its words has none"
            raise value.complaint(f"no such field: {field}; {allowed}")
        where[field] = value.line()
        value.give(_compiled, where[field])
    before = by_id | {one.name: one.name for one in SYSTEM.declared}
    around = [keys[key].one_of(before, "log line or action") if key in keys else "" for key in ("after", "unless")]
    same = (
        keys["same"].one_of({field: field for field in patterns[event].names} if event else {}, "field")
        if "same" in keys
        else ""
    )
    if same and not any(around):
        raise part.complaint("same refused: it limits after or unless, and there is neither")
    again = "again" in keys and keys["again"].flag()
    cls, words = (keys[key].line() if key in keys else "" for key in ("class", "text"))
    line = next(
        part.document.lines[part.at[:end]] for end in range(len(part.at), 0, -1) if part.at[:end] in part.document.lines
    )
    return Statement(event, cls, words, where, around[0], around[1], same, again, line)


def _compiled(text: str) -> None:
    try:
        re.compile(text)
    except re.error as error:
        raise Misuse(f"regular expression refused: {text}; {error}") from None


class Line(NamedTuple):
    """One line of a broker's log."""

    cls: str
    message: str
    event: str
    """The id of its row in the table of log lines; empty if it has none."""
    values: Mapping[str, Any]


STARTING: Final = "broker-starting"
"""The first statement of a process."""


def shown_by(lines: Iterable[Line], broker: str) -> Iterator[tuple[str, Statement]]:
    """Yield each action that a line of *broker*'s log shows, with the statement, in the order of the lines."""
    before, processes = dict[str, list[Mapping[str, Any]]](), 0
    for line in lines:
        if line.event == STARTING:
            processes += 1
            before.clear()
        shown = [
            (action, statement)
            for action, statement in (*_by_event().get(line.event, ()), *_by_class().get(line.cls, ()))
            if (processes > 1 or not statement.again) and _is_shown(statement, line, broker, before)
        ]
        yield from shown
        for name in dict.fromkeys((line.event, *(action for action, _ in shown))):
            before.setdefault(name, []).append(line.values)


def _is_shown(statement: Statement, line: Line, broker: str, before: Mapping[str, list[Mapping[str, Any]]]) -> bool:
    """Return whether a line is a statement of the table, by its words, its values and the lines *before* it."""

    def has(name: str) -> bool:
        same = statement.same
        return any(not same or values.get(same) == line.values.get(same) for values in before.get(name, ()))

    return (
        (not statement.words or re.search(pattern_of(statement.words), line.message) is not None)
        and all(_has(line.values.get(field), value, broker) for field, value in statement.where.items())
        and (not statement.after or has(statement.after))
        and not (statement.unless and has(statement.unless))
    )


def _has(found: Any, wanted: str, broker: str) -> bool:
    """Return whether the value of a field is as a declaration demands."""
    if wanted in NAMED:
        kind = "none" if found is None else "self" if found == broker else "other"
        return wanted == kind
    return re.fullmatch(wanted, str(getattr(found, "record", found))) is not None


@cache
def _by_event() -> dict[str, list[tuple[str, Statement]]]:
    return _grouped(lambda statement: statement.event)


@cache
def _by_class() -> dict[str, list[tuple[str, Statement]]]:
    return _grouped(lambda statement: class_of(statement.cls))


def _grouped(key: Any) -> dict[str, list[tuple[str, Statement]]]:
    """Return the statements of every action, and of those that are the same event."""
    found: dict[str, list[tuple[str, Statement]]] = {}
    every = bindings()
    for name, binding in every.items():
        for statement in (*binding.statements, *(one for other in binding.same_as for one in every[other].statements)):
            if group := key(statement):
                found.setdefault(group, []).append((name, statement))
    return found


def classes() -> frozenset[str]:
    """Return the classes of the statements that are named by their words."""
    return frozenset(_by_class())


def pattern_of(words: str) -> str:
    """
    Return the pattern of a statement's words; a value is one word, and one at the end ends the message.

    >>> pattern_of("Policy updated for namespace Optional[..], refreshing")
    'Policy updated for namespace Optional\\\\[\\\\S+\\\\], refreshing'
    >>> re.search(pattern_of("Deleting bundle .."), "Deleting bundle a force:true")
    """
    pattern = re.escape(words).replace("\\ ", " ").replace(r"\.\.", r"\S+")
    return pattern + "$" * words.endswith("..")
