"""The verb ``check-patch``: the known defects that a broker's jar has, decided by running its classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from oneowner.checkers.cli.conform import version_of
from oneowner.checkers.cli.options import common
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.releases import NAMES, RELEASES

if TYPE_CHECKING:
    from oneowner.checkers.real_classes.defects import Decision
    from oneowner.checkers.real_classes.jars import Jars

OUT = "out of reach"
WORDS = ("gained", "has", "lost", "lacks", "undecided")


@verb(Section.MODEL, name="check-patch")
@click.option("--jar", required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="The pulsar-broker.jar to judge.")  # fmt: skip
@click.option("--pulsar", metavar="RELEASE", help="The release that it derives from (default: that in its name).")
@click.option("--against", metavar="RELEASE", help="The release with which it is compared, by running that one too.")
@click.option("--lib", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR",
              help="The folder lib of its distribution, in place of jars from Maven Central.")  # fmt: skip
@click.option("--home", type=click.Path(path_type=Path), metavar="DIR", help="The folder for releases of Pulsar.")
@common
def check_patch(
    out: Console,
    on_progress: Callable[[str], None] | None,
    jar: Path,
    pulsar: str | None,
    against: str | None,
    lib: Path | None,
    home: Path | None,
) -> Result:
    """Report the known defects that the classes of a broker's jar have, have lost, and have gained.

    \b
      oneowner check-patch --jar pulsar-broker-4.0.8.jar --against 4.0.6
      oneowner check-patch --jar mine.jar --pulsar 4.0.6

    Each defect has a saved run that breaks a law. The real classes take it step by step: to its end, or the way of the
    repair where that parts. Without --against, the jar is compared with the catalogue's claims on its release.

    Valid: of the defects that can be decided, none is gained. Invalid: some are. Unknown: some are undecided on either
    side, or Java, Maven or a jar is missing. The last line counts what was decided; defects that no run decides yet are
    out of reach, each with its reason in the JSON. oneowner drive tries those on a cluster.
    """
    from oneowner.checkers.native_code import cache
    from oneowner.checkers.real_classes.jars import Missing, jars_of

    named, place = pulsar or version_of(jar, None), home or cache() / "pulsar"
    try:
        mine = _decisions(jars_of(named, place, jar, lib), named, on_progress)
        other = _decisions(jars_of(against, place), against, on_progress) if against is not None else {}
    except Missing as missing:
        out.print(f"unknown: {missing}", markup=False, highlight=False, soft_wrap=True)
        return Result("check-patch", Verdict.UNKNOWN, [str(missing)], more={"defects": []})
    rows = [_row(one, other.get(name), against is not None) for name, one in mine.items()]
    judged_by = judged_release(named, NAMES)
    subject = f"{jar.name} against {f'Pulsar {against}' if against is not None else f'the claims on {judged_by.name}'}"
    for line in _lines(rows):
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    counts = Counter(row["change"] for row in rows)
    verdict = Verdict.INVALID if counts["gained"] else Verdict.UNKNOWN if counts["undecided"] else Verdict.VALID
    number = sum(counts[word] for word in ("gained", "has", "lost", "lacks"))
    if not number:
        verdict = Verdict.UNKNOWN
    reasons = [
        f"{number} of {len(rows)} defects are decided",
        *(f"{counts[word]} {word}" for word in (*WORDS, OUT) if counts[word]),
    ]
    out.print(f"{subject}: {verdict}: {', '.join(reasons)}", markup=False, highlight=False, soft_wrap=True)
    notes = [judged_by.note] * bool(judged_by.note)
    return Result("check-patch", verdict, [*notes, f"{subject}: {', '.join(reasons)}"], more={"defects": rows})


def _decisions(jars: Jars, named: str, on_progress: Callable[[str], None] | None) -> dict[str, Decision]:
    """Decide every defect of the catalogue on some classes, by name."""
    from oneowner.checkers.real_classes.defects import decide, deciding_runs
    from oneowner.checkers.real_classes.runs import Classes

    release = judged_release(named, NAMES).name
    found = {}
    with Classes(jars) as classes:
        for deciding in deciding_runs(release):
            found[deciding.defect.name] = decide(classes, deciding, RELEASES[release])
            if on_progress is not None:
                on_progress(f"{jars.name}: {len(found)} defects")
    return found


def _row(mine: Decision, other: Decision | None, is_run: bool) -> dict[str, Any]:
    """Return a defect as the JSON has it (``result.schema.json``, decided)."""
    from oneowner.checkers.real_classes.defects import Has

    there = (other.has if other is not None else Has.UNDECIDED) if is_run else _claim(mine)
    why = mine.why or (other.why if other is not None else "")
    if mine.decided_by.run is None or (other is not None and other.decided_by.run is None):
        change = OUT
    elif Has.UNDECIDED in (mine.has, there):
        change = "undecided"
    else:
        before, now = there == Has.HAS, mine.has == Has.HAS
        change = ("has" if before else "gained") if now else ("lost" if before else "lacks")
    outcome = mine.outcome
    return {
        "defect": mine.decided_by.defect.name,
        "title": mine.decided_by.defect.title,
        "law": mine.decided_by.defect.law,
        "change": change,
        "here": str(mine.has),
        "there": str(there),
        "claimed": mine.claimed,
        "at": mine.decided_by.parting.at,
        "action": outcome.action if outcome is not None else "",
        "why": why,
    }


def _claim(mine: Decision) -> Any:
    from oneowner.checkers.real_classes.defects import Has

    return Has.HAS if mine.claimed else Has.LACKS


def _lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the defects by what changed, those out of reach as counts by reason."""
    for word in WORDS:
        for row in rows:
            if row["change"] == word:
                wrong = "" if (row["here"] == "has") == row["claimed"] or word == "undecided" else "; not as claimed"
                yield f"  {word:9} {row['defect']}: {row['why'] or row['title']}{wrong}"
    reasons = Counter(_kind(row["why"]) for row in rows if row["change"] == OUT)
    for reason, count in reasons.most_common():
        yield f"  {OUT}: {count} {'defect' if count == 1 else 'defects'}: {reason}"


def _kind(why: str) -> str:
    if why.startswith("no call"):
        return "an action of its run has no call"
    if why.startswith(("the script decides", "registry, election")):
        return "the script decides where its run and the repaired one part"
    return why
