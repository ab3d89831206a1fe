"""Laws of the classes that settings name: they exist in the release, and fit each other."""

from collections.abc import Iterator
from typing import Final

from oneowner.model.kernel.releases import is_within
from oneowner.spec.settings.conf import (
    AVG,
    FALLS_BACK,
    LEAST_RATE,
    LOADBALANCE,
    OVERLOAD_BY,
    SIMPLE_BY,
    Broken,
    Conf,
    is_foreign,
    is_of,
    manager,
    named,
    near_class,
    no_such,
    setting_law,
    shedder,
)

MANAGER: Final = "loadManagerClassName"
SHEDDER, PLACEMENT = "loadBalancerLoadSheddingStrategy", "loadBalancerLoadPlacementStrategy"
TABLE_VIEW: Final = "loadManagerServiceUnitStateTableViewClassName"
MODULAR: Final = f"{LOADBALANCE}impl.ModularLoadManagerImpl"


@setting_law("LoadManager", lambda conf: not is_foreign(conf, MANAGER))
def load_manager_is_there(conf: Conf) -> Iterator[Broken]:
    """The load manager is a class of the release."""
    if not is_of(conf, named(conf, MANAGER), "manager"):
        witness = no_such(conf, MANAGER, "manager") or f"Pulsar {conf.facts.release} has no such load manager"
        yield Broken((MANAGER,), instead(conf), witness, {MANAGER: near_class(conf, MANAGER, "manager") or MODULAR})


def instead(conf: Conf) -> str:
    """Return the consequence of a load manager that cannot be made."""
    is_replaced = is_within(conf.facts.release, (OVERLOAD_BY, SIMPLE_BY))
    return "SimpleLoadManagerImpl is used instead (#26031)" if is_replaced else "the broker does not start (#26031)"


@setting_law("UnloadScheduler; ModularLoadManagerImpl", lambda conf: manager(conf) in ("modular", "extensible"))
def shedder_fits(conf: Conf) -> Iterator[Broken]:
    """The shedder is one of the load manager that is used."""
    if SHEDDER not in conf.told or is_foreign(conf, SHEDDER):
        return
    name, here = named(conf, SHEDDER), manager(conf)
    if here == "extensible" and not is_of(conf, name, "extensible shedder"):
        repair = f"{LOADBALANCE}{shedder(conf)}"
        follows = "it is no shedder of the extensible load manager: TransferShedder is used instead"
        witness = no_such(conf, SHEDDER, "extensible shedder") or f"{name} is no NamespaceUnloadStrategy"
        yield Broken((SHEDDER, MANAGER), follows, witness, {SHEDDER: repair})
    if here == "modular" and not is_of(conf, name, "shedder"):
        in_use = shedder(conf).rpartition(".")[2]
        follows = f"{in_use} is used instead" if in_use else instead(conf)
        witness = no_such(conf, SHEDDER, "shedder") or f"{name} is no LoadSheddingStrategy"
        near = near_class(conf, SHEDDER, "shedder")
        yield Broken((SHEDDER, MANAGER), follows, witness, {SHEDDER: near} if near else conf.defaults([SHEDDER]))


@setting_law(
    "ModularLoadManagerStrategy; ModularLoadManagerImpl",
    lambda conf: manager(conf) == "modular" and conf.has(PLACEMENT),
)
def placement_fits(conf: Conf) -> Iterator[Broken]:
    """The placement strategy is one of the modular load manager, if that is used."""
    name = named(conf, PLACEMENT)
    if not is_foreign(conf, PLACEMENT) and not is_of(conf, name, "placement"):
        witness = no_such(conf, PLACEMENT, "placement") or f"{name} is no ModularLoadManagerStrategy"
        near = near_class(conf, PLACEMENT, "placement")
        yield Broken(
            (PLACEMENT, MANAGER), instead(conf), witness, {PLACEMENT: near} if near else conf.defaults([PLACEMENT])
        )


@setting_law(
    "ServiceUnitStateChannelImpl.createServiceUnitStateTableView",
    lambda conf: manager(conf) == "extensible" and conf.has(TABLE_VIEW) and not is_foreign(conf, TABLE_VIEW),
)
def table_view_is_there(conf: Conf) -> Iterator[Broken]:
    """The table view of the channel is a class of the release."""
    if not is_of(conf, named(conf, TABLE_VIEW), "table view"):
        follows = "the load manager does not start: the broker unregisters, and is given no bundle"
        witness = (
            no_such(conf, TABLE_VIEW, "table view") or f"{named(conf, TABLE_VIEW)} is no ServiceUnitStateTableView"
        )
        near = near_class(conf, TABLE_VIEW, "table view")
        yield Broken((TABLE_VIEW,), follows, witness, {TABLE_VIEW: near} if near else conf.defaults([TABLE_VIEW]))


@setting_law("ModularLoadManagerImpl; AvgShedder", lambda conf: manager(conf) == "modular" and conf.has(PLACEMENT))
def avg_shedder_does_both(conf: Conf) -> Iterator[Broken]:
    """AvgShedder sheds and places, or does neither."""
    avg, names = AVG, [named(conf, key) for key in (SHEDDER, PLACEMENT)]
    if conf.facts.release == "3.0.7" and names[1] == avg:  # the strategy is compared with another manager's setting
        other = "loadBalancerPlacementStrategy"
        if conf.text(other) != conf.text(SHEDDER):
            witness = f"{conf.text(SHEDDER)} is compared with {other}, {conf.text(other)}"
            yield Broken((PLACEMENT, SHEDDER, other), instead(conf), witness, {other: conf.text(SHEDDER)})
        return
    if names.count(avg) == 1:
        is_placement = names[1] == avg
        if is_placement and conf.facts.release in FALLS_BACK:
            if PLACEMENT in conf.told:  # else its default gives way, as was meant
                follows = "bundles are placed by LeastLongTermMessageRate, and the broker logs a warning"
                yield Broken(
                    (PLACEMENT, SHEDDER),
                    follows,
                    f"{names[0]} sheds",
                    {PLACEMENT: f"{LOADBALANCE}{LEAST_RATE}"},
                )
            return
        follows = instead(conf) if is_placement else "where a bundle was to go is forgotten: another class places it"
        witness = f"{names[0]} sheds, and {names[1]} places"
        key = PLACEMENT if is_placement else SHEDDER
        yield Broken((key, SHEDDER if is_placement else PLACEMENT), follows, witness, conf.defaults([key]))


LAWS: Final = (load_manager_is_there, shedder_fits, placement_fits, table_view_is_there, avg_shedder_does_both)
