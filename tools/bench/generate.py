"""
Generate a channel dump: units that are assigned, transferred, unloaded and tombstoned for ever, with lost races.

``python -m tools.bench.generate FILE --records 2000000 --units 5000``. Same arguments, same bytes. With ``--skewed``
one namespace has four fifths of the units.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

START = 1_795_218_600_000
BROKERS = [f"10.0.{number // 250}.{number % 250}:8080" for number in range(12)]


def records(count: int, units: int, seed: int = 1, skewed: bool = False) -> Iterator[str]:
    """Yield *count* lines; about one record in forty loses its race and is refused."""
    rng = random.Random(seed)
    bundles = max(1, units // 50)
    most = units * 4 // 5 if skewed else 0
    keys = [f"tenant-x/ns-x/{bundle(number, most)}" for number in range(most)] + [
        f"tenant-{number // bundles // 10}/ns-{number // bundles}/{bundle(number % bundles, bundles)}"
        for number in range(units - most)
    ]
    chains: list[tuple[str, str, str, int]] = [("nothing", "", "", 0)] * units
    sent = Counter[str]()
    time = START
    for entry in range(count):
        number = rng.randrange(units)
        time += rng.randrange(3)
        before = chains[number]
        after = following(before, rng)
        if after[0] == "nothing":
            value = "null"
        elif rng.random() < 0.025 and before[0] != "nothing":
            after, value = before, payload(rival(before, rng), time)
        else:
            value = payload(after, time)
        chains[number] = after
        producer = f"cluster-{publisher(after, rng)}-0"
        sequence, sent[producer] = sent[producer], sent[producer] + 1
        yield (
            f'{{"messageId":"0:{entry}","publishTime":{time},"eventTime":0,"producer":"{producer}",'
            f'"sequenceId":{sequence},"key":"{keys[number]}","value":{value}}}\n'
        )


def publisher(record: tuple[str, str, str, int], rng: random.Random) -> int:
    """Return the number of the broker that publishes *record*: the only one that may, or any."""
    state, destination, source, _ = record
    if state == "Owned":
        return BROKERS.index(destination)
    if source and state in ("Free", "Assigning"):
        return BROKERS.index(source)
    return rng.randrange(len(BROKERS))


def bundle(number: int, bundles: int) -> str:
    """Return the range of one of *bundles* equal bundles."""
    step = 0x1_0000_0000 // bundles
    low = number * step
    high = 0xFFFFFFFF if number == bundles - 1 else low + step
    return f"0x{low:08x}_0x{high:08x}"


def following(chain: tuple[str, str, str, int], rng: random.Random) -> tuple[str, str, str, int]:
    """Return the next legal (state, destination, source, version) of a unit."""
    state, destination, source, version = chain
    if state in ("nothing", "Free"):
        if state == "Free" and rng.random() < 0.2:
            return "nothing", "", "", 0
        return "Assigning", rng.choice(BROKERS), "", version + 1
    if state == "Assigning":
        return "Owned", destination, source, version + 1
    if state == "Owned":
        other = rng.choice(BROKERS)
        return "Releasing", "" if other == destination else other, destination, version + 1
    return ("Assigning" if destination else "Free"), destination, source, version + 1


def rival(chain: tuple[str, str, str, int], rng: random.Random) -> tuple[str, str, str, int]:
    """Return a record that loses against *chain*, because somebody else was first."""
    state, _, _, version = chain
    return "Assigning", rng.choice(BROKERS), "", version if state != "Free" else version - 1


def payload(record: tuple[str, str, str, int], time: int) -> str:
    """Return the record's JSON as Pulsar writes it."""
    state, destination, source, version = record
    dst = f'"dstBroker":"{destination}",' if destination else ""
    src = f'"sourceBroker":"{source}",' if source else ""
    return f'{{"state":"{state}",{dst}{src}"force":false,"timestamp":{time},"versionId":{version}}}'


def write(path: Path, count: int, units: int, skewed: bool = False) -> None:
    """Write a dump of *count* records to *path*."""
    with path.open("w", encoding="ascii") as stream:
        stream.writelines(records(count, units, skewed=skewed))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--records", type=int, default=2_000_000)
    parser.add_argument("--units", type=int, default=5_000)
    parser.add_argument("--skewed", action="store_true", help="four fifths of the units in one namespace")
    chosen = parser.parse_args()
    write(chosen.file, chosen.records, chosen.units, chosen.skewed)
