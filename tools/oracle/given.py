"""``given`` puts an input into the order of the original's maps, which ties and sums follow, by means of its answer."""

from collections.abc import Iterable
from typing import Any

from tools.oracle.drawn.values import Row


def given(row: Row, answer: Row) -> Row:
    """Return the input with its lists in the order of the maps, which is taken out of cycles that were lost."""
    if not any("broker_order" in told for told in answer.get("cycles", ())):
        return row
    cycles = []
    for told, found in zip(row["cycles"], answer["cycles"], strict=True):
        put = {**told, "brokers": ordered(told["brokers"], "id", found["broker_order"])}
        put["bundles"] = ordered(told["bundles"], "name", found["bundle_order"])
        if found.get("score_order", found["broker_order"]) != found["broker_order"]:
            put["score_order"] = found["score_order"]
        cycles.append(put)
        if "error" in found:
            for name in found.keys() - {"error"}:
                del found[name]
    return {**row, "cycles": cycles}


def ordered(rows: Iterable[Row], key: str, names: list[str]) -> list[Any]:
    """Return the rows in the order of *names*; those that it lacks come last."""
    places = {name: place for place, name in enumerate(names)}
    return sorted(rows, key=lambda row: places.get(row[key], len(places)))
