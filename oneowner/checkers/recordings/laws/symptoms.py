"""Symptoms are facts of a finding beside its law and its causes, by which the catalogue tells known bugs apart."""

from enum import StrEnum


class Symptom(StrEnum):
    """A fact that a law reports with a finding; conditions of bugs name it (``oneowner/spec/findings``)."""

    AFTER_PAUSE = "served after a pause"
    BACK_AGAIN = "units came back"
    BEHIND_COMPACTION = "served behind a compaction"
    CHANGE_OF_ROLE = "change of role"
    HELD_VERSION = "record of the held version"
    HUNG_LEADER = "former leader hung"
    LOST_SESSION = "session lost"
    LOST_WATCH = "watch not set again"
    SESSION_BACK = "session back"
    STAYED_AWAY = "units stayed away"
    UNREGISTERED = "elected broker not registered"
