"""
Evidence is judged on a time range, with all earlier observations.

Findings come from the whole run, so that registrations, leader and owners at the start of the range are known, and so
are later ends of windows that began in it; the judge of the run then selects the findings that touch the range. The
occasions of each law in the range are the difference between two runs: the one up to the end of the range, and the one
before it begins. A law without a doubt up to the end of the range is not in doubt for later events.
"""

import dataclasses
from collections.abc import Callable, Iterator

from oneowner.checkers.recordings.fold.time_range import Scope
from oneowner.checkers.recordings.laws.scene_verdict import Evidence, judge_scene
from oneowner.checkers.recordings.scene.broker_processes import lives_of
from oneowner.checkers.recordings.scene.gather import span_of
from oneowner.checkers.recordings.scene.packed_logs import kept_like
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.results import LawRow
from oneowner.checkers.verdict import Verdict

Kept = Callable[[int, int], bool]
"""Return whether a time belongs to a part."""


def narrowed(scene: Scene, whole: Evidence, scope: Scope) -> Evidence:
    """Return the evidence of a run for a part of its time: occasions, verdicts of laws, doubts."""
    since, until = scope.since, scope.until
    if since is None and until is None:
        return whole
    upto = whole if until is None else judge_scene(of_time(scene, lambda start, _: start <= until))
    before = Evidence() if since is None else judge_scene(of_time(scene, lambda _, end: end < since))
    earlier = _occasions(before)
    counts = {law: max(0, number - earlier.get(law, 0)) for law, number in _occasions(upto).items()}
    still = {law for law, _ in _doubts_of_laws(scene, upto)}
    gone = [(law, words) for law, words in _doubts_of_laws(scene, whole) if law not in still]
    settled = {row.law: row for row in upto.rows if row.law in {law for law, _ in gone}}
    return whole._replace(
        rows=tuple(_row(row, counts.get(row.law, 0), settled.get(row.law)) for row in whole.rows),
        reports=tuple((law, counts.get(law, 0)) for law, _ in whole.reports),
        doubts=tuple(words for words in whole.doubts if words not in {words for _, words in gone}),
    )


def of_time(scene: Scene, kept: Kept) -> Scene:
    """Return a scene of the *kept* observations; steps of the channel stay unchanged, by all records before them."""
    said = {
        broker: kept_like(lines, own)
        for broker, lines in scene.said.items()
        if (own := [line for line in lines if kept(line.time, line.time)])
    }
    found = dataclasses.replace(
        scene,
        channel=scene.channel.part(step for step in scene.channel.timeline if kept(step.time, step.time)),
        logged=None,
        said=said,
        lives={broker: lives_of(lines) for broker, lines in said.items()},
        decided=[
            one._replace(
                placements=[placed for placed in one.placements if kept(placed.time, placed.time)],
                decisions=[decision for decision in one.decisions if kept(decision.time, decision.time)],
            )
            for one in scene.decided
        ],
        lookups=[one for one in scene.lookups if kept(one.start, one.end)],
        polls=[one for one in scene.polls if kept(one.start, one.end)],
        calls=[one for one in scene.calls if kept(one.start, one.end)],
        sends=[one for one in scene.sends if kept(one.start, one.start)],
        writes=[write for write in scene.writes if kept(write.time, write.time)],
    )
    found.start, found.end = span_of(found)
    return found


def _occasions(evidence: Evidence) -> dict[str, int]:
    return {**{row.law: row.exercised for row in evidence.rows}, **dict(evidence.reports)}


def _doubts_of_laws(scene: Scene, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Yield each doubt that is a law's own, with the law."""
    for law in _occasions(evidence):
        yield from ((law, words) for words in evidence.doubts if words.startswith(f"{scene.name}: {law}: "))


def _row(row: LawRow, occasions: int, settled: LawRow | None) -> LawRow:
    """Return the row of a law for a part of the time; *settled* is its row up to there, where it has no doubt."""
    verdict, reason = row.verdict, row.reason
    if settled is not None:
        reason = settled.reason  # damage remains
        if verdict == Verdict.UNKNOWN and settled.verdict == Verdict.VALID:
            verdict = Verdict.VALID
    if verdict == Verdict.VALID and not occasions:
        verdict = Verdict.UNKNOWN
    return dataclasses.replace(row, verdict=verdict, exercised=occasions, reason=reason)
