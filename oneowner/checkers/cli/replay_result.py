"""One result for several replays."""

from collections.abc import Sequence
from typing import Any

from oneowner.checkers.results import LawRow, Page, Result, Stats
from oneowner.checkers.scenarios.replay import Replay
from oneowner.checkers.verdict import Verdict, worst
from oneowner.model.kernel.system import System


def combined(replays: Sequence[Replay], misuses: Sequence[str] = ()) -> Result:
    """Return the result of several replays: the worst verdict, and every broken law as a finding."""
    return Result(
        verb="replay",
        verdict=worst([*(replayed.verdict for replayed in replays), *(Verdict.UNKNOWN for _ in misuses)]),
        reasons=[
            *misuses,
            *(reason for replayed in replays for reason in (replayed.scenario.note, *replayed.reasons) if reason),
        ],
        unreadable=bool(misuses),
        stats=Stats(
            states=sum(len(replayed.states) for replayed in replays),
            transitions=sum(len(replayed.steps) for replayed in replays),
            depth=max((len(replayed.steps) for replayed in replays), default=0),
        ),
        laws=[_law_row(name, replays) for name in _judged(replays)],
        findings=[finding for replayed in replays for finding in _findings(replayed)],
    )


def joined(results: Sequence[Result]) -> Result:
    """Join several results of the verb."""
    if len(results) == 1:
        return results[0]
    return Result(
        verb="replay",
        verdict=worst(result.verdict for result in results),
        reasons=[reason for result in results for reason in result.reasons],
        unreadable=any(result.unreadable for result in results),
        stats=Stats(
            events=sum(result.stats.events for result in results),
            units=sum(result.stats.units for result in results),
            states=sum(result.stats.states for result in results),
            transitions=sum(result.stats.transitions for result in results),
            depth=max(result.stats.depth for result in results),
            seconds=sum(result.stats.seconds for result in results),
        ),
        laws=[law for result in results for law in result.laws],
        findings=[finding for result in results for finding in result.findings],
    )


def page_of(subject: str, replays: Sequence[Replay], searched: Sequence[System] = ()) -> Page:
    """Return the content of the page for runs of the model, and for the systems that were *searched*."""
    systems = list(dict.fromkeys((*searched, *_systems(replays))))
    known = [law for one in systems for law in (*one.laws, *one.liveness)]
    statements = {law.name: law.statement for law in known}
    projects = " or ".join(dict.fromkeys(one.project for one in systems))
    return Page(subject=subject, project=projects or "the original", statements=statements, replays=replays)


def _judged(replays: Sequence[Replay]) -> list[str]:
    """Return the judged laws; liveness laws only if a run is endless."""
    is_endless = any(replayed.scenario.loop is not None for replayed in replays)
    found = [
        law.name for system in _systems(replays) for law in (*system.laws, *(system.liveness if is_endless else ()))
    ]
    return list(dict.fromkeys(found))


def _systems(replays: Sequence[Replay]) -> list[System]:
    """Return the systems of the runs, each once."""
    return list(dict.fromkeys(replayed.system for replayed in replays))


def _law_row(name: str, replays: Sequence[Replay]) -> LawRow:
    status = next(one.statuses[name] for one in _systems(replays) if name in one.statuses)
    exercised = sum(replayed.exercised.get(name, 0) for replayed in replays)
    verdict = Verdict.VALID if exercised else Verdict.UNKNOWN
    if any(name in replayed.broken for replayed in replays):
        verdict = Verdict.INVALID
    expected = Verdict.UNKNOWN if status.is_violated else Verdict.VALID
    if any(replayed.scenario.expect and replayed.scenario.expect.law == name for replayed in replays):
        expected = next(
            r.scenario.expect.verdict for r in replays if r.scenario.expect and r.scenario.expect.law == name
        )
    return LawRow(name, status.value, expected, verdict, exercised)


def _findings(replayed: Replay) -> list[dict[str, Any]]:
    scenario = replayed.scenario
    rows: list[dict[str, Any]] = []
    for law in (*replayed.system.laws, *replayed.system.liveness):
        number = replayed.broken.get(law.name)
        if number is not None:
            line = scenario.lines[number - 1] if number and scenario.lines else 1
            action = str(scenario.steps[number - 1]) if number else "the initial state"
            rows.append(
                {
                    "law": law.name,
                    "severity": "violation",
                    "unit": None,
                    "at": {"file": str(scenario.path), "line": line, "messageId": None, "time": None},
                    "brokers": [],
                    "why": f"broken after step {number}, {action}: {law.statement}",
                    "held": None,
                    "proposed": None,
                    "guard": law.name,
                    "repair": "",
                }
            )
    return rows
