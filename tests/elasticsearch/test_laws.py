"""Single laws of a shard of Elasticsearch, and its releases."""

from oneowner.model.elasticsearch.rules import RELEASES, Rules
from oneowner.model.elasticsearch.state import Mode, State
from oneowner.model.kernel.law import StateLaw
from oneowner.spec.elasticsearch.system import SYSTEM
from tests.cells import where
from tests.elasticsearch.law_cases import AMPLE


def test_target_that_took_over_accepts_only_what_its_source_passes_on() -> None:
    law = SYSTEM.laws_by_name["single-primary-in-term"]
    assert isinstance(law, StateLaw)
    taken = where(State(AMPLE), mode={3: Mode.TAKEN_OVER}, copy_term={3: 1})
    assert law.holds(taken)
    assert law.when(where(taken, mode={1: Mode.RELOCATED}))
    assert not law.when(where(taken, mode={1: Mode.HANDING_OVER}))


def test_releases_mend_one_thing_after_another() -> None:
    kept = [sum(getattr(rules, switch) for switch in Rules.__dataclass_fields__) for rules in RELEASES.values()]
    assert kept == sorted(kept)
