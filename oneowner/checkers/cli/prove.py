"""The verb ``prove``: all lemmas, or those named, decided by z3 and compared with the expectation."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console

from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.engines.prove.proof import Proven
from oneowner.checkers.ledger.lemma_check import complaint, proven
from oneowner.checkers.parallel import in_parallel
from oneowner.checkers.report import text
from oneowner.checkers.report.lemma_tables import print_lemma, print_lemmas
from oneowner.checkers.results import Result, Stats
from oneowner.checkers.verdict import Verdict, worst
from oneowner.model.kernel.lemma import UNKNOWN, Lemma, Mutant
from oneowner.spec.systems import lemmas


def run_prove(out: Console, on_progress: Callable[[str], None] | None, names: Sequence[str]) -> Result:
    """Decide all lemmas by z3, or those named; print and return the result."""
    known = {name: lemma for name, (lemma, _) in lemmas().items()}
    chosen = {name: pick(known, name, "lemma") for name in names} or known
    slow_first = sorted(chosen, key=lambda name: chosen[name].step is None)
    found = in_parallel(proven, slow_first, on_progress)
    rows = [as_json(lemma, found[name]) for name, lemma in chosen.items()]
    result = Result(
        verb="prove",
        verdict=worst(verdict_of(lemma, found[name]) for name, lemma in chosen.items()),
        reasons=[f"{name}: {words}" for name, lemma in chosen.items() if (words := complaint(lemma, found[name]))],
        stats=Stats(seconds=round(sum(one.seconds for one in found.values()), 2)),
        more={"lemmas": rows},
    )
    if names:
        for row in rows:
            print_lemma(out, chosen[row["name"]], row)
    else:
        print_lemmas(out, rows)
    text.verdict_line(out, summary(found), result)
    return result


def verdict_of(lemma: Lemma, found: Proven) -> Verdict:
    """Return the verdict of one lemma for the suite."""
    if found.verdict == UNKNOWN:
        return Verdict.UNKNOWN
    return Verdict.INVALID if complaint(lemma, found) else Verdict.VALID


def as_json(lemma: Lemma, found: Proven) -> dict[str, Any]:
    """Return a lemma with the keys of ``result.schema.json``, and the assumptions of its proof."""
    return {
        "name": lemma.name,
        "statement": lemma.statement,
        "verdict": found.verdict.value,
        "expected": lemma.expected.value,
        "witness": words(found.witness, lemma.step),
        "seconds": found.seconds,
        "source": lemma.source,
        "assumptions": [given.__name__ for given in lemma.given],
        "mutant": None if lemma.mutant is None else mutant_as_json(lemma, lemma.mutant, found),
        "reason": found.reason,
    }


def mutant_as_json(lemma: Lemma, mutant: Mutant, found: Proven) -> dict[str, Any]:
    """Return the statement of a mutant and the inputs that refute it."""
    return {"says": mutant.says, "witness": words(found.mutant, mutant.step or lemma.step)}


def words(values: Mapping[str, Any] | None, step: Callable[..., Any] | None) -> dict[str, str] | None:
    """Return inputs as text; for a step also the state after it."""
    if values is None:
        return None
    written = {name: str(value) for name, value in values.items()}
    return written if step is None else {**written, "after": str(step(*values.values()))}


def summary(found: Mapping[str, Proven]) -> str:
    """Return the numbers of lemmas that are proved, refuted and unknown."""
    counted: dict[str, int] = {}
    for one in found.values():
        counted[one.verdict.value] = counted.get(one.verdict.value, 0) + 1
    return f"prove, {', '.join(f'{number} {word}' for word, number in sorted(counted.items()))}"
