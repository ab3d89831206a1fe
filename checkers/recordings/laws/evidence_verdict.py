"""
All laws of evidence, put to one scene.

A law that lacks an input is unknown for itself and hides nothing; one whose input is damaged, or that has doubts of its
own, cannot be valid, and then neither can the run: absent input is not damaged input. A report has no verdict.

Clocks that are seen to be further apart than is allowed for are taken as they are, so that no broker is accused of what
is its clock's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from oneowner.checkers.recordings.laws.answers import clocks
from oneowner.checkers.recordings.laws.evidence_law import Judged, Law
from oneowner.checkers.recordings.laws.registry_of_laws import LAWS
from oneowner.checkers.recordings.read.events import Finding, Severity
from oneowner.checkers.recordings.read.log_files import Coverage
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.night_check import nights_apart
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.results import LawRow
from oneowner.checkers.verdict import Verdict


class Evidence(NamedTuple):
    """What the evidence of one run says."""

    rows: tuple[LawRow, ...] = ()
    findings: tuple[Finding, ...] = ()
    doubts: tuple[str, ...] = ()
    """Why the run cannot be valid, a sentence each."""
    coverage: tuple[Coverage, ...] = ()
    producers: frozenset[str] = frozenset()
    """Names of producers in the logs: no key or record tells that they are names."""
    end: int | None = None
    """The last moment that anything was seen."""
    reports: tuple[tuple[str, int], ...] = ()
    """What only warns and notes, and how often it had occasion to."""
    start: int | None = None
    """The first moment that anything was seen."""


READ_BY_THE_AUDIT = (Source.CHANNEL, Source.ZOOKEEPER)
"""Whatever is wrong with lines of these, the audit of the channel says itself."""


def judge_scene(scene: Scene, coverage: Sequence[Coverage] = (), laws: Sequence[Law] = LAWS) -> Evidence:
    """Ask all *laws*; return their rows in order, what they found, and what keeps the run from being valid."""
    rows: list[LawRow] = []
    reports: list[tuple[str, int]] = []
    findings: list[Finding] = []
    doubts = list(nights_apart(scene))
    doubts += [words for source, lines in scene.damage.items() if source not in READ_BY_THE_AUDIT for words in lines]
    apart = clocks.apart(scene)
    if apart > scene.limits.clock_skew + clocks.WIDE:
        doubts.append(f"{scene.name}: clocks are {apart} ms apart, {scene.limits.clock_skew} ms are allowed for")
    limits = dataclasses.replace(scene.limits, clock_skew=max(scene.limits.clock_skew, apart))
    by_clocks = scene if limits == scene.limits else dataclasses.replace(scene, limits=limits)
    for law in laws:
        row, found, own = _asked(scene if law.name == clocks.SKEW else by_clocks, law)
        if law.decides or row.verdict == Verdict.INVALID:
            rows.append(row)
        else:
            reports.append((row.law, row.exercised))
        findings += found
        doubts += [f"{scene.name}: {law.name}: {words}" for words in own]
    values = (line.values.get("producer") for lines in scene.said.values() for line in lines)
    producers = frozenset(value for value in values if isinstance(value, str))
    return Evidence(
        tuple(rows), tuple(findings), tuple(doubts), tuple(coverage), producers, scene.end, tuple(reports), scene.start
    )  # fmt: skip


def _asked(scene: Scene, law: Law) -> tuple[LawRow, list[Finding], list[str]]:
    missing: list[str] = [*scene.lacks(law.needs)]
    if law.one_of and len(scene.lacks(law.one_of)) == len(law.one_of):
        missing.append(" or ".join(law.one_of))
    if missing:
        reason = f"needs {', '.join(missing)}"
        return LawRow(law.name, "holds", Verdict.VALID, Verdict.UNKNOWN, 0, reason), [], []
    judged, read = law.judge(scene), (*law.needs, *law.uses)
    if scene.is_partial and Source.CHANNEL in read:
        weaker = [one._replace(severity=_at_most_warning(one.severity)) for one in judged.findings]
        judged = Judged(judged.exercised, weaker, judged.doubts)
    damaged = [source for source in read if scene.damage.get(source)]
    verdict = Verdict.VALID if judged.exercised and not damaged and not judged.doubts else Verdict.UNKNOWN
    reason = judged.doubts[0] if judged.doubts else f"damaged: {', '.join(damaged)}" if damaged else ""
    if any(one.severity == Severity.VIOLATION for one in judged.findings):
        # A record that cannot be read can fake what is found with its unit.
        verdict = Verdict.UNKNOWN if Source.CHANNEL in damaged else Verdict.INVALID
    row = LawRow(law.name, "holds", Verdict.VALID, verdict, judged.exercised, reason)
    return row, judged.findings, judged.doubts


def _at_most_warning(severity: Severity) -> Severity:
    return Severity.WARNING if severity == Severity.VIOLATION else severity
