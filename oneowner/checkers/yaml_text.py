"""YAML as text: read fast, written as people write it, and where a value stands in it, so that it can be replaced."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

At = tuple[str | int, ...]
"""The path of a part, such as ``("steps", 2)``."""

if yaml.__with_libyaml__:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    class FastLoader(Composer, CParser, SafeConstructor, Resolver):
        """
        A SafeLoader whose text is read by libyaml, five times as fast.

        PyYAML's own CSafeLoader composes in C too, and crashes on what is nested too deeply: here Python refuses it.
        """

        def __init__(self, text: str) -> None:
            CParser.__init__(self, text)
            Composer.__init__(self)
            SafeConstructor.__init__(self)
            Resolver.__init__(self)

else:
    FastLoader = yaml.SafeLoader  # type: ignore[misc, assignment]


def data_of(text: str) -> Any:
    """Return the data that a YAML text is; raise yaml.YAMLError for one that is none."""
    return FastLoader(text).get_single_data()


class Leaf(NamedTuple):
    """A scalar as it is written, without its quotes."""

    text: str
    is_block: bool = False
    """True for a text of lines of its own, which begin below its key."""


class Entry(NamedTuple):
    """A key of a mapping, with its line and its value."""

    key: str
    line: int
    value: Tree


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A mapping, with keys in their order, also those that stand there twice."""

    entries: list[Entry] = field(default_factory=list)

    def get(self, key: str) -> Tree | None:
        """Return the value of a key, the last one if it stands there twice."""
        return next((one.value for one in reversed(self.entries) if one.key == key), None)


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """A list, each item with its line."""

    items: list[Entry] = field(default_factory=list)


Tree = Branch | Sequence | Leaf
"""A YAML value whose scalars are no numbers, dates or truths, but texts."""


def trees_of(text: str) -> list[Tree]:
    """
    Return the documents of a text, with the scalars as they are written; raise yaml.YAMLError or RecursionError.

    >>> trees_of("a: 0x10")
    [Branch(entries=[Entry(key='a', line=1, value=Leaf(text='0x10', is_block=False))])]
    """
    loader, found = FastLoader(text), list[Tree]()
    while loader.check_node():
        node = loader.get_node()
        assert node is not None
        found.append(_tree_of(node, {}))
    return found


def _tree_of(node: yaml.Node, made: dict[int, Tree]) -> Tree:
    """Return a node as a tree; what several aliases name is one tree."""
    if id(node) in made:
        return made[id(node)]
    if isinstance(node, yaml.MappingNode):
        branch = made[id(node)] = Branch()
        for key, value in node.value:
            below = _tree_of(value, made)
            if key.value == "<<" and isinstance(below, Branch):
                branch.entries[:0] = below.entries
            else:
                branch.entries.append(Entry(str(key.value), key.start_mark.line + 1, below))
        return branch
    if isinstance(node, yaml.SequenceNode):
        made[id(node)] = items = Sequence()
        items.items.extend(Entry("", item.start_mark.line + 1, _tree_of(item, made)) for item in node.value)
        return items
    return Leaf(node.value, isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"))


class Span(NamedTuple):
    """The position of a value in a text, as half-open character offsets, and its style."""

    start: int
    end: int
    form: Literal["scalar", "flow", "block"]


def spans_of(text: str) -> dict[At, Span]:
    """
    Return where the value of every part stands in a document that can be read; comments behind it are not in it.

    >>> spans_of("depth: 3  # steps")[("depth",)]
    Span(start=7, end=8, form='scalar')
    """
    node = yaml.compose(text, yaml.SafeLoader)
    return {} if node is None else dict(_spans_of(node, ()))


def _spans_of(node: yaml.Node, at: At) -> Iterator[tuple[At, Span]]:
    parts: list[tuple[Any, yaml.Node]] = []
    if isinstance(node, yaml.MappingNode):
        parts = [(str(key.value), value) for key, value in node.value]
    elif isinstance(node, yaml.SequenceNode):
        parts = list(enumerate(node.value))
    inside = [span for name, value in parts for span in _spans_of(value, (*at, name))]
    form: Literal["scalar", "flow", "block"] = "scalar"
    if isinstance(node, yaml.CollectionNode):
        form = "flow" if node.flow_style else "block"
    # PyYAML ends a block where the next one begins, behind the comments between them.
    end = max(span.end for _, span in inside) if form == "block" else node.end_mark.index
    yield at, Span(node.start_mark.index, end, form)
    yield from inside


def in_flow(value: Any) -> str:
    """
    Return a value as YAML on one line.

    >>> in_flow({"verdict": "valid", "exercised": 3}), in_flow("so: it is")
    ('{verdict: valid, exercised: 3}', "'so: it is'")
    """
    text: str = yaml.safe_dump([value], default_flow_style=True, sort_keys=False, width=sys.maxsize, allow_unicode=True)
    return text.rstrip()[1:-1]  # written as the part of something else, it is quoted where it has to be


def write_document(data: dict[str, Any], flow: bool = True) -> str:
    """Return a mapping as YAML in the order given; with *flow* short mappings and lists in it stand on one line."""
    if not data:
        return "{}\n"
    parts = []
    for key, value in data.items():
        style = None if flow and isinstance(value, (dict, list)) else False  # else "{key: value}" would be a flow too
        parts.append(
            yaml.safe_dump({key: value}, sort_keys=False, default_flow_style=style, width=110, allow_unicode=True)
        )
    return "".join(parts)
