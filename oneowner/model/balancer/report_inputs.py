"""Inputs of when a broker reports its load: changes about the threshold, and times about the longest and the least."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from oneowner.model.balancer.load_reports import Done, Measured, Reporter, Step, step
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

BEFORE: Final = Measured(100.0, 0.0, 10, 0.5)
NOW: Final = (
    BEFORE, BEFORE._replace(rate=110.0), BEFORE._replace(rate=111.0), BEFORE._replace(throughput=1e-9),
    BEFORE._replace(usage=0.625), BEFORE._replace(bundles=11),
)  # fmt: skip


class Report(NamedTuple):
    """A broker's memory, and a step."""

    reporter: Reporter
    step: Step


@dataclass(frozen=True, slots=True)
class ReportSizes(Bounds):
    """The times of reports."""

    minutes: int = size(15, "after how many minutes a report is renewed", least=1)


def some_report(choose: Choose, sizes: ReportSizes) -> Report:
    """Return a step of a broker that may have reported its load, or removed its report."""
    seconds, removed = (0.0, 60.0 * sizes.minutes, None)[choose(0, 2)], (None, 4.0, 9.0)[choose(0, 2)]
    reporter, after = Reporter(BEFORE, seconds, removed, minutes=sizes.minutes), float(choose(0, 1))
    kind = choose(0, len(NOW) + 1)
    if kind >= len(NOW):
        return Report(reporter, Step(after, is_mine=kind > len(NOW), fails=choose(0, 1) == 1))
    force, away, fails = (choose(0, 1) == 1 for _ in range(3))
    return Report(reporter, Step(after, NOW[kind], force, connected=not away, fails=fails))


def decide(asked: Report) -> tuple[Reporter, Done | None]:
    """Return the broker's memory afterwards, and its action."""
    return step(*asked)
