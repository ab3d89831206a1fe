"""Check that its law of whole logs catches a bug, and describe the log that shows it."""

from collections.abc import Iterator
from dataclasses import replace

from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.catalogue.faults import LogFault, scenarios
from oneowner.checkers.compaction_logs.alphabets import ALPHABETS
from oneowner.checkers.compaction_logs.log_judging import LAWS, every_log
from oneowner.checkers.compaction_logs.log_rows import Logs, ledger
from oneowner.checkers.compaction_logs.log_story import records
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.compaction import Log, Setting
from oneowner.model.channel.entries import Ends, compact_entries, read_by_entries, written
from oneowner.model.channel.record import TOMBSTONE, Record, is_absent
from oneowner.model.channel.rules import Rules
from oneowner.spec.channel.compaction import UNITS, current
from oneowner.spec.channel.entries import DELETED_IS_NOT_KEPT, compactions


def survival(fault: LogFault) -> list[str]:
    """
    Report why *fault* is not killed as pinned: its law fails in no log, or in another, or is not valid without it.
    """
    if row_of(fault).laws[fault.law].verdict != Verdict.VALID:
        return [f"{fault.law} is not pinned as valid in the logs {fault.logs}, so that its failure says nothing"]
    log = shortest_log(fault)
    if log is None:
        return [f"{fault.law} does not fail with it: all logs of {fault.logs} judged"]
    if log.length != fault.steps:
        return [f"{fault.law} fails by a log of {records(log.length)}, but {fault.steps} are pinned"]
    there = scenarios() in fault.scenario.parents and fault.scenario.is_file()
    if not there or fault.scenario.read_text(encoding="utf-8") != story(fault, log):
        return [f"{fault.scenario.name} does not tell the shortest log that breaks {fault.law}"]
    return []


def story(fault: LogFault, log: Log) -> str:
    """Return the saved text of *log*: the title of *fault*, and the story, line by line."""
    return "\n".join([f"{fault.title}.", "", *tell_fault(fault, log), ""])


def shortest_log(fault: LogFault) -> Log | None:
    """Return the first of the shortest logs of its row that break the law of *fault*; None if it survives."""
    row, law, setting = row_of(fault), LAWS[fault.law], setting_of(fault)
    for length in range(1, row.longest + 1):
        for log in every_log(ALPHABETS[row.alphabet], length):
            if log.length == length and law.when(log) and not law.holds(log, setting):
                return log
    return None


def row_of(fault: LogFault) -> Logs:
    """Return the row of logs by which *fault* is judged; raise Misuse if there is none."""
    return pick(ledger(), fault.logs, "set of logs")


def setting_of(fault: LogFault) -> Setting:
    """Return the compactor and the readers that have the bug."""
    return replace(LAWS[fault.law].setting, rules=replace(Rules(), **fault.rules))


def tell_fault(fault: LogFault, log: Log) -> list[str]:
    """Return the story of *log*, whose records share entries so that the law of *fault* breaks, line by line."""
    ends, count, unit = first_wrong(fault, log)
    setting, lines = setting_of(fault), []
    for number, end in enumerate(ends, 1):
        first = ends[number - 2] + 1 if number > 1 else 1
        inside = ", ".join(f"{named(log[place].record)} of unit {log[place].unit}" for place in range(first, end + 1))
        lines.append(f"Entry {number}: {inside}.")
    kept = written(compact_entries(log, ends, count, setting), ends, setting)
    for entry in kept:
        inside = ", ".join(f"{named(one.record)} of unit {one.unit}" for one in entry.kept)
        lines.append(
            f"A compaction of {entries(count)} writes an entry at position {ends.index(entry.position) + 1}: {inside}."
        )
    if not kept:
        lines.append(f"A compaction of {entries(count)} writes nothing.")
    if fault.law == DELETED_IS_NOT_KEPT.name:
        lines.append(f"Nobody holds anything of unit {unit}; something is kept of it all the same.")
        return lines
    lines.append(
        f"A new reader ends with {read_by_entries(log, ends, count, unit, setting)} for unit {unit}, a reader of the"
        f" whole log ({records(log.length)}) with {current(log, unit, setting)}."
    )
    return lines


def first_wrong(fault: LogFault, log: Log) -> tuple[Ends, int, int]:
    """Return how *log* is cut, how many entries are compacted, and the unit, where the law first breaks."""
    setting = setting_of(fault)
    for ends, count, unit in ways(log):
        kept = compact_entries(log, ends, count, setting)
        if read_by_entries(log, ends, count, unit, setting) != current(log, unit, setting):
            return ends, count, unit
        if any(is_absent(one.record) for one in kept if one.unit == unit):
            return ends, count, unit
    raise AssertionError(f"law kept: {fault.law}; only a log that breaks it can be told")


def ways(log: Log) -> Iterator[tuple[Ends, int, int]]:
    for ends, count in compactions(log):
        for unit in range(1, UNITS + 1):
            yield ends, count, unit


def named(record: Record) -> str:
    return "a tombstone" if record == TOMBSTONE else str(record)


def entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"
