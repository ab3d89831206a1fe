"""
Marks around the lines of a log that a mail, an issue or a terminal leaves.

Colours, quote marks, and the prefixes of containers, of ``kubectl`` and of ``journald`` are taken away. An object in
JSON becomes the line that a text layout would have printed.
"""

import re
from typing import Final

from oneowner.checkers.bugs.json_lines import from_json

_COLOURS: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\ufeff|\r")
_QUOTES: Final = re.compile(r"^(?:\s*[>|]\s?)+|^\s*```\w*$|^\s*\d{1,6}[:|]\s(?=.{20})")
_JOURNAL: Final = re.compile(
    r"^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-][\d:]+))"
    r" [\w.-]+ [\w./@-]+(?:\[\d+\])?: "
)
ORIGIN: Final = re.compile(r"^(?:\[pod/([\w./-]+)\]\s+|([\w.-]+)\s+\|\s)(?=.{10})|^==> (.+) <==$")
"""The name of a pod or of a container before a line, or the name of a file above its lines, as ``tail`` prints it."""
_STREAM: Final = re.compile(r"^\S+ (?:stdout|stderr) [FP] ")
"""The prefix that a container runtime writes into its own files."""


def unwrapped(line: str) -> str:
    """
    Return a line without its decoration.

    >>> unwrapped("> Feb 05 10:02:23 host pulsar[27]: 2024-02-05T10:02:23,199+0000 [x] WARN  A - b")
    '2024-02-05T10:02:23,199+0000 [x] WARN  A - b'
    >>> unwrapped('{"ts":"2024-02-05T10:02:23.199Z","lvl":"WARN","logger":"a.B","msg":"Lock\\\\nwas"}')
    '2024-02-05T10:02:23.199Z WARN a.B - Lock\\nwas'
    """
    if "\x1b" in line or "\r" in line or "\ufeff" in line:
        line = _COLOURS.sub("", line)
    if line[:1] in ">| \t`0123456789":
        line = _QUOTES.sub("", line)
    line = _STREAM.sub("", line) if line[:1].isdigit() else line
    line = _JOURNAL.sub("", line)
    return from_json(line) if line.lstrip()[:1] == "{" else line
