"""
Known bugs are the findings of ``oneowner/spec/findings``, as a person with a log needs them.

A finding that is a fault of the catalogue has its title from there, and its releases are computed by the rules of the
releases; any other states both.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.bugs.signature import Signature, Template, signature_in
from oneowner.checkers.catalogue.releases import Releases, Stated, computed_of, is_release, members_of, stated_in
from oneowner.checkers.documents import Part, read_document
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.yaml_text import data_of

FINDINGS: Final = PACKAGE / "spec" / "findings"
WITHDRAWN: Final = "withdrawn"


@dataclass(frozen=True)
class KnownBug:
    """A defect of Pulsar, with the traces that it leaves."""

    name: str
    title: str
    status: str
    issues: tuple[int, ...]
    about: str
    """The harm, and its cause."""
    advice: str
    """The action to take now."""
    collect: str
    """The evidence that decides whether it is this bug."""
    stated: Stated | None
    """Its releases, if its file states them."""
    signatures: tuple[Signature, ...]
    verified: tuple[str, ...] = ()
    """Releases in whose sources its statements were read that tests/vectors does not have."""
    covers: tuple[str, ...] = ()
    """The faults of the catalogue that leave the same traces, and are of the same cause."""

    @cached_property
    def releases(self) -> Releases | None:
        """The releases that have it; None if they are not known."""
        return self.stated or computed_of(self.name)

    def affects(self, release: str) -> bool | None:
        """Return whether a release has it; None if that is not known, as of a line, some of whose releases have it."""
        if self.releases is None or not is_release(release):
            return None
        has = {one in self.releases for one in members_of(release)}
        return has.pop() if len(has) == 1 else None

    @property
    def upstream(self) -> str:
        """Its number upstream, as ``apache/pulsar#17401, #17254``, or that no report is known."""
        if not self.issues:
            return "no upstream report is known"
        numbers = f"apache/pulsar{', '.join(f'#{one}' for one in self.issues)}"
        return f"near {numbers}" if self.status == "near" else numbers

    @property
    def templates(self) -> Iterator[Template]:
        """The texts of its signatures."""
        for one in self.signatures:
            for clue in one.clues:
                yield from clue.templates


def bug_in(part: Part, name: str, title: str) -> KnownBug:
    """Return the bug that a finding's file describes; raise Misuse for an invalid one."""
    row = part.mapping()
    if "title" not in row and not title:
        raise part.complaint(f"{name} refused: it has no title, and no fault has its name")
    signatures = tuple(signature_in(one) for one in row["signatures"].items()) if "signatures" in row else ()
    for key in ("do", "collect"):
        if signatures and key not in row:
            raise part.complaint(f"{name} refused: {key} is missing; a finding with signatures has it")
    return KnownBug(
        name,
        row["title"].line() if "title" in row else title,
        row["status"].line(),
        tuple(one.number(1) for one in row["issues"].items()) if "issues" in row else (),
        (row["about"] if "about" in row else row["happens"]).text().strip(),
        _text(row, "do"),
        _text(row, "collect"),
        stated_in(row["releases"]) if "releases" in row else None,
        signatures,
        tuple(one.line() for one in row["verified"].items()) if "verified" in row else (),
        tuple(one.one_of(_by_name(titles()), "fault") for one in row["covers"].items()) if "covers" in row else (),
    )


def _by_name(names: Iterable[str]) -> dict[str, str]:
    return {name: name for name in names}


def _text(row: dict[str, Part], key: str) -> str:
    return row[key].text().strip() if key in row else ""


@cache
def titles() -> dict[str, str]:
    """Return the titles of all faults by name, without a check of the rest of their rows."""
    rows: list[dict[str, Any]] = []
    for path in sorted((PACKAGE / "spec").glob("*/faults.yaml")):
        rows += data_of(path.read_text(encoding="utf-8"))
    return {row["fault"]: row["title"] for row in rows}


def bug_files() -> list[Path]:
    """Return the files of all findings, by name."""
    return sorted(FINDINGS.glob("*.yaml"))


@cache
def known_bugs() -> dict[str, KnownBug]:
    """Return every known bug by name; raise Misuse, with file and line, for an invalid file."""
    found: dict[str, KnownBug] = {}
    for path in bug_files():
        document = read_document(path)
        one = bug_in(Part(document, document.data), path.stem, titles().get(path.stem, ""))
        if one.status != WITHDRAWN:
            found[one.name] = one
    return found
