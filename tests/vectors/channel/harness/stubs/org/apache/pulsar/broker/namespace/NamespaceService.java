package org.apache.pulsar.broker.namespace;

import org.apache.pulsar.broker.loadbalance.extensions.channel.Channel;
import org.apache.pulsar.common.naming.NamespaceBundle;

/** A stub that prints who it is told of. */
public class NamespaceService {
    public void onNamespaceBundleOwned(NamespaceBundle bundle) {
        Channel.effects.add("owned");
    }

    public void onNamespaceBundleUnload(NamespaceBundle bundle) {
    }
}
