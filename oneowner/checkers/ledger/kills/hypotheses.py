"""
The result of every hypothesis and hazard of ``hypotheses.yaml``: reproduced, not found, or not modelled.

A row of ``hypotheses.yaml`` only refers to checks of the gate: scenarios, which every profile replays, and rows of
the ledger, which are explored by the gate of their profile. So it is checked by reading: one that refers to a
missing scenario or row, or to another pin, is refused by file and line.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from oneowner.checkers.catalogue import families
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.catalogue.faults import DEFAULT_SYSTEM, NOT_MODELLED, Unkilled, scenarios
from oneowner.checkers.documents import Part, read_document, read_once
from oneowner.checkers.verdict import Verdict
from oneowner.spec.systems import systems

REPRODUCED, NOT_FOUND = "reproduced", "not found"
VERDICTS = {"reproduced": REPRODUCED, "not_found": NOT_FOUND, "not_modelled": NOT_MODELLED}
"""The possible results of a hypothesis, by the key of its row."""
SCENARIO = re.compile(r"[\w-]+/[\w-]+\.yaml")
"""The name of a scenario in a row: its path below ``traces/counterexamples``, where every gate finds it."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One hypothesis or hazard, and its result."""

    record: str
    source: str
    """A public source for the mechanism: an issue, a PIP or a part of Pulsar's code."""
    says: str
    verdict: str
    scenarios: tuple[str, ...] = ()
    """The scenarios that reproduce it, below ``traces/counterexamples``; the clearest is first."""
    faults: tuple[str, ...] = ()
    """The faults of the catalogue that restore it, or that describe it as a bug of 4.0.6."""
    law: str = ""
    """The law that it would break, where it was not found."""
    rows: tuple[str, ...] = ()
    """The rows of the ledger in which that law holds."""
    reached: str = ""
    """The witness which shows that its mechanism is at work there."""
    releases: str = ""
    why: str = ""
    """The findings of exploring, against the hypothesis; or the reason that it is not modelled."""

    @property
    def where(self) -> str:
        """By which scenario it is reproduced, within which rows it was not found, or why it is not modelled."""
        if self.verdict == REPRODUCED:
            more = f" and {len(self.scenarios) - 1} more" if len(self.scenarios) > 1 else ""
            return f"{self.scenarios[0]}{more}"
        if self.verdict == NOT_FOUND:
            return f"{self.law} holds in {', '.join(self.rows)}; reached: {self.reached}"
        return self.why

    def as_json(self) -> dict[str, Any]:
        return {
            "record": self.record,
            "source": self.source,
            "says": self.says,
            "verdict": self.verdict,
            "scenarios": list(self.scenarios),
            "faults": list(self.faults),
            "law": self.law,
            "rows": list(self.rows),
            "reached": self.reached,
            "releases": self.releases,
            "why": self.why,
        }


def _files() -> list[str]:
    home = families.SPEC / DEFAULT_SYSTEM
    return [
        str(path) for path in (*sorted(home.glob("families/*.yaml")), home / "faults.yaml", home / "hypotheses.yaml")
    ]


@read_once(_files)
def hypotheses() -> dict[str, Hypothesis]:
    """Return every hypothesis and hazard by its record, in order; raise Misuse for a row that does not hold."""
    document = read_document(families.SPEC / DEFAULT_SYSTEM / "hypotheses.yaml")
    rows = families.ledger_rows()
    killed = {name: name for name, row in families.catalogue().items() if not isinstance(row, Unkilled)}
    found: dict[str, Hypothesis] = {}
    for part in Part(document, document.data).items():
        row = hypothesis_in(part, rows, killed)
        if row.record in found:
            raise part.complaint(f"record refused: {row.record}; there is a row of it already")
        found[row.record] = row
    return found


def hypothesis_in(part: Part, rows: Mapping[str, Family], killed: Mapping[str, str]) -> Hypothesis:
    """Return the hypothesis of one row; *rows* are those of the ledger, *killed* the faults that some law kills."""
    named = [key for key in VERDICTS if key in part.mapping()]
    if len(named) != 1:
        raise part.complaint(f"a row has one of the keys {', '.join(VERDICTS)}, not {' and '.join(named) or 'none'}")
    (key,) = named
    optional = ["releases", *(["why"] if key != "not_modelled" else []), *(["faults"] if key == "reproduced" else [])]
    row = part.mapping(["record", "source", "says", key], optional)
    words = ("record", "source", "says", "releases", "why")
    told: dict[str, Any] = {name: row[name].text() for name in words if name in row}
    if key == "reproduced":
        faults = tuple(one.one_of(killed, "fault") for one in row["faults"].items()) if "faults" in row else ()
        return Hypothesis(**told, verdict=REPRODUCED, scenarios=_scenarios(row[key]), faults=faults)
    if key == "not_found":
        return Hypothesis(**told, verdict=NOT_FOUND, **_holding(row[key], rows))
    return Hypothesis(**told, verdict=NOT_MODELLED, why=row[key].text())


def _scenarios(part: Part) -> tuple[str, ...]:
    for one in part.items():
        if not SCENARIO.fullmatch(one.text()) or not (scenarios() / one.text()).is_file():
            raise one.complaint(f"no such scenario: {one.data}; it is a file below traces/counterexamples")
    if not part.data:
        raise part.complaint("reproduced refused: no scenario; name one at least")
    return tuple(part.data)


def _holding(part: Part, rows: Mapping[str, Family]) -> dict[str, Any]:
    """Return law, rows and witness of one not found: in every row the law is valid, and the witness reached."""
    row = part.mapping(["law", "in", "reached"])
    law = row["law"].one_of({name: name for name in systems()[DEFAULT_SYSTEM].statuses}, "law")
    reached = row["reached"].one_of({one.name: one.name for one in systems()[DEFAULT_SYSTEM].witnesses}, "witness")
    if not row["in"].items():
        raise row["in"].complaint("in refused: no row of the ledger; name one at least")
    for one in row["in"].items():
        if str(one.data).partition("@")[0] in families.unreadable():
            continue  # its file is refused, and says more
        family = one.one_of(rows, "row of the ledger")
        verdict = {**family.laws, **family.liveness}.get(law, Verdict.UNKNOWN)
        if verdict != Verdict.VALID:
            raise one.complaint(f"in refused: {one.data}; {law} is pinned {verdict.value} there, not valid")
        if reached not in family.witnesses:
            raise row["reached"].complaint(f"reached refused: {reached}; it is not pinned in {one.data}")
    return {"law": law, "rows": tuple(row["in"].data), "reached": reached}


def counted(chosen: Iterable[Hypothesis]) -> str:
    """Return the number of hypotheses with each result."""
    numbers = Counter(one.verdict for one in chosen)
    return ", ".join(f"{numbers[verdict]} {verdict}" for verdict in VERDICTS.values() if numbers[verdict])
