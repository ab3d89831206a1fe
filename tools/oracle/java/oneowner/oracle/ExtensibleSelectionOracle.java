package oneowner.oracle;

import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.set;
import static oneowner.oracle.Rows.texts;
import static org.mockito.Mockito.when;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.extensions.BrokerRegistry;
import org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl;
import org.apache.pulsar.broker.loadbalance.extensions.LoadManagerContext;
import org.apache.pulsar.broker.loadbalance.extensions.data.BrokerLookupData;
import org.apache.pulsar.broker.loadbalance.extensions.filter.BrokerFilter;
import org.apache.pulsar.broker.loadbalance.extensions.strategy.BrokerSelectionStrategy;
import org.apache.pulsar.broker.namespace.LookupOptions;
import org.apache.pulsar.common.naming.NamespaceBundle;
import org.objenesis.ObjenesisStd;

/** ExtensibleLoadManagerImpl.selectAsync; filters do to the map what the line says, in its order. */
public class ExtensibleSelectionOracle {
    @SuppressWarnings("unchecked")
    static <T> T proxy(Class<T> type, InvocationHandler answers) {
        return (T) Proxy.newProxyInstance(ExtensibleSelectionOracle.class.getClassLoader(), new Class<?>[] {type},
                answers);
    }

    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("select_extensible", ExtensibleSelectionOracle::select));
    }

    static void select(JsonNode row, ObjectNode answer) throws Exception {
        Map<String, BrokerLookupData> available = new HashMap<>();
        BrokerLookupData data = new ObjenesisStd().newInstance(BrokerLookupData.class);
        texts(row.get("available")).forEach(name -> available.put(name, data));
        BrokerRegistry registry = proxy(BrokerRegistry.class,
                (self, method, call) -> CompletableFuture.completedFuture(available));
        CountDownLatch called = new CountDownLatch(row.get("filters").size());
        Map<Integer, Runnable> later = new TreeMap<>();
        List<BrokerFilter> filters = new ArrayList<>();
        for (JsonNode told : row.get("filters")) {
            filters.add(proxy(BrokerFilter.class, (self, method, call) -> {
                var brokers = (Map<String, BrokerLookupData>) call[0];
                CompletableFuture<Object> future = new CompletableFuture<>();
                Runnable answers = () -> {
                    if (told.get("fails").asBoolean()) {
                        future.completeExceptionally(new IllegalStateException("the filter fails"));
                    } else {
                        filter(told, brokers.keySet());
                        future.complete(brokers);
                    }
                };
                if (told.get("answers").asInt() == 0) {
                    answers.run();
                } else {
                    later.put(told.get("answers").asInt(), answers);
                }
                called.countDown();
                return future;
            }));
        }
        ServiceConfiguration conf = configuration(row);
        ExtensibleLoadManagerImpl manager = new ObjenesisStd().newInstance(ExtensibleLoadManagerImpl.class);
        set(manager, "brokerRegistry", registry);
        set(manager, "conf", conf);
        set(manager, "context", proxy(LoadManagerContext.class, (self, method, call) -> conf));
        set(manager, "brokerFilterPipeline", filters);
        Set<String> left = new TreeSet<>();
        set(manager, "brokerSelectionStrategy", proxy(BrokerSelectionStrategy.class, (self, method, call) -> {
            left.addAll((Set<String>) call[0]);
            return Optional.empty();
        }));
        NamespaceBundle bundle = Rows.mocked(NamespaceBundle.class);
        when(bundle.toString()).thenReturn("t/n/0x00000000_0xffffffff");
        var found = manager.selectAsync(bundle, texts(row.get("excluded")), LookupOptions.builder().build());
        called.await();
        later.values().forEach(Runnable::run);
        found.get();
        ArrayNode names = answer.putArray("left");
        left.forEach(names::add);
    }

    static void filter(JsonNode told, Set<String> brokers) {
        if (told.has("keeps")) {
            brokers.retainAll(texts(told.get("keeps")));
        }
        if (told.has("counts")) {
            int least = brokers.stream().mapToInt(name -> told.get("counts").path(name).asInt(0)).min().orElse(0);
            brokers.removeIf(name -> told.get("counts").path(name).asInt(0) != least);
        }
    }
}
