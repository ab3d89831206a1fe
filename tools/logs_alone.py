"""
Recordings audited with less evidence: ``python -m tools.logs_alone`` writes ``docs/reference/logs-alone.md``.

It takes about a minute, and yields the same bytes each time; a test computes rows anew.
"""

import gzip
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge.audit import audit
from oneowner.checkers.report.broker_names import brokers_of
from oneowner.checkers.report.first_line import first_line, state_of

ROOT: Final = Path(__file__).resolve().parent.parent
RECORDINGS: Final = ROOT / "traces" / "real"
PAGE: Final = ROOT / "docs" / "reference" / "logs-alone.md"
HERE: Final = re.compile(r"(?<=<!-- generated: python -m tools.logs_alone -->\n).*?(?=<!-- end -->)", re.DOTALL)

_LOG: Final = re.compile(r"broker.*\.log(\.gz)?")
_CHANNEL: Final = re.compile(r"(channel|compacted|expectation).*")
_HEAD: Final = re.compile(rb"\d{4}-\d\d-\d\dT\S+ (?:\[[^\]]*\] )?(TRACE|DEBUG|INFO|WARN|ERROR)")
_OF_DEBUG_MODE: Final = re.compile(
    rb"ServiceUnitStateChannelImpl - (?:\S+ received a handle request|\S+ handled (?!Transfer:)|Loaded the service unit"
    rb"|Returned owner request|\S+ is waiting for owner|Already owned child|Namespace bundles|Successfully updated"
    rb"|Started the ownership monitor)|(?:SplitScheduler|UnloadScheduler|NamespaceUnloadStrategy|TransferShedder) - "
)
"""Lines of level INFO that a broker writes in debug mode only."""


class Row(NamedTuple):
    """The answer to an audit."""

    verdict: str
    line: str
    """The first line, without the name of the run."""


def at_info(log: bytes) -> bytes:
    """Return a log as the broker writes it with stock settings: at level INFO, without debug mode."""
    kept, is_kept = list[bytes](), True
    for line in log.split(b"\n"):
        if (head := _HEAD.match(line)) is not None:
            is_kept = head[1] not in (b"TRACE", b"DEBUG") and _OF_DEBUG_MODE.search(line) is None
        if is_kept:
            kept.append(line)
    return b"\n".join(kept).replace(b"loadBalancerDebugModeEnabled=true", b"loadBalancerDebugModeEnabled=false")


def files_of(recording: Path, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a recording that are wanted by name, and their content as it lies there."""
    yield from ((file.name, file.read_bytes()) for file in sorted(recording.iterdir()) if is_wanted(file.name))


def logs_of(recording: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the brokers' logs of a recording, uncompressed."""
    for name, content in files_of(recording, lambda name: _LOG.fullmatch(name) is not None):
        yield name.removesuffix(".gz"), gzip.decompress(content) if name.endswith(".gz") else content


def _of_logs(change: Callable[[bytes], bytes]) -> Callable[[Path], Iterator[tuple[str, bytes]]]:
    return lambda recording: ((name, change(log)) for name, log in logs_of(recording))


Subset = Callable[[Path], Iterable[tuple[str, bytes]]]
SHOWN: Final[Mapping[str, Subset]] = {
    "whole": lambda recording: files_of(recording, lambda name: not name.startswith("expectation")),
    "without the channel": lambda recording: files_of(recording, lambda name: _CHANNEL.fullmatch(name) is None),
    "brokers' logs alone": logs_of,
    "logs alone, INFO": _of_logs(at_info),
}
"""The subsets of the page, by its headings."""


def row(recording: Path, subset: Subset) -> Row:
    """Audit a subset of the files of a recording."""
    with TemporaryDirectory() as folder:
        run = Path(folder) / recording.name
        run.mkdir()
        for name, content in subset(recording):
            (run / name).write_bytes(content)
        result, judgement, _ = audit([str(run)], Options(), "inline", None)
        (one,) = judgement.runs
        told = result.more["incidents"]
        line = first_line(recording.name, one.verdict, told, one.reasons, one.lack, brokers_of(judgement, 0))
        shutil.rmtree(run)
    head = f"{recording.name}: {state_of(one.verdict, bool(told))}"
    words = line.replace(f"{run}/", "").removeprefix(head)
    return Row(str(one.verdict), words.removeprefix(". ").removeprefix(": "))


def recordings() -> list[Path]:
    """Return all recordings."""
    return sorted(folder for folder in RECORDINGS.iterdir() if folder.is_dir())


def lines_of(recording: Path) -> str:
    """Return the lines of the page about one recording."""
    rows = {name: row(recording, subset) for name, subset in SHOWN.items()}
    first = f"[{recording.name}](../../traces/real/{recording.name})"
    shown = [
        f"| {first if not number else ''} | {name} | {found.verdict} | {found.line} |"
        for number, (name, found) in enumerate(rows.items())
    ]
    return "\n".join(shown)


def main() -> None:
    """Write the table into the page."""
    head = "| recording | evidence | verdict | first line, without name and verdict |\n|---|---|---|---|"
    text = "\n" + "\n".join([head, *map(lines_of, recordings())]) + "\n\n"
    PAGE.write_text(HERE.sub(lambda _: text, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
