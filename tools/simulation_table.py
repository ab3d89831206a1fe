"""
The result of each trace with each shedder: ``python -m tools.simulation_table`` writes it into ``docs/simulate.md``.

It takes about a minute, and yields the same bytes each time; a test computes some of its rows anew.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from oneowner.checkers.simulation.run import simulate
from oneowner.checkers.simulation.traces import GENERATORS, Sizes, generated

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "simulate.md"
HERE: Final = re.compile(r"(?<=<!-- generated: python -m tools.simulation_table -->\n).*?(?=<!-- end -->)", re.DOTALL)
STRATEGIES: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "`overload`": ("overload", {}),
    "`threshold`": ("threshold", {}),
    "`threshold`, uneven": ("threshold", {"loadBalancerDistributeBundlesEvenlyEnabled": "false"}),
    "`threshold`, lower boundary": ("threshold", {"lowerBoundarySheddingEnabled": "true"}),
    "`uniform`": ("uniform", {}),
    "`avg`": ("avg", {}),
    "`avg`, uneven": ("avg", {"loadBalancerDistributeBundlesEvenlyEnabled": "false"}),
    "`transfer`": ("transfer", {}),
}
"""By name in the table, a shedder and keys of broker.conf."""


def cell(trace: str, strategy: str) -> str:
    """Return the result of a trace with a strategy: the last cycle with a move, moves and bound, spread at the end."""
    shedder, conf = STRATEGIES[strategy]
    run = simulate(generated(trace, Sizes()), shedder, "4.0.6", conf, Sizes().seed)
    return f"{run.rounds}; {run.moves} of {run.fewest}; {run.points[-1].spread:.3f}"


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"| trace | {' | '.join(STRATEGIES)} |"
    yield "|---" * (len(STRATEGIES) + 1) + "|"
    for trace in GENERATORS:
        yield f"| `{trace}` | {' | '.join(cell(trace, strategy) for strategy in STRATEGIES)} |"


def main() -> None:
    """Write the table into the page."""
    text = "\n" + "\n".join(table()) + "\n\n"
    PAGE.write_text(HERE.sub(lambda _: text, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
