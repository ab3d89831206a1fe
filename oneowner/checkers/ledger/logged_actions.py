"""Actions that lines of the brokers' logs of a recording show, by the binding table of a system."""

from collections import Counter
from functools import cache
from pathlib import Path

from oneowner.checkers.ledger.binding import CHANNEL
from oneowner.checkers.ledger.recording_pins import recordings
from oneowner.checkers.ledger.shown_actions import Line, classes, shown_by
from oneowner.checkers.recordings.explain.lock_runs import is_of_locks
from oneowner.checkers.recordings.read.log_lines import LogLine
from oneowner.checkers.recordings.read.log_patterns import EVERY_LINE, Understood, class_of, table
from oneowner.checkers.recordings.read.log_reader import LogReader


def logged_actions(run: Path, system: str = CHANNEL) -> Counter[str]:
    """Return how many lines of the brokers' logs in a folder show each action."""
    found: Counter[str] = Counter()
    for path in sorted(run.glob("broker*.log*")):
        found.update(action for action, _ in shown_by(*lines_of(path, system), system))
    return found


@cache
def logged_with_locks(system: str) -> dict[str, dict[str, int]]:
    """Return the counts of lines that show each action, by action and recording of a cluster with locks."""
    found: dict[str, dict[str, int]] = {}
    for run in filter(is_of_locks, recordings()):
        for name, count in logged_actions(run, system).items():
            found.setdefault(name, {})[run.name] = count
    return found


def lines_of(path: Path, system: str = CHANNEL) -> tuple[list[Line], str]:
    """Return the lines of a log that one of the two tables reads, and the broker that wrote it."""
    patterns, named = table(), classes(system)
    lines, speakers = [], Counter[str]()
    reader = LogReader(
        0, str(path), lambda logger: EVERY_LINE if class_of(logger) in named else patterns.wanted(logger)
    )
    for line in reader.read():
        if not isinstance(line, LogLine):
            continue
        understood = patterns.understand(line)
        event, values = "", {}
        if isinstance(understood, Understood):
            event, values = understood.pattern.id, understood.values
            if understood.pattern.speaker is not None:
                speakers[values[understood.pattern.speaker]] += 1
        if event or class_of(line.logger) in named:
            lines.append(Line(class_of(line.logger), line.message, event, values, line.time))
    return lines, speakers.most_common(1)[0][0] if speakers else ""
