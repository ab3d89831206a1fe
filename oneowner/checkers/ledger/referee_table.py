"""Families by every engine, side by side: the verb ``referee``."""

from collections.abc import Callable, Sequence
from functools import partial

from rich.console import Console

from oneowner.checkers.catalogue.families import families, family_named, unreadable
from oneowner.checkers.choices import PROFILES
from oneowner.checkers.engines.explore.engine_choice import REFEREED
from oneowner.checkers.ledger.referee import ways
from oneowner.checkers.ledger.referee_rows import Row, keep, kept_row
from oneowner.checkers.parallel import in_parallel
from oneowner.checkers.report import text
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Verdict, worst

AGREES = {Verdict.VALID: "yes", Verdict.INVALID: "no", Verdict.UNKNOWN: "unknown"}


def rows_named(name: str, anew: bool = False) -> tuple[Row, ...]:
    """Return a row per engine for the family of this name, as kept in the user's cache unless *anew*."""
    family = family_named(name)
    rows = []
    for engine, find in ways(family).items():
        row = None if anew else kept_row(family, engine)
        if row is None:
            row = find()
            keep(family, row)
        rows.append(row)
    return tuple(rows)


def run_referee(
    out: Console, on_progress: Callable[[str], None] | None, names: Sequence[str], profile: str, anew: bool
) -> Result:
    """Try the named families, or those of a profile, by every engine; print one table, and return it."""
    included = PROFILES[: PROFILES.index(profile) + 1]
    of_profile = [family for family in families().values() if family.is_pinned and family.profile in included]
    chosen = [family_named(name) for name in names] or of_profile
    # The largest first, so that no core waits long for the last one.
    ordered = [one.full_name for one in sorted(chosen, key=lambda family: -min(family.states, REFEREED))]
    waiting = list(dict.fromkeys(ordered))
    found = in_parallel(partial(rows_named, anew=anew), waiting, on_progress)
    rows = [row for family in chosen for row in found[family.full_name]]
    table = text.table("family", "engine", "distinct>", "transitions>", "depth>", "seconds>", "agrees")
    for row in rows:
        counts = ["" if count is None else f"{count:,}" for count in (row.distinct, row.transitions, row.depth)]
        table.add_row(
            row.family, row.engine, *counts, f"{row.seconds:.1f}", f"{AGREES[row.verdict]} {row.words}".strip()
        )
    out.print(table)
    if before := sum(row.is_kept for row in rows):
        out.print(
            f"{before} of {len(rows)} rows were found before, of the same program by the same engine (--anew: again)"
        )
    if changed := sum(row.has_other_sources for row in rows):
        others = "the program of the family is as before, the functions that it ran are not"
        out.print(f"{changed} of them by the native interpreter: {others}")
    reasons = [f"{row.family} by {row.engine}: {row.words}" for row in rows if row.verdict != Verdict.VALID]
    result = Result(
        "referee", worst(row.verdict for row in rows), reasons, more={"rows": [row.as_json() for row in rows]}
    )
    result.doubted([] if names else unreadable().values())
    text.verdict_line(out, "referees", result)
    return result
