"""
The peer: the first script anyone would write. json.loads and a dictionary of held versions, without our code.

``python tools/bench/bare_loop.py FILE``. Frozen: do not make it faster or slower.
"""

import json
import sys


def main(path: str) -> None:
    """Read a dump, keep the version that every unit holds, count what is not above it."""
    held: dict[str, int] = {}
    events = stale = 0
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            events += 1
            key, value = event["key"], event["value"]
            if value is None:
                held.pop(key, None)
            elif value["versionId"] <= held.get(key, 0):
                stale += 1
            else:
                held[key] = value["versionId"]
    sys.stdout.write(f"{events} events, {len(held)} units, {stale} stale\n")


if __name__ == "__main__":
    main(sys.argv[1])
