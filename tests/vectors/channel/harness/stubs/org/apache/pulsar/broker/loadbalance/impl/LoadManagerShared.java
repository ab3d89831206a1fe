package org.apache.pulsar.broker.loadbalance.impl;

import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.common.naming.NamespaceBundle;

/** A stub: there is one bundle, and nobody asks what it is. */
public class LoadManagerShared {
    public static NamespaceBundle getNamespaceBundle(PulsarService pulsar, String bundle) {
        return null;
    }
}
