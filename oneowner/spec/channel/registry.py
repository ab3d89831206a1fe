"""The registry collects every law, witness and lemma of the channel, in the order of the modules that declare them."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from oneowner.model import channel as model
from oneowner.model.kernel.law import Law, LivenessLaw, StateLaw, StepLaw, Witness
from oneowner.model.kernel.lemma import Lemma
from oneowner.model.kernel.refinement import Refinement
from oneowner.model.kernel.system import found_in
from oneowner.spec import channel as laws
from oneowner.spec.channel.log_law import LogLaw

_APART = ("registry", "system")
"""The module that collects the others."""


def modules_of(room: ModuleType) -> tuple[ModuleType, ...]:
    """Return the modules of a folder, by name."""
    names = [module.name for module in iter_modules(room.__path__) if module.name not in _APART]
    return tuple(import_module(f"{room.__name__}.{name}") for name in names)


MODEL = modules_of(model)
SPEC = modules_of(laws)

PROPERTIES: tuple[Law, ...] = found_in(SPEC, (StateLaw, StepLaw))
LIVENESS = found_in(SPEC, LivenessLaw)
WITNESSES = found_in(SPEC, Witness)
LEMMAS = found_in(SPEC, Lemma)
LOG_LAWS = found_in(SPEC, LogLaw)
"""Laws of whole logs, which no family explores: ``checkers/compaction_logs`` judges them."""
REFINEMENTS = found_in(SPEC, Refinement)
