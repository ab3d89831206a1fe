package org.apache.pulsar.broker;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pulsar.broker.loadbalance.LoadManager;
import org.apache.pulsar.broker.namespace.NamespaceService;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.client.admin.PulsarAdmin;

/** A stub: it has what ServiceUnitStateChannelImpl asks for, and nothing happens. */
public class PulsarService {
    static final ScheduledExecutorService IDLE = Executors.newScheduledThreadPool(1, task -> {
        Thread thread = new Thread(() -> { }); // a clean-up that is scheduled never runs
        thread.setDaemon(true);
        return thread;
    });

    public NamespaceService getNamespaceService() {
        return new NamespaceService();
    }

    public BrokerService getBrokerService() {
        return new BrokerService();
    }

    public ServiceConfiguration getConfig() {
        return new ServiceConfiguration();
    }

    public ServiceConfiguration getConfiguration() {
        return new ServiceConfiguration();
    }

    public AtomicReference<LoadManager> getLoadManager() {
        return new AtomicReference<>();
    }

    public ScheduledExecutorService getLoadManagerExecutor() {
        return IDLE;
    }

    public PulsarAdmin getAdminClient() throws PulsarServerException {
        throw new PulsarServerException("no health check passes");
    }
}
