"""``finding_result`` converts a finding for a SARIF file: message, location, and the lines that prove it, by time."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from oneowner.checkers.catalogue.families import faults
from oneowner.checkers.catalogue.faults import DEFAULT_SYSTEM
from oneowner.checkers.report.cases import Case, Outcome
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.times import iso
from oneowner.spec.systems import systems

MOST_STEPS: Final = 1_000
"""Locations of a code flow that GitHub keeps."""

_PINS: Final = {
    "family": "oneowner/spec/{system}/families/{name}.yaml",
    "counterexample": "traces/counterexamples/{name}",
    "run": "traces/real/{name}/expectation.yaml",
    "conform": "oneowner/spec/{system}/conformance.yaml",
    "drive": "oneowner/spec/{system}/driven.yaml",
    "refinement": "oneowner/spec/{system}/refinements.yaml",
    "logs": "oneowner/spec/{system}/logs.yaml",
    "fault": "oneowner/spec/{system}/faults.yaml",
    "bounded": "oneowner/spec/{system}/faults.yaml",
    "releases": "oneowner/spec/{system}/faults.yaml",
    "decision": "oneowner/spec/{system}/decisions.yaml",
    "classes": "oneowner/spec/{system}/families/{name}.yaml",
    "walk": "oneowner/spec/{system}/families/{name}.yaml",
    "saved run": "traces/counterexamples/{name}.yaml",
    "defect": "oneowner/spec/findings/{name}.yaml",
}
"""The file with the pins, by the kind of check; GitHub accepts no result without a location."""
_RULES: Final = {"walk": "as-the-model", "saved run": "as-the-model"}
"""The rule of a check of real classes."""
_OTHERWISE: Final = "oneowner/spec/{system}/README.md"

_PACKED: Final = {".gz": "application/gzip", ".lz4": "application/x-lz4", ".zst": "application/zstd"}
_COUNTED: Final = "compressed: line numbers are those of the uncompressed text, quoted in snippets"

_LEVELS: Final = {"violation": "error", "warning": "warning", "note": "note"}


def finding_result(finding: Mapping[str, Any]) -> dict[str, Any]:
    """Return a finding as a result of a SARIF run."""
    unit = f"{finding['unit']}: " if finding["unit"] else ""
    right = f" Expected: {finding['repair']}." if finding["repair"] else ""
    known = f" Upstream: {finding['upstream']}." if finding.get("upstream") else ""
    made: dict[str, Any] = {
        "ruleId": finding["law"],
        "level": _LEVELS[finding["severity"]],
        "message": {"text": visible(f"{unit}{_sentence(finding['why'])}{right}{known}")},
        "locations": [_location(finding)],
        "partialFingerprints": _fingerprints(finding),
    }
    if finding.get("evidence"):
        made["codeFlows"] = [{"threadFlows": [{"locations": _steps(finding["evidence"])}]}]
    if "waived" in finding:
        waived = finding["waived"]
        made["suppressions"] = [
            {
                "kind": "external",
                "status": "accepted",
                "justification": f"{waived['reason']} (until {waived['expires']})",
            }
        ]
    details = {name: finding[name] for name in ("brokers", "held", "proposed", "window") if finding.get(name)}
    return made | ({"properties": details} if details else {})


def case_result(case: Case) -> dict[str, Any]:
    """Convert a failed check: the deviation, and the file with the pin."""
    words = "\n".join([f"{case.kind} {case.name}: {_sentence(case.message)}", *case.details])
    return {
        "ruleId": case.name if case.kind in ("law", "lemma", "defect") else _RULES.get(case.kind, "as-pinned"),
        "level": "error" if case.outcome == Outcome.FAILED else "warning",
        "message": {"text": visible(words)},
        "locations": [_place({"file": _pinned_in(case), "line": 1})],
        "partialFingerprints": _hashes(case.kind, case.name),
    }


def _pinned_in(case: Case) -> str:
    """Return the file with the pin of a check, in the folder of its system."""
    system, _, own = case.name.rpartition("/")
    if case.kind in ("fault", "bounded", "releases"):
        system = faults()[case.name].system if case.name in faults() else ""
    elif case.kind not in ("family", "refinement", "decision"):
        own = case.name
        system = next((one.name for one in systems().values() if case.name in one.statuses), "")
    if case.kind == "saved run" and own.endswith(".yaml"):
        return own
    kind = "fault" if case.kind == "defect" and case.name in faults() else case.kind
    name = own.partition("@")[0] if case.kind == "family" else own.partition(", ")[0].partition(" on ")[0]
    return _PINS.get(kind, _OTHERWISE).format(system=system or DEFAULT_SYSTEM, name=name)


def _location(finding: Mapping[str, Any]) -> dict[str, Any]:
    at, unit = finding["at"], finding["unit"]
    made = _place(at, _text_at(finding))
    if unit:
        made["logicalLocations"] = [{"fullyQualifiedName": unit, "kind": "resource"}]
    return made


def _text_at(finding: Mapping[str, Any]) -> str:
    """Return the text at the location of a finding: a line that it cites, or its record."""
    at = finding["at"]
    for cite in finding.get("evidence", ()):
        if (cite["file"], cite["line"]) == (at["file"], at["line"]):
            return str(cite["text"])
    if at["messageId"] is None:
        return ""
    return json.dumps({"messageId": at["messageId"], "key": finding["unit"], "value": finding["proposed"]})


def _place(at: Mapping[str, Any], words: str = "") -> dict[str, Any]:
    """Return a location; *words* are the snippet for a compressed file, which a viewer cannot open."""
    region: dict[str, Any] = {"startLine": max(1, at["line"])}
    if words and packed_as(at["file"]):
        region["snippet"] = {"text": visible(words)}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(at["file"])}, "region": region}}


def packed_as(path: str) -> str:
    """
    Return the media type of a compressed file, empty if it is none: a region of such a file has no lines.

    >>> packed_as("logs/b1.log.gz"), packed_as("channel.jsonl")
    ('application/gzip', '')
    """
    return _PACKED.get(PurePath(path).suffix, "")


def packed_artifacts(results: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return an artifact for each compressed file of *results*, and let their places name it by its number."""
    found: dict[str, int] = {}
    for place in _artifact_places(results):
        if packed_as(place["uri"]):
            place["index"] = found.setdefault(place["uri"], len(found))
    return [{"location": {"uri": uri}, "mimeType": packed_as(uri), "description": {"text": _COUNTED}} for uri in found]


def _artifact_places(results: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for one in results:
        flows = (flow for path in one.get("codeFlows", ()) for flow in path["threadFlows"])
        steps = [step["location"] for flow in flows for step in flow["locations"]]
        yield from (place["physicalLocation"]["artifactLocation"] for place in (*one["locations"], *steps))


def _uri(path: str) -> str:
    """
    Return a path as a URI: relative ones stay so, as GitHub wants them.

    >>> _uri("runs/a b/channel.jsonl"), _uri("/var/log/broker.log")
    ('runs/a%20b/channel.jsonl', 'file:///var/log/broker.log')
    """
    pure = PurePath(path)
    return pure.as_uri() if pure.is_absolute() else quote(pure.as_posix())


def _steps(evidence: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return evidence as the steps of a code flow, first things first; of too much, both ends."""
    lines = sorted(evidence, key=lambda cite: cite["time"])
    if len(lines) > MOST_STEPS:
        lines = [*lines[: MOST_STEPS // 2], *lines[-MOST_STEPS // 2 :]]
    steps = []
    for number, cite in enumerate(lines, 1):
        identity = f" ({cite['messageId']})" if cite["messageId"] else ""
        text = f"{iso(cite['time'])}{identity} {cite['text']}"
        steps.append(
            {"executionOrder": number, "location": _place(cite, cite["text"]) | {"message": {"text": visible(text)}}}
        )
    return steps


def _fingerprints(finding: Mapping[str, Any]) -> dict[str, str]:
    """Return an identity of a finding that survives a change of file and line: law, unit, message or time, brokers."""
    at = finding["at"]
    place = at["messageId"] or (f"{PurePath(at['file']).name}:{at['line']}" if at["time"] is None else str(at["time"]))
    return _hashes(finding["law"], finding["unit"] or "", place, *sorted(finding["brokers"]))


def _hashes(*parts: str) -> dict[str, str]:
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return {"primaryLocationLineHash": f"{digest}:1", "oneownerFinding/v1": digest}


def _sentence(words: str) -> str:
    return words if words.endswith(".") else f"{words}."
