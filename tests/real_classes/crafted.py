"""Results of ``conform`` and ``check-patch`` without Java: what agrees, differs, is gained, is out of reach."""

from typing import Any

from oneowner.checkers.results import Page, Result
from oneowner.checkers.verdict import Verdict


def walked(family: str, verdict: str = "valid", reasons: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a family as the JSON has it; one that is invalid differs after a step."""
    side = {"part": "broker 1, topics of unit 1", "model": "open", "real": ""}
    difference = {"action": "open", "edges": 1, "path": ["open(broker=1, unit=1)"], "sides": [side], "stack": ["at X"],
                  "laws": ["owner-can-serve"]}  # fmt: skip
    return {
        "family": family, "classes": "mine.jar", "release": "4.0.6", "verdict": verdict, "reasons": list(reasons),
        "edges": 2, "walked": 2, "differing": int(verdict == "invalid"), "steps": 3, "seconds": 0.1,
        "actions": [{"action": "open", "edges": 2, "walked": 2}],
        "differences": [difference] if verdict == "invalid" else [],
    }  # fmt: skip


def taken(run: str, ending: str, why: str = "") -> dict[str, Any]:
    """Return a saved run as the JSON has it."""
    return {
        "run": run, "classes": "mine.jar", "release": "4.0.6", "law": "single-server", "breaks": True,
        "ending": ending, "steps": 4, "at": int(ending == "differs"), "action": "open", "why": why, "sides": [],
        "stack": [],
    }  # fmt: skip


def defect(name: str, change: str, why: str = "") -> dict[str, Any]:
    """Return a defect as the JSON has it."""
    return {
        "defect": name, "title": f"Title of {name}", "law": "single-server", "change": change,
        "here": "has", "there": "lacks", "claimed": False, "at": 1, "action": "", "why": why,
    }  # fmt: skip


def conformed(words: str = "words") -> Result:
    rows = [walked("removal"), walked("transfer, brokers=2", "invalid", (words,)), walked("failure", "unknown", ("r",))]
    runs = [taken("no_force/settles", "agrees"), taken(words, "not walked", words), taken("own.yaml", "differs")]
    return Result("conform", Verdict.INVALID, [words], more={"walked": rows, "runs": runs})


def patched(words: str = "words", verdict: Verdict = Verdict.INVALID) -> Result:
    switch = {"switch": "health_check", "here": False, "there": True, "claimed": True, "defects": ["no_force"]}
    method = {"change": "changed", "class": "a.B", "method": "c()V", "missed": ["lambda$c$0()V"]}
    defects = [
        defect("replay_only_owned", "gained"), defect("returned_unit_stays_fenced", "lost"),
        defect("no_force", "undecided", words), defect("split_crash_overlaps", "out of reach", "no repair"),
    ]  # fmt: skip
    more = {"defects": defects, "switches": [switch], "methods": [method], "walked": [walked("removal")]}
    return Result("check-patch", verdict, [words], more=more, page=Page(words))
