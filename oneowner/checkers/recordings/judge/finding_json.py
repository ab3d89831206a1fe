"""Findings, refusals and intervals are written as JSON objects (``checkers/report/result.schema.json``)."""

import shlex
from collections.abc import Callable
from typing import Any

from oneowner.checkers.recordings.judge.incidents import Incident
from oneowner.checkers.recordings.judge.known_bugs import NO_BUG, KnownBugs
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.read.events import (
    Cite,
    Finding,
    Interval,
    ModelStep,
    Origin,
    Refused,
    Window,
)
from oneowner.checkers.recordings.read.file_reads import Coverage
from oneowner.checkers.recordings.scene.citations import cite
from oneowner.checkers.recordings.scene.happening import HappeningKind
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.channel.record import NOBODY, Record
from oneowner.model.kernel.law import Severity

Where = Callable[[Origin], tuple[str, int]]
"""Returns the file and the line of an origin."""


def finding_json(finding: Finding, where: Where, known: KnownBugs | None = None) -> dict[str, Any]:
    """Return a finding as its JSON object; evidence, window, and the bug that it is only where there are any."""
    file, line = where(finding.origin)
    more: dict[str, Any] = {}
    if finding.evidence:
        more["evidence"] = [cite_json(cite, where) for cite in finding.evidence]
    if finding.window is not None:
        more["window"] = _window_json(finding.window)
    if known is not None and (words := known.words(finding)):
        bug = known.of(finding)
        more |= {"upstream": words, "bug": None if bug is None else bug.json}
    if finding.model is not None:
        more["model"] = _model_json(finding.model)
    if finding.waived is not None:
        more["waived"] = {"reason": finding.waived.reason, "expires": finding.waived.expires}
    return {
        "law": finding.law,
        "severity": finding.severity.value,
        "unit": finding.unit,
        "at": {"file": file, "line": line, "messageId": finding.message_id, "time": finding.time},
        "brokers": list(finding.brokers),
        "why": finding.sentence,
        "held": record_json(finding.held),
        "proposed": record_json(finding.proposed),
        "guard": finding.guard,
        "repair": finding.repair,
        **more,
    }


def cite_json(cite: Cite, where: Where) -> dict[str, Any]:
    file, line = where(cite.origin)
    return {"file": file, "line": line, "messageId": cite.message_id, "time": cite.time, "text": cite.text}


def _window_json(window: Window) -> dict[str, Any]:
    return {
        "since": window.since,
        "until": end_json(window.until),
        "possibleSince": window.possible_since,
        "possibleUntil": end_json(window.possible_until),
    }


def _model_json(step: ModelStep) -> dict[str, Any]:
    save = f"oneowner audit {shlex.quote(step.recorded)} --why --unit {step.unit} --save FILE"
    return {"law": step.law, "step": step.number, "action": step.action, "unit": step.unit, "save": save}


def end_json(time: int | None) -> int | None:
    """Return the end of an interval: None if the recording ends first."""
    return None if time == END else time


def incident_json(run: int, incident: Incident, where: Where, known: KnownBugs) -> dict[str, Any]:
    """Return an incident as its JSON object; its run and its findings are named by their places, from 0 on."""
    root = incident.root
    worst = sorted(incident.found, key=lambda one: (SEVERITIES.index(one.finding.severity), one.number))
    likes = [words for one in worst if (words := known.words(one.finding))]
    repairs = [root.repair if root is not None else "", *(one.finding.repair for one in worst)]
    if root is not None:
        first = REPAIRS[root.cause.kind]
        repairs = [one.finding.repair for one in worst if one.finding.law in first] + repairs
    return {
        "run": run,
        "severity": incident.severity.value,
        "root": _root_json(incident, where),
        "along": [{"kind": one.cause.kind, "what": one.words, "time": one.cause.since} for one in incident.along],
        "from": incident.since,
        "to": incident.until,
        "ended": incident.end.value,
        "harm": incident.harm.value,
        "longest": incident.longest,
        "units": list(incident.units),
        "harmed": list(incident.harmed),
        "consequences": [*(one.number for one in incident.found), *incident.more],
        "still": [one.number for one in incident.still],
        "repair": next((words for words in repairs if words), ""),
        "like": [words for words in dict.fromkeys(likes) if words != NO_BUG] or likes[:1],
        "moments": [{"time": moment.time, "what": moment.words} for moment in incident.moments],
    }


def _root_json(incident: Incident, where: Where) -> dict[str, Any]:
    if incident.root is None:
        number, first = incident.found[0]
        told = {"kind": f"{first.law}: {UNKNOWN}", "finding": number, "what": first.why, "brokers": list(first.brokers)}
        return {**told, "time": first.time, "evidence": []}
    cause, words, evidence = incident.root.cause, incident.root.words, incident.root.evidence
    return {
        "kind": cause.kind,
        "what": words,
        "brokers": list(incident.root.brokers),
        "time": cause.since or None,
        "evidence": [cite_json(cite(seen), where) for seen in evidence],
    }


SEVERITIES = (Severity.VIOLATION, Severity.WARNING, Severity.NOTE)
"""The worst first."""
UNKNOWN = "no cause is known"
"""The kind of a root that is a finding alone, after the law of that."""
REPAIRS = {kind.value: {law.name for law in SCENE_LAWS if kind in law.repairs} for kind in HappeningKind}
"""By kind of root: the laws whose findings name the repair of the whole incident."""


def coverage_json(coverage: Coverage) -> dict[str, Any]:
    """Return the coverage of a log as a JSON object."""
    return {
        "file": coverage.path,
        "broker": coverage.broker or None,
        "lines": coverage.lines,
        "understood": coverage.understood,
        **({"unread": coverage.unread} if coverage.unread else {}),
        "unknown": [{"shape": shape, "lines": number, "first": place} for shape, number, place in coverage.unknown()],
    }


MOST_TEXT = 400
"""Characters of a line that a finding repeats; the rest is in the file."""


def shortened(finding: dict[str, Any]) -> dict[str, Any]:
    """Cut the lines that a finding repeats; last of all, so that no name is cut before it is shown by another."""
    for line in finding.get("evidence", ()):
        line["text"] = line["text"][:MOST_TEXT]
    return finding


def refused_json(refused: Refused) -> dict[str, Any]:
    """Return a refusal as its JSON object."""
    return {"unit": refused.unit, "messageId": refused.message_id, "rule": refused.rule, "why": refused.why}


def interval_json(interval: Interval) -> dict[str, Any]:
    """Return an interval as its JSON object."""
    until = interval.until
    return {
        "unit": interval.unit,
        "broker": interval.broker,
        "state": interval.state,
        "from": {"messageId": interval.since.message_id, "time": interval.since.time},
        "to": None if until is None else {"messageId": until.message_id, "time": until.time},
    }


def record_json(record: Record | None) -> dict[str, Any] | None:
    """Return a record with the field names of Pulsar's JSON; blank brokers are left out, as there."""
    if record is None:
        return None
    brokers = {"dstBroker": record.destination, "sourceBroker": record.source}
    named = {name: broker for name, broker in brokers.items() if broker != NOBODY}
    return {"state": record.state.value, **named, "force": record.force, "versionId": record.version}
