"""
``suites`` converts a result to checks that passed or failed, the format of build servers.

A law, a row of the gate, a lemma or a fault is a check. A broken one fails, an unknown one is an error, and one
without an occasion is skipped. A verdict other than valid always leaves a check that did not pass: a build is green
exactly if the exit code is 0.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from oneowner.checkers.results import LawRow, Part, Result
from oneowner.checkers.verdict import Verdict

SHOWN = 5
"""Findings of one law that a check repeats; the JSON has them all."""


class Outcome(StrEnum):
    """The end of a check."""

    PASSED = "passed"
    FAILED = "failure"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Case:
    """One check; *kind* is law, lemma, fault, family, counterexample, verdict and so on."""

    kind: str
    name: str
    outcome: Outcome
    message: str = ""
    details: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(slots=True)
class Suite:
    """The checks of one recorded run, or of a verb."""

    name: str
    cases: list[Case] = field(default_factory=list)

    def counted(self, outcome: Outcome) -> int:
        """Return how many checks ended so."""
        return sum(case.outcome == outcome for case in self.cases)


@dataclass(slots=True)
class Found:
    """The violations of one law in one part of a result: how many, and the first of them."""

    number: int = 0
    first: list[str] = field(default_factory=list)


def suites(result: Result) -> list[Suite]:
    """Return all checks of *result*, a suite for each of its parts."""
    parts = result.parts or (Part(result.verb, result.verdict, tuple(result.reasons), tuple(result.laws)),)
    found = _violations(result)
    made = []
    for number, part in enumerate(parts):
        suite = Suite(part.name, [*_law_cases(part, number, found, result), *_more_cases(result)])
        suite.cases += _verdict_cases(suite, part, result.unreadable and not suite.counted(Outcome.ERROR))
        made.append(suite)
    return made


def _violations(result: Result) -> dict[tuple[int, str], Found]:
    """Count the violations of every part and law, in one pass: there can be many."""
    numbered = result.found if result.parts else ((0, finding) for finding in result.findings)
    found: dict[tuple[int, str], Found] = {}
    for number, finding in numbered:
        if finding["severity"] != "violation" or "waived" in finding:
            continue
        for law in {finding["law"], finding.get("model", finding)["law"]}:
            of_law = found.setdefault((number, law), Found())
            of_law.number += 1
            if len(of_law.first) < SHOWN:
                of_law.first.append(in_a_line(finding))
    return found


def in_a_line(finding: Mapping[str, Any]) -> str:
    """Return a finding as one line: where, which unit, why."""
    at = finding["at"]
    place = f"{at['file']}:{at['line']}" + (f" ({at['messageId']})" if at["messageId"] else "")
    unit = f" {finding['unit']}:" if finding["unit"] else ""
    return f"{place}:{unit} {finding['why']}"


def _law_cases(part: Part, number: int, found: Mapping[tuple[int, str], Found], result: Result) -> Iterator[Case]:
    broken = [row for row in part.laws if row.verdict == Verdict.INVALID]
    unexpected = [row for row in broken if not _may_fail(row)]
    failed = unexpected or (broken if part.verdict == Verdict.INVALID else [])
    steps = result.more.get("counterexample") or {}
    for row in part.laws:
        if row in failed:
            of_law = found.get((number, row.law), Found())
            plural = "s" if of_law.number > 1 else ""
            many = f": {of_law.number:,} violation{plural}" if of_law.number else ""
            rest = of_law.number - len(of_law.first)
            more = [f"... and {rest:,} more violations"] if rest > 0 else []
            details = of_law.first or (steps["steps"] if steps.get("law") == row.law else [])
            yield Case("law", row.law, Outcome.FAILED, f"{row.law} is broken{many}", (*details, *more))
        elif row.verdict != Verdict.UNKNOWN:
            yield Case("law", row.law, Outcome.PASSED)
        elif row.exercised == 0:
            yield Case("law", row.law, Outcome.SKIPPED, row.reason or "it had no occasion to fail")
        elif failed and result.verb == "explore":
            yield Case("law", row.law, Outcome.SKIPPED, "the search ended at a violation; --continue finishes it")
        else:
            reasons = (row.reason,) if row.reason else part.reasons
            yield Case("law", row.law, Outcome.ERROR, reasons[0] if reasons else "unknown", reasons[1:])


def _may_fail(row: LawRow) -> bool:
    """Return whether the law is pinned as failing, or may fail, or describes other code."""
    return (
        row.is_apart or row.expected == Verdict.INVALID or (row.expected == Verdict.UNKNOWN and row.status != "holds")
    )


def _more_cases(result: Result) -> Iterator[Case]:
    more = result.more
    for row in more.get("rows", ()):
        outcome = Outcome.PASSED if row["ok"] else _amiss(row["verdict"], row["expected"])
        words = f"{row['verdict']}, expected {row['expected']}"
        if row["ok"] and row["verdict"].startswith("unknown: "):
            outcome, words = Outcome.SKIPPED, row["verdict"]
        reasons = _reasons(result, f"{row['kind']} {row['name']}: ")
        yield _case(row["kind"], row["name"], outcome, words, reasons, row["seconds"])
    for row in more.get("lemmas", ()):
        outcome = Outcome.PASSED if row["verdict"] == row["expected"] else _amiss(row["verdict"], row["expected"])
        words = f"{row['verdict']}, expected {row['expected']}: {row['statement']}"
        yield _case("lemma", row["name"], outcome, words, _reasons(result, f"{row['name']}: "), row["seconds"])
    for row in more.get("faults", ()):
        reasons = _reasons(result, f"{row['name']}: ")
        outcome = Outcome.PASSED if row["verdict"] == "killed" and not reasons else _amiss(row["verdict"], "killed")
        if row["verdict"] == "not modelled":
            outcome = Outcome.SKIPPED
        yield _case("fault", row["name"], outcome, row["why"] or row["verdict"], reasons, row["seconds"])
    for row in more.get("driven", ()):
        outcome = Outcome.PASSED if row["verdict"] == "valid" else _amiss(row["verdict"], "valid")
        yield _case("drive", row["scenario"], outcome, row["why"], (), row["seconds"])
    if result.verb in ("conform", "check-patch"):
        yield from _cases_of_classes(more)
    for name in dict.fromkeys(row["fault"] for row in more.get("releases", ())):
        reasons = _reasons(result, f"{name}: ")
        differs = any("is pinned" in reason for reason in reasons)
        outcome = Outcome.PASSED if not reasons else Outcome.FAILED if differs else Outcome.ERROR
        yield _case("releases", name, outcome, reasons[0] if reasons else "", reasons)


def _cases_of_classes(more: Mapping[str, Any]) -> Iterator[Case]:
    """Yield the families and saved runs that real classes took, and the known defects that they have."""
    for row in more.get("walked", ()):
        outcome = Outcome.PASSED if row["verdict"] == "valid" else _amiss(row["verdict"], "valid")
        details = [f"{one['action']}, after {len(one['path'])} steps: {', '.join(one['path'])}"
                   for one in row["differences"][:SHOWN]]  # fmt: skip
        yield _case("walk", row["family"], outcome, "; ".join(row["reasons"]), tuple(details), row["seconds"])
    for row in more.get("runs", ()):
        outcome = _ENDINGS[row["ending"]]
        words = row["why"] or f"differs after step {row['at']}, {row['action']}"
        sides = (f"{side['part']}: model {side['model'] or '-'}, real {side['real'] or '-'}" for side in row["sides"])
        yield _case("saved run", row["run"], outcome, words, tuple(sides))
    for row in more.get("defects", ()):
        words = row["why"] or f"{row['change']}: {row['title']}"
        outcome = _CHANGES.get(row["change"], Outcome.PASSED)
        yield Case("defect", row["defect"], outcome, "" if outcome == Outcome.PASSED else words)


_ENDINGS = {"agrees": Outcome.PASSED, "differs": Outcome.FAILED, "not walked": Outcome.ERROR}
_CHANGES = {"gained": Outcome.FAILED, "undecided": Outcome.ERROR, "out of reach": Outcome.SKIPPED}


def _case(kind: str, name: str, outcome: Outcome, words: str, reasons: tuple[str, ...], seconds: float = 0.0) -> Case:
    passed = outcome == Outcome.PASSED
    return Case(kind, name, outcome, "" if passed else words, () if passed else reasons, seconds)


def _amiss(verdict: str, expected: str) -> Outcome:
    return Outcome.ERROR if verdict == "unknown" != expected else Outcome.FAILED


def _reasons(result: Result, start: str) -> tuple[str, ...]:
    return tuple(reason.removeprefix(start) for reason in result.reasons if reason.startswith(start))


def _verdict_cases(suite: Suite, part: Part, unreadable: bool) -> Iterator[Case]:
    """Yield a check for the verdict itself if no other check shows it."""
    needed = {Verdict.INVALID: Outcome.FAILED, Verdict.UNKNOWN: Outcome.ERROR}.get(part.verdict, Outcome.PASSED)
    if unreadable:
        needed = Outcome.ERROR
    if not suite.cases or (needed != Outcome.PASSED and not suite.counted(needed)):
        message = "" if needed == Outcome.PASSED else f"{suite.name}: {part.verdict}"
        yield Case("verdict", "verdict", needed, message, part.reasons)
