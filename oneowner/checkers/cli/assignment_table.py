"""An assignment of Kafka Streams tasks as a table, and known defects of Kafka that it resembles."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from oneowner.model.kafka.batch.keys import UNREAD
from oneowner.model.kernel.batch import Row

LAG: Final = 10_000
"""``acceptable.recovery.lag`` by default."""
AFTER_2_6: Final = "KAFKA-10651, reported of 2.6.0"


class Held(NamedTuple):
    """The tasks of a client, by subtopology."""

    name: str
    active: Mapping[str, list[int]]
    standby: Mapping[str, list[int]]
    before: frozenset[tuple[str, int]]
    """The active tasks that it ran before, if the line gives them."""


def table(row: Row, answer: Row) -> Iterator[str]:
    """Yield each assignment of an answer: tasks by client and subtopology, and active tasks that move."""
    for title, held in assignments(row, answer):
        names = sorted({name for one in held for name in (*one.active, *one.standby)})
        rows = [(title, "active", *names, "tasks")]
        rows += [(one.name, *cells(one, names)) for one in held]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        yield from (
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in rows
        )
        yield from moves(held)


def cells(one: Held, names: list[str]) -> Iterator[str]:
    """Yield the cells of a client: the number of active tasks, its partitions by subtopology, all tasks."""
    yield str(sum(map(len, one.active.values())))
    for name in names:
        parts = [",".join(map(str, one.active.get(name, ())))]
        parts += [f"({','.join(map(str, one.standby[name]))})"] if one.standby.get(name) else []
        yield " ".join(part for part in parts if part) or "-"
    yield str(sum(map(len, (*one.active.values(), *one.standby.values()))))


def moves(held: list[Held]) -> Iterator[str]:
    """Yield the active tasks that another client ran before."""
    owners = {task: one.name for one in held for task in one.before}
    found = [
        f"{name}_{number} from {owners[name, number]} to {one.name}"
        for one in held
        for name, numbers in one.active.items()
        for number in numbers
        if owners.get((name, number), one.name) != one.name
    ]
    if owners:
        yield f"moves: {', '.join(found) or 'none'}"


def assignments(row: Row, answer: Row) -> Iterator[tuple[str, list[Held]]]:
    """Yield the assignments of an answer with titles: of each assignor and rebalance, or of a streams group."""
    if "members" in answer:
        members = {str(one["id"]): one for one in row["members"]}
        before = {name: partitions_of(one.get("active") or {}) for name, one in members.items()}
        yield (
            "member",
            [Held(name, one["active"], one["standby"], before[name]) for name, one in answer["members"].items()],
        )
    series = {"": answer} if "rounds" in answer else {key: one for key, one in answer.items() if isinstance(one, dict)}
    before = {str(one["id"]): tasks(one.get("previous_active") or ()) for one in row.get("clients") or ()}
    for name, found in series.items():
        last = before
        rounds = found.get("rounds", [found])
        for number, one in enumerate(rounds, 1):
            if "clients" not in one:
                continue
            title = " ".join([name] * bool(name) + [f"rebalance {number}"] * (len(rounds) > 1)) or "client"
            yield (
                title,
                [
                    Held(client, grouped(of["active"]), grouped(of["standby"]), last.get(client, frozenset()))
                    for client, of in one["clients"].items()
                ],
            )
            last = {client: tasks(of["active"]) for client, of in one["clients"].items()}


def tasks(names: Any) -> frozenset[tuple[str, int]]:
    """Return tasks that are given as texts: subtopology and partition."""
    return frozenset((name.rpartition("_")[0], int(name.rpartition("_")[2])) for name in names)


def partitions_of(told: Any) -> frozenset[tuple[str, int]]:
    """Return tasks that are given as partitions by subtopology, or as texts."""
    if isinstance(told, dict):
        return frozenset((name, int(number)) for name, numbers in told.items() for number in numbers)
    return tasks(told)


def grouped(names: list[str]) -> dict[str, list[int]]:
    """Return partitions by subtopology."""
    found: dict[str, list[int]] = {}
    for name, number in sorted(tasks(names)):
        found.setdefault(name, []).append(number)
    return found


def known_of(row: Row, answer: Row, release: str) -> Iterator[str]:
    """Yield the known defects of Kafka that an answer resembles."""
    where = f"id {row['id']}: "
    if "members" in answer:
        yield from (where + one for one in of_a_streams_group(row, answer, release))
    lag = next((v for key, v in (row.get("config") or {}).items() if key.lower().startswith("acceptable")), LAG)
    for client in row.get("clients") or ():
        ran = client.get("previous_active") or ()
        late = [task for task, one in (client.get("lags") or {}).items() if task in ran and int(one) > int(lag)]
        for task in late:
            yield where + late_again(client["id"], task, int(client["lags"][task]), int(lag))
    yield from (where + one for one in of_a_series(row, answer, int(lag)))


def of_a_streams_group(row: Row, answer: Row, release: str) -> Iterator[str]:
    """Yield the defects of the broker's assignor that an answer shows."""
    if any(UNREAD in one for one in row["members"]):
        yield (
            f"{UNREAD} of members are not read in {release} (KAFKA-20719): without active or standby tasks a member"
            " counts as one without state, and restores what it is given"
        )
    stateful = [name for name, one in row["subtopologies"].items() if one["stateful"]]
    counts = {
        name: sum(len(one["active"].get(part, ())) for part in stateful) for name, one in answer["members"].items()
    }
    most, least = max(counts, key=lambda one: counts[one]), min(counts, key=lambda one: counts[one])
    if counts[most] - counts[least] > 1:
        yield (
            f"{most} has {counts[most]} stateful tasks and {least} {counts[least]}: the assignor counts tasks, with or"
            " without state (KAFKA-21060)"
        )


def of_a_series(row: Row, answer: Row, lag: int) -> Iterator[str]:
    """Yield the tasks that a client was given in a series, and of which it then reported too large a lag."""
    rounds, given = answer.get("rounds") or [], 0
    if any("lags" not in event for event in row.get("rounds") or () if isinstance(event, dict)):
        return  # which rebalance follows which event depends on the budget
    first = len(rounds) - len(row.get("rounds") or ())
    for event, before in zip(row.get("rounds") or (), rounds[max(first - 1, 0) :], strict=False):
        for client, lags in event.get("lags", {}).items() if isinstance(event, dict) else ():
            active = before.get("clients", {}).get(str(client), {}).get("active", ())
            for task, one in lags.items():
                if task in active and int(one) > lag and given < 1:
                    given += 1
                    yield late_again(client, task, int(one), lag)


def late_again(client: Any, task: str, lag: int, acceptable: int) -> str:
    """Describe a client that was given a task, and reports that it lacks its state."""
    return (
        f"{client} was given {task} and reports a lag of {lag}, more than {acceptable}: as if it had no state of it"
        f" ({AFTER_2_6}), so the task moves back and forth"
    )
