"""Pins set anew in the text of a document, so that comments and layout stay as they are."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from oneowner.checkers.documents import parse_document
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.yaml_text import At, in_flow, spans_of, write_document


def with_values(text: str, values: Mapping[At, Any]) -> str:
    """
    Return a document's text with other values for some of its parts; a part that is not there is added.

    >>> with_values("states: 7  # as found\\ndepth:\\n", {("states",): 8, ("depth",): 2, ("laws", "a"): "valid"})
    'states: 8  # as found\\ndepth: 2\\nlaws: {a: valid}\\n'
    """
    for at, value in values.items():
        text = _with_value(text, at, value)
    return text


def _with_value(text: str, at: At, value: Any) -> str:
    spans = spans_of(text)
    if at in spans:
        start, end, _ = spans[at]
        gap = " " if text[start - 1] == ":" else ""  # nothing stood there
        return f"{text[:start]}{gap}{in_flow(value)}{text[end:]}"
    *above, key = at
    if (parent := spans.get(tuple(above))) is None or parent.form == "scalar":  # nothing stands there
        return _with_value(text, tuple(above), {key: value})
    start, end, form = parent
    entry = f"- {in_flow(value)}" if isinstance(key, int) else f"{key}: {in_flow(value)}"
    if form == "flow":
        comma = "" if text[start + 1 : end - 1].strip() == "" else ", "
        return f"{text[: end - 1]}{comma}{entry.removeprefix('- ')}{text[end - 1 :]}"
    column = start - (text.rfind("\n", 0, start) + 1)
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    return f"{text[:line_end]}\n{' ' * column}{entry}{text[line_end:]}"


def without_lines(path: Path, text: str, parts: Iterable[At]) -> str:
    """Return the text without the lines of these parts; raise Misuse for one that shares its line with others."""
    lines, all_lines = parse_document(path, text).lines, text.splitlines(keepends=True)
    for number in sorted((_own_line(path, lines, at) for at in parts), reverse=True):
        del all_lines[number - 1]
    return "".join(all_lines)


def _own_line(path: Path, lines: Mapping[At, int], at: At) -> int:
    if sum(number == lines[at] for number in lines.values()) > 1:
        raise Misuse(f"{path}:{lines[at]}: it shares its line with others; write one to a line, then it can be removed")
    return lines[at]


def rewritten(text: str, data: Mapping[str, Any]) -> str:
    """
    Return a document that programs write: other data below the comment at its beginning.

    >>> rewritten("# What was found.\\n\\nverdict: valid\\n", {"verdict": "unknown"})
    '# What was found.\\n\\nverdict: unknown\\n'
    """
    head = re.match(r"(?:#[^\n]*\n|\n)*", text)
    return (head[0] if head else "") + write_document(dict(data), flow=False)
