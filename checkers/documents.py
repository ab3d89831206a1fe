"""
YAML files with the line of every key and item, so that a complaint can name file and line.

The only import of PyYAML. A document is plain data (dict, list, str, int, bool, None); ``lines`` maps the
path of a key or item, such as ``("steps", 2)``, to its line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from checkers.verdict import Misuse

Path_ = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML file: its data, and where each part of it stands."""

    path: Path
    data: Any
    lines: dict[Path_, int]

    def refuse(self, complaint: str, *at: str | int) -> Misuse:
        """Return a Misuse that names this file and the line of the part *at*."""
        return Misuse(f"{self.path}:{self.lines.get(at, 1)}: {complaint}")


def read_document(path: Path) -> Document:
    """Read one YAML file; raise Misuse if it is missing, not UTF-8 or not YAML."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Misuse(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise Misuse(f"{path}:{line}: not UTF-8") from None
    except OSError as error:
        raise Misuse(f"{path}: {error.strerror}") from None
    try:
        node = yaml.compose(text, yaml.SafeLoader)
        lines: dict[Path_, int] = {}
        if node is not None:
            _note_lines(node, (), lines)
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Misuse(f"{path}:{_line_of(error)}: not YAML: {_words_of(error)}") from None
    return Document(path, data, lines)


def write_document(data: Any, flow: bool = True) -> str:
    """Return *data* as YAML in the order given; with *flow* short mappings and lists stand on one line."""
    style = None if flow else False
    return str(yaml.safe_dump(data, sort_keys=False, default_flow_style=style, width=110, allow_unicode=True))


def _note_lines(node: yaml.Node, at: Path_, lines: dict[Path_, int]) -> None:
    lines.setdefault(at, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            path = (*at, str(key.value))
            lines[path] = key.start_mark.line + 1
            _note_lines(value, path, lines)
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            _note_lines(item, (*at, number), lines)


def _line_of(error: Exception) -> int:
    mark = getattr(error, "problem_mark", None)
    return mark.line + 1 if mark is not None else 1


def _words_of(error: Exception) -> str:
    problem = getattr(error, "problem", None) or str(error)
    return " ".join(str(problem).split())
