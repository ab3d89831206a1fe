"""
Judging many logs: how often each law had an occasion, how often it broke, and its shortest counterexample.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from oneowner.checkers.compaction_logs.alphabets import Drawing
from oneowner.checkers.compaction_logs.growing_logs import FOLLOWED, Course, Courses
from oneowner.model.channel.compaction import Log
from oneowner.model.channel.parts import Message
from oneowner.model.kernel.language import Sequence as LogOf
from oneowner.spec.channel.registry import LOG_LAWS

LAWS = {law.name: law for law in LOG_LAWS}


@dataclass(slots=True)
class Tally:
    """The results of a law on many logs."""

    exercised: int = 0
    broken: int = 0
    shortest: Log | None = None
    """The first of the shortest logs that break it."""

    def add(self, is_broken: bool, log: Sequence[Message]) -> None:
        """Count one log that gives the law an occasion."""
        self.exercised += 1
        if is_broken:
            self.broken += 1
            if self.shortest is None or len(log) < len(self.shortest):
                self.shortest = LogOf(log)


@dataclass(slots=True)
class Judgement:
    """The findings on a set of logs."""

    laws: Mapping[str, Tally] = field(default_factory=lambda: {name: Tally() for name in LAWS})
    logs: int = 0


def judge_every_log(alphabet: Sequence[Message], longest: int) -> Judgement:
    """Judge every log of 1 to *longest* records of *alphabet*, all about one unit, by its readers."""
    judgement, courses, path = Judgement(), Courses(), list[Message]()

    def go_on(before: Course) -> None:
        for message in alphabet:
            course = courses.grown(before, message.record)
            path.append(message)
            count(judgement, (course,), path)
            if len(path) < longest:
                go_on(course)
            path.pop()

    go_on(Course())
    return judgement


def judge_random_logs(seed: int, number: int) -> Judgement:
    """Judge *number* random logs about two units by their readers."""
    judgement, courses, drawing = Judgement(), Courses(), Drawing(seed)
    for index in range(number):
        log = drawing.draw(index)
        units = [Course(), Course()]
        for message in log:
            units[message.unit - 1] = courses.grown(units[message.unit - 1], message.record)
        count(judgement, units, log)
    return judgement


def count(judgement: Judgement, units: Iterable[Course], log: Sequence[Message]) -> None:
    """Count the results of the laws on one log, by the course of each of its units."""
    judgement.logs += 1
    units = tuple(units)
    content = 0
    for unit in units:
        content |= unit.holds
    for name, (excluded, setting, readers) in FOLLOWED.items():
        if not content & excluded:
            broken = any(getattr(getattr(unit, setting), readers) for unit in units)
            judgement.laws[name].add(broken, log)


def judge_as_written(logs: Iterable[Log], names: Iterable[str] = tuple(LAWS)) -> Judgement:
    """Judge logs by the laws as they are written: a thousand times slower, and nothing to be mistaken in."""
    judgement, chosen = Judgement(), tuple(names)
    for log in logs:
        judgement.logs += 1
        for name in chosen:
            law = LAWS[name]
            if law.when(log):
                judgement.laws[name].add(not law.holds(log, law.setting), log)
    return judgement


def every_log(alphabet: Sequence[Message], longest: int) -> Iterable[Log]:
    """Yield every log of 1 to *longest* records of *alphabet*, in the order of ``judge_every_log``."""
    for message in alphabet:
        yield LogOf((message,))
        if longest > 1:
            for log in every_log(alphabet, longest - 1):
                yield LogOf((message, *log))
