package org.apache.pulsar.broker;

/** A stub with the defaults of broker.conf. */
public class ServiceConfiguration {
    public boolean isLoadBalancerMultiPhaseBundleUnload() {
        return true;
    }

    public long getNamespaceBundleUnloadingTimeoutMs() {
        return 60_000;
    }

    public int getLoadBalancerServiceUnitStateMaxConcurrentOverrides() {
        return 100;
    }

    public int getMetadataStoreOperationTimeoutSeconds() {
        return 30;
    }
}
