"""
Findings: the defects of Pulsar that this project found or saw, one file each in ``spec/findings``.

A finding that has the name of a fault takes law, family, scenario and releases from that row. Any other states them
itself, or why no model has it; if it lists its releases, they are computed like those of a fault. Pages are generated
from the files (``python -m tools.findings``).
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from oneowner.checkers.catalogue import families
from oneowner.checkers.catalogue.families import catalogue_files, family_files, faults
from oneowner.checkers.catalogue.faults import DEFAULT_SYSTEM, Fault
from oneowner.checkers.catalogue.finding import Finding, finding_in
from oneowner.checkers.documents import Part, read_document, read_once
from oneowner.spec.systems import systems

UPSTREAM: Final = "about"
"""The key of a bug that others found and explained, which only ``oneowner bugs`` needs."""


def finding_files() -> list[Path]:
    """Return the files of all findings, by name."""
    return sorted((families.SPEC / "findings").glob("*.yaml"))


def _files() -> list[str]:
    return [*catalogue_files(), *map(str, finding_files())]


@read_once(_files)
def findings() -> dict[str, Finding]:
    """Return every finding by name; raise Misuse, with file and line, for an invalid one."""
    there, known = faults(), family_files()
    found: dict[str, Finding] = {}
    taken: dict[str, str] = {}
    for path in finding_files():
        part = Part(document := read_document(path), document.data)
        if UPSTREAM in part.mapping():
            continue
        fault = there.get(path.stem)
        named = part.mapping().get("system")
        system = fault.system if fault else named.one_of({one: one for one in systems()}, "system") if named else None
        finding = finding_in(part, path.stem, fault, systems()[system or DEFAULT_SYSTEM], known)
        for name in (*_names(finding), *([f"front_page {finding.front_page}"] if finding.front_page else [])):
            if name in taken:
                raise part.complaint(f"{finding.name} refused: {taken[name]} has {name} already")
            taken[name] = finding.name
        found[finding.name] = finding
    return found


def _names(finding: Finding) -> Iterable[str]:
    return finding.name, *finding.aliases


def finding_labels() -> dict[str, Finding]:
    """Return every finding by its name and by each of its other labels."""
    return {label: one for one in findings().values() for label in _names(one)}


@read_once(_files)
def defects() -> dict[str, Fault]:
    """Return every defect whose releases are computed, by name: the faults, then the findings that are none."""
    own = {name: one.defect for name, one in findings().items() if one.defect is not None}
    return {**faults(), **own}
