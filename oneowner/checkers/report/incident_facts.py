"""The three facts about an incident that a page begins with: since when, what, which harm."""

from collections.abc import Mapping, Sequence
from typing import Any

from oneowner.checkers.report.incident_text import harm_of, some
from oneowner.checkers.results import Result
from oneowner.checkers.times import iso, lasting
from oneowner.checkers.verdict import Verdict


def facts(result: Result, incidents: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return the facts about the first of *incidents*, or about a run without any, each with its name."""
    if incidents:
        worst = incidents[0]
        return [("since", _since(worst)), ("what", _what(worst)), ("harm", _harm(worst))]
    if result.verdict == Verdict.VALID:
        judged = sum(row.verdict == Verdict.VALID for row in result.laws)
        return [("what", "no incident was found"), ("harm", f"none by the {judged} laws that had an occasion")]
    reason = next(iter(result.reasons), "no reason is given")
    return [("what", f"{result.verdict}: {reason}"), ("harm", "not known")]


def _since(told: Mapping[str, Any]) -> str:
    since, until = told["from"], told["to"]
    if since is None:
        return "not known"
    if told["ended"] == "lasts":
        return f"{iso(since)}, and still when the recording ends"
    if until is None:
        return f"{iso(since)}; the end is not recorded"
    return f"{iso(since)}, for {lasting(until - since)}" if until > since else iso(since)


def _what(told: Mapping[str, Any]) -> str:
    many = len(told["consequences"]) if "finding" in told["root"] else 1
    alike = f" ({many} such findings)" if many > 1 else ""
    return f"{told['root']['what'].rstrip('.')}{alike}"


def _harm(told: Mapping[str, Any]) -> str:
    named = f": {some(told['harmed'])}" if told["harmed"] else ""
    harm = harm_of(told)
    return f"{harm}{named}" if harm else "no harm to clients is shown"
