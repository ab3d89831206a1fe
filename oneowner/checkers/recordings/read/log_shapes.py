"""A line that no pattern matches is listed by its shape: its words, without its individual parts."""

import re

_NAMES = (
    (re.compile(r"ServiceUnitStateData\[.*?versionId=-?\d+\]"), "<record>"),
    (re.compile(r"\S+/0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}"), "<unit>"),
    (re.compile(r"(?:non-)?persistent://[^\s\]},]+"), "<topic>"),
    (re.compile(r"[\w.-]+:\d{2,5}\b"), "<broker>"),
    (re.compile(r"\d+"), "#"),
)


def shape_of(message: str) -> str:
    """
    Return a message without its individual parts.

    >>> shape_of("b1:8080 lost rig/a/0x00000000_0xffffffff after 12.5 ms")
    '<broker> lost <unit> after #.# ms'
    """
    for pattern, name in _NAMES:
        message = pattern.sub(name, message)
    return message[:200]
