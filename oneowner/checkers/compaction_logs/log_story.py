"""A log that breaks a law, record by record, in words."""

from collections.abc import Iterator
from typing import NamedTuple

from oneowner.checkers.compaction_logs.growing_logs import FOLLOWED
from oneowner.model.channel.compaction import Log, Setting, compact, fires_again, jumped
from oneowner.model.channel.explanation import reason
from oneowner.model.channel.record import TOMBSTONE, Record, is_absent
from oneowner.model.channel.resolver import refusal
from oneowner.spec.channel.compaction import UNITS, current
from oneowner.spec.channel.log_law import LogLaw


class Reader(NamedTuple):
    """
    A reader of *unit*: of *at* records, of the entries that a compaction of *horizon* kept, of records after *resumes*.
    """

    unit: int
    at: int
    horizon: int
    resumes: int


def tell(law: LogLaw, log: Log) -> list[str]:
    """Return the story of *log*, which breaks *law*, one line for each step of its readers."""
    if law.name not in FOLLOWED:
        return [f"{number}. {message.record}, unit {message.unit}" for number, message in enumerate(log, 1)]
    reader = wrong_reader(law, log)
    unit, setting = reader.unit, law.setting
    lines = ["A reader of the whole log:"]
    held = read_on(lines, log, unit, TOMBSTONE, (1, log.length), setting)
    ledger = compact(log, reader.horizon, setting)
    kept = ", ".join(f"{one.record} (record {one.place})" for one in ledger if one.unit == unit)
    lines.append(f"A compaction of the first {records(reader.horizon)} keeps {kept or 'nothing'}.")
    lines.append(f"A reader that has read {records(reader.at)} of the log and then reads what was kept:")
    other = read_on(lines, log, unit, TOMBSTONE, (1, reader.at), setting)
    for one in ledger:
        if one.unit == unit:
            other = meet(lines, f"kept {one.place}", other, one.record, setting)
    other = read_on(lines, log, unit, other, (reader.resumes + 1, log.length), setting)
    if is_quietness(law):
        lines.append(f"It handles again what is over: the records before {reader.horizon + 1} were compacted.")
    else:
        lines.append(f"It ends with {other}, the reader of the whole log with {held}.")
    return lines


def is_quietness(law: LogLaw) -> bool:
    """Return whether the law is about handlers and not about what is held in the end."""
    return FOLLOWED[law.name][2] == "fired"


def wrong_reader(law: LogLaw, log: Log) -> Reader:
    """Return the first reader because of which *log* breaks *law*."""
    for reader in readers_of(FOLLOWED[law.name][2], log):
        unit, at, horizon, resumes = reader
        if is_quietness(law):
            wrong = fires_again(log, unit, horizon, resumes, law.setting)
        else:
            wrong = jumped(log, unit, at, horizon, resumes, law.setting) != current(log, unit, law.setting)
        if wrong:
            return reader
    raise AssertionError(f"law kept: {law.name}; only a log that breaks it can be told")


def readers_of(kind: str, log: Log) -> Iterator[Reader]:
    """Yield the readers that a law asks for, as ``spec/channel/compaction.py`` does."""
    for unit in range(1, UNITS + 1):
        for horizon in range(1, log.length + 1):
            if kind == "new":
                yield Reader(unit, 0, horizon, horizon)
            elif kind == "lagging":
                yield from (Reader(unit, at, horizon, horizon) for at in range(1, horizon))
            else:
                yield from (Reader(unit, 0, horizon, old) for old in range(horizon))


def read_on(lines: list[str], log: Log, unit: int, held: Record, places: tuple[int, int], setting: Setting) -> Record:
    """Describe how the records between *places* are read; return the entry after them."""
    first, last = places
    for number in range(first, last + 1):
        if log[number].unit == unit:
            held = meet(lines, f"record {number}", held, log[number].record, setting)
    return held


def meet(lines: list[str], where: str, held: Record, proposed: Record, setting: Setting) -> Record:
    """Describe how a reader that holds *held* takes *proposed*; return its entry after."""
    shown = "a tombstone" if is_absent(proposed) else str(proposed)
    refused = refusal(held, proposed, rules=setting.rules)
    if refused is None:
        lines.append(f"  {where}: {shown} is accepted")
        return proposed
    lines.append(f"  {where}: {shown} is refused: {reason(refused)}")
    return held


def records(count: int) -> str:
    return "no record" if count == 0 else "1 record" if count == 1 else f"{count} records"
