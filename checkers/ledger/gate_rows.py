"""One row of the gate: how each kind of thing that is pinned is checked."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from oneowner.checkers.compaction_logs.log_faults import survival
from oneowner.checkers.compaction_logs.log_rows import differences, judged, ledger
from oneowner.checkers.engines.explore.compiled import cores
from oneowner.checkers.extras import need
from oneowner.checkers.ledger.decision_rows import decision_rows, unlike_facts, unlike_pins
from oneowner.checkers.ledger.decision_rows import judged as judged_inputs
from oneowner.checkers.ledger.families import families, faults, ledger_rows, log_faults
from oneowner.checkers.ledger.family import pick
from oneowner.checkers.ledger.family_check import Outcome, outcome
from oneowner.checkers.ledger.faults import KILLED, SURVIVED
from oneowner.checkers.ledger.history import history_file
from oneowner.checkers.ledger.kills.fault_kill import kill
from oneowner.checkers.ledger.kills.release_matrix import NONE, bites, in_spans, releases_of
from oneowner.checkers.ledger.kills.releases import bitten, difference, undecided
from oneowner.checkers.ledger.known_violations import check_known_violation
from oneowner.checkers.ledger.recording_pins import compare, expectation_of
from oneowner.checkers.places import ROOT
from oneowner.checkers.recordings.fold.audit_engine import JAVA_HINT, has_java
from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge.audit import audit
from oneowner.checkers.report.json import write_to
from oneowner.checkers.scenarios.itf import read_itf
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import Expectation, read_scenario
from oneowner.checkers.verdict import EngineError, Misuse, Verdict
from oneowner.spec.systems import lemmas

RUNS = ROOT / "traces" / "real"
COUNTEREXAMPLES = ROOT / "traces" / "counterexamples"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table."""

    kind: str
    name: str
    expected: str
    verdict: str
    ok: bool
    seconds: float
    reasons: tuple[str, ...] = ()
    ledger: dict[str, Any] | None = None
    """Of a family: what was found of it (``LedgerRow``)."""

    def as_json(self) -> dict[str, Any]:
        """Return the keys of ``result.schema.json``, and what was found of a family."""
        return {k: v for k, v in asdict(self).items() if k != "reasons" and (k, v) != ("ledger", None)}


@dataclass(frozen=True, slots=True)
class Task:
    """What one row checks; *seconds* is a guess by which long ones start first."""

    kind: str
    name: str
    seconds: float
    profile: str = field(default="pr", compare=False)


def some(paths: Iterable[Path], place: Path) -> list[Path]:
    """Return *paths* in order; raise Misuse if there are none, for a gate that checks nothing is no gate."""
    found = sorted(paths)
    if not found:
        raise Misuse(f"{place}: nothing to check; the gate runs in a checkout of the project (pip install -e)")
    return found


def counterexamples() -> list[str]:
    """Return the names of all saved counterexamples: those that are there, and those that a fault pins."""
    there = some(COUNTEREXAMPLES.glob("*/*"), COUNTEREXAMPLES)
    names = {path.relative_to(COUNTEREXAMPLES).as_posix() for path in there}
    for fault in faults().values():
        names |= {f"{fault.name}/{fault.law}.yaml", f"{fault.name}/{fault.law}.itf.json"}
    names |= {f"{fault.name}/{fault.law}.txt" for fault in log_faults().values()}
    return sorted(names)


def recordings() -> list[Path]:
    """Return the folders of the recorded runs."""
    return some((path for path in RUNS.glob("*") if path.is_dir()), RUNS)


def check(task: Task) -> Row:
    """Check one row; an error of the input is a row that is not ok, never a crash of the gate."""
    started, ledger = time.monotonic(), None
    try:
        if task.kind == "family":
            expected, verdict, reasons, ledger = check_family(task.name, task.profile)
        else:
            expected, verdict, reasons = _CHECKS[task.kind](task.name)
    except EngineError as error:
        expected, verdict, reasons = Verdict.VALID.value, Verdict.UNKNOWN.value, [str(error)]
    except Misuse as error:
        expected, verdict, reasons = "readable", Verdict.UNKNOWN.value, [str(error)]
    ok = expected == verdict and not reasons
    seconds = round(time.monotonic() - started, 1)
    return Row(task.kind, task.name, expected, verdict, ok, seconds, tuple(reasons), ledger)


def check_family(name: str, profile: str) -> Outcome:
    """Explore one row of the ledger; other counts than the pinned ones are known to be not as expected."""
    threads = max(1, cores() // 2)  # other rows are checked at the same time
    rows = ledger_rows()
    if name not in rows:
        raise Misuse(
            f"{history_file(name)} speaks of {name}, which no family pins; make bless leaves a row out for a reason"
        )
    return outcome(rows[name], profile, threads)


def check_logs(name: str) -> tuple[str, str, list[str]]:
    """Judge one row of logs by the laws of compaction; other counts than the pinned ones are not as expected."""
    row = ledger()[name]
    differs = differences(row, judged(row))
    return Verdict.VALID.value, "not as pinned" if differs else Verdict.VALID.value, differs


def check_decision(name: str) -> tuple[str, str, list[str]]:
    """Judge all inputs of one row of decisions by its laws, and by what the original answers."""
    row = decision_rows()[name]
    differs = [*unlike_pins(row, judged_inputs(row)), *unlike_facts(row.decision)]
    return Verdict.VALID.value, "not as pinned" if differs else Verdict.VALID.value, differs


def check_counterexample(name: str) -> tuple[str, str, list[str]]:
    """Replay one saved counterexample: with its fault, its law must still break at its last step, or by that log."""
    path = COUNTEREXAMPLES / name
    if path.suffix == ".txt":
        survives = survival(pick(log_faults(), path.parent.name, "fault"))
        return KILLED, "not as pinned" if survives else KILLED, survives
    scenario = read_itf(path) if path.name.endswith(".json") else read_scenario(path)
    if path.parent.name not in faults():
        return check_known_violation(scenario)
    fault = pick(faults(), path.parent.name, "fault")
    stem = fault.steps if scenario.loop is None else scenario.loop - 1
    pinned = Expectation(fault.law, Verdict.INVALID, stem)
    settings = {name: str(value) for name, value in scenario.settings.items()}
    there = scenario.family, settings, scenario.faults, scenario.expect, len(scenario.steps)
    if there != (fault.family, fault.settings, (fault.name,), pinned, fault.steps):
        words = f"it is not what the fault pins: {fault.law} fails after step {fault.steps}, the last, by {fault.name}"
        return Verdict.INVALID.value, "not as pinned", [words]
    replayed = replay(scenario)
    reasons = [] if replayed.verdict == Verdict.INVALID else replayed.reasons
    return Verdict.INVALID.value, replayed.verdict.value, reasons


def check_run(name: str) -> tuple[str, str, list[str]]:
    """Audit one recorded run inline, and compare with what is pinned beside it."""
    path = RUNS / name
    expectation = expectation_of(path)
    result, judgement, _ = audit([str(path)], Options(), "inline", None)
    list(result.findings)
    return expectation["verdict"], result.verdict.value, compare(expectation, path, judgement)


def check_engine(_: str) -> tuple[str, str, list[str]]:
    """Audit every recorded run in one Spark session: the same bytes as inline."""
    if not has_java():
        return Verdict.VALID.value, Verdict.UNKNOWN.value, [JAVA_HINT]
    paths = [str(path) for path in recordings()]
    inline, spark = (audited_bytes(paths, engine) for engine in ("inline", "spark"))
    if inline == spark:
        return Verdict.VALID.value, Verdict.VALID.value, []
    line = next(number for number, (a, b) in enumerate(zip(inline, spark, strict=False), 1) if a != b)
    return Verdict.VALID.value, Verdict.INVALID.value, [f"the JSON differs from line {line} on"]


def audited_bytes(paths: list[str], engine: str) -> list[str]:
    """Return the JSON of an audit, line by line, without its seconds."""
    result, _, _ = audit(paths, Options(), engine, None, beside=False)  # what lies beside it no engine judges
    result.stats = type(result.stats)(**{**asdict(result.stats), "seconds": 0.0})
    stream = io.StringIO()
    write_to(stream, result)
    return [*stream.getvalue().split("\n"), ""]


def check_fault(name: str) -> tuple[str, str, list[str]]:
    """Explore one fault: its law must fail, after exactly the pinned number of steps, and hold without it."""
    found = kill(name)
    return KILLED, found.verdict, list(found.reasons)


def check_releases(name: str) -> tuple[str, str, list[str]]:
    """Judge the law of one fault in every release that has it: those in which it fails are pinned."""
    fault = faults()[name]
    found = bites(name)
    if doubt := undecided(found):
        return fault.bites or NONE, Verdict.UNKNOWN.value, [doubt]
    differs = difference(fault, found)
    return fault.bites or NONE, in_spans(bitten(found), releases_of(fault)), [differs] if differs else []


def check_lemma(name: str) -> tuple[str, str, list[str]]:
    """Put one lemma to z3; what is not as expected is named."""
    need("prove", "a lemma")
    from oneowner.checkers.cli.prove import amiss, complaint, proven  # z3 takes long to load

    (lemma, _), found = lemmas()[name], proven(name)
    return lemma.expected.value, found.verdict.value, [complaint(lemma, found)] if amiss(lemma, found) else []


def check_bounded(name: str) -> tuple[str, str, list[str]]:
    """Look for a fault's counterexample by z3, depth by depth: it is as short as exploration says, and not without."""
    need("prove", "bounded model checking")
    from oneowner.checkers.ledger.bounded_faults import first_failures  # z3 takes long to load

    fault = faults()[name]
    found = first_failures(fault)
    reasons = [] if found == (fault.steps, None) else [f"{fault.law} fails after {found[0]}, without it {found[1]}"]
    return KILLED, KILLED if not reasons else SURVIVED, reasons


def check_refinement(name: str) -> tuple[str, str, list[str]]:
    """Walk a family through its refinements, also under the faults that are pinned for it."""
    from oneowner.checkers.ledger.refinement_pins import pins
    from oneowner.checkers.ledger.refinement_rows import outcome, rows_of_family  # NumPy takes long to load

    rows = list(rows_of_family(families()[name], pins()))
    reasons = [f"{row.name}, {row.pin.refinement}: {row.words}" for row in rows if row.words]
    return Verdict.VALID.value, outcome(rows).value, reasons


def check_conform(name: str) -> tuple[str, str, list[str]]:
    """Explain one recording as a run of the model, with its controls, and compare with what is pinned."""
    from oneowner.checkers.ledger.conformance_pins import controls_of, differences, pinned, row_of
    from oneowner.checkers.recordings.explain.recording import read_recording

    row = pinned().get(name)
    if row is None:
        raise Misuse(f"{name}: spec/channel/conformance.yaml pins nothing of it; see CONTRIBUTING.md")
    found = row_of(read_recording(RUNS / name), controls_of(row))
    return row["verdict"], found["verdict"], differences(row, found)


_CHECKS: dict[str, Callable[[str], tuple[str, str, list[str]]]] = {
    "logs": check_logs,
    "decision": check_decision,
    "lemma": check_lemma,
    "bounded": check_bounded,
    "counterexample": check_counterexample,
    "run": check_run,
    "engine": check_engine,
    "fault": check_fault,
    "releases": check_releases,
    "refinement": check_refinement,
    "conform": check_conform,
}
