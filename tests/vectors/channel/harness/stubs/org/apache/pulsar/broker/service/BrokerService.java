package org.apache.pulsar.broker.service;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.broker.loadbalance.extensions.channel.Channel;
import org.apache.pulsar.common.naming.NamespaceBundle;

/** A stub that closes topics at once. */
public class BrokerService {
    public CompletableFuture<Integer> unloadServiceUnit(
            NamespaceBundle bundle, boolean disconnect, boolean close, long timeout, TimeUnit unit) {
        Channel.effects.add(disconnect ? "close" : "close and keep clients");
        return CompletableFuture.completedFuture(0);
    }

    public void cleanUnloadedTopicFromCache(NamespaceBundle bundle) {
    }
}
