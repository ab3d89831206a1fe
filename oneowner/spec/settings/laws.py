"""``LAWS`` lists what must be true of the settings of a broker."""

from __future__ import annotations

from typing import Final

from oneowner.spec.settings import shedding, splitting, starting
from oneowner.spec.settings.conf import SettingLaw

LAWS: Final[tuple[SettingLaw, ...]] = (*starting.LAWS, *shedding.LAWS, *splitting.LAWS)
