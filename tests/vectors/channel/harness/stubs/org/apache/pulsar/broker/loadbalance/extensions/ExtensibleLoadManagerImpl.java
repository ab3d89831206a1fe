package org.apache.pulsar.broker.loadbalance.extensions;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.LoadManager;
import org.apache.pulsar.broker.namespace.LookupOptions;
import org.apache.pulsar.common.naming.ServiceUnitId;
import org.slf4j.Logger;

/** A stub that selects whom it is told to; a broker that is excluded it does not. */
public class ExtensibleLoadManagerImpl {
    public static Optional<String> selected = Optional.empty();

    public static ExtensibleLoadManagerImpl get(LoadManager manager) {
        return new ExtensibleLoadManagerImpl();
    }

    public static boolean debug(ServiceConfiguration config, Logger log) {
        return false;
    }

    public CompletableFuture<Optional<String>> selectAsync(ServiceUnitId bundle, Set<String> excluded, LookupOptions options) {
        return CompletableFuture.completedFuture(selected);
    }
}
