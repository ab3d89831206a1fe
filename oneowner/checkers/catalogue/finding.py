"""One finding: a defect of Pulsar as its file describes it, with the evidence for it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.catalogue.faults import Fault, clauses_of, scenarios, settings_in
from oneowner.checkers.documents import Part, read_document
from oneowner.checkers.places import TOP
from oneowner.model.kernel.system import System

PROSE: Final = ("happens", "reproduce", "symptoms", "observed", "scope")
"""The texts of a finding, in the order in which they are printed; the first is required."""
FOR_EVIDENCE: Final = ("covers", "releases", "signatures", "verified", "do", "collect", "recorded")
"""The keys by which ``oneowner bugs`` finds it in a text (``checkers/bugs``), and an audit in a recording."""
STATED: Final = ("title", "law", "family", "scenario")
"""The keys that a finding states itself if it is no fault of the catalogue."""
COMPUTED: Final = ("set", "holds", "idle")
"""The keys that it adds for its releases: they have the defect, except those in which its law holds or has no occasion.
"""
SCENARIO: Final = re.compile(r"[\w-]+/[\w-]+")
"""The name of a scenario in a finding: its folder and file below ``traces``."""
FOLDERS: Final = ("counterexamples", "driven")
"""The folders of ``traces`` in which a scenario of a finding lies."""


class Status(StrEnum):
    """The status of a defect in the threads of apache/pulsar."""

    UNREPORTED = "unreported"
    """A search found no report; such a search proves nothing."""
    NEAR = "near"
    """Another defect of the same code is reported, not this one."""
    REPORTED = "reported"
    FIXED = "fixed"
    WITHDRAWN = "withdrawn"
    """The model led us to expect it, and Pulsar does not have it."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A change that ends the defect in the model."""

    rules: tuple[str, ...]
    """The switches of the model that stand for it."""
    effect: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect of Pulsar: its harm, its evidence, and its repair."""

    name: str
    title: str
    system: str
    status: Status
    texts: Mapping[str, str]
    """Its prose, by the keys of ``PROSE``."""
    defect: Fault | None = None
    """The row whose releases are computed: its fault, or one that turns no switch; none if it is withdrawn."""
    law: str = ""
    family: str = ""
    scenario: Path | None = None
    not_modelled: str = ""
    aliases: tuple[str, ...] = ()
    """Its other labels: its number as a candidate or in a recording, and its id in docs/sources.md."""
    also: Mapping[str, str] = field(default_factory=dict)
    """Further scenarios, each with the behaviour that it shows."""
    issues: tuple[int, ...] = ()
    """The issues and pull requests of apache/pulsar that its status is about."""
    report: str = ""
    """The file of docs/upstream that reports it."""
    repair: Repair | None = None
    recordings: tuple[str, ...] = ()
    """The folders of traces/real that show it."""
    trials: Mapping[str, str] = field(default_factory=dict)
    """The releases on which it was seen without a recording that was kept, and how."""
    driven: tuple[str, ...] = ()
    """The scenarios by which real brokers can be driven to it."""
    held: tuple[str, ...] = ()
    """Scenarios by the rules of releases that do not have it: brokers that follow them do not show it."""
    explained: Mapping[str, str] = field(default_factory=dict)
    """The releases on which evidence and computation contradict each other, and why."""
    front_page: int = 0
    """Its place on the front page, from 1; 0 for none."""

    @property
    def upstream(self) -> str:
        """Its status in the threads of apache/pulsar, in a few words."""
        return upstream_of(self.status, self.issues)

    @property
    def steps(self) -> int:
        """The number of steps of its scenario."""
        return steps_of(self.scenario) if self.scenario is not None else 0


def steps_of(scenario: Path) -> int:
    """Return the number of steps of a saved scenario."""
    return len(read_document(scenario).data["steps"])


def finding_in(part: Part, name: str, fault: Fault | None, system: System, families: Mapping[str, object]) -> Finding:
    """
    Return the finding that a file describes, named after it; raise Misuse for an invalid one.

    *fault* is the row of the catalogue that has its name, if there is one; *families* are those of all systems.
    """
    unmodelled = "not_modelled" in part.mapping()
    stated = () if fault is not None else ("title", "not_modelled") if unmodelled else STATED
    row = part.mapping(
        [*stated, "status", "happens"],
        [*(COMPUTED if stated == STATED else ()), "system", "aliases", "also", "issues", "report", "repair",
         "recordings", "trials", "driven", "held", "explained", "front_page", *PROSE[1:], *FOR_EVIDENCE],
    )  # fmt: skip
    status = row["status"].one_of({one.value: one for one in Status}, "status")
    issues = tuple(one.number(1) for one in row["issues"].items()) if "issues" in row else ()
    if bool(issues) == (status is Status.UNREPORTED):
        raise row["status"].complaint(f"status refused: {status}; a defect has issues unless it is unreported")
    predicted = "law" in row and status is not Status.WITHDRAWN
    defect = fault or (_prediction(row, name, system, families, upstream_of(status, issues)) if predicted else None)
    scenario = defect.scenario if defect is not None else _scenario(row["scenario"]) if "scenario" in row else None
    named = f"{scenario.parent.name}/{scenario.stem}" if scenario is not None else ""
    return Finding(
        name,
        fault.title if fault is not None else row["title"].line(),
        system.name,
        status,
        {key: row[key].text().strip() for key in PROSE if key in row},
        defect,
        law=defect.law if defect is not None else _law(row, system),
        family=defect.family if defect is not None else _family(row, families),
        scenario=scenario,
        not_modelled=row["not_modelled"].text().strip() if "not_modelled" in row else "",
        aliases=_lines(row, "aliases"),
        also={one: words.line() for one, words in _mapping(row, "also").items() if _existing(words, one)},
        issues=issues,
        report=_file(row["report"], TOP / "docs" / "upstream") if "report" in row else "",
        repair=_repair(row["repair"], system) if "repair" in row else None,
        recordings=tuple(_file(one, TOP / "traces" / "real") for one in _items(row, "recordings")),
        trials={release: words.line() for release, words in _mapping(row, "trials").items()},
        driven=_scenarios(row, "driven") or ((named,) if named else ()),
        held=_scenarios(row, "held"),
        explained={release: words.line() for release, words in _mapping(row, "explained").items()},
        front_page=row["front_page"].number(1) if "front_page" in row else 0,
    )


def _prediction(
    row: Mapping[str, Part], name: str, system: System, families: Mapping[str, object], upstream: str
) -> Fault:
    """Return the row of a finding that is no fault: its law fails by the rules of releases themselves."""
    scenario = _scenario(row["scenario"])
    return Fault(
        name=name,
        title=row["title"].line(),
        record="",
        upstream=upstream,
        releases="",
        breaks="",
        system=system.name,
        law=_law(row, system),
        family=_family(row, families),
        rules={},
        steps=steps_of(scenario),
        scenario=scenario,
        settings=settings_in(row),
        holds=clauses_of(row, "holds", system),
        idle=clauses_of(row, "idle", system),
    )


def upstream_of(status: Status, issues: tuple[int, ...]) -> str:
    """
    Return in a few words what the threads of apache/pulsar hold about a defect.

    >>> upstream_of(Status.NEAR, (26520, 26634))
    'near apache/pulsar#26520, #26634'
    """
    numbers = f"apache/pulsar{', '.join(f'#{number}' for number in issues)}"
    return {Status.UNREPORTED: "no report found", Status.NEAR: f"near {numbers}"}.get(status, numbers)


def _law(row: Mapping[str, Part], system: System) -> str:
    return row["law"].one_of({name: name for name in system.statuses}, "law") if "law" in row else ""


def _family(row: Mapping[str, Part], families: Mapping[str, object]) -> str:
    return row["family"].one_of({name: name for name in families}, "family") if "family" in row else ""


def _scenario(part: Part) -> Path:
    path = scenarios() / f"{part.line()}.yaml"
    if not SCENARIO.fullmatch(part.line()) or not path.is_file():
        raise part.complaint(f"no such scenario: {part.data}; it is FOLDER/FILE below traces/counterexamples")
    return path


def _existing(part: Part, name: str) -> bool:
    """Return True for a scenario that is there; raise Misuse for one that is not."""
    if not SCENARIO.fullmatch(name) or not any((TOP / "traces" / one / f"{name}.yaml").is_file() for one in FOLDERS):
        raise part.complaint(f"no such scenario: {name}; it is FOLDER/FILE below traces/{' or traces/'.join(FOLDERS)}")
    return True


def _scenarios(row: Mapping[str, Part], key: str) -> tuple[str, ...]:
    return tuple(one.line() for one in _items(row, key) if _existing(one, one.line()))


def _file(part: Part, folder: Path) -> str:
    """Return a name of something in a folder of a checkout; a wheel has neither reports nor recordings."""
    if folder.is_dir() and not (folder / part.line()).exists():
        raise part.complaint(f"{part.name} refused: {part.data}; there is no such file in {folder.relative_to(TOP)}")
    return part.line()


def _repair(part: Part, system: System) -> Repair:
    row: Mapping[str, Any] = part.mapping(["rules", "effect"])
    switches = {name: name for name in system.rules.__dataclass_fields__}
    return Repair(tuple(one.one_of(switches, "rule") for one in row["rules"].items()), row["effect"].text().strip())


def _items(row: Mapping[str, Part], key: str) -> list[Part]:
    return row[key].items() if key in row else []


def _lines(row: Mapping[str, Part], key: str) -> tuple[str, ...]:
    return tuple(one.line() for one in _items(row, key))


def _mapping(row: Mapping[str, Part], key: str) -> dict[str, Part]:
    return row[key].mapping() if key in row else {}
