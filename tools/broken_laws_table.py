"""The laws that recordings break, and their findings: ``python -m tools.broken_laws_table`` writes broken-laws.md."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.catalogue.finding import Finding
from oneowner.checkers.catalogue.findings import findings
from oneowner.checkers.documents import read_document
from oneowner.checkers.ledger.conformance_pins import PINS, channel_recordings, counts_in
from oneowner.checkers.ledger.recording_pins import FILE, recordings
from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.laws.registry import RECORDING_LAWS
from oneowner.spec.channel.system import SYSTEM

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "reference" / "broken-laws.md"
HERE: Final = re.compile(r"(?<=<!-- generated: python -m tools.broken_laws_table -->\n).*?(?=<!-- end -->)", re.DOTALL)
HARMFUL: Final = tuple(law.name for law in RECORDING_LAWS if law.harm != Harm.NONE)


class Row(NamedTuple):
    """A recording, the laws that it breaks, and the findings that it shows."""

    name: str
    explained: str
    """The number of units that the model explains to their end, of how many; else the reason why there is none."""
    of_states: dict[str, int]
    """By law of states or steps, the units that break it."""
    broken: tuple[str, ...]
    """The broken laws of recordings."""
    warned: tuple[str, ...]
    """The laws of recordings whose violation harms bundles, and of which it only warns."""
    findings: tuple[Finding, ...]


def rows() -> list[Row]:
    """Return every recording of the project, by name, as the pins have it."""
    pinned = read_document(PINS).data
    by_channel = {path.name for path in channel_recordings()}
    shown: dict[str, list[Finding]] = {}
    for one in findings().values():
        for name in one.recordings:
            shown.setdefault(name, []).append(one)
    found = []
    for path in recordings():
        row, audited = pinned.get(path.name, {}), read_document(path / FILE).data
        found_by = {tuple(one.split()[:2]) for one in audited["findings"]}
        without = "not pinned" if path.name in by_channel else "owned by locks"
        found.append(
            Row(
                path.name,
                f"{row['accepted']} of {row['units']}" if row else without,
                counts_in(row, "broken-laws"),
                tuple(law.name for law in RECORDING_LAWS if (law.name, "violation") in found_by),
                tuple(law for law in HARMFUL if (law, "warning") in found_by and (law, "violation") not in found_by),
                tuple(shown.get(path.name, ())),
            )
        )
    return found


def lines(found: Sequence[Row]) -> Iterator[str]:
    """Yield the generated part of the page."""
    broken, known = sum(bool(one.of_states) for one in found), sum(bool(one.findings) for one in found)
    yield f"{len(found)} recordings: {known} show a finding, {broken} break laws of states."
    yield ""
    yield "| recording | bundles explained | laws of states broken | laws of recordings broken, or warnings | finding |"
    yield "|---|---|---|---|---|"
    for one in found:
        of_states = ", ".join(_of_states(law, units, one) for law, units in one.of_states.items())
        of_recordings = ", ".join([*(f"`{law}`" for law in one.broken), *(f"`{law}` (warning)" for law in one.warned)])
        shown = "; ".join(f"[{finding.title}](findings.md#{finding.name})" for finding in one.findings)
        link = f"[{one.name}](../../traces/real/{one.name})"
        yield f"| {link} | {one.explained} | {of_states} | {of_recordings} | {shown} |"


def _of_states(law: str, units: int, row: Row) -> str:
    is_named = any(finding.law == law for finding in row.findings)
    words = f"**`{law}`** {units}" if is_named else f"`{law}` {units}"
    return words if SYSTEM.statuses[law].is_violated else f"{words} (violation)"


def page() -> str:
    """Return the page with the generated part computed anew."""
    text = "\n" + "\n".join(lines(rows())) + "\n\n"
    return HERE.sub(lambda _: text, PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
