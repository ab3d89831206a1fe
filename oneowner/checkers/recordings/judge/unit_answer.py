"""The answer about one unit at one time, as its JSON object: owner, record, last move, next moves, open incidents."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.judge.finding_json import Where, cite_json, shortened
from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.recordings.laws.balancing.placements import owner_of
from oneowner.checkers.recordings.laws.views.publishers import publishers
from oneowner.checkers.recordings.owners.claims import last_claim
from oneowner.checkers.recordings.owners.last_move import Move, MoveKind, last_move
from oneowner.checkers.recordings.owners.logged_calls import logged_calls
from oneowner.checkers.recordings.owners.move_causes import CALLS, LATE, MoveCause, causes, missing
from oneowner.checkers.recordings.owners.next_moves import next_moves
from oneowner.checkers.recordings.owners.ownership import ownership_at, parties
from oneowner.checkers.recordings.read.lines import FileKind
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import Citable, cite
from oneowner.checkers.recordings.scene.scene import Scene

Json = dict[str, Any]


def unit_answer(scene: Scene, judgement: Judgement, unit: str, time: int) -> Json:
    """Return the answer about *unit* at *time*; ``owner`` is null where nobody owns it, or where it is unknown."""
    where: Where = partial(judgement.where(), 0)
    owned = ownership_at(scene, unit, time)
    answer: Json = {"unit": unit, "at": time, "state": None, "owner": None, "since": None}
    if owned is None:
        claim = last_claim(scene, unit, time)
        if claim is not None:
            answer["claim"] = _said(claim.words, [claim.evidence], where) | {"broker": claim.broker, "time": claim.time}
        return answer | {"open": _open(judgement, unit, time)}
    move = last_move(scene, owned)
    found = causes(scene, unit, move)
    if not found:
        found = [*_logged(scene, judgement.runs[0].run, unit, move)]
    publisher = publishers(scene)[0].get(owned.first.producer) if isinstance(owned.first, Step) else None
    return answer | {
        "state": owned.state, "owner": owned.owner, "since": owned.since,
        "handOver": parties(owned) or None,
        "record": _cited([owned.first], where)[0],
        "publisher": publisher[0] if publisher else None,
        "move": {
            "kind": move.kind.value, "from": move.before, "to": move.after,
            "begun": move.begun.time, "records": _cited(move.records, where),
            "causes": [_said(one.words, one.evidence, where) | {"time": one.time} for one in found],
            "missing": "" if found else missing(scene, move),
        },
        "next": [_said(one.words, one.evidence, where) for one in next_moves(scene, owned, move, time)],
        "open": _open(judgement, unit, time, move.begun.time),
    }  # fmt: skip


def _said(words: str, evidence: Iterable[Citable], where: Where) -> Json:
    return {"what": words, "evidence": _cited(evidence, where)}


def _cited(evidence: Iterable[Citable], where: Where) -> list[Json]:
    found: list[Json] = shortened({"evidence": [cite_json(cite(one), where) for one in evidence]})["evidence"]
    return found


def _logged(scene: Scene, run: Run, unit: str, move: Move) -> Iterable[MoveCause]:
    """Yield the last admin call before a move that a broker's log has, where no client recorded one."""
    if move.kind not in CALLS or (move.kind == MoveKind.LOCK and move.before is None):
        return
    logs = [(number, piece.path) for number, piece in enumerate(run.pieces) if piece.kind == FileKind.LOG]
    slack = LATE + scene.limits.clock_skew
    known = [one for one in logged_calls(logs, unit) if 0 <= move.begun.time - one.time + slack <= scene.limits.unload]
    for one in known[-1:]:
        broker = owner_of(scene, one.origin.piece) or "a broker"
        line = LogEvent(one.origin, one.time, broker, "admin-call", "", unit, {}, one.text)
        yield MoveCause(f"an administrator asked {broker} for it ({one.text})", one.time, (line,))


def _open(judgement: Judgement, unit: str, until: int, since: int | None = None) -> list[Json]:
    """Return the incidents of the audit that concern the unit: begun by *until*, and not over by *since*."""
    return [
        one
        for one in judgement.incidents()
        if unit in (*one["units"], *one["harmed"])
        and (one["from"] is None or one["from"] <= until)
        and (since is None or one["to"] is None or one["to"] >= since)
    ]
