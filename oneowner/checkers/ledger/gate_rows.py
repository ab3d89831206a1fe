"""Checks of the gate that pin nothing in a file of their own: counterexamples, engines, faults, lemmas."""

import io
from dataclasses import asdict
from pathlib import Path
from typing import Any

from oneowner.checkers.catalogue.affected import affected_releases, in_spans, releases_of
from oneowner.checkers.catalogue.families import family_named, faults, log_faults, variants
from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.catalogue.faults import KILLED, SURVIVED, Fault
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.compaction_logs.log_faults import survival
from oneowner.checkers.extras import need
from oneowner.checkers.ledger.kills.fault_kill import kill
from oneowner.checkers.ledger.kills.release_matrix import verdicts_by_release
from oneowner.checkers.ledger.kills.releases import difference, failing, undecided
from oneowner.checkers.ledger.pinned import NOT_AS_PINNED, Outcome
from oneowner.checkers.ledger.recording_pins import recordings, some
from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.fold.audit_engine import JAVA_HINT, has_java
from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge.audit import audit
from oneowner.checkers.report.json import write_to
from oneowner.checkers.scenarios.itf import parse_itf, write_itf
from oneowner.checkers.scenarios.replay import Replay, replay
from oneowner.checkers.scenarios.scenario import Expectation, Scenario, read_scenario
from oneowner.checkers.verdict import Verdict
from oneowner.spec.systems import lemmas

COUNTEREXAMPLES = TOP / "traces" / "counterexamples"
ITF = ".itf.json"
"""The ending of a trace's name."""


def counterexamples() -> list[str]:
    """
    Return the names of all saved counterexamples: those that are there, and those that a fault pins.

    An ITF trace beside its scenario is an example of the format, and belongs to the row of the scenario.
    """
    there = some((path for path in COUNTEREXAMPLES.glob("*/*") if not is_example(path)), COUNTEREXAMPLES)
    names = {path.relative_to(COUNTEREXAMPLES).as_posix() for path in there}
    names |= {f"{fault.name}/{fault.law}.yaml" for fault in faults().values()}
    names |= {f"{fault.name}/{fault.law}.txt" for fault in log_faults().values()}
    return sorted(names)


def check_counterexample(name: str) -> Outcome:
    """
    Replay one saved counterexample: with its fault, its law must still break at its last step, or by that log.

    Its ITF trace is written in memory and must read back as the same run.
    """
    path = COUNTEREXAMPLES / name
    if path.suffix == ".txt":
        survives = survival(pick(log_faults(), path.parent.name, "fault"))
        return Outcome(KILLED, NOT_AS_PINNED if survives else KILLED, survives)
    scenario = read_scenario(path)
    folder = path.parent.name
    fault = faults().get(folder)
    words = unlike_story(scenario) if fault is None else unlike_fault(scenario, fault)
    if words:
        return Outcome(Verdict.INVALID.value, NOT_AS_PINNED, [f"it is not what {words}"])
    replayed = replay(scenario)
    if replayed.verdict != Verdict.INVALID:
        return Outcome(Verdict.INVALID.value, replayed.verdict.value, replayed.reasons)
    words = unlike_itf(replayed)
    return Outcome(Verdict.INVALID.value, NOT_AS_PINNED if words else replayed.verdict.value, [words] if words else [])


def is_example(path: Path) -> bool:
    """Return whether a file is an ITF trace that lies beside its scenario."""
    return path.name.endswith(ITF) and path.with_name(path.name.removesuffix(ITF) + ".yaml").is_file()


def unlike_itf(replayed: Replay) -> str:
    """Return why the ITF trace of a run is not that run, or is not the example beside its scenario, if so."""
    scenario, text = replayed.scenario, write_itf(replayed)
    example = scenario.path.with_name(scenario.path.stem + ITF)
    if example.is_file() and example.read_bytes() != text.encode():
        return f"{example}: not the trace of {scenario.path}: oneowner export {scenario.path} --to itf writes it"
    if _run_of(parse_itf(example, text)) != _run_of(scenario):
        return f"{scenario.path}: its ITF trace reads back as another run"
    return ""


def _run_of(one: Scenario) -> tuple[Any, ...]:
    return one.family, one.bounds, one.release, one.steps, one.loop, one.expect


def expected_of(scenario: Scenario, law: str) -> Expectation:
    """Return the expectation of a counterexample to *law*: that it fails after the last step, or where the loop is."""
    return Expectation(law, Verdict.INVALID, len(scenario.steps) if scenario.loop is None else scenario.loop - 1)


def unlike_fault(scenario: Scenario, fault: Fault) -> str:
    """Return the fault's pin, if that is not the scenario: its family, bounds, law, and number of steps."""
    settings = {name: str(value) for name, value in scenario.settings.items()}
    there = scenario.family, settings, scenario.faults, scenario.rules, scenario.expect, len(scenario.steps)
    if there == (fault.family, fault.settings, (fault.name,), {}, expected_of(scenario, fault.law), fault.steps):
        return ""
    return f"the fault pins: {fault.law} fails after step {fault.steps}, the last, by {fault.name}"


def unlike_story(scenario: Scenario) -> str:
    """Return the pin, if not a story without a fault: its law fails in the family, or under the variant."""
    folder, law = scenario.path.parent.name, scenario.path.name.split(".")[0]
    family, variant = family_named(scenario.family), variants().get(folder)
    if variant is None:
        is_pinned = folder == family.name and {**family.laws, **family.liveness}.get(law) == Verdict.INVALID
    else:
        measured = variant.families.get(scenario.family)
        is_pinned = measured is not None and measured.broken.get(law) == len(scenario.steps)
    turned = () if variant is None else (folder,)
    if is_pinned and (scenario.faults, scenario.rules, scenario.expect) == (turned, {}, expected_of(scenario, law)):
        return ""
    return f"the ledger pins: {law} fails after the last step, in or under {folder}"


def check_engine(_: str) -> Outcome:
    """Audit every recorded run in one Spark session: the same bytes as inline."""
    if not has_java():
        return Outcome(Verdict.VALID.value, Verdict.UNKNOWN.value, [JAVA_HINT])
    paths = [str(path) for path in recordings()]
    inline, spark = (audited_bytes(paths, engine) for engine in ("inline", "spark"))
    if inline == spark:
        return Outcome(Verdict.VALID.value, Verdict.VALID.value)
    line = next(number for number, (a, b) in enumerate(zip(inline, spark, strict=False), 1) if a != b)
    return Outcome(Verdict.VALID.value, Verdict.INVALID.value, [f"the JSON differs from line {line} on"])


def audited_bytes(paths: list[str], engine: str) -> list[str]:
    """Return the JSON of an audit, line by line, without its seconds."""
    result, _, _ = audit(paths, Options(), engine, None, beside=False)  # what lies beside it no engine judges
    result.stats = type(result.stats)(**{**asdict(result.stats), "seconds": 0.0})
    stream = io.StringIO()
    write_to(stream, result)
    return [*stream.getvalue().split("\n"), ""]


def check_fault(name: str) -> Outcome:
    """Explore one fault: its law must fail, after exactly the pinned number of steps, and hold without it."""
    found = kill(name)
    return Outcome(KILLED, found.verdict, list(found.reasons))


def check_releases(name: str) -> Outcome:
    """Judge the law of one fault or prediction in every release that has it: those in which it fails are pinned."""
    fault = defects()[name]
    found = verdicts_by_release(name)
    pinned = in_spans(affected_releases(fault), releases_of(fault))
    if doubt := undecided(found):
        return Outcome(pinned, Verdict.UNKNOWN.value, [doubt])
    differs = difference(fault, found)
    return Outcome(pinned, in_spans(failing(found), releases_of(fault)), [differs] if differs else [])


def check_lemma(name: str) -> Outcome:
    """Put one lemma to z3; deviations are named."""
    need("prove", "a lemma")
    from oneowner.checkers.ledger.lemma_check import complaint, proven  # z3 takes long to load

    (lemma, _), found = lemmas()[name], proven(name)
    words = complaint(lemma, found)
    return Outcome(lemma.expected.value, found.verdict.value, [words] if words else [])


def check_bounded(name: str) -> Outcome:
    """Look for a fault's counterexample by z3, depth by depth: as short as the exploration's, and due to it."""
    need("prove", "bounded model checking")
    from oneowner.checkers.ledger.bounded_faults import first_failures  # z3 takes long to load

    fault = faults()[name]
    found = first_failures(fault)
    reasons = [] if found == (fault.steps, None) else [f"{fault.law} fails after {found[0]}, without it {found[1]}"]
    return Outcome(KILLED, KILLED if not reasons else SURVIVED, reasons)
