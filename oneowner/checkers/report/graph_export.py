"""
``as_dot`` and ``as_json`` write a state graph for other tools: for Graphviz, and as JSON (``graph.schema.json``).

A state is shown by its cells that differ from the first initial state.
"""

import json
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from oneowner.checkers import VERSION
from oneowner.checkers.engines.explore.state_graph import Edge, Node, StateGraph
from oneowner.checkers.report.run_text import in_words
from oneowner.model.kernel.state import State

SCHEMA = 1
"""The version of ``graph.schema.json``."""


LEGEND = "blue: initial; double line: nothing is enabled; red: breaks a law; dashed: a step needs larger bounds"


def as_dot(graph: StateGraph, title: str) -> str:
    """
    Return the graph for Graphviz.

    A state is a number with the laws that it breaks; its cells are a tooltip in SVG.
    """
    first = dict(graph.nodes[0].state.cells())
    missing = [f"incomplete: {graph.stopped}"] if graph.stopped else []
    title = "\n".join([title, *missing, LEGEND])
    lines = [
        "digraph states {",
        f"label = {_quoted(title)};",
        'node [shape = ellipse, style = filled, fillcolor = white, fontname = "sans-serif"];',
        'edge [fontname = "sans-serif", fontsize = 10];',
    ]
    for number, node in enumerate(graph.nodes):
        lines.append(f"{number} [{_look(graph, number, node, first)}];")
    for edge in graph.edges:
        label = "\n".join([str(edge.action), *edge.broken])
        red = ", color = red, fontcolor = red" if edge.broken else ""
        lines.append(f"{edge.before} -> {edge.after} [label = {_quoted(label)}{red}];")
    return "\n".join([*lines, "}\n"])


def _look(graph: StateGraph, number: int, node: Node, first: Mapping[str, Any]) -> str:
    label = "\n".join([str(number), *node.broken])
    tooltip = "\n".join(f"{cell}: {in_words(node.state.bounds, value)}" for cell, value in _changes(node.state, first))
    look = [f"label = {_quoted(label)}, tooltip = {_quoted(tooltip or 'the initial state')}"]
    if node.broken:
        look.append("fillcolor = tomato")
    elif number < graph.initial:
        look.append("fillcolor = lightblue")
    if node.is_terminal:
        look.append("peripheries = 2")
    if node.beyond:
        look.append('style = "filled,dashed"')
    return ", ".join(look)


def _quoted(text: str) -> str:
    r"""
    Return *text* as a string of the DOT language, which has two escapes.

    >>> print(_quoted('a "b"\nc'))
    "a \"b\"\nc"
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def as_json(graph: StateGraph, about: Mapping[str, Any]) -> str:
    """Return the graph as JSON, a line per state and per step; *about* describes the model."""
    first = dict(graph.nodes[0].state.cells())
    head = {
        "tool": "oneowner",
        "version": VERSION,
        "schema": SCHEMA,
        **about,
        "complete": not graph.stopped,
        "reasons": [graph.stopped] if graph.stopped else [],
        "initial": list(range(graph.initial)),
        "cells": {cell: plain(value) for cell, value in first.items()},
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    states = (json.dumps(_state(number, node, first)) for number, node in enumerate(graph.nodes))
    lines += [f'"states": {_listed(states)}', f'"edges": {_listed(json.dumps(_edge(edge)) for edge in graph.edges)}']
    return "{" + ",\n".join(lines) + "}\n"


def _listed(items: Iterator[str]) -> str:
    return "[\n " + ",\n ".join(items) + "\n]"


def _state(number: int, node: Node, first: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "number": number,
        "depth": node.depth,
        "changes": {cell: plain(value) for cell, value in _changes(node.state, first)},
        "terminal": node.is_terminal,
        "beyond": node.beyond,
        "broken": node.broken,
    }


def _edge(edge: Edge) -> dict[str, Any]:
    action = edge.action
    return {
        "from": edge.before,
        "to": edge.after,
        "action": action.name,
        "arguments": dict(action.arguments),
        "broken": edge.broken,
    }


def _changes(state: State, first: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((cell, value) for cell, value in state.cells() if value != first[cell])


def plain(value: Any) -> Any:
    """
    Return a value of the model as JSON has it: a record as an object, a sequence as a list.

    >>> from oneowner.model.kernel.language import Sequence
    >>> plain(Sequence((1, True)))
    [1, True]
    """
    if hasattr(value, "_asdict"):
        return {name: plain(part) for name, part in value._asdict().items()}
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    return value.value if isinstance(value, Enum) else value
