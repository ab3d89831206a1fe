"""``LAWS`` lists the laws of a broker's settings."""

from typing import Final

from oneowner.spec.settings import classes, measures, shedding, splitting, starting
from oneowner.spec.settings.conf import SettingLaw

LAWS: Final[tuple[SettingLaw, ...]] = (*starting.LAWS, *classes.LAWS, *measures.LAWS, *shedding.LAWS, *splitting.LAWS)
