"""The verb ``where``: the bundle that a topic lies in, its owner in a recorded run, and the spread of many topics."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from oneowner.checkers.cli.name_types import RELEASE
from oneowner.checkers.cli.options import common
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.inputs.kinds import AUDIT, LINT, kind_of_file
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.recordings.fold.file_names import is_known
from oneowner.checkers.report.placement_text import placement_lines
from oneowner.checkers.results import Result
from oneowner.checkers.times import moment_ms
from oneowner.checkers.topics.bundle_lists import Boundaries, read_boundaries
from oneowner.checkers.topics.placing import (
    contradictions,
    numbers_that_fit,
    placed,
    spread,
    spread_over,
)
from oneowner.checkers.topics.topic_names import ListedTopic, complete, listed, namespace_of, partitions
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.pulsar.boundaries import MOST_BUNDLES, initial_boundaries, topic_hash
from oneowner.model.pulsar.releases import DEFAULT_RELEASE

BUNDLES_FILE = "bundles.json"
BUNDLES = "defaultNumberOfNamespaceBundles"
COMPARED = (8, 16, 32, 64, 128)
"""Numbers of bundles over which the spread of the same topics is computed, too."""

Row = dict[str, Any]
"""A placement, or a spread, with the keys of the JSON."""


@verb(Section.CLUSTER)
@click.argument("given", nargs=-1, metavar="[TOPIC]... [PATH]")
@click.option(
    "--bundles",
    type=click.IntRange(1, MOST_BUNDLES),
    metavar="N",
    help="Assume N equal bundles, as in a new namespace.",
)
@click.option(
    "--partitions",
    "count",
    type=click.IntRange(1, 100_000),
    metavar="N",
    help="Each TOPIC is partitioned: place its N partitions.",
)
@click.option(
    "--topics",
    "names",
    metavar="FILE",
    help="Place the topics of this file (- is standard input): one name per line, or the output of topics list"
    " or topics partitioned-lookup.",
)
@click.option("--at", metavar="TIME", help="With a recorded run: the time (default: its end).")
@click.option("--release", type=RELEASE, metavar="RELEASE", default=DEFAULT_RELEASE, show_default=True,
              help="Without bundles: assume those of a new namespace in this release.")  # fmt: skip
@common
def where(
    out: Console, on_progress: Callable[[str], None] | None, given: tuple[str, ...], bundles: int | None,
    count: int | None, names: str | None, at: str | None, release: str,
) -> Result:  # fmt: skip
    """Report the bundle of a topic, its owner in a recorded run, and the spread of topics over bundles.

    A topic lies in the bundle whose range contains the CRC-32 of the topic's full name; each partition is hashed by its
    own name. PATH gives the bundles: a recorded run, which also gives their owners, the output of
    `pulsar-admin namespaces bundles`, or a broker.conf. Without PATH the namespace has --bundles equal bundles.

    For several topics the output also gives their spread: the bundles without a topic, the fullest bundle, and the
    spread over other numbers of bundles. A bundle has one owner, so N bundles are served by at most N brokers. Exit
    code 3 if a bundle is unknown, or if the list names two brokers for one bundle.

    \b
      oneowner where my-topic --bundles 4
      oneowner where tenant/ns/orders --partitions 8 --bundles 16
      oneowner where tenant/ns/orders night/ --at 2026-11-21T00:08:00Z
      pulsar-admin topics partitioned-lookup tenant/ns/orders | oneowner where --topics - --bundles 4
    """
    asked, path = _asked(given, names, count)
    if path is not None and bundles is not None:
        raise Misuse(f"where refused: give either --bundles or {path}, which states the bundles")
    if at is not None and (path is None or is_list(path)):
        raise Misuse("--at requires the path of a recorded run")
    is_read = True
    if path is not None and not is_list(path):
        from oneowner.checkers.cli.where_recorded import recorded_rows

        rows, remarks, is_read = recorded_rows(asked, path, None if at is None else moment_ms(at))
        spreads = [_counted(name, some) for name, some in _by_namespace(rows).items() if len(some) > 1]
    else:
        known, remarks = _bundles(path, bundles, release)
        rows, spreads, doubts = _placed(asked, known, path)
        remarks += doubts
    unknown = [row["topic"] for row in rows if row["unit"] is None]
    doubtful = unknown or not is_read or any(one.get("brokersOfBundles") for one in spreads)
    reasons = [*remarks]
    result = Result(
        verb="where", verdict=Verdict.UNKNOWN if doubtful else Verdict.VALID, reasons=reasons,
        more={"topics": rows, "spreads": spreads},
    )  # fmt: skip
    for line in placement_lines(rows, spreads):
        out.print(line)
    for reason in reasons:
        out.print(reason)
    return result


def is_list(path: Path) -> bool:
    """Return whether a path is a file of boundaries or of settings, and no recorded run."""
    is_other = path.is_file() and not is_known(path.name) and kind_of_file(path).verb != AUDIT
    return is_other or path.name == BUNDLES_FILE


def _asked(given: Sequence[str], names: str | None, count: int | None) -> tuple[list[ListedTopic], Path | None]:
    """Return the topics, and the path: the last argument, if it is one."""
    last = given[-1] if given else ""
    is_path = bool(last) and "://" not in last and (Path(last).exists() or last.startswith((".", "/")))
    path = Path(last) if is_path else None
    if path is not None and not path.exists():
        raise Misuse(f"{last}: neither a file nor a directory")
    topics = [ListedTopic(complete(name)) for name in (given[:-1] if is_path else given)]
    if count is not None:
        topics = [ListedTopic(name) for topic in topics for name in partitions(topic.name, count)]
    if names is not None:
        topics += listed(_text(names), "standard input" if names == "-" else names)
    if not topics:
        raise Misuse("where refused: name a topic, such as persistent://tenant/namespace/topic, or give --topics FILE")
    return list(dict.fromkeys(topics)), path


def _text(names: str) -> str:
    try:
        data = sys.stdin.buffer.read() if names == "-" else Path(names).read_bytes()
        return data.decode()
    except OSError as error:
        raise Misuse(f"{names}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Misuse(f"{names}:{error.object[: error.start].count(10) + 1}: not UTF-8") from None


def _bundles(path: Path | None, bundles: int | None, release: str) -> tuple[dict[str, Boundaries], list[str]]:
    """Return the boundaries by namespace, those under an empty name for any, and a remark on their origin."""
    if path is not None and kind_of_file(path).verb != LINT:
        return read_boundaries(path), []
    if bundles is not None:
        return {"": initial_boundaries(bundles)}, []
    from oneowner.checkers.settings.facts import facts_of, releases
    from oneowner.checkers.settings.forms import read_settings

    by, note = judged_release(release, releases(), "settings")
    found = [] if path is None else [one for place in read_settings(path) for one in place.properties]
    told = [one.value.strip() for one in found if one.key == BUNDLES]
    text = told[-1] if told else facts_of(by).settings[BUNDLES].default
    if not text.isdecimal() or not 0 < int(text) <= MOST_BUNDLES:
        raise Misuse(f"{path}: {BUNDLES} refused: {text!r}; a number from 1 to {MOST_BUNDLES} is allowed")
    whose = f"in {path}" if told else f"of {release}"
    remark = f"{text} bundles are the default {whose} ({BUNDLES}); `namespaces bundles` prints those of a namespace"
    return {"": initial_boundaries(int(text))}, [*([note] if note else []), remark]


def _placed(
    asked: Sequence[ListedTopic], known: Mapping[str, Boundaries], path: Path | None
) -> tuple[list[Row], list[Row], list[str]]:
    """Return the placement of each topic, the spread of each namespace that has several, and the doubts."""
    rows, spreads, doubts = list[Row](), list[Row](), list[str]()
    for namespace, topics in _of_namespaces(asked).items():
        boundaries = known.get(namespace, known.get(""))
        if boundaries is None:
            rows += [_row(one, topic_hash(one.name), None) for one in topics]
            doubts.append(f"{path}: no bundles of {namespace} in it; it has {', '.join(sorted(known)[:5])}")
            continue
        some, size = [placed(one, boundaries) for one in topics], len(boundaries) - 1
        rows += [
            _row(one.topic, one.hash, f"{namespace}/{one.bundle!r}", number=one.number + 1, bundles=size)
            for one in some
        ]
        doubts += [
            f"{one.topic.name}: Pulsar finds no bundle for the hash 0xffffffff, although the last one includes it"
            for one in some if not one.is_found
        ]  # fmt: skip
        if len(some) == 1:
            continue
        found, wrong = spread(some, size), contradictions(some)
        spreads.append(_counted(namespace, rows[-len(some) :]) | {
            "bundles": size, "empty": size - found.used,
            "over": [
                {"bundles": n, "used": over.used, "most": over.most}
                for n in COMPARED if n != size for over in [spread_over(topics, n)]
            ],
        })  # fmt: skip
        if wrong:
            spreads[-1]["brokersOfBundles"] = {some_bundle(boundaries, at): brokers for at, brokers in wrong.items()}
            spreads[-1]["fits"] = numbers_that_fit(topics)
    return rows, spreads, doubts


def some_bundle(boundaries: Boundaries, number: int) -> str:
    return f"0x{boundaries[number]:08x}_0x{boundaries[number + 1]:08x}"


def _of_namespaces(topics: Sequence[ListedTopic]) -> dict[str, list[ListedTopic]]:
    found: dict[str, list[ListedTopic]] = {}
    for one in topics:
        found.setdefault(namespace_of(one.name), []).append(one)
    return found


def _by_namespace(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(namespace_of(row["topic"]), []).append(row)
    return found


def _row(topic: ListedTopic, point: int, unit: str | None, **more: Any) -> Row:
    listed_at = {"listedAt": topic.broker} if topic.broker else {}
    return {"topic": topic.name, "hash": f"0x{point:08x}", "unit": unit, **more, **listed_at}


def _counted(namespace: str, rows: Sequence[Row]) -> Row:
    """Return the counts of the topics of one namespace by bundle and by broker."""
    units, brokers = dict[str, int](), dict[str, int]()
    for row in rows:
        if row["unit"] is not None:
            units[row["unit"]] = units.get(row["unit"], 0) + 1
        if broker := row.get("owner") or row.get("listedAt"):
            brokers[broker] = brokers.get(broker, 0) + 1
    return {"namespace": namespace, "topics": len(rows), "used": len(units),
            "units": dict(sorted(units.items())), "brokers": dict(sorted(brokers.items()))}  # fmt: skip
