"""A timeline as text: a row for each interval, or the owners at one moment."""

from itertools import islice
from typing import Final

from rich.console import Console

from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.report.broker_names import brokers_of
from oneowner.checkers.report.text import table, verdict_line
from oneowner.checkers.results import Result
from oneowner.checkers.times import clock

INTERVALS_SHOWN: Final = 200


def print_timeline(out: Console, result: Result, judgement: Judgement, engine: str) -> None:
    """Print a timeline: the owners at the chosen moment, or else one row per interval."""
    if note := judgement.runs[0].run.manifest.judged_by.note:
        out.print(note)
    out.print(engine, style="dim")
    owners = result.more.get("owners")
    if isinstance(owners, dict):
        owned = table("unit", "owner then")
        for unit, owner in owners.items():
            owned.add_row(unit, owner or "nobody")
        out.print(owned)
    else:
        _print_intervals(out, judgement)
    verdict_line(out, f"{judgement.runs[0].run.name}, read in order (the laws are judged by: oneowner audit)", result)


def _print_intervals(out: Console, judgement: Judgement) -> None:
    """Print the intervals; the day is not repeated for one unit."""
    shown = table("unit", "state", "broker", "from", "time>", "until", "for>")
    rest, unit, before = 0, "", 0
    named = {one["broker"] or "-": None for one in islice(judgement.intervals(), INTERVALS_SHOWN)}
    brokers = brokers_of(judgement, 0, named)
    for number, interval in enumerate(judgement.intervals()):
        if number >= INTERVALS_SHOWN:
            rest += 1
            continue
        since, until = interval["from"], interval["to"]
        lasted = "" if until is None else f"{max(0, until['time'] - since['time']) / 1000:.3f} s"
        shown.add_row(
            interval["unit"],
            interval["state"],
            brokers.shortened(interval["broker"] or "-"),
            since["messageId"],
            clock(since["time"], before if unit == interval["unit"] else None),
            until["messageId"] if until is not None else "(end)",
            lasted,
        )
        unit, before = interval["unit"], since["time"]
    out.print(shown)
    if legend := brokers.legend([brokers.shortened(name) for name in named]):
        out.print(legend, style="dim")
    if rest:
        out.print(f"... and {rest:,} more intervals; --unit narrows it down, --json lists them all")
