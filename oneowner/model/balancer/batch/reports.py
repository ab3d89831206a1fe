"""Lines that ask when a broker reports its load, in steps; one reporter lives through them."""

from collections.abc import Callable
from typing import Any, Final

from oneowner.model.balancer.batch.extensible import READ, report_of, weights
from oneowner.model.balancer.batch.modular import broker_data
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.load_data import Weights, features
from oneowner.model.balancer.load_reports import EXTENSIBLE, Measured, Reporter, Step, step
from oneowner.model.balancer.local_broker_data import LOAD_RULES, LoadRules, overload
from oneowner.model.kernel.batch import Algorithm, Row

SETTINGS: Final = {
    "loadBalancerReportUpdateThresholdPercentage": "threshold",
    "loadBalancerReportUpdateMaxIntervalMinutes": "minutes",
}


def report_modular(row: Row, rules: LoadRules) -> dict[str, Any]:
    """Return what the modular manager does in each step."""
    counted = weights(row.get("conf") or {}, rules)

    def usage(told: Row) -> float:
        return overload(broker_data({**told, "id": "", "bundles": ()}), counted, rules)

    return {"loads": lived(row, Reporter(), usage)}


def report_extensible(row: Row, rules: None) -> dict[str, Any]:
    """Return what the extensible manager does in each step, with the load and with the heaviest bundles."""
    loads = lived(row, EXTENSIBLE, lambda told: features(report_of(told), Weights(), None).max_usage)
    tops = [
        ("pushed" if told.get("newer") or told.get("force") else None) if "report" in told else done
        for told, done in zip(row["steps"], loads, strict=True)
    ]
    return {"loads": loads, "tops": tops}


def lived(row: Row, reporter: Reporter, usage: Callable[[Row], float]) -> list[str | None]:
    """Return what a reporter does in each step."""
    reporter, answers = configured(reporter, row.get("conf") or {}, SETTINGS), list[str | None]()
    for told in row["steps"]:
        reporter, done = step(reporter, step_of(told, row.get("broker"), usage))
        answers.append(done)
    return answers


def step_of(told: Row, broker: str | None, usage: Callable[[Row], float]) -> Step:
    """Return a step as a line gives it."""
    report, event = told.get("report"), told.get("event") or {}
    measured = None
    if report is not None:
        rate, throughput = (
            float(report.get(f"{one}In", 0)) + float(report.get(f"{one}Out", 0)) for one in ("msgRate", "msgThroughput")
        )
        measured = Measured(rate, throughput, report.get("bundles", 0), usage(report))
    side = {"Releasing": "source", "Splitting": "source", "Owned": "destination"}.get(event.get("state", ""), "")
    is_mine = broker is not None and not event.get("error") and event.get(side) == broker
    flags = (bool(told.get("force")), is_mine, bool(told.get("connected", True)), bool(told.get("fails")))
    return Step(told.get("after_s", 0), measured, *flags)


REPORT_MODULAR: Final = Algorithm(report_modular, LOAD_RULES)
REPORT_EXTENSIBLE: Final = Algorithm(report_extensible, READ)
