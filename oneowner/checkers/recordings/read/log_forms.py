"""
A form of a log line is a text with placeholders, and of the 5.0 line its attributes.

Text between placeholders is matched literally; a placeholder matches a value of its type.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from oneowner.checkers.documents import Part
from oneowner.checkers.recordings.read.log_values import TYPES

_PLACEHOLDER = re.compile(r"\{([a-z_]+)(?::([a-z]+))?\}")


class Form(NamedTuple):
    """One way in which a line is printed."""

    stem: str
    """The longest words between placeholders: a line without them is not this one."""
    text: re.Pattern[str]
    groups: tuple[tuple[str, str], ...]
    """Name and type of each placeholder of the text."""
    attributes: tuple[tuple[str, re.Pattern[str], tuple[tuple[str, str], ...]], ...] | None
    """For each attribute its name, its text, and name and type of each placeholder in that; None: no attributes."""
    words: str
    """The text as a regular expression, with a NUL for each placeholder, for the comparison with log statements."""

    @property
    def parts(self) -> list[str]:
        """The text before, between and after the placeholders."""
        return re.sub(r"\\(.)", r"\1", self.words).split("\0")

    def values(self, message: str, attributes: Mapping[str, str]) -> dict[str, Any] | None:
        """Return a line's values in this form, None if it has another; ValueError if a value is not of its type."""
        found = self.text.fullmatch(message)
        if found is None:
            return None
        values = _values(found, self.groups)
        for name, text, groups in self.attributes or ():
            if (found := text.fullmatch(attributes.get(name, ""))) is None or name not in attributes:
                raise ValueError(f"no {name}")
            values.update(_values(found, groups))
        return values


def _values(found: re.Match[str], groups: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    return {name: _READ[kind](text) for (name, kind), text in zip(groups, found.groups(), strict=True)}


_READ = {kind: read for kind, (_, read) in TYPES.items()}


def master_of(part: Part) -> Form:
    """Compile ``message [attributes]``; raise Misuse for any other text."""
    message, _, attributes = part.text().rpartition(" [")
    if not attributes.endswith("]"):
        raise part.refuse("it is a message [attributes]")
    return form_of(part, message, attributes[:-1])


def form_of(part: Part, message: str, attributes: str | None) -> Form:
    """Compile a text, and its attributes if there are any; raise Misuse for an invalid placeholder."""
    literals, groups = _cut_at_placeholders(part, message.rstrip())
    words = "\0".join(re.escape(literal) for literal in literals)
    named = None if attributes is None else tuple(_attribute(part, one) for one in cut_attributes(attributes))
    return Form(max(literals, key=len).strip(), _compiled(literals, groups), groups, named, words)


def cut_attributes(attributes: str) -> list[str]:
    """
    Cut at commas that stand in no bracket.

    >>> cut_attributes("{topic}, producer=Producer{topic={topic}, id={id:int}}")
    ['{topic}', 'producer=Producer{topic={topic}, id={id:int}}']
    """
    parts = [""]
    for piece in attributes.split(", "):
        whole = parts[-1].count("{") == parts[-1].count("}")
        parts = [*parts, piece] if whole else [*parts[:-1], f"{parts[-1]}, {piece}"]
    return parts[1:]


def _attribute(part: Part, text: str) -> tuple[str, re.Pattern[str], tuple[tuple[str, str], ...]]:
    """Compile ``name={placeholder}``, or the placeholder alone if that is its name, or a text with several of them."""
    name, _, template = ("", "", text) if text.startswith("{") else text.partition("=")
    literals, groups = _cut_at_placeholders(part, template)
    if not groups:
        raise part.complaint(f"attribute refused: {text}; it is {{name}}, name={{name}} or {{name:type}}")
    alone = literals == ["", ""]
    return name or groups[0][0], re.compile("(.*)", re.DOTALL) if alone else _compiled(literals, groups), groups


def _cut_at_placeholders(part: Part, text: str) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """Return the texts between placeholders, and name and type of each placeholder."""
    literals, groups, at = [], [], 0
    for found in _PLACEHOLDER.finditer(text):
        literals.append(text[at : found.start()])
        groups.append(_typed(part, found))
        at = found.end()
    return [*literals, text[at:]], tuple(groups)


def _compiled(literals: list[str], groups: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    """Text between placeholders is matched literally."""
    kinds = [f"({TYPES[kind][0]})" for _, kind in groups]
    return re.compile("".join(re.escape(a) + b for a, b in zip(literals, [*kinds, ""], strict=True)), re.DOTALL)


def _typed(part: Part, found: re.Match[str]) -> tuple[str, str]:
    kind = found[2] or (found[1] if found[1] in TYPES else "str")
    if kind not in TYPES:
        raise part.complaint(f"type refused: {kind}; it is one of {', '.join(TYPES)}")
    return found[1], kind
