"""The outcome of a driven scenario: each step, and the reason for its end."""

from dataclasses import dataclass
from typing import Any

from oneowner.checkers.lab.drive.plan import Plan, Planned
from oneowner.checkers.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Done:
    """A completed step: the model's and the cluster's view after it, and its duration."""

    planned: Planned
    model: dict[str, str]
    cluster: dict[str, str]
    differences: list[str]
    seconds: float


@dataclass(frozen=True, slots=True)
class Watched:
    """The observation of a rest, or of a loop, after the last step."""

    seconds: float
    looks: int
    """The number of comparisons with the model's end, or with a step of the loop."""
    rounds: int
    """The number of rounds of the loop; 0 for a rest."""
    left: tuple[str, ...]
    """The difference from it in the end; empty if there is none."""
    goes_on: str
    """The step still owed by the rules of the release, so that it is no rest."""

    @property
    def parted(self) -> bool:
        """True if the cluster left a state of rest, or a loop, of its release's rules."""
        return bool(self.left) and not self.goes_on

    @property
    def words(self) -> str:
        """Describe the duration and the result of the observation."""
        of = f"driven round {self.rounds} times" if self.rounds else f"gates open, {self.looks} looks"
        came = f"left: {'; '.join(self.left)}" if self.left else "the cluster stays as the model says"
        but = f" (by the rules of the release {self.goes_on} is still to come)" if self.goes_on else ""
        return f"watched for {self.seconds:.0f} s, {of}: {came}{but}"

    def as_json(self) -> dict[str, Any]:
        """Return the keys of ``result.schema.json``."""
        return {
            "seconds": round(self.seconds, 1),
            "looks": self.looks,
            "rounds": self.rounds,
            "left": list(self.left),
            "goes_on": self.goes_on,
        }


@dataclass(frozen=True, slots=True)
class Driven:
    """A scenario that was driven, or the plan of one, which has no step done."""

    plan: Plan
    verdict: Verdict
    """Valid: the cluster followed the model; invalid: they differ; unknown: a step was impossible."""
    why: str
    """The reason why it is not valid; for a plan, the words of the plan."""
    done: tuple[Done, ...] = ()
    watched: Watched | None = None
    """The observation after the last step, if there was one."""

    @property
    def followed(self) -> int:
        """The number of steps in which the cluster followed the model."""
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
            "watched": None if self.watched is None else self.watched.as_json(),
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
