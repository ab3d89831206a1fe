"""
A report on sheds and splits: the numbers that a broker logs with a decision are a reason for it.

``BundleSplitterTask`` and ``DefaultNamespaceBundleSplitStrategyImpl`` print a bundle's numbers and their limits, the
shedders the usage, the average and the threshold. Innocent: a configuration that was changed between the comparison and
the line. Differences within the printed digits are not judged.
"""

from typing import Final

from oneowner.checkers.recordings.laws.balancing.placements import owner_of
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity

LAW: Final = "decided-by-its-numbers"


def _decided_by_its_numbers(scene: Scene) -> LawOutcome:
    outcome = LawOutcome()
    for decided in scene.decided:
        broker = owner_of(scene, decided.piece)
        if broker is None:
            continue
        outcome.exercised += len(decided.decisions)
        for one in decided.decisions:
            if one.why:
                line = LogEvent(one.origin, one.time, broker, "decision", "", one.bundle, {}, one.words)
                about = one.bundle or one.broker or "the cluster"
                why = f"{broker} decided about {about} against its numbers: {one.why}; it printed {one.words}"
                brokers = (broker, *(() if one.broker is None else (one.broker,)))
                outcome.findings.append(finding(LAW, Severity.WARNING, why, [line], unit=one.bundle, brokers=brokers))
    return outcome


LAWS: Final = (
    SceneLaw(
        LAW,
        "The numbers that are logged with a shed or a split are a reason for it.",
        "DefaultNamespaceBundleSplitStrategyImpl.findBundlesToSplit, ThresholdShedder.findBundlesForUnloading",
        needs=(Source.LOGS,),
        judge=_decided_by_its_numbers,
        severity=Severity.WARNING,
    ),
)
