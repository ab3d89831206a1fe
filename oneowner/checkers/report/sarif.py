"""
``write_sarif`` writes a result as SARIF 2.1.0 for code scanning: laws as rules, findings as results, evidence as flows.

GitHub refuses a file beyond its limits, so the least severe results are omitted until it fits, and a notification
counts them. The JSON has everything.
"""

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final

from oneowner.checkers import VERSION
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.report.cases import Case, Outcome, suites
from oneowner.checkers.report.json import write_out
from oneowner.checkers.report.rule_texts import issue_of, statements
from oneowner.checkers.report.sarif_results import case_result, finding_result, packed_artifacts
from oneowner.checkers.results import Result

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
HOME: Final = "https://github.com/apache/pulsar/issues/16691"

MOST_RESULTS: Final = 25_000
MOST_BYTES: Final = 10 * 1000 * 1000
"""GitHub's hard limits: results of a run, and bytes of a file that is gzipped."""
SHOWN: Final = 5_000
"""Results that GitHub shows, the most severe first."""

SEVERITIES: Final = ("violation", "warning", "note")


def write_sarif(result: Result, target: str) -> None:
    """Write *result* to the file *target*, or to standard output for ``-``; raise Misuse if that fails."""
    write_out(target, lambda stream: write_to(stream, result))


def write_to(stream: IO[str], result: Result, most: int = MOST_RESULTS, most_bytes: int = MOST_BYTES) -> None:
    """Write *result* to *stream*, *most* results and about *most_bytes* gzipped bytes at most."""
    kept, total = _most_severe(result, most)
    text = _document(result, kept, total)
    while (size := _gzipped(text)) > most_bytes and kept:
        share = min(0.9, most_bytes / size)
        kept = kept[: int(len(kept) * share)]
        text = _document(result, kept, total)
    stream.write(text)


def _most_severe(result: Result, most: int) -> tuple[list[Mapping[str, Any]], Counter[str]]:
    """Return the *most* severe findings, those first in the result first, and how many of each severity there are."""
    kept: dict[str, list[Mapping[str, Any]]] = {severity: [] for severity in SEVERITIES}
    total: Counter[str] = Counter()
    for finding in result.findings:
        severity = finding["severity"]
        total[severity] += 1
        kept[severity].append(finding)
        if sum(map(len, kept.values())) > most:
            next(kept[least] for least in reversed(SEVERITIES) if kept[least]).pop()
    return [finding for severity in SEVERITIES for finding in kept[severity]], total


def _document(result: Result, kept: list[Mapping[str, Any]], total: Counter[str]) -> str:
    broken = [case for suite in suites(result) for case in suite.cases if _is_result(case)] if not total else []
    results = [*map(finding_result, kept), *map(case_result, broken)]
    ids = sorted({row.law for row in result.laws} | {one["ruleId"] for one in results})
    for one in results:
        one["ruleIndex"] = ids.index(one["ruleId"])
    upstream = {finding["law"]: finding["upstream"] for finding in reversed(kept) if "upstream" in finding}
    run = {
        "tool": {
            "driver": {
                "name": "oneowner",
                "version": VERSION,
                "informationUri": HOME,
                "rules": [_rule(name, upstream.get(name, "")) for name in ids],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not result.unreadable,
                "exitCode": result.exit_code,
                "toolExecutionNotifications": [*_notifications(result, len(kept), total)],
            }
        ],
        "automationDetails": {"id": f"oneowner/{result.verb}/"},
        "columnKind": "unicodeCodePoints",
    }
    if artifacts := packed_artifacts(results):
        run["artifacts"] = artifacts
    run["results"] = results
    lines = ",".join(f"\n    {json.dumps(one)}" for one in run.pop("results"))  # a line each, as in the JSON
    head = json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)
    return head.removesuffix("\n  }\n ]\n}") + f',\n   "results": [{lines}\n   ]\n  }}\n ]\n}}\n'


def _is_result(case: Case) -> bool:
    """Return whether a check is a result, that is, failed; an unknown law is a notification."""
    if case.kind in ("law", "verdict"):
        return case.outcome == Outcome.FAILED
    return case.outcome in (Outcome.FAILED, Outcome.ERROR)


def _rule(name: str, upstream: str) -> dict[str, Any]:
    """Return a rule with all descriptions that GitHub requires."""
    defect = defects().get(name)
    statement = {"text": statements().get(name, name) if defect is None else defect.title}
    known = f" Upstream: {upstream}" if upstream else ""
    rule = {
        "id": name,
        "shortDescription": statement,
        "fullDescription": statement,
        "help": {"text": f"{statement['text']}{known} A finding names the legal course and the lines that prove it."},
    }
    if "-" in name:  # a name must be another word than the id
        rule["name"] = "".join(part.title() for part in name.split("-"))
    address = issue_of(upstream)
    return rule | ({"helpUri": address} if address else {})


def _notifications(result: Result, kept: int, total: Counter[str]) -> Iterator[dict[str, Any]]:
    for reason in result.reasons:
        yield {"level": "note" if result.exit_code == 0 else "warning", "message": {"text": reason}}
    left_out = total.total() - kept
    if left_out:
        numbers = ", ".join(f"{total[one]:,} {one}s" for one in SEVERITIES if total[one])
        words = f"{left_out:,} of {total.total():,} findings ({numbers}) are omitted, the least severe: GitHub accepts"
        words += f" {MOST_RESULTS:,} results and {MOST_BYTES // 1_000_000} MB gzipped; --json has them all"
        yield {"level": "warning", "message": {"text": words}}
    if kept > SHOWN:
        yield {"level": "note", "message": {"text": f"GitHub shows {SHOWN:,} of these {kept:,} results"}}


def _gzipped(text: str) -> int:
    return len(zlib.compress(text.encode(), 6))
