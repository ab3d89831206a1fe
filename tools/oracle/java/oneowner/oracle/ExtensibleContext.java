package oneowner.oracle;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.extensions.BrokerRegistry;
import org.apache.pulsar.broker.loadbalance.extensions.LoadManagerContext;
import org.apache.pulsar.broker.loadbalance.extensions.data.BrokerLoadData;
import org.apache.pulsar.broker.loadbalance.extensions.data.BrokerLookupData;
import org.apache.pulsar.broker.loadbalance.extensions.data.TopBundlesLoadData;
import org.apache.pulsar.broker.loadbalance.extensions.store.LoadDataStore;

/** What the extensible load manager's parts are given: configuration, load data, the brokers that are registered. */
public class ExtensibleContext {
    @SuppressWarnings("unchecked")
    static <T> LoadDataStore<T> store(Map<String, T> rows) {
        return (LoadDataStore<T>) Proxy.newProxyInstance(ExtensibleContext.class.getClassLoader(),
                new Class<?>[] {LoadDataStore.class}, (self, method, args) -> switch (method.getName()) {
                    case "get" -> Optional.ofNullable(rows.get(args[0]));
                    case "entrySet" -> rows.entrySet();
                    case "size" -> rows.size();
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    /** Return a context with these; a map may be null where nothing asks for it. */
    public static LoadManagerContext of(ServiceConfiguration conf, Map<String, BrokerLoadData> loads,
                                        Map<String, TopBundlesLoadData> bundles, Map<String, BrokerLookupData> there) {
        var registry = (BrokerRegistry) Proxy.newProxyInstance(ExtensibleContext.class.getClassLoader(),
                new Class<?>[] {BrokerRegistry.class}, (self, method, args) -> {
                    if (method.getName().equals("getAvailableBrokerLookupDataAsync")) {
                        return CompletableFuture.completedFuture(there);
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
        return new LoadManagerContext() {
            public ServiceConfiguration brokerConfiguration() {
                return conf;
            }

            public LoadDataStore<BrokerLoadData> brokerLoadDataStore() {
                return store(loads);
            }

            public LoadDataStore<TopBundlesLoadData> topBundleLoadDataStore() {
                return store(bundles);
            }

            public BrokerRegistry brokerRegistry() {
                return registry;
            }
        };
    }
}
