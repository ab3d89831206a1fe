"""
Drives, as ``docs/lab.md`` shows them: ``python -m tools.lab_tables`` writes the page's tables from the ledger.

No cluster is started: ``oneowner drive --keep`` has written the ledger. Planning them all takes some seconds.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from oneowner.checkers.lab.drive.by_release import explanations, reasons, tried
from oneowner.checkers.lab.drive.by_release import table as by_release
from oneowner.checkers.lab.drive.ledger import read_kept
from oneowner.checkers.lab.drive.plan import Plan, is_of_channel, plan_of
from oneowner.checkers.lab.drive.report import mended, table
from oneowner.checkers.scenarios.scenario import read_scenario

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "lab.md"
HERE: Final = re.compile(r"(?<=<!-- generated: python -m tools.lab_tables -->\n).*?(?=<!-- end -->)", re.DOTALL)


@cache
def plans(folder: str = "counterexamples") -> dict[str, Plan]:
    """Return every scenario of the channel in a folder of traces, by name, planned for 4.0.6."""
    scenarios = map(read_scenario, sorted((ROOT / "traces" / folder).glob("*/*.yaml")))
    of_channel = (plan_of(scenario, "4.0.6") for scenario in scenarios if is_of_channel(scenario))
    return {plan.name: plan for plan in of_channel}


@cache
def parts() -> tuple[list[str], ...]:
    """Return the lines of each place of the page, in order."""
    return tuple(_parts())


def _parts() -> Iterator[list[str]]:
    kept, seen = read_kept(), tried()
    can = sum(plan.drivable for plan in plans().values())
    other = sum(bool(plan.against) for plan in plans().values())
    yield [
        f"Of {len(plans())} saved counterexamples of the channel {can} can be driven on 4.0.6, and {other} take a way"
        " that it does not: they",
        "follow a bug that it does not have, or what no release speaks. The last column is the ledger's: on which"
        " releases one",
        "was driven whole, with the cluster as the model says after each step, or how far.",
        "",
        *table([*plans().values(), *plans("driven").values()], kept),
    ]
    yield list(mended(kept))
    yield [
        *by_release(seen, kept),
        "",
        "A cell with (*) is a contradiction:",
        "",
        *explanations(seen, kept),
        "",
        "What was not driven to its end, and by what its cell goes:",
        "",
        *reasons(seen, kept),
    ]


def written() -> str:
    """Return the page with its tables as they should be; raise ValueError if it has another number of places."""
    text, wanted = PAGE.read_text(encoding="utf-8"), parts()
    if len(HERE.findall(text)) != len(wanted):
        raise ValueError(f"{PAGE} refused: {len(wanted)} places for tables are needed, each between two comments")
    left = iter(wanted)
    return HERE.sub(lambda _: "\n" + "\n".join(next(left)) + "\n\n", text)


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
