"""Options of ``audit`` and ``timeline`` beyond the verdict: a time range, waivers, pseudonyms, files."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from oneowner.checkers.extras import need
from oneowner.checkers.recordings.fold.runs import Options, log_of
from oneowner.checkers.recordings.fold.time_range import range_of
from oneowner.checkers.recordings.fold.waivers import NONE, Waivers, day_of, read_waivers
from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.recordings.read.log_clock import clock_of
from oneowner.checkers.remote_files import check_reachable, place_of
from oneowner.checkers.report.rule_texts import audit_laws
from oneowner.checkers.times import duration_ms
from oneowner.checkers.verdict import Misuse
from oneowner.model.channel.rules import Storage


def options_of(asked: dict[str, Any], **own: Any) -> Options:
    """Convert the options of the command line; *own* are the verb's own."""
    if asked["tables"] is not None:
        need("spark", "--tables")  # before all is read
        check_reachable(asked["tables"])
    since, until = (None, None) if asked["time_range"] is None else range_of(asked["time_range"])
    limit, unavailable = asked.get("in_flight_limit"), asked.get("unavailable_limit")
    return Options(
        storage=Storage(asked["storage"]) if asked["storage"] else None,
        in_flight_limit=None if limit is None else duration_ms(limit),
        partial=asked.get("partial", False),
        logs=dict(log_of(text) for text in asked.get("logs", ())),
        dual_serving_limit=duration_ms(asked.get("dual_serving_limit", "10s")),
        unavailable_limit=None if unavailable is None else duration_ms(unavailable),
        clock_skew=duration_ms(asked.get("clock_skew", "0s")),
        explain=asked.get("explain", "never"),
        since=since,
        until=until,
        waivers=_waivers(asked.get("waivers"), asked.get("today")),
        clock=clock_of(asked.get("zone"), asked.get("date")),
        salt=_salt(asked["anonymise"], asked["salt"]),
        **own,
    )


def _waivers(path: str | None, today: str | None) -> Waivers:
    if path is None and today is not None:
        raise Misuse("--today requires --waivers")
    return NONE if path is None else read_waivers(Path(path), audit_laws(), day_of(today))


def _salt(is_wanted: bool, salt: str | None) -> str | None:
    if salt is not None and not is_wanted:
        raise Misuse("--salt requires --anonymise")
    if salt == "":
        raise Misuse("--salt refused: an empty salt lets anybody reverse the pseudonyms")
    return (salt or secrets.token_hex(16)) if is_wanted else None


def story_asked(asked: dict[str, Any], paths: Sequence[str]) -> str | None:
    """Return the unit whose story to print, or None; raise Misuse for options that exclude each other."""
    unit: str | None = asked["unit"]
    if asked["why"] != (unit is not None) or (asked["save"] is not None and not asked["why"]):
        lacking = "--unit KEY" if asked["why"] else "--why"
        raise Misuse(
            f"--why prints the story of one bundle: it requires --unit, and --save requires both; add {lacking}"
        )
    if asked["why"] and asked["anonymise"]:
        raise Misuse("--why and --anonymise exclude each other: a story has the real names")
    if asked["why"] and len(paths) != 1:
        raise Misuse(f"--why requires a single PATH, not {len(paths)}")
    return unit


def needs_intervals(asked: dict[str, Any]) -> bool:
    """Return whether an output file needs the owners over time."""
    return asked["tables"] is not None or asked["perfetto_to"] is not None


def write_files(asked: dict[str, Any], judgement: Judgement) -> None:
    """Write the requested tables and trace."""
    if asked["tables"] is not None:
        from oneowner.checkers.report.tables import write_tables  # Arrow takes long to load

        write_tables(place_of(asked["tables"]), judgement)
    if asked["perfetto_to"] is not None:
        from oneowner.checkers.report.perfetto import write_perfetto

        write_perfetto(judgement, asked["perfetto_to"])
