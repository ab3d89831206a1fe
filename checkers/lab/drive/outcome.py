"""What became of a scenario that was driven: each step, and why it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from oneowner.checkers.lab.drive.plan import Plan, Planned
from oneowner.checkers.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Done:
    """A step that was done: what the model says and what the cluster shows after it, and how long it took."""

    planned: Planned
    model: dict[str, str]
    cluster: dict[str, str]
    differences: list[str]
    seconds: float


@dataclass(frozen=True, slots=True)
class Driven:
    """A scenario that was driven, or the plan of one, which has no step done."""

    plan: Plan
    verdict: Verdict
    """Valid: the cluster did what the model says; invalid: they part; unknown: a step could not be brought about."""
    why: str
    """Why it is not valid; of a plan, whether it can be driven."""
    done: tuple[Done, ...] = ()

    @property
    def followed(self) -> int:
        """How many steps the cluster did as the model says."""
        return sum(not one.differences for one in self.done)

    def as_json(self) -> dict[str, Any]:
        """Return the keys of ``result.schema.json``."""
        done = {one.planned.number: one for one in self.done}
        return {
            "scenario": self.plan.name,
            "release": self.plan.release,
            "rules": [repair.name for repair in self.plan.repairs],
            "verdict": self.verdict.value,
            "why": self.why,
            "seconds": round(sum(one.seconds for one in self.done), 1),
            "steps": [_step(planned, done.get(planned.number)) for planned in self.plan.steps],
        }


def _step(planned: Planned, done: Done | None) -> dict[str, Any]:
    verdict = None if done is None else Verdict.INVALID.value if done.differences else Verdict.VALID.value
    apart = [] if done is None else [(what, said, done.cluster.get(what)) for what, said in done.model.items()]
    return {
        "step": planned.number,
        "action": str(planned.action),
        "event": None if planned.event is None else planned.event.words,
        "why": planned.why,
        "verdict": verdict,
        "differences": [{"of": what, "model": said, "cluster": is_} for what, said, is_ in apart if said != is_],
        "seconds": None if done is None else round(done.seconds, 1),
    }
