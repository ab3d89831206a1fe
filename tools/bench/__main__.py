"""
``make bench``, or ``python -m tools.bench [audit|engines|scale|logs|others]``: ratios against peers, measured here.

Exit code 1 if an engine or a peer counts something else than our C engine does.
"""

import argparse
import sys
from pathlib import Path

from tools.bench import audit, engines, logs, other_lines, scale
from tools.bench.contenders import beside

parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
parser.add_argument(
    "part",
    nargs="?",
    choices=("audit", "engines", "scale", "logs", "others"),
    help="only this part (default: the first two)",
)
parser.add_argument("--rounds", type=int, default=3, help="rounds; medians are printed (default 3)")
parser.add_argument("--quick", action="store_true", help="small sizes and one round: a look in a few minutes")
parser.add_argument("--records", type=int, default=2_000_000, help="audit: events of the log (default 2,000,000)")
parser.add_argument("--growth", type=int, default=4, help="audit: how many times longer the second log is (default 4)")
parser.add_argument(
    "--sizes", help="scale: events of each log (1000000,10000000,40000000); logs, others: lines (1000000,10000000)"
)
parser.add_argument(
    "--cores", default="1,2", help="scale, logs: on how many cores Spark runs; scale: none if empty (default 1,2)"
)
parser.add_argument("--others", type=int, default=0, help="logs: lines of other loggers for each line (default 0)")
parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="engines: also the C engine of another checkout")
chosen = parser.parse_args()
if chosen.rounds < 1:
    parser.error(f"--rounds {chosen.rounds}: at least 1 is needed")
rounds = 1 if chosen.quick else chosen.rounds
code = 0
if chosen.part in ("scale", "logs"):
    usual = "1000000,10000000,40000000" if chosen.part == "scale" else "1000000,10000000"
    sizes = [int(size) for size in ("200000,400000" if chosen.quick else chosen.sizes or usual).split(",")]
    cores = [int(cores) for cores in chosen.cores.split(",") if cores]
    if chosen.part == "scale":
        scale.bench(sizes, cores, rounds)
    else:
        logs.bench(sizes, cores, rounds, chosen.others)
    sys.exit(code)
if chosen.part == "others":
    other_lines.bench([int(size) for size in ("20000" if chosen.quick else chosen.sizes or "1000000").split(",")])
    sys.exit(code)
if chosen.part != "audit":
    try:
        others = [] if chosen.beside is None else [beside(chosen.beside)]
    except OSError as error:
        parser.error(str(error))
    code = engines.bench(rounds, chosen.quick, others)
if chosen.part != "engines":
    audit.bench(500_000 if chosen.quick else chosen.records, 2 if chosen.quick else chosen.growth, rounds)
sys.exit(code)
