"""A message that a mail program or a terminal wrapped is joined again, if the table of patterns then reads it."""

from oneowner.checkers.recordings.read.log_lines import LogLine, text_of
from oneowner.checkers.recordings.read.log_patterns import Table, Understood
from oneowner.checkers.recordings.read.logged_decisions import decision_of
from oneowner.checkers.recordings.read.usual_lines import STACK

MOST_LINES = 12
"""Lines over which a message may be wrapped."""


def rejoined(line: LogLine, patterns: Table) -> LogLine:
    """Return a line whose message was wrapped as a whole one, as short as it is understood; else as it is."""
    if not line.more:
        return line
    message, more = line.message, [text_of(raw).rstrip() for raw in line.more]
    for number in range(len(more) + 1):
        rest = line.more[number:]
        for between in (" ", ""):
            whole = line._replace(message=between.join([message, *map(str.strip, more[:number])]), more=rest)
            if isinstance(patterns.understand(whole), Understood) or decision_of(whole) is not None:
                return whole
        if number == MOST_LINES or (rest and (not more[number] or STACK.match(rest[0]) is not None)):
            break
    return line
