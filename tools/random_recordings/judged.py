"""The audit's report on a recording, as an object; and an audit without a command line."""

import json
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge import audit as verbs
from oneowner.checkers.report.json import write_to
from tools.render.dump_files import Json


@dataclass(frozen=True)
class Judged:
    """The output of one call of the command line."""

    exit_code: int
    said: str
    """The text for a user: the table and the errors."""
    json: Json
    """The result; empty where the contract wants none (misuse)."""

    @property
    def verdict(self) -> str:
        return str(self.json.get("verdict"))

    @property
    def refused(self) -> list[tuple[str, str]]:
        return [(refusal["messageId"], refusal["rule"]) for refusal in self.json["refusals"]]

    @property
    def violations(self) -> list[tuple[str, str]]:
        """Law and message of every violation, in order."""
        return self.findings("violation")

    def findings(self, *severities: str) -> list[tuple[str, str]]:
        found = [one for one in self.json["findings"] if one["severity"] in severities]
        return [(one["law"], one["at"]["messageId"]) for one in found]

    def exercised(self, law: str) -> int:
        return int(self.law(law)["exercised"])

    def law(self, name: str) -> Json:
        (row,) = (row for row in self.json["laws"] if row["law"] == name)
        return dict(row)


def silently(verb: str, file: Path, **options: Any) -> Judged:
    """Judge one path without a command line and a table: ten times as fast, for many random dumps."""
    if verb == "audit":
        result, _, _ = verbs.audit([str(file)], Options(**options), "inline", None)
    else:
        at, settings = options.get("at"), Options(**{**options, "intervals": True})
        result, _, _ = verbs.timeline(str(file), None, at, settings, "inline", None)
    stream = StringIO()
    write_to(stream, result)
    return Judged(result.exit_code, "", json.loads(stream.getvalue()))
