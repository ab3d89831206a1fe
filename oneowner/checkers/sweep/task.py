"""``Task`` is one search, lot of walks, bug of the catalogue or simulated run; ``done`` returns its row."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from oneowner.checkers.catalogue.affected import in_spans, releases_of
from oneowner.checkers.catalogue.families import family_named
from oneowner.checkers.catalogue.faults import KILLED
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.engines.explore.exploration import Limits
from oneowner.checkers.engines.walks.plan import DEFAULT_DEPTH, Plan
from oneowner.checkers.ledger.counterexample import counterexample
from oneowner.checkers.ledger.exploration_verdict import Judged
from oneowner.checkers.ledger.family_search import Asked, search
from oneowner.checkers.ledger.kills.fault_kill import kill
from oneowner.checkers.ledger.kills.release_matrix import verdicts_by_release
from oneowner.checkers.ledger.kills.releases import difference, failing, undecided, verdict_of
from oneowner.checkers.scenarios.scenario import write_scenario
from oneowner.checkers.simulation.traces import Sizes
from oneowner.checkers.sweep.measured_run import MEASURED, Loads, measured
from oneowner.checkers.verdict import EngineError, Misuse, Verdict

Row = Mapping[str, Any]
"""A task and its result, by the columns of ``parquet.py``."""

KINDS = ("explore", "walks", "kill", "releases", "simulate")
NAMED = (
    "kind", "family", "release", "faults", "settings", "rules", "walks", "depth", "seed", "trace", "digest", "shedder",
    "brokers", "bundles", "cycles",
)  # fmt: skip
"""The columns that identify a task, which are the fields of ``Task``."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task."""

    kind: str
    family: str = ""
    release: str = ""
    """Empty: the family's own."""
    faults: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    rules: tuple[tuple[str, str], ...] = ()
    """Switches that are turned by name."""
    walks: int = 0
    depth: int = DEFAULT_DEPTH
    seed: int = 0
    laws: tuple[str, ...] = ()
    max_states: int | None = None
    max_seconds: float | None = None
    trace: str = ""
    """For a simulated run, like the following fields."""
    file: str = ""
    digest: str = ""
    shedder: str = ""
    brokers: int = 0
    bundles: int = 0
    """0: those of a recorded trace."""
    cycles: int = 0

    def __str__(self) -> str:
        parts = [self.family or self.trace, f" {self.shedder}" if self.shedder else ""]
        parts += [f"@{self.release}"] if self.release else []
        words = [*self.faults, *(f"{name}={value}" for name, value in (*self.settings, *self.rules))]
        if self.kind == "simulate":
            words += [
                f"{name}={getattr(self, name)}" for name in ("brokers", "bundles", "cycles") if self.is_told(name)
            ]
        words += [f"seed {self.seed}"] if self.kind in ("walks", "simulate") else []
        return " ".join(filter(None, ["".join(parts), *words]))

    def is_told(self, size: str) -> bool:
        """Return whether a size of a simulated run differs from the default."""
        return getattr(self, size) not in (0, getattr(Sizes(), size))

    @property
    def text(self) -> str:
        """Return it as a line of JSON, which ``task_of`` reads."""
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def named(self) -> dict[str, Any]:
        """Return the columns that identify it."""
        own = asdict(self)
        texts = {"faults": "+".join(self.faults)} | {
            name: " ".join(f"{n}={v}" for n, v in own[name]) for name in ("settings", "rules")
        }
        return {name: texts.get(name, own[name]) for name in NAMED} | ({} if self.walks else {"depth": 0})


def task_of(text: str) -> Task:
    parts = json.loads(text)
    pairs = {axis: tuple((name, value) for name, value in parts[axis]) for axis in ("settings", "rules")}
    return Task(**{**parts, "faults": tuple(parts["faults"]), "laws": tuple(parts["laws"]), **pairs})


def done(task: Task) -> Row:
    """Run a task; a failure makes its row unknown, with the reason."""
    try:
        return _BY_KIND[task.kind](task)
    except (Misuse, EngineError) as error:
        return failed(task, str(error))


def failed(task: Task, reason: str) -> Row:
    """Return the row of a task with an unknown result."""
    return _row(task, Verdict.UNKNOWN.value, [reason], is_done=False)


def _searched(task: Task) -> Row:
    family = family_named(task.family).under(task.release or None)
    limits = Limits(states=None if task.walks else task.max_states, seconds=task.max_seconds)
    plan = Plan(task.walks, task.depth, task.seed, seconds=task.max_seconds) if task.walks else None
    asked = Asked(
        task.faults, settings=dict(task.settings), rules=dict(task.rules), laws=task.laws, limits=limits, plan=plan,
        threads=1, release=task.release or None, spares_mirrors=True,
    )  # fmt: skip
    judged = search(family, asked)
    result, exploration = judged.result, judged.exploration
    law, scenario = judged.counterexample or "", None
    if judged.counterexample is not None:
        scenario = counterexample(family, judged, judged.counterexample, asked)
    return _row(
        task,
        result.verdict.value,
        result.reasons,
        states=exploration.distinct,
        transitions=exploration.transitions,
        deepest=exploration.depth,
        broken=sorted(row.law for row in result.laws if row.verdict == Verdict.INVALID),
        law=law,
        steps=len(scenario.steps) if scenario is not None else 0,
        scenario=write_scenario(scenario) if scenario is not None else "",
        **_coverage(judged),
    )


def _coverage(judged: Judged) -> dict[str, Any]:
    walks, exploration = judged.walks, judged.exploration
    return {
        "fired": json.dumps(exploration.fired, sort_keys=True),
        "classes": walks.classes if walks is not None else 0,
        "pairs": sum(walks.pairs.values()) if walks is not None else 0,
    }


def _killed(task: Task) -> Row:
    """Run the search of the kill matrix: valid if the fault is killed as pinned."""
    (name,) = task.faults
    found = kill(name)
    verdict = Verdict.VALID if found.verdict == KILLED and not found.reasons else Verdict.INVALID
    if found.verdict == Verdict.UNKNOWN.value:
        verdict = Verdict.UNKNOWN
    return _row(task, verdict.value, found.reasons, states=found.states, steps=found.steps)


def _by_release(task: Task) -> Row:
    """Judge the law of a bug or prediction in every release that has it: valid if it fails where that is pinned."""
    (name,) = task.faults
    fault, found = defects()[name], verdicts_by_release(name)
    differs, doubt = difference(fault, found), undecided(found)
    return _row(
        task,
        verdict_of(differs, doubt).value,
        [words for words in (differs, doubt) if words],
        law=fault.law,
        steps=min((one.steps for one in found if one.steps), default=0),
        affected_releases=in_spans(failing(found), releases_of(fault)),
    )


def _simulated(task: Task) -> Row:
    """Follow a run; it is measured, and nothing is judged."""
    usual = Sizes()
    sizes = Sizes(task.brokers, task.bundles or usual.bundles, task.cycles, task.seed)
    loads = Loads(task.trace, task.file, task.digest)
    found = measured(loads, task.shedder, task.release, dict(task.settings), sizes, task.max_seconds)
    return _row(task, MEASURED, [], **found)


_BY_KIND = dict(zip(KINDS, (_searched, _searched, _killed, _by_release, _simulated), strict=True))


def _row(task: Task, verdict: str, reasons: Any, is_done: bool = True, **found: Any) -> Row:
    nothing = {"states": 0, "transitions": 0, "deepest": 0, "broken": [], "law": "", "steps": 0, "scenario": "",
               "affected_releases": "", "fired": "{}", "classes": 0, "pairs": 0, "moves": 0, "bound": 0, "returns": 0,
               "last": 0, "first_spread": 0.0, "spread": 0.0, "most": 0.0}  # fmt: skip
    return {**task.named, "verdict": verdict, "reasons": list(reasons), **nothing, **found, "done": is_done}
