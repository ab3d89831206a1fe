"""``LOAD_REPORT`` judges when a broker reports its load, and when it removes its report."""

from collections.abc import Mapping
from typing import Any

from oneowner.model.balancer.load_reports import Done, Measured, Reporter, Step
from oneowner.model.balancer.report_inputs import Report, ReportSizes, decide, some_report
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.kernel.law import LawKind, Status

CLASS = "ModularLoadManagerImpl.needBrokerDataUpdate"
TOMBSTONE = "BrokerLoadDataReporter.tombstone"
Found = tuple[Reporter, Done | None]


def is_report(asked: Report, found: Found) -> bool:
    return asked.step.measured is not None and asked.step.connected


def is_forced(asked: Report, found: Found) -> bool:
    return is_report(asked, found) and asked.step.force


def is_old(asked: Report, found: Found) -> bool:
    seconds = asked.reporter.seconds
    return is_report(asked, found) and (seconds is None or seconds + asked.step.after > 60 * asked.reporter.minutes)


def has_changed(asked: Report, found: Found) -> bool:
    if not is_report(asked, found) or asked.step.measured is None:
        return False
    last, now, share = asked.reporter.last, asked.step.measured, asked.reporter.threshold / 100
    grown = any(abs(one - other) > one * share for one, other in zip(last[:3], now[:3], strict=True))
    return grown or abs(last.usage - now.usage) > share


def is_steady(asked: Report, found: Found) -> bool:
    it = is_report(asked, found) and not asked.step.force
    return it and not is_old(asked, found) and not has_changed(asked, found)


def is_nearly_the_same(asked: Report, found: Found) -> bool:
    last, now = asked.reporter.last, asked.step.measured
    near = now is not None and all(abs(one - other) < 0.1 for one, other in zip(last, now, strict=True))
    return near and is_report(asked, found) and not is_old(asked, found) and not asked.step.force


def is_lost(asked: Report, found: Found) -> bool:
    return asked.step.fails and found[1] is not None


def changes_bundles(asked: Report, found: Found) -> bool:
    return asked.step.is_mine


def is_pushed(asked: Report, found: Found) -> bool:
    return found[1] == "pushed"


def is_removed(asked: Report, found: Found) -> bool:
    return found[1] == "removed"


def is_removed_in_time(asked: Report, found: Found) -> bool:
    before = asked.reporter.removed
    return is_removed(asked, found) == (before is None or before + asked.step.after >= 10)


def does_nothing(asked: Report, found: Found) -> bool:
    return found[1] is None


def remembers_the_one_before(asked: Report, found: Found) -> bool:
    return found[0].last == asked.reporter.last and found[0].removed != 0


def next_is_made(asked: Report, found: Found) -> bool:
    return is_pushed(asked, decide(Report(found[0], Step(measured=asked.reporter.last))))


def read(row: Mapping[str, Any]) -> Report:
    """Return the input of a fact: the last report, its age, and the measurement or the bundle that changes."""
    measured = None if "now" not in row else Measured(**row["now"])
    known = {"threshold": row.get("threshold", 10.0), "removed": row.get("removed")}
    reporter = Reporter(Measured(**row.get("last", {})), row.get("seconds", 0), **known)
    return Report(reporter, Step(0.0, measured, is_mine=row.get("is_mine", False)))


def told(found: Found) -> Any:
    """Return what the broker does."""
    return found[1]


LOAD_REPORT = Decision(
    "balancer/load-report",
    "When a broker reports its load, and when it removes its report (BrokerLoadDataReporter)",
    ReportSizes,
    some_report,
    decide,
    (
        InputLaw("forced-load-is-reported", "A report that is forced is made.", CLASS, is_forced, is_pushed,
                 kind=LawKind.PROTOCOL),
        InputLaw("old-report-is-renewed", "A report is made if the last one is older than the longest interval, or is"
                 " none.", CLASS, is_old, is_pushed, kind=LawKind.PROTOCOL),
        InputLaw("changed-load-is-reported", "A report is made if messages, bytes or bundles change by more than the"
                 " threshold in per cent, or usage by so many points.", CLASS, has_changed, is_pushed,
                 kind=LawKind.PROTOCOL),
        InputLaw("steady-load-waits", "Else none is made.", CLASS, is_steady, does_nothing, kind=LawKind.PROTOCOL),
        InputLaw("lost-report-counts-for-nothing", "What does not arrive is not remembered as reported, or removed.",
                 "BrokerLoadDataReporter.reportAsync", is_lost, remembers_the_one_before, kind=LawKind.PROTOCOL),
        InputLaw("changed-broker-reports-anew", "After a bundle came or went, the next report is made whatever it"
                 " says.", "BrokerLoadDataReporter.handleEvent", changes_bundles, next_is_made, kind=LawKind.PROTOCOL),
        InputLaw("removal-waits-ten-seconds", "When a bundle came or went, the report is removed, unless that was done"
                 " less than ten seconds ago.", TOMBSTONE, changes_bundles, is_removed_in_time, kind=LawKind.MIRROR),
        InputLaw("tiny-change-waits", "A change by less than a byte a second makes no report. (It does, where there"
                 " was none: from 0 every change is infinite.)", CLASS, is_nearly_the_same, does_nothing,
                 Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("changed-broker-has-no-report", "When a bundle came or went, the broker's report is removed. (Not"
                 " within 10 s of the last removal: a report that was made since stays, and tells of a bundle that"
                 " has gone.)", TOMBSTONE, changes_bundles, is_removed, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    read,
    told=told,
)  # fmt: skip
