"""The owner of a unit and the reason as text: the answer first, then a line for each piece of evidence."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from oneowner.checkers.report.broker_names import BrokerNames
from oneowner.checkers.report.incident_text import sentence
from oneowner.checkers.report.orders import order_for
from oneowner.checkers.times import after, iso

Json = Mapping[str, Any]

BY: Final = {
    "first assignment": "by its first assignment, for a lookup",
    "transfer": "by a transfer from {before}",
    "unload": "after an unload from {before}",
    "deletion": "after a deletion of the bundle, or of its namespace, at {before}",
    "override": "by a forced record, which took it from {before}",
    "given back by force": "by a forced record, which gave it back amid a hand-over",
    "freed by force": "by a forced record, which freed it",
    "split": "by a split",
    "tombstone": "after a tombstone removed its entry",
    "before the recording": "or earlier, for the recording begins with that record",
    "lock": "by its lock",
}
"""The last move in words, by its kind."""
CAUSED: Final = ("transfer", "unload", "deletion", "override", "freed by force", "tombstone")
"""Kinds of moves that have a cause beside their records."""
CAUSES: Final = 3
INCIDENTS: Final = 3
"""Incidents that the text prints, those that last first; the JSON has all."""


def why_lines(answer: Json, brokers: BrokerNames, run: str) -> Iterator[str]:
    """
    Yield the answer in one sentence, then the record, the last move, the next ones, and what is open.

    Commands alone, and a legend, have the long names of brokers.
    """
    said: list[str] = []
    for line in _answer(answer):
        said.append(brokers.shortened(line).replace(f"{answer['unit']} ", "") if said else brokers.shortened(line))
        yield said[-1]
    for one in sorted(answer["open"], key=lambda one: one["ended"] != "lasts")[:INCIDENTS]:
        order = order_for(one, run)
        said.append(brokers.shortened(f"  incident: {sentence(one)} What to do: {order.words}."))
        yield said[-1]
        yield from (f"    {command.text}" for command in order.commands)
    if len(answer["open"]) > INCIDENTS:
        yield f"  ... and {len(answer['open']) - INCIDENTS} more incidents that concern it; --json lists them all"
    if legend := brokers.legend(said):
        yield f"  {legend}"


def _answer(answer: Json) -> Iterator[str]:
    if answer["state"] is None:
        yield from _unrecorded(answer)
        return
    yield _first(answer)
    yield from _record(answer)
    yield from _move(answer["move"], bool(answer["open"]))
    for number, one in enumerate(answer["next"]):
        yield f"  {'next: ' if number == 0 else '      '}{one['what']}{_at(one['evidence'])}"
    if answer["state"] in ("Assigning", "Releasing", "Splitting"):
        yield f"  open: in flight for {(answer['at'] - answer['since']) / 1000:.1f} s"


def _unrecorded(answer: Json) -> Iterator[str]:
    at = iso(answer["at"])
    if "claim" not in answer:
        yield f"{answer['unit']}: unknown at {at}: no record names its owner by then"
        return
    claim = answer["claim"]
    yield (
        f"{answer['unit']}: unknown at {at}, perhaps {claim['broker']}: {claim['what']} at {iso(claim['time'])}"
        f"{_at(claim['evidence'])}"
    )


def _first(answer: Json) -> str:
    move, since = answer["move"], iso(answer["since"])
    how = BY[move["kind"]].format(before=move["from"] or "another broker")
    if answer["owner"]:
        words = f"{answer['owner']} owns it since {since}, {how}"
    elif answer["handOver"]:
        words = f"no broker owns it: it is {answer['handOver']} since {since}"
    else:
        words = f"no broker owns it since {since}, {how}"
    because = f": {move['causes'][0]['what']}" if move["causes"] else ""
    return f"{answer['unit']}: {words}{because}"


def _record(answer: Json) -> Iterator[str]:
    by = f", published by {answer['publisher']}" if answer["publisher"] else ""
    yield f"  by: {answer['record']['text']}{by}{_at([answer['record']])}"


def _move(move: Json, has_incident: bool) -> Iterator[str]:
    records = move["records"]
    if len(records) > 1:
        before = f"from {move['from']}, " if move["from"] else ""
        first, took = records[0]["time"], records[-1]["time"] - records[0]["time"]
        yield f"  move: {move['kind']}, {before}{len(records)} records in {max(0, took) / 1000:.3f} s"
        for number, one in enumerate(records):
            when = f"{after(first, one['time']):>24}" if number else iso(first)
            yield f"    {when}  {one['text']}{_at([one])}"
    for one in move["causes"][:CAUSES]:
        yield f"  why: at {iso(one['time'])} {one['what']}{_at(one['evidence'])}"
    if move["causes"]:
        return
    if move["missing"]:
        yield f"  why: not recorded; to see it, collect {move['missing']}"
    elif move["kind"] in CAUSED:
        more = "; see the incident below" if has_incident else ""
        yield f"  why: no admin call, no decision of the shedder and no end of a broker is recorded for it{more}"


def _at(evidence: Sequence[Json]) -> str:
    if not evidence:
        return ""
    first = evidence[0]
    message = f", message {first['messageId']}" if first["messageId"] else ""
    return f" ({first['file']}:{first['line']}{message})"
