"""
``write_perfetto`` writes ownership over time as trace events, for ui.perfetto.dev and chrome://tracing.

A namespace is a process and a unit a thread: its slices are its states with their brokers, its instants the
findings. A broker is a process too: its slices are the units that it owned, as asynchronous events, since it owns many
at once. Times are epoch microseconds. Written as it comes, so that memory is per unit.
"""

import json
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final

from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.report.json import write_out

OWNING: Final = ("Owned", "Splitting")
COLOURS: Final = {
    "Owned": "thread_state_running",
    "Assigning": "thread_state_runnable",
    "Releasing": "thread_state_iowait",
    "Splitting": "thread_state_uninterruptible",
    "Free": "grey",
    "Deleted": "grey",
}
"""Chrome's own names of colours; Perfetto colours by name."""


def write_perfetto(judgement: Judgement, target: str) -> None:
    """Write a judgement with its intervals to the file *target*, or to standard output for ``-``; raise Misuse."""
    write_out(target, lambda stream: write_to(stream, judgement))


def write_to(stream: IO[str], judgement: Judgement) -> None:
    """Write the trace of *judgement* to *stream*, an event a line."""
    stream.write('{"displayTimeUnit": "ms", "traceEvents": [')
    separator = "\n"
    for event in _Trace(judgement).events():
        stream.write(f"{separator}{json.dumps(event)}")
        separator = ",\n"
    stream.write("\n]}\n")


class _Trace:
    """Numbers of processes by name, and of threads by process and name."""

    def __init__(self, judgement: Judgement) -> None:
        self._judgement = judgement
        self._processes: dict[str, int] = {}
        self._threads: dict[tuple[int, str], int] = {}
        self._news: list[dict[str, Any]] = []
        """Events with the names of the last numbers."""
        self._spans = 0

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield all events, each name before its first use."""
        before: dict[tuple[int, int], int] = {}
        for run, interval in self._judgement.lasted():
            place = self._place(run, interval["unit"])
            since = max(interval["from"]["time"], before.get(place, interval["from"]["time"]))
            until = max(since, self._end(run, interval))
            before[place] = until  # publish times may go back, but slices of one thread must not overlap
            yield from self._told()
            yield self._slice(place, interval, since, until)
            if interval["broker"] is not None and interval["state"] in OWNING:
                yield from self._owned(run, interval, since, until)
        for run, finding in self._judgement.found():
            if finding["at"]["time"] is not None:
                instant = self._instant(run, finding)
                yield from self._told()
                yield instant

    def _end(self, run: int, interval: Mapping[str, Any]) -> int:
        if interval["to"] is not None:
            return int(interval["to"]["time"])
        last = self._judgement.runs[run].tally.last_time
        return last if last is not None else int(interval["from"]["time"])

    def _slice(self, place: tuple[int, int], interval: Mapping[str, Any], since: int, until: int) -> dict[str, Any]:
        state, broker = interval["state"], interval["broker"]
        marks = {"from": interval["from"]["messageId"], "to": interval["to"] and interval["to"]["messageId"]}
        return {
            "ph": "X", "name": f"{state} {broker}" if broker else state, "cat": "ownership", "pid": place[0],
            "tid": place[1], "ts": since * 1000, "dur": (until - since) * 1000, "cname": COLOURS.get(state, "grey"),
            "args": {"state": state, "broker": broker, **marks},
        }  # fmt: skip

    def _owned(self, run: int, interval: Mapping[str, Any], since: int, until: int) -> Iterator[dict[str, Any]]:
        process = self._process(self._of(run, f"broker {interval['broker']}"))
        self._spans += 1
        span = {"cat": "broker", "name": interval["unit"], "id": self._spans, "pid": process, "tid": 0}
        yield from self._told()
        yield {"ph": "b", **span, "ts": since * 1000}
        yield {"ph": "e", **span, "ts": until * 1000}

    def _instant(self, run: int, finding: Mapping[str, Any]) -> dict[str, Any]:
        unit = finding["unit"]
        named = {name: finding[name] for name in ("severity", "why", "brokers", "at", "evidence") if name in finding}
        instant = {"ph": "i", "name": finding["law"], "cat": finding["severity"], "args": named}
        instant["ts"] = finding["at"]["time"] * 1000
        if unit is None:
            return instant | {"s": "g", "pid": self._process(self._of(run, "all units")), "tid": 0}
        process, thread = self._place(run, unit)
        return instant | {"s": "t", "pid": process, "tid": thread}

    def _place(self, run: int, unit: str) -> tuple[int, int]:
        """Return the process and the thread of a unit."""
        namespace, _, units_range = unit.rpartition("/")
        process = self._process(self._of(run, namespace))
        if (process, units_range) not in self._threads:
            thread = self._threads[process, units_range] = len(self._threads) + 1
            self._tell("thread_name", process, thread, {"name": units_range})
        return process, self._threads[process, units_range]

    def _of(self, run: int, name: str) -> str:
        return name if len(self._judgement.runs) == 1 else f"{self._judgement.runs[run].run.name}: {name}"

    def _process(self, name: str) -> int:
        if name not in self._processes:
            number = self._processes[name] = len(self._processes) + 1
            self._tell("process_name", number, 0, {"name": name})
        return self._processes[name]

    def _tell(self, what: str, process: int, thread: int, arguments: dict[str, Any]) -> None:
        self._news.append({"ph": "M", "name": what, "pid": process, "tid": thread, "args": arguments})

    def _told(self) -> Iterator[dict[str, Any]]:
        news, self._news = self._news, []
        yield from news
