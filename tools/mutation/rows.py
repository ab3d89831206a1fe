"""
The rows that a mutant is put to: the project's pins, each asked by one call that reports deviations.

Vectors, replays of saved runs, audits of recordings and judgements of logs run the model's functions as they are.
Families and faults are traced first: a model that is traced to the same expressions is the same model.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from oneowner.checkers.catalogue.families import bounds_under, faults, ledger_rows
from oneowner.checkers.catalogue.family import Family, bounds_with
from oneowner.checkers.compaction_logs.log_rows import differences, judged, ledger
from oneowner.checkers.engines.compile.column_program import written
from oneowner.checkers.engines.compile.program import Program
from oneowner.checkers.engines.explore.exploration import Exploration, Limits, LiveResult
from oneowner.checkers.engines.explore.generated import explore_generated
from oneowner.checkers.engines.liveness.graph import build
from oneowner.checkers.engines.liveness.obligations import demands_of
from oneowner.checkers.ledger import recording_pins
from oneowner.checkers.ledger.exploration_verdict import judge, pinned, stopping
from oneowner.checkers.ledger.family_search import judge_runs
from oneowner.checkers.ledger.gate_rows import check_counterexample, counterexamples
from oneowner.checkers.ledger.recording_pins import recordings
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.resolver import moves, refusal
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.fairness import every_step
from oneowner.model.kernel.law import Law, LawKind, StateLaw, Status, StepLaw, Witness, any_state
from oneowner.model.kernel.system import actions
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES
from oneowner.spec.channel.system import SYSTEM
from tests.model.channel.vectors import GUARDS, cases, pairs, vector
from tools.mutation.likeness import digest

MOST_STATES = 60_000
"""Of the largest family that is explored; larger ones are traced only."""
LARGEST_FAULT = 400_000
"""States that a search for a fault's counterexample may visit."""


class Sort(StrEnum):
    """The kind of a row, in the order of their durations."""

    VECTORS = "vectors"
    REPLAY = "replay"
    RECORDING = "recording"
    LOGS = "logs"
    FAMILY = "family"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Row:
    """One row, by the name that its file gives it."""

    sort: Sort
    name: str

    @property
    def is_traced(self) -> bool:
        return self.sort in (Sort.FAMILY, Sort.FAULT)

    def __str__(self) -> str:
        return f"{self.sort} {self.name}".strip()


def rows() -> list[Row]:
    """Return every row."""
    stories = [name for name in counterexamples() if name.endswith(".yaml")]
    found = [Row(Sort.VECTORS, "")]
    found += [Row(Sort.REPLAY, name) for name in stories]
    found += [Row(Sort.RECORDING, path.name) for path in recordings()]
    found += [Row(Sort.LOGS, name) for name, row in ledger().items() if row.profile != "nightly"]
    found += [Row(Sort.FAMILY, name) for name in ledger_rows()]
    return found + [Row(Sort.FAULT, name) for name in faults()]


def cost_of(row: Row) -> float:
    """Return about how many seconds a row takes."""
    if row.sort == Sort.FAMILY:
        states = ledger_rows()[row.name].states
        return 2 + states / 20_000 if states <= MOST_STATES else 100
    if row.sort == Sort.LOGS:
        pinned_row = ledger()[row.name]
        return pinned_row.count / 60_000 if pinned_row.way == "readers" else 2.0
    return {Sort.VECTORS: 0.01, Sort.REPLAY: 0.02, Sort.RECORDING: 0.1, Sort.FAULT: 3.0}[row.sort]


def asked(row: Row) -> str:
    """Return in words what an untraced row finds that is not as pinned; an empty string if all is."""
    return _ASKED[row.sort](row.name)


def bounds_of(row: Row) -> Bounds:
    """Return the bounds within which a traced row is traced."""
    if row.sort == Sort.FAMILY:
        return ledger_rows()[row.name].bounds
    fault = faults()[row.name]
    family = ledger_rows()[fault.family]
    return bounds_under(bounds_with(family.bounds, fault.settings), family.release, [row.name])


def laws_of(row: Row) -> tuple[Sequence[Law], Sequence[Witness]]:
    """Return the laws and witnesses that a traced row judges; of whole runs, none."""
    if row.sort == Sort.FAMILY:
        return PROPERTIES, WITNESSES
    law = faults()[row.name].law
    return [SYSTEM.laws_by_name[law]] if law in SYSTEM.laws_by_name else [], ()


def asked_of_runs(row: Row) -> list[Law]:
    """Return the questions to the graph for a traced row's laws of liveness, as laws that can be traced."""
    if row.sort == Sort.FAMILY:
        names = list(ledger_rows()[row.name].liveness)
    else:
        names = [name for name in (faults()[row.name].law,) if name in SYSTEM.liveness_by_name]
    if not names:
        return []
    predicates = [
        part for name in names for part in (SYSTEM.liveness_by_name[name].when, SYSTEM.liveness_by_name[name].good)
    ]
    states = [
        StateLaw(str(n), "", "", any_state, one, Status.HOLDS, kind=LawKind.PROTOCOL)
        for n, one in enumerate(predicates)
    ]
    owed = {
        demand.actions[0].name: demand.owed for demand in demands_of(tuple(actions(bounds_of(row))), SYSTEM.fairness)
    }
    return [
        *states,
        *(StepLaw(n, "", "", every_step, one, Status.HOLDS, kind=LawKind.PROTOCOL) for n, one in owed.items()),
    ]


def is_explored(row: Row) -> bool:
    """Return whether a traced row is small enough to be explored."""
    return row.sort == Sort.FAULT or ledger_rows()[row.name].states <= MOST_STATES


def explored(row: Row, program: Program) -> tuple[str, str]:
    """Return in words what a traced row finds that is not as pinned, and a fingerprint of all that it found."""
    if row.sort == Sort.FAMILY:
        return _explored_family(ledger_rows()[row.name], program)
    return _explored_fault(row.name, program)


def _explored_family(family: Family, program: Program) -> tuple[str, str]:
    expected = pinned(family, True)
    ends = stopping(expected, SYSTEM) & SYSTEM.laws_by_name.keys()
    limits = Limits(family.states)  # one more is a kill
    found = explore_generated(family.bounds, PROPERTIES, WITNESSES, ends, limits, model=written(program))
    result = judge(family, found, expected, True, "python").result
    runs: dict[str, LiveResult] = {}
    if result.verdict == Verdict.VALID and family.liveness:
        liveness = judge_runs(found, list(family.liveness), traced=lambda: program)
        result = judge(family, found, expected, True, "python", liveness).result
        runs = dict(liveness.results)
    if result.verdict != Verdict.VALID or result.reasons:
        return "; ".join(result.reasons) or result.verdict, ""
    told = [(name, run.exercised, str(run.lasso)) for name, run in runs.items()]
    return "", digest([_told(found), repr(told), graph_in(family.bounds, program)])


def _told(found: Exploration) -> str:
    laws = [(name, law.exercised, str(law.steps)) for name, law in found.laws.items()]
    return repr((found.distinct, found.transitions, found.depth, found.terminal, found.fired, found.witnesses, laws))


def graph_in(bounds: Bounds, program: Program) -> str:
    """Return a fingerprint of the graph: its states, and the steps from each."""
    graph = build(bounds, [], keeps_codes=True, like=lambda: program)
    parts = [graph.offsets.tobytes(), graph.labels.tobytes(), graph.targets.tobytes(), b"".join(graph.codes)]
    return digest([str(graph.initial), *(part.hex() for part in parts)])


def _explored_fault(name: str, program: Program) -> tuple[str, str]:
    """Search for the fault's counterexample: its law must fail in as many steps as pinned."""
    fault = faults()[name]
    bounds = bounds_of(Row(Sort.FAULT, name))
    laws = [SYSTEM.laws_by_name[fault.law]] if fault.law in SYSTEM.laws_by_name else []
    found = explore_generated(
        bounds,
        laws,
        (),
        frozenset({fault.law}) & SYSTEM.laws_by_name.keys(),
        Limits(LARGEST_FAULT),
        None,
        written(program),
    )
    if fault.law in SYSTEM.liveness_by_name:
        result = judge_runs(found, [fault.law], traced=lambda: program).results.get(fault.law)
        steps = result.lasso.steps if result is not None and result.lasso is not None else None
    else:
        steps = found.laws[fault.law].steps
    words = "" if len(steps or ()) == fault.steps else f"{fault.law} fails after {len(steps or ())} steps"
    return words, repr((found.distinct, found.transitions, steps and [str(step) for step in steps]))


def _vectors(_: str) -> str:
    """Put the resolver to the facts copied from Pulsar, as ``tests/model/channel/test_resolver.py`` does."""
    for case in cases():
        refused = refusal(case.held, case.proposed, case.storage)
        if (refused.rule if refused else "") != case.refused:
            return str(case)
        if case.guard and (refused is None or refused.guard != case.guard):
            return f"{case}: guard"
    counts = vector("resolver-pair-counts.yaml")
    for storage in Storage:
        table = [(f"{before} > {after}", guard.__name__) for before, after, guard in moves(storage).rows]
        if any(guard != GUARDS.get(move, "any_brokers") for move, guard in table):
            return f"guards of {storage}"
        if len(table) != vector(f"transition-{storage}.yaml")["legal"]:
            return f"table of {storage}"
        found = Counter(f"{a.state} > {b.state}" for a, b in pairs() if refusal(a, b, storage) is None)
        if found != counts["accepted"]["both"] | counts["accepted"].get(storage.value, {}):
            return f"accepted pairs of {storage}"
    return ""


def _replay(name: str) -> str:
    expected, verdict, reasons, _ = check_counterexample(name)
    return "; ".join(reasons) or ("" if expected == verdict else f"{verdict}, not {expected}")


def _recording(name: str) -> str:
    expected, verdict, reasons, _ = recording_pins.check(name, "pr")
    return "; ".join(reasons) or ("" if expected == verdict else f"{verdict}, not {expected}")


def _logs(name: str) -> str:
    row = ledger()[name]
    return "; ".join(differences(row, judged(row)))


_ASKED: dict[Sort, Callable[[str], str]] = {
    Sort.VECTORS: _vectors,
    Sort.REPLAY: _replay,
    Sort.RECORDING: _recording,
    Sort.LOGS: _logs,
}
