"""The pins of families, a row for each release: counts, verdicts and witnesses, computed again by exploring."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from oneowner.checkers.catalogue import families
from oneowner.checkers.catalogue.family import COUNTS, Family
from oneowner.checkers.catalogue.holding import fingerprints_in, in_fingerprints, split
from oneowner.checkers.choices import PROFILES
from oneowner.checkers.documents import Document, parse_document
from oneowner.checkers.engines.explore.compiled import cores
from oneowner.checkers.engines.explore.engine_choice import REFEREED
from oneowner.checkers.ledger.blessings import blessed_file, blessings, digest_of, in_words, lost, unblessed
from oneowner.checkers.ledger.exploration_verdict import counts_of, idle, pins_of
from oneowner.checkers.ledger.family_check import Checked, check_row, measured_row
from oneowner.checkers.ledger.pin_edit import with_values, without_lines
from oneowner.checkers.ledger.pinned import NOT_AS_PINNED, Claim, Effort, Outcome, Pins, verdicts_in
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.checkers.yaml_text import At, in_flow, spans_of
from oneowner.spec.systems import systems


def rows_in(document: Document) -> dict[str, Family]:
    """Return the family in a document, and its releases, also those that nobody has counted yet."""
    family = families.family_of(document)
    return {row.row: row for row in (family, *family.releases.values())}


def find(row: Family, effort: Effort) -> Checked:
    """Explore one row, which needs a title to be pinned; the gate checks others at the same time."""
    if not row.title:
        path = families.family_files()[row.full_name]
        raise Misuse(f"{path}: the key title is missing; one line says what the family shows")
    threads = cores() if effort.goes_on else max(1, cores() // 2)
    return check_row(row, effort.profile, threads, effort.goes_on, effort.tell)


def compare(row: Family, checked: Checked) -> Outcome:
    """Report the deviations of a row from its pin and its blessing; counts that differ are certain deviations."""
    judged, measured = checked.judged, measured_row(row, checked).as_json()
    if checked.differs:
        return Outcome(Verdict.VALID.value, "engines differ", [checked.differs], measured)
    by_hand = unblessed(row, blessings())
    verdict = NOT_AS_PINNED if judged.as_pinned is False or by_hand else judged.result.verdict.value
    reasons = [*judged.result.reasons, *([by_hand] if by_hand else [])]
    return Outcome(Verdict.VALID.value, verdict, reasons, measured)


def check(name: str, profile: str) -> Outcome:
    """Explore one row of the ledger, and compare; raise Misuse for one that is not counted, or in no file any more."""
    row = families.ledger_rows().get(name)
    if row is not None and not row.is_pinned:
        raise Misuse(f"{families.family_files()[row.full_name]}: not counted yet; {way_to_count(row)}")
    if row is None and name in left_out(()):
        raise Misuse(
            f"{blessed_file(name)} has a line of {name}, which no family pins;"
            f" oneowner bless --reason '...' --because '{name}=...' leaves it out"
        )
    return FAMILIES.check(name, profile)


def written(path: Path, text: str, row: Family, checked: Checked) -> str:
    """Return the text with the counts that were found, other verdicts, and without witnesses that are not reached."""
    data, judged = parse_document(path, text).data, checked.judged
    at: At = ("releases", row.release) if row.release in (data.get("releases") or {}) else ()
    if not (row.is_pinned or at):
        text = completed(path, text, row, checked)
        data = parse_document(path, text).data
    own = data["releases"][row.release] or {} if at else data
    values: dict[At, Any] = {
        (*at, name): count
        for name, count in zip(COUNTS, counts_of(judged.exploration), strict=True)
        if own.get(name) != count
    }
    verdicts = {law.law: law.verdict for law in judged.result.laws if law.verdict != law.expected}
    if at:
        values |= {(*at, _key(row, law), law): verdict.value for law, verdict in verdicts.items()}
    elif verdicts or row.undeclared:
        text = with_verdicts(path, text, row, verdicts)
    reached = [name for name in row.witnesses if judged.exploration.witnesses[name]]
    if len(reached) < len(row.witnesses) and "witnesses" not in own:
        values[(*at, "witnesses")] = reached
    elif len(reached) < len(row.witnesses):
        gone = [(*at, "witnesses", number) for number, name in enumerate(row.witnesses) if name not in reached]
        text = without_lines(path, text, gone) if reached else with_values(text, {(*at, "witnesses"): []})
    return with_values(text, values)


def with_verdicts(path: Path, text: str, row: Family, verdicts: Mapping[str, Verdict]) -> str:
    """Return the text of a family with these verdicts: laws that hold are counted, all others are listed."""
    pins = {**row.laws, **row.liveness, **verdicts}
    held = [law for law, verdict in pins.items() if verdict == Verdict.VALID]
    for key in ("laws", "liveness"):
        listed = parse_document(path, text).data.get(key) or {}
        if gone := [law for law in listed if law in held]:
            text = _without(path, text, key, listed, gone)
    others = {law: verdict.value for law, verdict in verdicts.items() if verdict != Verdict.VALID}
    return with_values(
        text, {("holds",): in_fingerprints(held)} | {(_key(row, law), law): words for law, words in others.items()}
    )


def _without(path: Path, text: str, key: str, listed: Mapping[str, Any], gone: Sequence[str]) -> str:
    """Return the text without some rows of a mapping, and without the mapping if nothing is left of it."""
    if spans_of(text)[key,].form == "flow":
        return with_values(text, {(key,): {law: verdict for law, verdict in listed.items() if law not in gone}})
    whole = [(key,)] if len(gone) == len(listed) else []
    return without_lines(path, text, [*whole, *((key, law) for law in gone)])


def _key(row: Family, law: str) -> str:
    return "liveness" if law in row.liveness else "laws"


def completed(path: Path, text: str, row: Family, checked: Checked) -> str:
    """Return the text of a family that was not counted yet with all that it may leave out, as it was found."""
    data, exploration = parse_document(path, text).data, checked.judged.exploration
    laws = {
        law.law: law.verdict.value
        for law in checked.judged.result.laws
        if law.verdict == Verdict.INVALID and law.law not in row.liveness
    }
    held = [law.law for law in checked.judged.result.laws if law.verdict == Verdict.VALID]
    reached = [witness for witness, is_reached in exploration.witnesses.items() if is_reached]
    parts = {
        "profile": PROFILES[1] if exploration.distinct <= REFEREED else PROFILES[-1],
        "holds": in_fingerprints(held),
        **({"laws": laws} if laws else {}),
        "witnesses": reached,
    }
    if data.get("laws") == {}:
        text = without_lines(path, text, [("laws",)])
        del data["laws"]
    missing = {name: part for name, part in parts.items() if name not in data}
    head = "" if "family" in data else f"family: {row.name}\n"
    return f"{head}{text.rstrip()}\n{''.join(_block(name, part) for name, part in missing.items())}"


def _block(name: str, part: Any) -> str:
    """Return a part of a family as people write it: a row a line."""
    rows = [f"{key}: {value}" for key, value in part.items()] if isinstance(part, dict) else part
    if isinstance(part, str) or not part:
        return f"{name}: {in_flow(part)}\n"
    return "".join([f"{name}:\n", *(f"  {'' if isinstance(part, dict) else '- '}{row}\n" for row in rows)])


def claims(document: Document) -> Iterator[Claim]:
    """Yield the verdicts of a family and its releases; a verdict common to both has one reason."""
    data = document.data
    system = systems()[document.path.parent.parent.name]
    held, undeclared = split(fingerprints_in(str(data.get("holds", ""))) or (), system.statuses)
    violated = {law for law, status in system.statuses.items() if status.is_violated}
    name = next(name for name, path in families.family_files().items() if path == document.path)
    own_release = data.get("release", system.default_release)
    shared = {**dict.fromkeys(held, Verdict.VALID.value), **_verdicts(data)}
    own_row = name if own_release == system.default_release else f"{name}@{own_release}"
    yield from verdicts_in((), own_row, shared, violated.__contains__)
    yield from (Claim(own_row, mark, Verdict.VALID.value, ()) for mark in undeclared)
    for release, part in (data.get("releases") or {}).items():
        own, row = _verdicts(part or {}), f"{name}@{release}"
        asked = {} if "witnesses" not in (part or {}) else dict.fromkeys(data.get("witnesses") or ())
        inherited = {k: v for k, v in shared.items() if k not in own and k not in asked}
        yield from verdicts_in((), row, inherited, violated.__contains__)
        yield from verdicts_in(("releases", str(release)), row, own, violated.__contains__)


def _verdicts(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        **(row.get("laws") or {}),
        **(row.get("liveness") or {}),
        **dict.fromkeys(row.get("witnesses") or (), "reached"),
    }


def doubts(row: Family, checked: Checked) -> Iterator[str]:
    """Yield why what was found cannot be pinned."""
    exploration, liveness = checked.judged.exploration, checked.judged.liveness
    if checked.differs:
        yield checked.differs
    if not exploration.finished:
        yield f"not all states were visited: {exploration.stopped}"
    if liveness.unjudged:
        yield f"liveness is not judged: {liveness.unjudged}"
    yield from (f"{name} is not judged: {one.undecided}" for name, one in liveness.results.items() if one.undecided)
    yield from idle(exploration.fired)


def changes(row: Family, checked: Checked) -> Iterator[str]:
    """Yield the counts that are to be pinned, in words."""
    found, pins = counts_of(checked.judged.exploration), pins_of(row)
    word = blessings().get(row.row)
    if found != pins or word is None or word.counts != digest_of(found):
        was = "first pinned" if not any(pins) else "as it was" if found == pins else f"was {in_words(pins)}"
        yield f"{in_words(found)} ({was})"


def left_out(rows: Iterable[str]) -> list[str]:
    """Return the rows that were blessed and that are neither among *rows* nor in a file that is damaged."""
    damaged = families.unreadable()
    return [name for name in lost(rows, blessings()) if name.partition("@")[0] not in damaged]


def way_to_count(row: Family) -> str:
    """Return the command that pins a row of the ledger which is not counted yet."""
    return f"oneowner bless {row.row} --reason 'why there is this family'"


FAMILIES = Pins(
    files=families.family_files,
    rows_in=rows_in,
    find=find,
    compare=compare,
    written=written,
    claims=claims,
    doubts=doubts,
    changes=changes,
    lost=left_out,
    seal=lambda row, checked: digest_of(counts_of(checked.judged.exploration)),
    words=blessed_file,
)
