"""
The expectation ledger of decisions: the judged inputs, the exact results of their laws, and facts.

``decisions.yaml`` of a folder of ``spec`` pins them; ``facts.yaml`` has inputs with the answers of the original.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oneowner.checkers.catalogue.families import SPEC
from oneowner.checkers.catalogue.family import bounds_of, reasons_in
from oneowner.checkers.choices import PROFILES
from oneowner.checkers.documents import Document, Part, parse_document, read_document
from oneowner.checkers.engines.decide.judging import Judgement, Tally, differences, every_input, in_words, judge
from oneowner.checkers.ledger.pin_edit import with_values
from oneowner.checkers.ledger.pinned import Claim, Outcome, Pins, as_pinned, verdicts_in
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.checkers.yaml_text import At
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.decision import Decision
from oneowner.spec.systems import DECIDING, decisions


@dataclass(frozen=True, slots=True)
class Pin:
    """The expected result of one law on a row's inputs."""

    verdict: Verdict
    exercised: int
    least: str = ""
    """The least input that breaks it, in words."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the ledger: all inputs of some sizes, and their expected results."""

    decision: Decision
    sizes: Bounds
    settings: Mapping[str, int]
    """The sizes that are not those by default."""
    profile: str
    inputs: int
    laws: Mapping[str, Pin]
    reasons: Mapping[str, str]
    """The reasons for the laws' verdicts, where these changed once."""

    @property
    def name(self) -> str:
        """Its name in tables."""
        return row_name(self.decision.name, self.settings)


def row_name(decision: str, settings: Mapping[str, int]) -> str:
    """Return the name of a row in tables: the decision, and the changed fields."""
    return ", ".join([decision, *(f"{name}={value}" for name, value in settings.items())])


def file_of(home: str) -> Path:
    """Return the file that pins the decisions of a folder of ``spec``."""
    return SPEC / home / "decisions.yaml"


def decision_rows() -> dict[str, Row]:
    """Return every row by name; raise Misuse for a malformed row, or for a decision that has no row."""
    found: dict[str, Row] = {}
    for home in DECIDING:
        found |= rows_in(read_document(file_of(home)))
    for name in decisions():
        if name not in found:
            raise Misuse(f"{file_of(decisions()[name].home)}:1: {name} is not pinned")
    return found


def rows_in(document: Document) -> dict[str, Row]:
    """Return the rows of a document by name; raise Misuse for a malformed row."""
    found: dict[str, Row] = {}
    known = {name: one for name, one in decisions().items() if one.home == document.path.parent.name}
    for part in Part(document, document.data).items():
        row = _row(part, known)
        if row.name in found:
            raise part.complaint(f"decision refused: {row.name}; there is one of that name already")
        found[row.name] = row
    return found


def _row(part: Part, known: Mapping[str, Decision]) -> Row:
    row = part.mapping("decision profile inputs laws".split(), ["sizes", "reason"])
    decision = row["decision"].one_of(known, "decision")
    sizes = bounds_of(row["sizes"], decision.sizes()) if "sizes" in row else decision.sizes()
    pins = row["laws"].mapping(decision.laws_by_name)
    return Row(
        decision,
        sizes,
        row["sizes"].data if "sizes" in row else {},
        row["profile"].one_of(dict(zip(PROFILES, PROFILES, strict=True)), "profile"),
        row["inputs"].number(1),
        {name: _pin(pin) for name, pin in pins.items()},
        reasons_in(row, decision.laws_by_name),
    )


def _pin(part: Part) -> Pin:
    row = part.mapping(["verdict", "exercised"], ["least"])
    verdict = row["verdict"].one_of({verdict.value: verdict for verdict in Verdict}, "verdict")
    if (verdict == Verdict.INVALID) != ("least" in row):
        raise part.complaint("law refused: a law that is broken has its least input, another has none")
    return Pin(verdict, row["exercised"].number(), row["least"].text() if "least" in row else "")


@dataclass(frozen=True, slots=True)
class Fact:
    """An input, and the original's answer."""

    decision: Decision
    source: str
    data: Mapping[str, Any]
    """``input`` and ``answer``, plain."""
    part: Part

    def difference(self) -> list[str]:
        """Report the difference of the answer from the original's; raise Misuse for an unreadable input."""
        try:
            return list(differences(self.decision, [self.data]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self.part.complaint(f"input refused: {self.data['input']}; {error!r}") from None


def facts() -> list[Fact]:
    """Return the facts about all decisions; raise Misuse for a malformed fact."""
    found = []
    for home in DECIDING:
        document = read_document(SPEC / home / "facts.yaml")
        for part in Part(document, document.data).items():
            row = part.mapping("decision source input answer".split())
            data = {"input": row["input"].data, "answer": row["answer"].data}
            found.append(Fact(row["decision"].one_of(decisions(), "decision"), row["source"].text(), data, part))
    return found


def judged(row: Row, on_progress: Callable[[str], None] | None = None) -> Judgement:
    return judge(row.decision, every_input(row.decision, row.sizes), on_progress=on_progress)


def verdict_on(tally: Tally, is_complete: bool) -> Verdict:
    """Return the verdict of a law on many inputs; without an occasion, or if they are not all, it is unknown."""
    if tally.broken_by is not None:
        return Verdict.INVALID
    return Verdict.VALID if tally.exercised and is_complete else Verdict.UNKNOWN


def found(judgement: Judgement, law: str) -> Pin:
    """Return the result of a law on all inputs, as a pin."""
    tally = judgement.laws[law]
    least = "" if tally.broken_by is None else in_words(judgement.decision, tally.broken_by[0])
    return Pin(verdict_on(tally, not judgement.stopped), tally.exercised, least)


def unlike_pins(row: Row, judgement: Judgement) -> list[str]:
    """Report the differences from the pin."""
    words = [] if judgement.inputs == row.inputs else [f"{judgement.inputs:,} inputs; {row.inputs:,} are pinned"]
    for law, pin in row.laws.items():
        now = found(judgement, law)
        if now != pin:
            words.append(f"{law}: {in_short(now)}; pinned is {in_short(pin)}")
    return words


def unlike_facts(decision: Decision) -> list[str]:
    """Report the answers of a decision that are not those of the original, and a decision without facts."""
    about = [fact for fact in facts() if fact.decision == decision]
    if not about:
        return [f"{decision.name} is compared with no fact"]
    return [f"{words} ({fact.source})" for fact in about for words in fact.difference()]


def in_short(pin: Pin) -> str:
    """Return a pin in words."""
    least = f", first by {pin.least}" if pin.least else ""
    return f"{pin.verdict}, {pin.exercised:,} occasions{least}"


def compare(row: Row, judgement: Judgement) -> Outcome:
    """Report the deviations of a row from its pin, and the answers that are not those of the original."""
    return as_pinned([*unlike_pins(row, judgement), *unlike_facts(row.decision)])


def written(path: Path, text: str, row: Row, judgement: Judgement) -> str:
    """Return the text with the number of inputs, and the result of each law on them."""
    names = [row_name(one["decision"], one.get("sizes", {})) for one in parse_document(path, text).data]
    at = names.index(row.name)
    values: dict[At, object] = {} if judgement.inputs == row.inputs else {(at, "inputs"): judgement.inputs}
    for law, pin in row.laws.items():
        if (now := found(judgement, law)) != pin:
            least = {"least": now.least} if now.least else {}
            values[at, "laws", law] = {"verdict": now.verdict.value, "exercised": now.exercised, **least}
    return with_values(text, values)


def claims(document: Document) -> Iterator[Claim]:
    """Yield the expected verdict of every law on the inputs of a row."""
    for number, row in enumerate(document.data):
        verdicts = {law: pin["verdict"] for law, pin in row["laws"].items()}
        yield from verdicts_in((number,), row_name(row["decision"], row.get("sizes", {})), verdicts)


DECISIONS = Pins(
    files=lambda: {name: file_of(row.decision.home) for name, row in decision_rows().items()},
    rows_in=rows_in,
    find=lambda row, effort: judged(row),
    compare=compare,
    written=written,
    claims=claims,
    doubts=lambda row, found: unlike_facts(row.decision),
    changes=unlike_pins,
)
