"""``conform --all-releases``: the switches of each release that Maven Central has, decided by running its classes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from oneowner.checkers.catalogue.affected import in_spans
from oneowner.checkers.documents import shown
from oneowner.checkers.real_classes.jars import Missing, jars_of, line_of
from oneowner.checkers.real_classes.runs import Classes
from oneowner.checkers.real_classes.switch_values import Value, values_of
from oneowner.checkers.real_classes.telling import SWITCHES, TellingRun, known_runs
from oneowner.checkers.results import Result, Stats
from oneowner.checkers.verdict import EngineError, Misuse, Verdict
from oneowner.model.channel.releases import NAMES, RELEASES
from oneowner.model.pulsar.classes import equal_release
from oneowner.model.pulsar.variants import VARIANTS

SERVED: Final = tuple(name for name in NAMES if name in VARIANTS.releases)
"""The releases with the channel whose classes were measured."""
THREADED: Final = (4, 2)
"""The line from which on a run may wait for a thread for minutes."""


def conform_releases(
    out: Console, on_progress: Callable[[str], None] | None, home: Path, asked: Sequence[str] = ()
) -> Result:
    """Decide the switches of every release that is served, or of those *asked* for, beside those that are claimed."""
    if refused := [one for one in asked if one not in SERVED]:
        raise Misuse(
            f"--pulsar {shown(refused[0])}: not among the releases that Maven Central has: {', '.join(SERVED)}"
        )
    releases = [one for one in SERVED if not asked or one in asked]
    telling = known_runs(on_progress)
    began = time.monotonic()
    rows, run = list[dict[str, Any]](), dict[str, list[dict[str, Any]]]()
    for release in releases:
        if on_progress is not None:
            on_progress(f"Pulsar {release}")
        equal = equal_release("channel", release, run)
        found = (
            [_claimed(row, release) for row in run[equal]] if equal else _decided(release, home, telling, bool(asked))
        )
        if any(row["shown"] is not None for row in found):
            run.setdefault(equal or release, found)
        rows += found
    for line in _lines(rows, releases):
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    counts = Counter(_outcome(row) for row in rows if row["switch"] in telling)
    wrong = [row for row in rows if row["shown"] not in (None, row["claimed"])]
    verdict = Verdict.INVALID if wrong else Verdict.UNKNOWN if counts["undecided"] or not counts else Verdict.VALID
    reasons = [
        f"{len(telling)} of {len(SWITCHES)} switches have a run that tells",
        *(f"{count} {outcome}" for outcome, count in sorted(counts.items())),
        *(
            f"{row['release']}: {row['switch']} is claimed {row['claimed']}, and its classes show the other"
            for row in wrong
        ),
    ]
    out.print(f"{len(releases)} releases: {verdict}: {'; '.join(reasons[: 1 + len(counts)])}", soft_wrap=True)
    return Result(
        "conform",
        verdict,
        reasons,
        Stats(seconds=round(time.monotonic() - began, 1)),
        more={"walked": [], "switches": rows},
    )


def _outcome(row: Mapping[str, Any]) -> str:
    if row["shown"] is None:
        return "undecided"
    return "as claimed" if row["shown"] == row["claimed"] else "not as claimed"


def _decided(release: str, home: Path, telling: Mapping[str, TellingRun], is_asked: bool) -> list[dict[str, Any]]:
    try:
        if line_of(release) >= THREADED and not is_asked:
            raise Missing("from 4.2 on its metadata caches have threads that no script holds yet; --pulsar tries it")
        with Classes(jars_of(release, home)) as classes:
            return [_row(release, value, telling.get(value.switch)) for value in values_of(classes, release, telling)]
    except (Missing, EngineError) as error:
        why = str(error)
    return [
        _row(release, Value(one, getattr(RELEASES[release], one), None, why=why), telling.get(one)) for one in SWITCHES
    ]


def _row(release: str, value: Value, telling: TellingRun | None) -> dict[str, Any]:
    """Return a switch of a release as the JSON has it (``result.schema.json``, switchValue)."""
    return {
        "release": release,
        "ran": release,
        "switch": value.switch,
        "claimed": value.claimed,
        "shown": value.shown,
        "family": telling.family if telling is not None else "",
        "path": [str(action) for action in value.path],
        "why": value.why,
    }


def _claimed(row: Mapping[str, Any], release: str) -> dict[str, Any]:
    """Return the row of a release whose classes are equal to those that ran."""
    return {**row, "release": release, "claimed": getattr(RELEASES[release], row["switch"])}


def _lines(rows: Sequence[Mapping[str, Any]], releases: Sequence[str]) -> Iterator[str]:
    """Yield a line for each switch that some classes show, the contradictions, and the reasons of the rest."""
    for switch in SWITCHES:
        found = [row for row in rows if row["switch"] == switch]
        values = {word: [row["release"] for row in found if row["shown"] is is_so] for word, is_so in WORDS.items()}
        if values["true"] or values["false"]:
            spans = (f"{word}: {in_spans(some, releases)}" for word, some in values.items() if some)
            yield f"  {switch:28} {'; '.join(spans)}"
    for row in rows:
        if row["shown"] not in (None, row["claimed"]):
            yield f"  {row['release']}: {row['switch']} is {str(row['shown']).lower()}, and not as claimed:"
            yield from (f"    {number:>3}  {step}" for number, step in enumerate(row["path"], 1))
    reasons = Counter(row["why"] for row in rows if row["shown"] is None)
    yield from (f"  undecided {count} times: {why}" for why, count in reasons.most_common())


WORDS: Final = {"true": True, "false": False, "undecided": None}
