"""
A log event in JSON becomes the line that a text layout would have printed, whatever the names of its keys.

Values are recognised by their shapes: a time, a level, a dotted name of a logger, a text with words, a stack trace.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")
_LEVEL: Final = re.compile(r"(?i)trace|debug|info|warn|warning|error|fatal|severe")
_LOGGER: Final = re.compile(r"[a-z][\w$]*(?:\.[\w$]+)+")
_NUMBER: Final = re.compile(r"\d{10}(?:\d{3})?(?:\.\d+)?")
_CLOCK: Final = re.compile(r"(?i)time|^ts$|date|instant|epochsecond|^@?t$")
_MESSAGE: Final = re.compile(r"(?i)(?:short_?|full_?)?(?:message|msg)|log|event|text|body|@m")
_STACK: Final = re.compile(r"\n\s*at |^\s*at [\w.$]+\(")
_MILLIS: Final = 13


def from_json(line: str) -> str:
    """
    Return the line of a log that an object in JSON is, or any other text as it is.

    >>> from_json('{"@t":1707127343199,"lvl":"WARN","log":{"logger":"a.b.C","message":"Lock was"},"pid":7}')
    '2024-02-05T10:02:23.199+0000 WARN a.b.C - Lock was {pid=7}'
    """
    try:
        found = json.loads(line)
    except ValueError:
        return line
    if not isinstance(found, dict):
        return line
    parts: dict[str, str] = {}
    others: list[str] = []
    for key, value in _values(found):
        kind = _kind(key, value)
        if not kind or (kind in parts and (kind != "message" or _MESSAGE.fullmatch(key) is None)):
            others.append(f"{key}={value}")
        else:
            parts[kind] = _moment(value) if kind == "time" and _NUMBER.fullmatch(value) else value
    message = parts.get("message", "")
    if not message or (parts.keys().isdisjoint(("level", "logger")) and not _TIME.match(message)):
        return line
    if _TIME.match(message):  # a container's runtime wraps a whole line
        return message.rstrip("\n")
    head = " ".join(parts[one] for one in ("time", "level", "logger") if one in parts)
    attributes = f" {{{', '.join(others)}}}" if others else ""
    return f"{head} - {message.rstrip()}{attributes}" + (f"\n{parts['stack']}" if "stack" in parts else "")


def _values(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each key with its value as text, also of objects inside."""
    for key, value in found.items():
        if isinstance(value, dict):
            yield from _values(value)
        elif isinstance(value, (str, int, float)):
            yield key, str(value)


def _kind(key: str, value: str) -> str:
    """Return the part of a log event that a value is: time, level, logger, stack, message; empty for another."""
    if _STACK.search(value):
        return "stack"
    if (_TIME.match(value) and " " not in value[11:]) or (_CLOCK.search(key) and _NUMBER.fullmatch(value)):
        return "time"
    if _LEVEL.fullmatch(value):
        return "level"
    if _MESSAGE.fullmatch(key):
        return "message"
    if _LOGGER.fullmatch(value) and re.search(r"(?i)log|class|category|name|source", key):
        return "logger"
    return "message" if value.count(" ") > 1 and not re.search(r"(?i)thread", key) else ""


def _moment(number: str) -> str:
    seconds = float(number) / (1000 if len(number.partition(".")[0]) == _MILLIS else 1)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "+0000"
