"""
The expectation ledger of logs, ``spec/channel/logs.yaml``: which logs are judged, and exactly what must be found.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from oneowner.checkers.catalogue.family import reasons_in
from oneowner.checkers.choices import PROFILES
from oneowner.checkers.compaction_logs.alphabets import ALPHABETS
from oneowner.checkers.compaction_logs.log_judging import (
    LAWS,
    Judgement,
    every_log,
    judge_as_written,
    judge_every_log,
    judge_random_logs,
)
from oneowner.checkers.documents import Document, Part, read_document
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.verdict import Verdict

LEDGER = PACKAGE / "spec" / "channel" / "logs.yaml"
WAYS = {way: way for way in ("readers", "as written", "random")}
"""By the readers of a log, which is quick; by the laws as they are written; by readers, on random logs."""


@dataclass(frozen=True, slots=True)
class Pin:
    """The pinned result of one law on a row's logs."""

    verdict: Verdict
    exercised: int
    broken: int
    shortest: int


@dataclass(frozen=True, slots=True)
class Logs:
    """One row of the ledger: some logs, and their pinned results."""

    name: str
    title: str
    profile: str
    way: str
    alphabet: str
    longest: int
    seed: int
    count: int
    laws: Mapping[str, Pin]
    reasons: Mapping[str, str]
    """The reasons of results that changed once."""


def ledger(path: Path | None = None) -> dict[str, Logs]:
    """Return every row by name; raise Misuse for an invalid one."""
    return rows_in(read_document(path or LEDGER))


def rows_in(document: Document) -> dict[str, Logs]:
    """Return the rows of a document by name; raise Misuse for an invalid one."""
    found: dict[str, Logs] = {}
    for part in Part(document, document.data).items():
        row = _row(part)
        if row.name in found:
            raise part.complaint(f"logs refused: {row.name}; there is one of that name already")
        found[row.name] = row
    if not found:
        raise document.refuse("no logs in it")
    return found


def _row(part: Part) -> Logs:
    row = part.mapping("logs title profile by count laws".split(), ["alphabet", "longest", "seed", "reason"])
    way = row["by"].one_of(WAYS, "way")
    if (way == "random") != ("seed" in row) or (way == "random") == ("alphabet" in row and "longest" in row):
        raise part.complaint("logs refused: random ones have a seed, others an alphabet and the longest length")
    return Logs(
        name=row["logs"].text(),
        title=row["title"].text(),
        profile=row["profile"].one_of(dict(zip(PROFILES, PROFILES, strict=True)), "profile"),
        way=way,
        alphabet="" if way == "random" else row["alphabet"].one_of({name: name for name in ALPHABETS}, "alphabet"),
        longest=0 if way == "random" else row["longest"].number(1),
        seed=row["seed"].number() if way == "random" else 0,
        count=row["count"].number(1),
        laws={name: _pin(law) for name, law in row["laws"].mapping(LAWS).items()},
        reasons=reasons_in(row, LAWS),
    )


def _pin(part: Part) -> Pin:
    row = part.mapping(["verdict"], ["exercised", "broken", "shortest"])
    verdicts = {verdict.value: verdict for verdict in Verdict}
    numbers = {name: row[name].number() if name in row else 0 for name in ("exercised", "broken", "shortest")}
    return Pin(row["verdict"].one_of(verdicts, "verdict"), **numbers)


def judged(row: Logs) -> Judgement:
    if row.way == "random":
        return judge_random_logs(row.seed, row.count)
    alphabet = ALPHABETS[row.alphabet]
    if row.way == "readers":
        return judge_every_log(alphabet, row.longest)
    return judge_as_written(every_log(alphabet, row.longest))


def found(judgement: Judgement, law: str) -> Pin:
    """Return the result of *law* as a pin; without an occasion it is unknown."""
    tally = judgement.laws[law]
    verdict = Verdict.INVALID if tally.broken else Verdict.VALID if tally.exercised else Verdict.UNKNOWN
    return Pin(verdict, tally.exercised, tally.broken, 0 if tally.shortest is None else len(tally.shortest))


def differences(row: Logs, judgement: Judgement) -> list[str]:
    """Report the differences from the pins."""
    words = [] if judgement.logs == row.count else [f"{judgement.logs:,} logs; {row.count:,} are pinned"]
    for law, pin in row.laws.items():
        now = found(judgement, law)
        if now != pin:
            words.append(f"{law}: {shown(now)}; pinned is {shown(pin)}")
    return words


def shown(pin: Pin) -> str:
    """Return a pin in words."""
    if pin.verdict == Verdict.UNKNOWN:
        return "no log gives it an occasion"
    shortest = f", the shortest has {pin.shortest} records" if pin.broken else ""
    return f"{pin.verdict}, broken by {pin.broken:,} of {pin.exercised:,} logs{shortest}"
