"""The ledger of driven scenarios, ``spec/channel/driven.yaml``: a row for each scenario, release and set of rules."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.documents import Part, read_document
from oneowner.checkers.lab.drive.look import predicted
from oneowner.checkers.lab.drive.outcome import Driven
from oneowner.checkers.lab.drive.plan import Plan
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.verdict import Verdict
from oneowner.checkers.yaml_text import in_flow

LEDGER: Final = PACKAGE / "spec" / "channel" / "driven.yaml"
HEAD: Final = """\
# Scenarios that real brokers were driven through, step by step (docs/lab.md). `oneowner drive --keep` writes it.
#
# `steps` is how many there are, `done` after how many the cluster was as the model says. The verdict is valid if it was
# after each, invalid if they part, unknown if a step could not be brought about. `rules` names what stood for a repair
# in the brokers. `plan` is a digest of what was compared, step by step: a row of another plan is not counted.

"""


@dataclass(frozen=True, slots=True)
class Kept:
    """The outcome of one scenario on one release."""

    scenario: str
    release: str
    rules: tuple[str, ...]
    steps: int
    done: int
    verdict: str
    why: str
    day: str
    plan: str

    @property
    def key(self) -> tuple[str, str, tuple[str, ...]]:
        return self.scenario, self.release, self.rules


def digest(plan: Plan) -> str:
    """Return a digest of eight digits of the comparison with a cluster: each step, with all its observables."""
    lines = [f"{one.action} {sorted(predicted(one.after).items())}" for one in plan.steps]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


def kept_of(driven: Driven, day: str) -> Kept:
    """Return the row of a scenario that was driven on that *day*, written as 2026-11-26."""
    plan = driven.plan
    return Kept(
        plan.name, plan.release, tuple(repair.name for repair in plan.repairs), len(plan.steps), driven.followed,
        driven.verdict.value, driven.why, day, digest(plan),
    )  # fmt: skip


def read_kept(path: Path = LEDGER) -> list[Kept]:
    """Return all rows; raise Misuse, with file and line, for one that does not fit."""
    if not path.exists():
        return []
    return [_kept(part) for part in Part(read_document(path), read_document(path).data or []).items()]


def _kept(part: Part) -> Kept:
    needed, optional = ("scenario", "release", "steps", "done", "verdict", "day", "plan"), ("rules", "why")
    of = part.mapping(needed, optional)
    return Kept(
        of["scenario"].line(),
        of["release"].line(),
        tuple(rule.line() for rule in of["rules"].items()) if "rules" in of else (),
        of["steps"].number(1),
        of["done"].number(),
        of["verdict"].one_of({verdict.value: verdict.value for verdict in Verdict}, "verdict"),
        of["why"].line() if "why" in of else "",
        of["day"].line(),
        of["plan"].line(),
    )


def keep(rows: Iterable[Kept], path: Path = LEDGER) -> None:
    """Write *rows* into the ledger, each in the place of an older one of its scenario, release and rules."""
    all_rows = {row.key: row for row in [*read_kept(path), *rows]}
    lines = [f"- {in_flow(_written(all_rows[key]))}\n" for key in sorted(all_rows)]
    part = path.with_suffix(".part")
    part.write_text(HEAD + "".join(lines), encoding="utf-8")
    part.replace(path)


def _written(row: Kept) -> dict[str, Any]:
    data: dict[str, Any] = {"scenario": row.scenario, "release": row.release}
    if row.rules:
        data["rules"] = list(row.rules)
    data |= {"steps": row.steps, "done": row.done, "verdict": row.verdict}
    if row.why:
        data["why"] = row.why
    return data | {"day": row.day, "plan": row.plan}
