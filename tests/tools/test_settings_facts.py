"""A release's facts of its settings are read from its sources: defaults, documentation with brackets, older names."""

from tools.settings_facts import fields_of, getters_of

SOURCE = """
    @FieldContext(
            category = CATEGORY_LOAD_BALANCER,
            dynamic = true,
            doc = "On: transfer bundles (now "
                    + "or later). -- pre-assigns the broker)"
    )
    private boolean loadBalancerTransferEnabled = true;

    @FieldContext(category = CATEGORY_SERVER, doc = "another")
    private int another = 1;

    @FieldContext(category = CATEGORY_LOAD_BALANCER, minValue = 1, doc = "weight")
    private double loadBalancerBandwithInResourceWeight = 1.0;

    public double getLoadBalancerBandwidthInResourceWeight() {
        if (loadBalancerBandwithInResourceWeight != 1.0) {
            return loadBalancerBandwithInResourceWeight;
        }
        return 1.0;
    }
"""


def test_settings_of_the_load_balancer_are_read_with_their_defaults() -> None:
    assert fields_of(SOURCE) == {
        "loadBalancerTransferEnabled": {"type": "boolean", "default": "true"},
        "loadBalancerBandwithInResourceWeight": {"type": "double", "default": "1.0", "minValue": 1},
    }


def test_setting_is_read_by_every_method_that_returns_it() -> None:
    assert "getLoadBalancerBandwidthInResourceWeight" in getters_of(SOURCE, "loadBalancerBandwithInResourceWeight")
    assert getters_of(SOURCE, "loadBalancerTransferEnabled") == {
        "getLoadBalancerTransferEnabled", "isLoadBalancerTransferEnabled"
    }  # fmt: skip
