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
from oneowner.checkers.judged_release import JudgedRelease, judged_release
from oneowner.checkers.results import Page, Result, Stats
from oneowner.checkers.verdict import Misuse, Verdict, worst
from oneowner.model.channel.releases import NAMES, RELEASES, has_metadata_store

if TYPE_CHECKING:
    from oneowner.checkers.real_classes.changes import Change
    from oneowner.checkers.real_classes.defects import Decision
    from oneowner.checkers.real_classes.family_walks import Walked
    from oneowner.checkers.real_classes.jars import Jars
    from oneowner.checkers.real_classes.switches import Switch


@verb(Section.MODEL, name="check-patch")
@click.option("--jar", required=True, type=click.Path(path_type=Path), metavar="FILE",
              help="The pulsar-broker.jar to judge.")  # fmt: skip
@click.option("--pulsar", metavar="RELEASE", help="The release that it derives from (default: that in its name).")
@click.option("--against", metavar="RELEASE", help="The release with which it is compared, by running that one too.")
@click.option("--families", metavar="LIST",
              help="The families that it walks, such as transfer,removal, or none (default: small ones).")  # fmt: skip
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
    families: str | None,
    lib: Path | None,
    home: Path | None,
) -> Result:
    """Report the known defects that the classes of a broker's jar have, have lost, and have gained.

    \b
      oneowner check-patch --jar pulsar-broker-4.0.8.jar --against 4.0.6
      oneowner check-patch --jar mine.jar --pulsar 4.0.6

    Each defect has a saved run that breaks a law. The real classes take it step by step: to its end, or the way of the
    repair where that parts. Without --against, the jar is compared with the catalogue's claims on its release. Then the
    classes walk small families, by the rules that these runs have decided. The output lists
    the methods that differ, and those among them that no run has entered.

    Valid: of the defects that can be decided, none is gained, and every walk agrees. Invalid: some are gained, or a
    walk differs as that of the other side does not. Unknown: some are undecided on either side, or Java, Maven or a jar
    is missing. The last line counts what was decided; defects that no run decides yet are out of reach, each with its
    reason in the JSON. oneowner drive tries those on a cluster.
    """
    from oneowner.checkers.native_code import cache
    from oneowner.checkers.real_classes.jars import Missing, jars_of

    of, place = pulsar or version_of(jar, None), home or cache() / "pulsar"
    judged_by = judged_release(of, NAMES)
    chosen = _families(families, judged_by.name)
    try:
        mine = jars_of(of, place, jar, lib)
        other = jars_of(against, place) if against is not None else None
        return _judged(out, on_progress, mine, other, judged_by, against, chosen)
    except Missing as missing:
        out.print(f"unknown: {missing}", markup=False, highlight=False, soft_wrap=True)
        return Result("check-patch", Verdict.UNKNOWN, [str(missing)], more={"defects": []}, page=Page(jar.name))


def _families(families: str | None, release: str) -> list[tuple[str, Mapping[str, str]]]:
    """Return the families of a list such as ``transfer,removal``, with their bounds; raise Misuse for another name."""
    from oneowner.checkers.cli.explored_family import explored_family
    from oneowner.checkers.real_classes.family_walks import QUICK

    if families is None:
        stored = has_metadata_store(release)
        return [(name, changed) for name, changed in QUICK if stored or not name.endswith("metadata-store")]
    names = [name.strip() for name in families.split(",") if name.strip()]
    if not names:
        raise Misuse("--families refused: it names no family; none walks no family")
    if names == ["none"]:
        return []
    for name in names:
        if explored_family(name).system.name != "channel":
            raise Misuse(f"{name}: a family of another system; check-patch walks those of the channel")
    return [(name, {}) for name in names]


def _judged(
    out: Console,
    on_progress: Callable[[str], None] | None,
    mine: Jars,
    other: Jars | None,
    judged_by: JudgedRelease,
    against: str | None,
    chosen: Sequence[tuple[str, Any]],
) -> Result:
    """Judge the classes of a jar beside those of another release, or beside the claims on its own."""
    import time

    from oneowner.checkers.cli import patch_rows as rows
    from oneowner.checkers.real_classes.switches import switches_of

    began = time.monotonic()
    methods, compared = _methods(mine, other, judged_by.name)
    entered: set[str] = set()
    rules = RELEASES[judged_by.name]
    here = _decisions(mine, judged_by.name, entered, on_progress)
    there = {} if other is None else _decisions(other, judged_release(against or "", NAMES).name, None, on_progress)
    switches = switches_of(here.values())
    walked = list(_walked(chosen, mine, other, judged_by.name, switches, entered, on_progress))
    defects = [rows.defect_row(one, there.get(name), other is not None) for name, one in here.items()]
    decided = rows.switch_rows(switches, switches_of(there.values()), rules)
    for line in (
        *rows.defect_lines(defects, other is not None),
        *rows.switch_lines(decided),
        *(rows.method_lines(methods, entered, compared) if compared else ()),
        *(line for one in walked for line in one.lines()),
    ):
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    beside = f"Pulsar {against}" if against is not None else f"the claims on {judged_by.name}"
    counts = Counter(row["change"] for row in defects)
    number = sum(counts[word] for word in ("gained", "has", "lost", "lacks"))
    reasons = [
        f"{number} of {len(defects)} defects are decided",
        *(f"{counts[word]} {word}" for word in (*rows.WORDS, rows.OUT) if counts[word]),
        *(f"{one.name} {'differs' if one.verdict == Verdict.INVALID else 'is not decided'}"
          for one in walked if one.verdict != Verdict.VALID),
    ]  # fmt: skip
    if missed := sum(bool(one.missed(entered)) for one in methods):
        reasons.append(f"changes of {missed} {'method' if missed == 1 else 'methods'} not entered")
    verdict = Verdict.INVALID if counts["gained"] else Verdict.UNKNOWN if counts["undecided"] else Verdict.VALID
    verdict = worst([verdict if number else Verdict.UNKNOWN, *(one.verdict for one in walked)])
    subject, seconds = f"{mine.name} against {beside}", time.monotonic() - began
    words = f"{subject}: {verdict}: {', '.join(reasons)} ({seconds:.0f} s)"
    out.print(words, markup=False, highlight=False, soft_wrap=True)
    return Result(
        "check-patch",
        verdict,
        [*([judged_by.note] * bool(judged_by.note)), f"{subject}: {', '.join(reasons)}"],
        Stats(transitions=sum(one.walk.walked for one in walked if one.walk is not None), seconds=round(seconds, 1)),
        more={
            "defects": defects,
            "switches": decided,
            "methods": rows.method_rows(methods, entered),
            "walked": [one.row() for one in walked],
        },
        page=Page(subject),
    )


def _decisions(
    jars: Jars, release: str, entered: set[str] | None, on_progress: Callable[[str], None] | None
) -> dict[str, Decision]:
    """Decide every defect of the catalogue on some classes, by name; add the methods that are entered."""
    from oneowner.checkers.real_classes.defects import decide, deciding_runs
    from oneowner.checkers.real_classes.runs import Classes

    found = {}
    with Classes(jars, entered) as classes:
        for deciding in deciding_runs(release):
            found[deciding.defect.name] = decide(classes, deciding, RELEASES[release])
            if on_progress is not None:
                on_progress(f"{jars.name}: {len(found)} defects")
    return found


def _walked(
    chosen: Sequence[tuple[str, Any]],
    mine: Jars,
    other: Jars | None,
    release: str,
    switches: Sequence[Switch],
    entered: set[str],
    on_progress: Callable[[str], None] | None,
) -> Iterator[Walked]:
    """Walk families by the release's rules, but for switches that the runs have decided otherwise."""
    from oneowner.checkers.real_classes.family_walks import beside, walks

    turned = {
        one.name: str(one.value).lower()
        for one in switches
        if one.value is not None and one.value != getattr(RELEASES[release], one.name)
    }
    for one, bounds in walks(chosen, mine, release, turned, entered, on_progress):
        differs = one.walk is not None and one.walk.differing > 0
        yield beside(one, bounds, other, on_progress) if differs and other is not None else one


def _methods(mine: Jars, other: Jars | None, release: str) -> tuple[list[Change], str]:
    """Return the methods that differ from the other side's, or from the release's own where that jar is at hand."""
    from oneowner.checkers.real_classes.changes import broker_jar, changes

    before = broker_jar(mine.path[1:] if other is None else other.path)
    if before is None:
        return [], ""
    return list(changes(before, mine.path[0])), f"Pulsar {release}" if other is None else other.name
