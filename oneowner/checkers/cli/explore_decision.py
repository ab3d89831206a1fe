"""The verb ``explore`` for a decision: its laws on every input of some sizes, or on random inputs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console

from oneowner.checkers.catalogue.families import family_files
from oneowner.checkers.catalogue.family import bounds_with, pick
from oneowner.checkers.cli.explore import parse_settings
from oneowner.checkers.cli.replay_result import page_of
from oneowner.checkers.engines.decide.judging import Judgement, every_input, in_words, judge, random_inputs, shown
from oneowner.checkers.engines.walks.plan import DEFAULT_SEED
from oneowner.checkers.ledger.decision_pins import Row, decision_rows, unlike_pins, verdict_on
from oneowner.checkers.report import text
from oneowner.checkers.results import LawRow, Result, Stats
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.kernel.decision import Decision
from oneowner.model.kernel.law import Status
from oneowner.spec.systems import DECIDING, decisions

UNDERSTOOD = ("settings", "laws", "max_states", "walks", "seed")
"""The options of ``explore`` that apply to a decision."""


def is_decision(name: str) -> bool:
    """Return whether a name means a decision: a folder may hold decisions beside families of a system."""
    system, slash, _ = name.partition("/")
    return bool(slash) and system in DECIDING and name not in family_files()


def explore_decision(
    out: Console, on_progress: Callable[[str], None] | None, name: str, options: Mapping[str, Any]
) -> Result:
    """Judge all inputs of a decision, or random ones; print and return the result."""
    decision = pick(decisions(), name, "decision")
    _check(decision, options)
    settings = parse_settings(options["settings"])
    sizes = bounds_with(decision.sizes(), settings)
    names = [pick(decision.laws_by_name, law, "law").name for law in options["laws"]]
    walks, seed = options["walks"], DEFAULT_SEED if options["seed"] is None else options["seed"]
    inputs = every_input(decision, sizes) if walks is None else random_inputs(decision, sizes, walks, seed)
    judgement = judge(decision, inputs, names, options["max_states"], on_progress)
    if walks is not None:
        judgement.stopped = f"{walks:,} random ones"
    is_pinned = not (settings or names or walks or options["max_states"])
    result = result_of(judgement, decision_rows()[name] if is_pinned else None)
    out.print(text.laws_table(result.laws))
    out.print(f"{judgement.inputs:,} inputs, {judgement.seconds:.1f} s", style="dim")
    counterexample = result.more["counterexample"]
    if counterexample is not None:
        out.print(f"\n{counterexample['law']}: {decision.laws_by_name[counterexample['law']].statement}")
        which = "the least input" if walks is None else "the first input"
        out.print(f"{which} that breaks it: {counterexample['steps'][0]}")
    subject = f"{name} within {', '.join(f'{bound} {getattr(sizes, bound)}' for bound in sizes.described())}"
    result.page = page_of(subject, [])
    text.verdict_line(out, subject, result)
    return result


def result_of(judgement: Judgement, row: Row | None) -> Result:
    """Return the result of judging many inputs, compared with the pins if there are any."""
    laws = [_law_row(judgement, name, row) for name in judgement.laws]
    broken = [one.law for one in laws if one.verdict == Verdict.INVALID and not _may_fail(judgement, one.law)]
    reasons = [f"{law} is violated" for law in broken]
    verdict = Verdict.INVALID if broken else Verdict.VALID
    if not broken:
        reasons = _doubts(judgement, laws, row)
        verdict = Verdict.UNKNOWN if reasons else Verdict.VALID
    return Result(
        verb="explore",
        verdict=verdict,
        reasons=reasons,
        stats=Stats(seconds=round(judgement.seconds, 2)),
        laws=laws,
        more={
            "counterexample": _counterexample(judgement, broken),
            "actions": {},
            "witnesses": {},
            "inputs": judgement.inputs,
        },
    )


def _law_row(judgement: Judgement, name: str, row: Row | None) -> LawRow:
    law, tally = judgement.decision.laws_by_name[name], judgement.laws[name]
    expected = Verdict.UNKNOWN if law.status.is_violated else Verdict.VALID
    if row is not None:
        expected = row.laws[name].verdict
    verdict = verdict_on(tally, not judgement.stopped)
    return LawRow(name, law.status.value, expected, verdict, tally.exercised, kind=law.kind.value)


def _may_fail(judgement: Judgement, law: str) -> bool:
    status: Status = judgement.decision.laws_by_name[law].status
    return status.is_violated


def _doubts(judgement: Judgement, laws: Sequence[LawRow], row: Row | None) -> list[str]:
    """Return the reasons why inputs without a violation do not prove that the laws hold."""
    if judgement.stopped:
        return [f"not all inputs were judged: {judgement.stopped}"]
    if row is not None:
        return unlike_pins(row, judgement)
    return [f"{one.law} had no occasion" for one in laws if not one.exercised]


def _counterexample(judgement: Judgement, broken: Sequence[str]) -> dict[str, Any] | None:
    """Return the first unexpectedly broken law, or else any broken law, with its least input and the answer."""
    violated = [name for name, tally in judgement.laws.items() if tally.broken_by is not None]
    for name in [*broken, *violated]:
        given, answer = judgement.laws[name].broken_by or (None, None)
        step = f"{in_words(judgement.decision, given)} = {shown(answer)}"
        return {"law": name, "steps": [step], "scenario": None}
    return None


def _check(decision: Decision, options: Mapping[str, Any]) -> None:
    """Raise Misuse for options that do not apply to a decision, and for walks with a limit."""
    unset = (None, False, (), "auto", "steps")
    for name, value in options.items():
        if name not in UNDERSTOOD and value not in unset:
            names = {"goes_on": "continue", "faults": "fault", "repairs": "repair", "rules": "rule"}
            said = names.get(name, name.replace("_", "-"))
            raise Misuse(f"--{said} refused: {decision.name} is a decision, a function without steps")
    if options["walks"] is not None and options["max_states"] is not None:
        raise Misuse("--walks and --max-states exclude each other: --walks is the number of inputs")
    if options["walks"] is None and options["seed"] is not None:
        raise Misuse("--seed requires --walks N")
