"""
Lines of a log that are JSON objects are read, by the names that layouts of Log4j give their fields.

The known layouts are Pulsar's own conf/OtelLogLayout.json of the 5.0 line, the templates that Log4j's
JsonTemplateLayout ships (EcsLayout, LogstashJsonEventLayoutV1, JsonLayout, GcpLayout, GelfLayout), its older
JsonLayout, and others that use the same names. Names may be nested: ``{"log": {"logger": ..}}`` is ``log.logger``.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from oneowner.checkers.recordings.read.log_times import STAMP, time_in

_LOGGERS = ("log.logger", "logger_name", "loggerName", "_logger", "logger")
_THREADS = ("process.thread.name", "thread_name", "_thread", "thread", "thread.name")
_LEVELS = ("log.level", "level", "severity")
_MESSAGES = ("message", "msg", "short_message")
_OTEL_NAMES = ("thread.name", "thread.id", "code.namespace")
"""Attributes of the OpenTelemetry layout that are no attributes of the line."""
_LEVEL = {"WARNING": "WARN", "CRITICAL": "FATAL", "3": "ERROR", "4": "WARN", "6": "INFO", "7": "DEBUG"}
"""Levels by other names; by number, those of syslog."""

LOGGER_NAMES = rb"(?:SeverityText|log\.logger|logger_name|loggerName|_logger|logger)"
"""Names of which every line of a known layout has at least one, as part of a regular expression."""
_NAMED = re.compile(rb'"' + LOGGER_NAMES + rb'"\s*:')
"""A name that the rest of a cut object also has."""
_OTEL = b'"SeverityText"'
_OTEL_LOGGER = re.compile(rb'"code\.namespace"\s*:\s*"([^"]*)"')
_LOGGER = re.compile(rb'"(?:log\.logger|logger_name|loggerName|_logger|logger)"\s*:\s*"([^"]*)"')
_THREAD = re.compile(rb'"(?:process\.thread\.name|thread\.name|thread_name|_thread|thread)"\s*:\s*'
                     rb'(?:\{\s*"name"\s*:\s*)?"([^"]*)"')  # fmt: skip


class JsonHead(NamedTuple):
    """The properties of an object that are visible without reading it."""

    logger: bytes
    thread: bytes
    stamp: re.Match[bytes] | None


class JsonLine(NamedTuple):
    """The content of an object."""

    time: int
    level: str
    logger: str
    thread: str
    message: str
    attributes: dict[str, str] | None
    """Those of the OpenTelemetry layout; None in others."""


def may_be_object(raw: bytes, in_json: bool) -> bool:
    """Return whether a line may be an object of a known layout or, if its log is *in_json*, a part of one."""
    if not in_json:  # amid text; an object of the first layout is known by a name of its own, also where it has no time
        is_told = _OTEL in raw or (_NAMED.search(raw) is not None and STAMP.search(raw) is not None)
        return raw.startswith(b"{") and is_told
    return raw.startswith(b"{") or (raw.rstrip().endswith(b"}") and _NAMED.search(raw) is not None)


def head_of(raw: bytes) -> JsonHead | None:
    """Return the visible properties of a line that may be an object of a known layout; None if it is none."""
    logger = (_OTEL_LOGGER if _OTEL in raw else _LOGGER).search(raw)
    if logger is None or not raw.rstrip().endswith(b"}"):
        return None
    thread = _THREAD.search(raw)
    return JsonHead(logger[1], b"" if thread is None else thread[1], STAMP.search(raw))


def line_of(raw: bytes) -> JsonLine:
    """
    Return the content of an object.

    If it is invalid or incomplete, raise ValueError, LookupError, TypeError, AttributeError or RecursionError.
    """
    data = json.loads(raw)
    if "SeverityText" in data:
        return _of_otel(data)
    fields = dict(_flat(data, ""))
    stamp = STAMP.search(raw)
    if stamp is None or time_in(stamp) < 0:
        raise ValueError("no time, or none with a zone")
    level = str(_one_of(fields, _LEVELS))
    return JsonLine(
        time_in(stamp), _LEVEL.get(level, level), str(_one_of(fields, _LOGGERS)), str(_one_of(fields, _THREADS)),
        str(_one_of(fields, _MESSAGES)), None,
    )  # fmt: skip


def _of_otel(data: Any) -> JsonLine:
    attributes = {name: str(value) for name, value in data["Attributes"].items()}
    stamp = STAMP.fullmatch(b'"Timestamp":' + json.dumps(data["Timestamp"]).encode())
    if stamp is None:
        raise ValueError(data["Timestamp"])
    own = {name: text for name, text in attributes.items() if name not in _OTEL_NAMES}
    return JsonLine(
        time_in(stamp), data["SeverityText"], attributes["code.namespace"], attributes["thread.name"], data["Body"], own
    )


def _flat(data: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        yield before + name, value
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")


def _one_of(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    for name in names:
        if name in fields and not isinstance(fields[name], dict):
            return fields[name]
    raise ValueError(f"no {names[0]}, or another name of it")
