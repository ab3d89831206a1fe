"""
Generate and audit: ``python -m tools.random_recordings`` audits random runs of the model, whole and corrupted.

A run must be judged as the model has it: the same intervals, the same records refused, the contract's words broken
at the same records or nowhere. Three in four have the logs of their brokers beside them, with debug mode on
everywhere, nowhere, or at every other broker. Runs in which nothing is broken are then corrupted, in one place each:
that must not pass as valid, unless the model can have the corrupted history too; a corrupted log never may. Whether
the model can is decided by the search that explains recordings of real clusters (``checkers/recordings/explain``).
It gets facts that the audit lacks: the publishers of records, and the times when brokers crashed, registered and
were elected.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count, cycle, islice
from pathlib import Path
from random import Random

from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, judge
from oneowner.checkers.verdict import EXIT_CODES, Verdict
from tools.random_recordings.dump_changes import Messages
from tools.random_recordings.dump_corruptions import KINDS, corrupted
from tools.random_recordings.expected import Expected, expected
from tools.random_recordings.judged import Judged, silently
from tools.random_recordings.log_corruptions import KINDS as LOG_KINDS
from tools.render.broker_logs import debug_of, logs_of, write_logs
from tools.render.channel_dump import Rendered, publish_of, recording_of, rendered
from tools.render.model_runs import STORIES, ModelRun, model_run, with_a_copy

RECORDS = (100, 130)
"""The number of records of a run: the least, and one more than the most."""


DEAD = "assigned-to-the-dead"
"""The model gives units to brokers that are dead and not known to be: the logs show it, and it breaks no law."""


SENT_ONCE = "sent-once"
"""A record that is sent again and accepted once more, after a tombstone (models.H6)."""


class Outcome(StrEnum):
    """The result of a corruption."""

    INVALID = "invalid"
    UNKNOWN = "unknown"
    OWN = "the model's too"
    """Valid, and a run of the model shows it."""
    OPEN = "undecided"
    """Valid; the search for such a run was cut off, or does not find that of the whole dump either."""
    MISSED = "missed"
    """Valid, and no run of the model shows it: a refused record on which nothing is built breaks no law."""


@dataclass(slots=True)
class Tally:
    """The runs of one story, and the reports on them."""

    runs: int = 0
    records: int = 0
    refused: int = 0
    forced: int = 0
    restarts: int = 0
    resent: int = 0
    batches: int = 0
    logs: Counter[str] = field(default_factory=Counter)
    """Runs by the detail of their logs."""
    broken: Counter[str] = field(default_factory=Counter)
    """Runs by the law of the contract that the model itself breaks in them."""
    verdicts: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def add(self, told: Rendered, asked: Expected, verdict: str, differences: list[str]) -> None:
        run = told.run
        self.runs += 1
        self.records += len(run.appended)
        self.refused += len(asked.refused)
        self.forced += any(one.record.force for one in run.appended)
        self.restarts += any(action.name == "restart" for action in run.steps)
        self.resent += any(one.is_resent for one in run.appended[:-1])
        self.batches += told.entries > 0
        self.logs[debug_in_words(told)] += 1
        self.broken.update({law for law, _ in asked.broken})
        self.verdicts[verdict] += 1
        self.differences += [f"{run.story}, seed {run.seed}: {words}" for words in differences]


def long_runs(story: str) -> Iterator[ModelRun]:
    """Yield random runs that have enough records, for ever."""
    for seed in count():
        records = range(*RECORDS)[7 * seed % (RECORDS[1] - RECORDS[0])]
        run = model_run(story, seed, records)
        if len(run.appended) == records:
            yield run


def differences_of(told: Rendered, folder: Path, asked: Expected) -> tuple[Judged, list[str]]:
    """Audit a rendered run with its logs; return the report, and its differences from the model."""
    path, debug = told.write(folder), debug_of(told)
    write_logs(folder, {} if debug is None else logs_of(told, debug))
    judged, shown = silently("audit", path), silently("timeline", path)
    verdict = "invalid" if asked.broken else "valid"
    expected_warnings = set(warned_of(told))
    found = [one["law"] for one in judged.json["findings"] if one["severity"] == "warning"]
    pairs: list[tuple[str, object, object]] = [
        ("verdict", judged.verdict, verdict),
        ("broken laws", judged.violations, asked.broken),
        ("refusals", [at for at, _ in judged.refused], asked.refused),
        ("intervals", shown.json["intervals"], asked.intervals),
        ("warnings", sorted({*found} - expected_warnings), []),
    ]
    return judged, [f"{name}: {said}, not {wanted}" for name, said, wanted in pairs if said != wanted]


def warned_of(told: Rendered) -> Iterator[str]:
    """Yield the laws that warn of the model's behaviour, though nothing is broken."""
    if any(action.name == "crash" for action in told.run.steps):
        yield DEAD
    known: set[int] = set()
    for one in told.run.appended:
        if one.number in known and one.accepted:
            yield SENT_ONCE
        known.add(one.number)


def outcome_of(told: Rendered, messages: Messages, folder: Path) -> tuple[Outcome, bool]:
    """Judge a corrupted dump; return also whether its intervals are still those of the run."""
    path = told.write(folder, messages)
    write_logs(folder, {})
    verdict = silently("audit", path).verdict
    same = silently("timeline", path).json["intervals"] == expected(told).intervals
    if verdict != "valid":
        return Outcome(verdict), same
    return (Outcome.OWN if is_sent_again(told, messages) else searched(told, messages)), same


def log_outcome_of(told: Rendered, kind: str, folder: Path) -> Verdict | None:
    """Judge a run with one of its logs corrupted; None if nothing of that kind can be done to them."""
    debug = debug_of(told)
    logs = None if debug is None else LOG_KINDS[kind](told, logs_of(told, debug), Random(told.run.seed))
    if logs is None:
        return None
    write_logs(told.write(folder), logs)
    return Verdict(silently("audit", folder).verdict)


def is_sent_again(told: Rendered, messages: Messages) -> bool:
    """Return whether one record comes twice, and the model takes the steps of the run with that record sent again."""
    added = [place for place, line in enumerate(messages) if line not in told.messages]
    if len(messages) != len(told.messages) + 1 or len(added) != 1 or added[0] == 0:
        return False
    place = added[0] - 1
    if publish_of(messages[place]) != publish_of(messages[place + 1]):
        return False
    again, records = with_a_copy(told.run, place), [(one.unit, one.record) for one in told.run.appended]
    records.insert(place, records[place])
    return again is not None and [(one.unit, one.record) for one in again.appended] == records


def searched(told: Rendered, messages: Messages) -> Outcome:
    """Search for a run of the model that shows the dump; it proves nothing unless it finds the whole run, too."""
    answer = judge(recording_of(told, messages)).answer
    if answer == Acceptance.ACCEPTED:
        return Outcome.OWN
    if answer == Acceptance.REFUSED and judge(recording_of(told, told.messages)).answer == Acceptance.ACCEPTED:
        return Outcome.MISSED
    return Outcome.OPEN


def round_trip(runs: int, folder: Path, say: Callable[[str], None]) -> Verdict:
    """
    Audit so many runs in which the model breaks no law, corrupt each; audit the others that come up meanwhile.

    Invalid if the audit and the model disagree or a corruption is missed; unknown if one that passes is undecided.
    """
    whole, failing = {story: Tally() for story in STORIES}, {story: Tally() for story in STORIES}
    kept: dict[str, Counter[Outcome]] = {kind: Counter() for kind in KINDS}
    logs_kept: dict[str, Counter[Verdict]] = {kind: Counter() for kind in LOG_KINDS}
    same, missed = 0, list[str]()
    stories = cycle([(story, long_runs(story)) for story in STORIES])
    kinds, log_kinds = cycle(KINDS), cycle(LOG_KINDS)
    while sum(tally.runs for tally in whole.values()) < runs:
        story, source = next(stories)
        told = rendered(next(source))
        asked = expected(told)
        judged, differences = differences_of(told, folder, asked)
        (failing if asked.broken else whole)[story].add(told, asked, judged.verdict, differences)
        if asked.broken:
            continue
        messages = None
        while messages is None:
            kind = next(kinds)
            messages = corrupted(told, kind)
        outcome, is_same = outcome_of(told, messages, folder)
        kept[kind][outcome] += 1
        same += is_same and outcome in (Outcome.OWN, Outcome.OPEN, Outcome.MISSED)
        if outcome in (Outcome.MISSED, Outcome.OPEN):
            missed.append(f"{kind} in {story}, seed {told.run.seed}: {outcome}")
        for kind in islice(log_kinds, len(LOG_KINDS)):
            verdict = log_outcome_of(told, kind, folder)
            if verdict is not None:
                logs_kept[kind][verdict] += 1
                if verdict == Verdict.VALID:
                    missed.append(f"{kind} in the logs of {story}, seed {told.run.seed}: {verdict}")
                break
    for line in lines_of(whole, failing, kept, same):
        say(line)
    wrong = [one for tally in [*whole.values(), *failing.values()] for one in tally.differences]
    for line in [*wrong, *missed]:
        say(line)
    for line in log_lines_of(logs_kept):
        say(line)
    total = sum(kept.values(), Counter[Outcome]())
    if wrong or total[Outcome.MISSED] or any(verdicts[Verdict.VALID] for verdicts in logs_kept.values()):
        return Verdict.INVALID
    return Verdict.UNKNOWN if total[Outcome.OPEN] or not total else Verdict.VALID


HEAD = f"{'runs by story':20} {'runs':>5} {'records':>8} {'refused':>8} {'forced':>7} {'restart':>8} {'sent again':>11}"


def lines_of(
    whole: dict[str, Tally], failing: dict[str, Tally], kept: dict[str, Counter[Outcome]], same: int
) -> Iterator[str]:
    """Yield the tables: the runs, those in which the model itself breaks a law, and the corruptions."""
    yield f"{HEAD} {'batches':>8}  verdicts; logs"
    for story, tally in whole.items():
        yield _row(story, tally)
    yield f"\nruns in which the model itself breaks a law of the contract: {sum(t.runs for t in failing.values())}"
    for story, tally in failing.items():
        if tally.runs:
            laws = ", ".join(f"{law} in {number}" for law, number in sorted(tally.broken.items()))
            yield f"{_row(story, tally)}; {laws}"
    yield f"\n{'corruptions':20} " + " ".join(f"{outcome:>16}" for outcome in Outcome)
    for kind, outcomes in kept.items():
        yield f"{kind:20} " + " ".join(f"{outcomes[outcome]:>16}" for outcome in Outcome)
    total = sum(kept.values(), Counter[Outcome]())
    yield f"{'all':20} " + " ".join(f"{total[outcome]:>16}" for outcome in Outcome)
    yield f"valid, with the intervals of the run as it was: {same}"


def log_lines_of(kept: dict[str, Counter[Verdict]]) -> Iterator[str]:
    """Yield the table of the corruptions of logs."""
    yield f"\n{'corruptions of logs':28} " + " ".join(f"{verdict:>8}" for verdict in Verdict)
    for kind, verdicts in kept.items():
        yield f"{kind:28} " + " ".join(f"{verdicts[verdict]:>8}" for verdict in Verdict)


def debug_in_words(told: Rendered) -> str:
    """Return the detail of a run's logs."""
    debug = debug_of(told)
    if debug is None:
        return "no logs"
    return "debug on" if len(debug) == told.run.bounds.brokers else "debug mixed" if debug else "debug off"


def _row(story: str, tally: Tally) -> str:
    verdicts = ", ".join(f"{verdict} {number}" for verdict, number in sorted(tally.verdicts.items()))
    logs = ", ".join(f"{words} {number}" for words, number in sorted(tally.logs.items()))
    return (
        f"{story:20} {tally.runs:>5} {tally.records:>8} {tally.refused:>8} {tally.forced:>7} {tally.restarts:>8}"
        f" {tally.resent:>11} {tally.batches:>8}  {verdicts}; {logs}{', DIFFERENT' if tally.differences else ''}"
    )


def main() -> int:
    """Print the tables and the verdict, which is the exit code as everywhere; no run at all is unknown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        verdict = round_trip(parser.parse_args().runs, Path(folder), lambda line: print(line, flush=True))
    print(f"{time.process_time() - started:.0f} s of the processor: {verdict}")
    return EXIT_CODES[verdict]
