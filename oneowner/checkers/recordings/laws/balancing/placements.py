"""
A report on placements: a broker draws the owner of a bundle as the strategy computes it from the printed loads.

In debug mode ``LeastResourceUsageWithWeight`` prints the load of every candidate, the average, and the brokers that may
be drawn. Innocent: a load that came after the average was computed, which the sentence mentions; a custom strategy. A
placement is not judged if its numbers are printed too coarsely or the log lacks one, as where lines come twice or in
another order, and one by old reports is only noted: no broker had sent a newer one.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from oneowner.checkers.recordings.decisions.placements import STALE, UNDECIDED, Recomputed, recompute
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.read.events import Finding
from oneowner.checkers.recordings.read.logged_placements import Placement
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.packed_logs import pieces_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity

LAW: Final = "placement-as-computed"


def owner_of(scene: Scene, piece: int) -> str | None:
    """Return whose log a file is."""
    return scene.once(_owners).get(piece)


def _owners(scene: Scene) -> dict[int, str]:
    found: dict[int, str] = {}
    for broker, lines in scene.said.items():
        for piece in pieces_of(lines):
            found.setdefault(piece, broker)
    return found


def _placement_as_computed(scene: Scene) -> LawOutcome:
    outcome = LawOutcome()
    for decided in scene.decided:
        broker = owner_of(scene, decided.piece)
        if broker is None:
            continue
        told = [(one, judgement) for one in decided.placements if (judgement := recompute(one)).why not in UNDECIDED]
        outcome.exercised += len(told)
        outcome.findings += [_otherwise(broker, one, judgement) for one, judgement in told if judgement.why]
        outcome.findings += _stale(broker, [one for one, _ in told if one.oldest > STALE])
    return outcome


def _line(broker: str, placement: Placement) -> LogEvent:
    return LogEvent(placement.origin, placement.time, broker, "placement", "", None, {}, placement.words)


def _otherwise(broker: str, placement: Placement, judgement: Recomputed) -> Finding:
    told = placement.loads
    loads = ", ".join(f"{name} {f'{told[name]:.4f}' if name in told else 'unknown'}" for name in placement.candidates)
    drawn, computed = ", ".join(placement.best) or "nobody", ", ".join(judgement.computed) or "nobody"
    why = f"{broker} placed {placement.bundle or 'a bundle'}"
    why += f" at {placement.chosen}" if placement.chosen else ""
    why += f": {judgement.why}; loads {loads}; drawn of {drawn}, computed {computed}"
    return finding(LAW, Severity.WARNING, why, [_line(broker, placement)], unit=_unit(placement), brokers=(broker,))


def _unit(placement: Placement) -> str | None:
    return placement.bundle if "/0x" in placement.bundle else None


def _stale(broker: str, placements: Sequence[Placement]) -> Iterator[Finding]:
    if placements:
        oldest = max(placements, key=lambda one: one.oldest)
        why = (
            f"{broker} made {len(placements)} placements by a report older than {STALE // 1000} s, the oldest of them "
        )
        why += f"by one of {oldest.oldest // 1000} s"
        yield finding(LAW, Severity.NOTE, why, [_line(broker, oldest)], brokers=(broker,))


LAWS: Final = (
    SceneLaw(
        LAW,
        "A broker draws the owner of a bundle as the strategy computes it by the loads that it printed.",
        "PIP-192; LeastResourceUsageWithWeight.select",
        needs=(Source.LOGS, Source.DEBUG),
        judge=_placement_as_computed,
        severity=Severity.WARNING,
    ),
)
