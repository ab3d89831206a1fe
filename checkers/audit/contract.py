"""
Findings, refusals and intervals as the JSON objects that scripts rely on (checkers/report/result.schema.json).
"""

from __future__ import annotations

from typing import Any

from checkers.audit.events import Finding, Interval, Refused
from model.record import NOBODY, Record


def finding_json(finding: Finding, file: str, line: int) -> dict[str, Any]:
    """Return a finding as the contract's JSON object."""
    return {
        "law": finding.law,
        "severity": finding.severity.value,
        "unit": finding.unit,
        "at": {"file": file, "line": line, "messageId": finding.message_id, "time": finding.time},
        "brokers": list(finding.brokers),
        "why": finding.why,
        "held": record_json(finding.held),
        "proposed": record_json(finding.proposed),
        "guard": finding.guard,
        "repair": finding.repair,
    }


def refused_json(refused: Refused) -> dict[str, Any]:
    """Return a refusal as the contract's JSON object."""
    return {"unit": refused.unit, "messageId": refused.message_id, "rule": refused.rule, "why": refused.why}


def interval_json(interval: Interval) -> dict[str, Any]:
    """Return an interval as the contract's JSON object."""
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
