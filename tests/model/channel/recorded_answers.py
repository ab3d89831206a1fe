"""The lines of ``tests/vectors/channel``: the answers of Pulsar's own classes, and the model's beside them."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

from oneowner.model.channel.leader_inputs import News, Orphan, Seen, judged, monitored, overridden
from oneowner.model.channel.orphans import takes_part
from oneowner.model.channel.parts import Metadata
from oneowner.model.channel.record import FREE, NOBODY, TOMBSTONE, Record, ServiceUnitState, is_active, is_in_flight
from oneowner.model.channel.record_inputs import can_be_held, meant, shapes
from oneowner.model.channel.releases import RELEASES
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.step_inputs import (
    CLOSES,
    FAILS,
    GONE,
    KEEPS_CLIENTS,
    WAITS,
    Asked,
    Duty,
    Event,
    answered,
    handled,
)
from tests.packed_vectors import text_of

STORAGES = {"SystemTopic": Storage.SYSTEM_TOPIC, "MetadataStore": Storage.METADATA_STORE}
BROKERS = {"-": NOBODY, "a": 1, "b": 2, "c": 3}
OLD_ENOUGH = "7200s"
"""The age at which the model's monitor, which has no clock, may take every action."""


@cache
def lines(release: str) -> tuple[tuple[str, str], ...]:
    """Return question and answer of every line."""
    text = text_of(f"channel/{release}.txt.gz")
    return tuple(
        (asked, answer) for asked, _, answer in (line.rpartition(": ") for line in text.splitlines() if ": " in line)
    )


def record(words: str) -> Record:
    """Return the record of words such as ``Owned a - force v7``."""
    if words == "nothing":
        return TOMBSTONE
    state, destination, source, *rest = words.split()
    version = int(rest[-1][1:]) if rest else 1
    return Record(ServiceUnitState(state), BROKERS[destination], BROKERS[source], "force" in rest, version)


def put(effects: str) -> tuple[Record, ...]:
    """Return the records that effects publish; a tombstone is nothing."""
    writes = [effect for effect in effects.split("; ") if effect.startswith("put ") or effect == "tombstone"]
    return tuple(TOMBSTONE if effect == "tombstone" else record(effect.removeprefix("put ")) for effect in writes)


def numbers(letters: str) -> tuple[int, ...]:
    return tuple(BROKERS[letter] for letter in letters if letter in "ab")


# ---- each kind of line: what the model answers, and what is written ----

Pair = tuple[object, object]


def resolved(release: str, asked: str, bits: str) -> Iterator[Pair]:
    """Yield the model's answer and Pulsar's to every record that may follow the held one of a line."""
    storage, versions, words = asked.split(" ", 2)
    before, after = versions.split(">")
    held = record(words)
    held = held._replace(version=int(before)) if before else held
    of_old = [it for it in shapes(2) if it.state != FREE or it.destination or it.source]
    proposed = [
        it._replace(force=force, version=int(after))
        for it in (shapes(2) if RELEASES[release].free_names_nobody and release[0] == "4" else of_old)
        for force in (False, True)
    ]
    every, tombstone = bits.split()
    assert len(every) == len(proposed)
    for then, bit in zip([*proposed, TOMBSTONE], every + tombstone, strict=True):
        if bit != "!":
            yield refusal(held, then, STORAGES[storage], rules=RELEASES[release]) is None, bit == "1"


def answer_pairs(asked: str, answer: str) -> Iterator[Pair]:
    now, assigned = re.fullmatch(r"now (\S+), assigned (\S+)", answer).groups()  # type: ignore[union-attr]
    meaning = meant(record(asked))
    if now != "!":
        yield meaning.owner, BROKERS.get(now, NOBODY)  # in flight: unknown
    if assigned != "!":
        yield meaning.assigned, BROKERS[assigned]


def followed(asked: str, answer: str) -> Iterator[Pair]:
    held = TOMBSTONE if asked == "nothing" else record(f"Owned a - v{asked}")
    yield meant(held).next_version, int(answer)


def is_for_nobody(held: Record) -> bool:
    """An Assigning without a destination, which nobody writes."""
    return held.state == ServiceUnitState.ASSIGNING and held.destination == NOBODY


def looked_up(asked: str, answer: str) -> Iterator[Pair]:
    """The load manager fails where it does not find the broker of the answer (``getBrokerLookupData``)."""
    storage, itself, letters, words = asked.split(" ", 3)
    listed = numbers(letters)
    named = {"waits": WAITS, "fails": FAILS}.get(answer) or BROKERS.get(answer, NOBODY)
    if isinstance(named, int) and named != NOBODY and named not in listed:
        named = FAILS
    held = record(words)
    if answer in "-ab" and not is_for_nobody(held) and held.destination != BROKERS["a"]:
        yield meant(held).has_no_owner, answer == "-"
    if answer != "!":
        yield answered(Asked(Storage(storage), itself == "registered", listed, record(words))), named


def did(asked: str, answer: str) -> Iterator[Pair]:
    started, words = asked.split(" ", 1)
    closes = KEEPS_CLIENTS if "close and keep clients" in answer else CLOSES if "close" in answer else ""
    if can_be_held(record(words)):
        yield handled(Event(started == "disabled", record(words))), Duty(closes, put(answer), "owned" in answer)


def cleaned(asked: str, answer: str) -> Iterator[Pair]:
    yield overridden(Orphan("4.0.6", record(asked), 3, False)), put(answer)


def gave(asked: str, answer: str, release: str = "4.0.6") -> Iterator[Pair]:
    """Only what a clean-up of b asks for is asked of the model: entries that name b, and another broker selected."""
    selected, words = asked.split(" ", 1)
    if takes_part(record(words), GONE) and BROKERS[selected] != GONE:
        yield overridden(Orphan(release, record(words), BROKERS[selected], False)), put(answer)


def watched(asked: str, answer: str) -> Iterator[Pair]:
    """Of two brokers that are missing Pulsar sees to the source first; the model's monitor may begin with either."""
    age, letters, words = asked.split(" ", 2)
    if age == OLD_ENOUGH and can_be_held(record(words)):
        found = monitored(Seen("4.0.6", record(words), numbers(letters)))
        clean_ups = numbers("".join(re.findall(r"clean up (\w)", answer)))
        yield set(clean_ups) <= set(found.clean_ups), True
        yield bool(found.clean_ups), bool(clean_ups)
        yield found.deletes, "tombstone" in answer
        yield found.publishes[-1:], tuple(it for it in put(answer) if it != TOMBSTONE)


def notice_pairs(asked: str, answer: str) -> Iterator[Pair]:
    _, leader, event, age, _ = asked.split()
    metadata = Metadata.UNSTABLE if event == "SessionLost" else Metadata.JITTERY if age == "0s" else Metadata.STABLE
    yield judged(News(leader == "c", metadata, False, False, False)), answer == "clean up b"


KINDS: dict[str, Callable[[str, str], Iterator[Pair]]] = {
    "entry": answer_pairs, "version": followed, "lookup": looked_up, "event": did, "clean-up": cleaned,
    "override at-once": gave, "monitor": watched, "deleted": notice_pairs,
}  # fmt: skip


def compared(release: str, kinds: list[str]) -> tuple[Counter[str], list[str]]:
    """Return how many answers of each kind were compared, and the questions to which the model answers otherwise."""
    count: Counter[str] = Counter()
    unlike = []
    for asked, answer in lines(release):
        for kind in kinds:
            if kind == "resolver" and asked.startswith(tuple(STORAGES)):
                pairs = resolved(release, asked, answer)
            elif kind == "former-override" and asked.startswith(kind):
                pairs = gave(asked.removeprefix(f"{kind} "), answer, release)
            elif kind in KINDS and asked.startswith(f"{kind} "):
                pairs = KINDS[kind](asked.removeprefix(f"{kind} "), answer)
            else:
                continue
            for ours, theirs in pairs:
                count[kind] += 1
                if ours != theirs:
                    unlike.append(f"{asked}: {ours}; Pulsar answers {theirs}")
    return count, unlike


def classes(release: str) -> Iterator[Pair]:
    """Yield of every state whether it is active and in flight."""
    text = text_of(f"channel/{release}.txt.gz")
    for state, active, in_flight in re.findall(r"state (\w+) active (\d) in-flight (\d)", text):
        it = Record(ServiceUnitState(state), 1, 1)
        yield (is_active(it), is_in_flight(it)), (active == "1", in_flight == "1")
