"""
A run of the model is rendered as an operator would find it, a channel dump with a manifest; or as
``checkers/recordings/explain`` reads one.

Times, producers, ledgers and batches are not the model's: they are made up here, as Pulsar would have them
(pulsar-channel 2.1, and the recordings in ``traces/real``).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random

from oneowner.checkers.recordings.explain.model_steps import REGISTRY
from oneowner.checkers.recordings.explain.recording import PublishedRecord, Recording, RegistryStep
from oneowner.checkers.yaml_text import write_document
from oneowner.model.channel.record import NOBODY, SPLITTING, TOMBSTONE, Record, ServiceUnitState
from oneowner.model.channel.rules import Storage
from oneowner.model.pulsar.bundles import RING_END, Range, split
from tools.render.dump_files import START, Json, write, write_bytes
from tools.render.model_runs import Appended, ModelRun

PACE = (20, 90)
"""The milliseconds from one step of the model to the next, at least and at most."""

SKEW = 40
"""The milliseconds that the clock of a broker is ahead of the true one, at most."""

BATCHED = 0.7
"""The probability that two publishes that wait at one producer go into one entry."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """Facts of one run besides its records."""

    run: ModelRun
    keys: tuple[str, ...]
    """The bundle of every unit, parents and children of a split included."""
    messages: list[Json]
    """One for each record of the run, in the same order."""
    entries: int
    """The number of entries that hold more than one record."""
    moments: tuple[int, ...]
    """The time of every step, in epoch milliseconds."""
    ahead: Mapping[int, int]
    """By how many milliseconds the clock of every broker is ahead."""

    @property
    def brokers(self) -> tuple[str, ...]:
        """Their ids, by number from 1."""
        return tuple(broker_id(number) for number in range(1, self.run.bounds.brokers + 1))

    def write(self, folder: Path, messages: list[Json] | None = None) -> Path:
        """Write the run, or other *messages* in the place of its own, as a recorded run."""
        brokers = [{"index": number, "id": name} for number, name in enumerate(self.brokers, 1)]
        manifest = {"scenario": self.run.story, "versions": {"pulsar": "4.0.6"}, "brokers": brokers}
        write_bytes(folder / "manifest.yaml", write_document(manifest).encode())
        write(folder / "channel.jsonl", self.messages if messages is None else messages)
        return folder


def broker_id(number: int) -> str:
    """Return the id of a broker, as the registry has it."""
    return f"10.0.0.{number}:8080"


def rendered(run: ModelRun) -> Rendered:
    """Render *run*; invented details come from its seed."""
    chance = Random(f"rendered {run.story} {run.seed}")
    keys = keys_of(run, chance)
    times = list(accumulate((chance.randint(*PACE) for _ in run.steps), initial=START))
    ahead = {broker: chance.randint(0, SKEW) for broker in range(1, run.bounds.brokers + 1)}
    producers: dict[tuple[int, int], str] = {}
    sequence: dict[str, int] = {}
    numbered: dict[int, int] = {}
    messages: list[Json] = []
    entries = list(entries_of(run, chance))
    for message_ids, batch in entries:
        published = max(times[one.sent] + ahead[one.broker] for one in batch)
        for message_id, one in zip(message_ids, batch, strict=True):
            producer = producers.setdefault((one.broker, one.process), f"standalone-0-{len(producers)}")
            if one.number not in numbered:
                numbered[one.number] = sequence[producer] = sequence.get(producer, -1) + 1
            messages.append({
                "messageId": message_id, "publishTime": published, "eventTime": 0, "producer": producer,
                "sequenceId": numbered[one.number], "key": keys[one.unit - 1],
                "value": value_of(one.record, one.unit, keys, times[one.sent] + ahead[one.broker]),
            })  # fmt: skip
    return Rendered(run, keys, messages, sum(len(batch) > 1 for _, batch in entries), tuple(times), ahead)


def keys_of(run: ModelRun, chance: Random) -> tuple[str, ...]:
    """Return a bundle for every unit: those of a split are cut out of each other, others lie side by side."""
    if run.bounds.splits:
        parent = Range(0x40000000, 0x80000000)
        first, last = split(parent, chance.randint(parent.low + 0x10, parent.high - 0x10))
        ranges = [parent, first, last, *split(first, chance.randint(first.low + 1, first.high - 1))]
        return tuple(f"rig/a/{one!r}" for one in ranges[: run.bounds.units])
    quarters = [Range(low, min(low + 0x40000000, RING_END)) for low in range(0, RING_END, 0x40000000)]
    names = ["rig/a", *(chance.choice(("rig/a", "rig/b")) for _ in quarters[1:])]
    return tuple(f"{name}/{one!r}" for name, one in zip(names, quarters, strict=True))[: run.bounds.units]


def entries_of(run: ModelRun, chance: Random) -> Iterator[tuple[list[str], list[Appended]]]:
    """Yield the entries of the topic with the ids of their messages; a new leader's broker begins a new ledger."""
    elected = [number for number, action in enumerate(run.steps) if action.name == "elect"]
    ledger, place, batch = chance.randint(0, 90), 0, list[Appended]()
    for one, following in zip(run.appended, [*run.appended[1:], None], strict=True):
        batch.append(one)
        if following is not None and waits_behind(batch, following) and chance.random() < BATCHED:
            continue
        in_batch = [f":-1:{number}" for number in range(len(batch))] if len(batch) > 1 else [""]
        yield [f"{ledger}:{place}{end}" for end in in_batch], batch
        place, batch = place + 1, []
        if following is not None and any(one.step < number < following.step for number in elected):
            ledger, place = ledger + chance.randint(1, 40), 0


def waits_behind(batch: list[Appended], following: Appended) -> bool:
    """Return whether a producer may send *following* together with *batch*: it has it by then, and each once."""
    last = batch[-1]
    same = (last.broker, last.process) == (following.broker, following.process)
    once = following.number not in {one.number for one in batch} and not any(one.is_resent for one in batch)
    return same and once and not following.is_resent and following.sent < batch[0].step


def value_of(record: Record, unit: int, keys: tuple[str, ...], time: int) -> Json | None:
    """Return a record as Pulsar writes it: blank brokers left out, the children of a split by range."""
    if record == TOMBSTONE:
        return None
    named = {"dstBroker": record.destination, "sourceBroker": record.source}
    value: Json = {"state": record.state.value}
    value |= {field: broker_id(broker) for field, broker in named.items() if broker}
    if record.state == SPLITTING:
        children = keys[2 * unit - 1 : 2 * unit + 1]
        value["splitServiceUnitToDestBroker"] = {child.rpartition("/")[2]: None for child in children}
    return {**value, "force": record.force, "timestamp": time, "versionId": record.version}


def recording_of(told: Rendered, messages: list[Json]) -> Recording:
    """
    Return the dump *messages* as a channel with its publishers and the steps of the registry.

    A record's time is the step by which it was handed over; one that the run does not have is sent when it arrives.
    """
    run = told.run
    sent = {publish_of(line): one for line, one in zip(told.messages, run.appended, strict=True)}
    publishers = {line["producer"]: one for line, one in zip(told.messages, run.appended, strict=True)}
    numbers = {name: number for number, name in enumerate(told.brokers, 1)}
    latest, records = 0, list[PublishedRecord]()
    for line in messages:
        one = sent.get(publish_of(line))
        latest = max(latest, one.sent) if one is not None else latest
        whose = publishers[line["producer"]]
        record, children = _record(line["value"], numbers), _children(line)
        time = one.sent if one is not None else latest
        records.append(
            PublishedRecord(line["messageId"], time, line["key"], record, whose.broker, whose.process, children,
                    is_sent_again(line, messages))
        )  # fmt: skip
    steps = [
        RegistryStep(f"step {number}", number, action.name, action.argument("broker"))
        for number, action in enumerate(run.steps)
        if action.name in REGISTRY
    ]
    return Recording(run.story, Storage.SYSTEM_TOPIC, told.brokers, tuple(records), tuple(steps), frozenset())


def is_sent_again(line: Json, messages: list[Json]) -> bool:
    """Return whether the same publish comes once more behind *line*: same producer, same sequence id."""
    return publish_of(line) in [publish_of(one) for one in messages[messages.index(line) + 1 :]]


def publish_of(line: Json) -> tuple[str, int]:
    """Return which publish a message is: its producer's name and its sequence id there."""
    return line["producer"], line["sequenceId"]


def _record(value: Json | None, numbers: dict[str, int]) -> Record:
    if value is None:
        return TOMBSTONE
    destination, source = (numbers.get(value.get(field, ""), NOBODY) for field in ("dstBroker", "sourceBroker"))
    return Record(ServiceUnitState(value["state"]), destination, source, value["force"], value["versionId"])


def _children(line: Json) -> tuple[str, ...]:
    ranges = (line["value"] or {}).get("splitServiceUnitToDestBroker", {})
    return tuple(f"{line['key'].rpartition('/')[0]}/{text}" for text in ranges)
