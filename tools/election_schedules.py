"""
Put schedules of the unmodified election of a release to the model, and runs of the model to that class.

    python -m tools.election_schedules --release 2.9.1 --release 4.0.6 --schedules 2000

It needs a JDK and Maven, and fetches 100 MB a release from Maven Central. `tests/vectors/leader_election` lists the
comparisons; `--save` writes a part of the schedules there.
"""

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import actions, step
from oneowner.model.leader_election.state import State
from oneowner.spec.leader_election.schedules import ample, follow_schedule, named

VECTORS: Final = Path(__file__).parent.parent / "tests" / "vectors" / "leader_election"
RELEASES: Final = ("2.9.1", "2.10.5", "3.0.7", "4.0.6")
WEIGHTS: Final = {
    "elect": 8, "close": 2, "carry_out": 24, "answer": 24, "lose": 3, "notify": 16, "expire": 2, "reestablish": 10,
    "reconnect": 2, "timer": 8, "read_value": 2, "restart": 1, "expire_earlier": 4,
}  # fmt: skip
CALM: Final = WEIGHTS | {"close": 0, "lose": 2, "reconnect": 1, "read_value": 0, "restart": 0}
"""Nobody closes, reads or restarts, and a session is only re-established that had ended."""


class Drawing(NamedTuple):
    """The distribution of schedules: their brokers and steps, their disturbances, and their order."""

    brokers: int
    steps: int
    mood: str
    options: tuple[str, ...]


DRAWINGS: Final = (
    Drawing(2, 40, "calm", ()),
    Drawing(2, 60, "wild", ()),
    Drawing(3, 60, "calm", ()),
    Drawing(3, 80, "wild", ("unordered",)),
)


def main() -> None:
    """Read the command line, compare both ways, and print how many are equal; exit with 1 if one is not."""
    parser = argparse.ArgumentParser(prog="python -m tools.election_schedules", description=__doc__.split("\n\n")[0])
    parser.add_argument("--release", choices=RELEASES, action="append", help="default: 2.9.1 and 4.0.6")
    parser.add_argument("--schedules", type=int, default=2000, help="of each release, each way")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, default=Path("build/elections"), help="where jars are kept")
    parser.add_argument("--save", type=int, metavar="COUNT", help="keep so many of each drawing as vectors")
    asked = parser.parse_args()
    unequal = 0
    for release in asked.release or ("2.9.1", "4.0.6"):
        kept: list[str] = []
        for way, lines in (("class", drawn_by_class(release, asked)), ("model", drawn_by_model(release, asked))):
            schedules = [json.loads(line) for line in lines]
            found = [difference_of(schedule, release) for schedule in schedules]
            wrong = [(one["id"], why) for one, why in zip(schedules, found, strict=True) if why]
            unequal += len(wrong)
            steps = sum(len(one["steps"]) for one in schedules)
            said = (
                "schedules of the class are runs of the model"
                if way == "class"
                else "runs of the model are the class's"
            )
            print(f"{release}: {len(found) - len(wrong)} of {len(found)} {said}, {steps} steps", flush=True)
            for name, why in wrong[:3]:
                print(f"  {name}: {why}")
            kept += [line for at, line in enumerate(lines) if at % (asked.schedules // 4) < (asked.save or 0)]
        if asked.save:
            text = "".join(f"{line}\n" for line in kept)
            (VECTORS / f"{release}.jsonl.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    sys.exit(1 if unequal else 0)


def difference_of(schedule: dict[str, Any], release: str) -> str:
    """Return where the schedule leaves the model, or the class refused a step; empty if neither."""
    last = schedule["steps"][-1]
    if "refused" in last:
        return f"step {len(schedule['steps'])}: the class cannot take {last['refused']}"
    difference = follow_schedule(schedule, release)
    return str(difference) if difference else ""


def drawn_by_class(release: str, asked: argparse.Namespace) -> list[str]:
    """Return schedules that the harness draws."""
    lines: list[str] = []
    for number, (brokers, steps, mood, options) in enumerate(DRAWINGS):
        count, seed = str(asked.schedules // len(DRAWINGS)), str(asked.seed + number)
        lines += harness(asked.home, release, ("random", count, seed, str(brokers), str(steps), mood, *options), "")
    return lines


def drawn_by_model(release: str, asked: argparse.Namespace) -> list[str]:
    """Return the results of the class in runs that the model draws."""
    walks = [
        f"{release}-model-{number}-{at} {drawing.brokers} {','.join(drawing.options) or '-'} {' '.join(walk)}\n"
        for number, drawing in enumerate(DRAWINGS, 1)
        for at, walk in enumerate(walks_of(release, drawing, asked.schedules // len(DRAWINGS), asked.seed), 1)
    ]
    return harness(asked.home, release, ("given",), "".join(walks))


def walks_of(release: str, drawing: Drawing, count: int, seed: int) -> Iterator[list[str]]:
    """Yield *count* random runs of the model, as the words of their steps."""
    bounds = ample(drawing.brokers, release, drawing.options)
    weights = CALM if drawing.mood == "calm" else WEIGHTS
    known = [(one, weights[one.name]) for one in actions(bounds) if weights[one.name]]
    draw = random.Random(f"{seed} {drawing}")
    for _ in range(count):
        state = State(bounds)
        words: list[str] = []
        while len(words) < drawing.steps:
            (action,) = draw.choices([one for one, _ in known], [weight for _, weight in known])
            name, broker = named(action)
            if name == "reestablish" and state.live[broker] and (drawing.mood == "calm" or draw.random() < 0.9):
                continue
            try:
                state = step(state, action)
            except Disabled:
                continue
            words.append(f"{name}:{broker}")
        yield words


def harness(home: Path, release: str, arguments: tuple[str, ...], given: str) -> list[str]:
    """Return the lines that the harness prints."""
    command = [str(VECTORS / "harness" / "run.sh"), release, *arguments]
    environment = os.environ | {"ELECTIONS_HOME": str(home.resolve())}
    done = subprocess.run(command, input=given, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"error: the harness of {release} failed: {done.stderr[-500:]}")
    return done.stdout.splitlines()


if __name__ == "__main__":
    main()
