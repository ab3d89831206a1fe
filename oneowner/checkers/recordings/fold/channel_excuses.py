"""Innocent explanations of broken laws of the channel, by the question and the unit alone."""

from oneowner.checkers.recordings.fold.notes import begins_late, begins_surely
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.fold.recorded_law import excuse
from oneowner.checkers.recordings.fold.unit_memory import Unit
from oneowner.checkers.recordings.read.events import CREATE, WRITE, Event, Row
from oneowner.model.channel.record import is_absent


@excuse("a run of which records may be missing (--partial): it only warns")
def partial(question: Question) -> bool:
    return question.partial


@excuse("a one-phase release, which closes everything: it only warns")
def one_phase(question: Question) -> bool:
    return question.one_phase


@excuse("an entry that may have been refused, as the dump begins late: it only warns")
def unsure(question: Question, unit: Unit, row: Row) -> bool:
    is_sure = unit.sure or (unit.written is None and begins_surely(Event(*row).record))
    return not is_sure and not question.is_history


@excuse("a split that began before the dump: its children may have come before, too")
def begun_before(question: Question, unit: Unit, version: int) -> bool:
    return is_absent(unit.held) and begins_late(version)


@excuse("a node that is not known yet: any write is accepted")
def unknown_node(question: Question, unit: Unit, row: Row) -> bool:
    return unit.written is None and row[WRITE] != CREATE
