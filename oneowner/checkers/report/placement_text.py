"""Topics in their bundles as text: a line each, then the spread of each namespace."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from oneowner.checkers.times import iso

Json = Mapping[str, Any]

SHOWN: Final = 100
"""Topics that the text prints; the JSON has all."""
FULLEST: Final = 3
"""Bundles whose names the text prints."""


def placement_lines(rows: Sequence[Json], spreads: Sequence[Json]) -> Iterator[str]:
    """Yield the answer: of one topic its bundle, of several the spread, and then each topic."""
    if len(rows) == 1:
        yield _sentence(rows[0])
        return
    for spread in spreads:
        yield from _spread(spread)
    for row in rows[:SHOWN]:
        yield f"  {_sentence(row)}"
    if len(rows) > SHOWN:
        yield f"  ... and {len(rows) - SHOWN} more topics; --json lists them all"


def _sentence(row: Json) -> str:
    if row["unit"] is None:
        return f"{row['topic']}: its bundle is unknown (hash {row['hash']})"
    of = f", bundle {row['number']} of {row['bundles']}" if "bundles" in row else ""
    there = f"{row['topic']}: {row['unit']} (hash {row['hash']}{of})"
    return f"{there}{_owned(row)}" + (f"; listed at {row['listedAt']}" if "listedAt" in row else "")


def _owned(row: Json) -> str:
    if "state" not in row:
        return ""
    since = f" since {iso(row['since'])}"
    if row["owner"]:
        return f"; {row['owner']} owns it{since} ({row['state']})"
    hand_over = row.get("handOver")
    return f"; {hand_over}{since} ({row['state']})" if hand_over else f"; no broker owns it{since} ({row['state']})"


def _spread(spread: Json) -> Iterator[str]:
    counts = [*spread["units"].values()]
    if not counts:
        yield f"{spread['topics']} topics of {spread['namespace']}: their bundles are unknown"
        return
    few, most, placed = min(counts), max(counts), sum(counts)
    of = f" of the {spread['bundles']}" if "bundles" in spread else ""
    each = f"{most} in each" if few == most else f"{few} to {most} in each"
    plural = "s" if of or spread["used"] > 1 else ""
    yield (
        f"{spread['topics']} topics of {spread['namespace']} are in {spread['used']}{of} bundle{plural}, {each};"
        f" the fullest has {100 * most / placed:.0f} %{_names(spread['units'], most)}"
    )
    if brokers := spread["brokers"]:
        told = ", ".join(f"{broker} has {count}" for broker, count in brokers.items())
        yield f"  {len(brokers)} broker{'s' if len(brokers) > 1 else ''}: {told}"
    if "bundles" in spread:
        yield f"  each bundle has one owner, so at most {spread['used']} brokers serve these topics"
        if over := [*_over(spread["over"])]:
            yield f"  with other numbers of equal bundles: {'; '.join(over)}"
    yield from _wrong(spread)


def _names(units: Mapping[str, int], most: int) -> str:
    names = [unit.rpartition("/")[2] for unit, count in units.items() if count == most]
    return f": {', '.join(names)}" if len(names) <= FULLEST else ""


def _over(others: Sequence[Json]) -> Iterator[str]:
    """Yield the spread over other numbers of bundles; numbers with equal results stand together."""
    for (used, most), some in groupby(others, lambda one: (one["used"], one["most"])):
        numbers = " or ".join(str(one["bundles"]) for one in some)
        yield f"{numbers}: in {used}, at most {most} in each"


def _wrong(spread: Json) -> Iterator[str]:
    wrong: Mapping[str, Sequence[str]] = spread.get("brokersOfBundles", {})
    for bundle, brokers in list(wrong.items())[:FULLEST]:
        yield (
            f"  {bundle} is listed at {' and '.join(brokers)}, and a bundle has one owner: the namespace has other"
            " bundles, or this one moved while the list was made"
        )
    if wrong:
        fits = ", ".join(map(str, spread["fits"]))
        yield f"  the list fits {fits} equal bundles" if fits else "  the list fits no number of equal bundles"
        yield f"  `pulsar-admin namespaces bundles {spread['namespace']}` prints the real ones: give its output as PATH"
