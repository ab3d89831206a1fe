package oneowner.oracle;

import static oneowner.oracle.Calls.BALANCE;
import static oneowner.oracle.Calls.call;
import static oneowner.oracle.Calls.type;
import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.set;
import static oneowner.oracle.Rows.texts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.LoadData;
import org.apache.pulsar.broker.loadbalance.impl.LoadManagerShared;
import org.apache.pulsar.policies.data.loadbalancer.LocalBrokerData;

/** The filters by settings, each on its own: most topics, latest version, load manager class. */
public class FiltersOracle {
    static final Class<?> BROKER_DATA = type("org.apache.pulsar.policies.data.loadbalancer.BrokerData",
            "org.apache.pulsar.broker.BrokerData");
    static final Class<?> BUNDLE_DATA = type("org.apache.pulsar.policies.data.loadbalancer.BundleData",
            "org.apache.pulsar.broker.BundleData");
    static final Class<?> LOOKUP_DATA = type(BALANCE + "extensions.data.BrokerLookupData");

    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("filters", FiltersOracle::filters));
    }

    interface Filter {
        Iterable<?> kept() throws Exception;
    }

    static void filters(JsonNode row, ObjectNode answer) throws Exception {
        ServiceConfiguration conf = configuration(row);
        LoadData data = new LoadData();
        for (JsonNode told : row.get("brokers")) {
            data.getBrokerData().getClass().getMethod("put", Object.class, Object.class)
                    .invoke(data.getBrokerData(), told.get("id").asText(), brokerData(told));
        }
        told(row, answer, "modular_topics", () -> {
            Set<String> kept = texts(row.get("candidates"));
            LoadManagerShared.filterBrokersWithLargeTopicCount(kept, data, conf.getLoadBalancerBrokerMaxTopics());
            return kept;
        });
        modular(row, answer, "modular_version", "impl.BrokerVersionFilter", data, conf);
        modular(row, answer, "modular_load_manager", "impl.BrokerLoadManagerClassFilter", data, conf);
        if (LOOKUP_DATA != null) {
            extensible(row, answer, "extensible_topics", "BrokerMaxTopicCountFilter", conf);
            extensible(row, answer, "extensible_version", "BrokerVersionFilter", conf);
            extensible(row, answer, "extensible_load_manager", "BrokerLoadManagerClassFilter", conf);
        }
    }

    static void modular(JsonNode row, ObjectNode answer, String name, String filter, LoadData data,
                        ServiceConfiguration conf) {
        told(row, answer, name, () -> {
            Set<String> kept = texts(row.get("candidates"));
            if (type(BALANCE + filter) != null) {
                call(type(BALANCE + filter).getDeclaredConstructor().newInstance(), "filter", kept, null, data, conf);
            }
            return kept;
        });
    }

    static void extensible(JsonNode row, ObjectNode answer, String name, String filter, ServiceConfiguration conf) {
        told(row, answer, name, () -> {
            Map<String, Object> brokers = new LinkedHashMap<>();
            Map<String, Long> topics = new HashMap<>();
            texts(row.get("candidates")).forEach(one -> brokers.put(one, lookupData(null, null)));
            for (JsonNode told : row.get("brokers")) {
                topics.put(told.get("id").asText(), told.get("topics").asLong());
                brokers.computeIfPresent(told.get("id").asText(), (one, none) ->
                        lookupData(text(told, "version"), text(told, "load_manager")));
            }
            Object chosen = type(BALANCE + "extensions.filter." + filter).getDeclaredConstructor().newInstance();
            ((CompletableFuture<?>) call(chosen, "filterAsync", brokers, null, context(conf, topics))).get();
            return brokers.keySet();
        });
    }

    /** Puts who is kept, or the exception; a release's sets may be in another order than the line's. */
    static void told(JsonNode row, ObjectNode answer, String name, Filter filter) {
        try {
            var kept = new java.util.HashSet<Object>();
            filter.kept().forEach(kept::add);
            var list = answer.putArray(name);
            texts(row.get("candidates")).stream().filter(kept::contains).forEach(list::add);
        } catch (Exception thrown) {
            Throwable cause = thrown instanceof ExecutionException ? thrown.getCause() : thrown;
            answer.putObject(name).put("error", cause.getClass().getSimpleName());
        }
    }

    static String text(JsonNode told, String name) {
        return told.path(name).isTextual() ? told.get(name).asText() : null;
    }

    static Object brokerData(JsonNode told) throws Exception {
        LocalBrokerData local = new LocalBrokerData();
        set(local, "numTopics", told.get("topics").asInt());
        set(local, "brokerVersionString", text(told, "version"));
        if (BROKER_DATA.getPackageName().endsWith("loadbalancer")) {
            set(local, "loadManagerClassName", text(told, "load_manager"));
        }
        Object data = BROKER_DATA.getConstructor(LocalBrokerData.class).newInstance(local);
        Map<String, Object> preallocated = new HashMap<>();
        for (JsonNode topics : told.get("preallocated")) {
            Object bundle = BUNDLE_DATA.getDeclaredConstructor().newInstance();
            set(bundle, "topics", topics.asInt());
            preallocated.put("bundle " + preallocated.size(), bundle);
        }
        set(data, "preallocatedBundleData", preallocated);
        return data;
    }

    static Object lookupData(String version, String loadManager) {
        try {
            var fields = LOOKUP_DATA.getRecordComponents();
            Object[] values = new Object[fields.length];
            Class<?>[] types = new Class<?>[fields.length];
            for (int place = 0; place < fields.length; place++) {
                types[place] = fields[place].getType();
                values[place] = switch (fields[place].getName()) {
                    case "brokerVersion" -> version;
                    case "loadManagerClassName" -> loadManager;
                    default -> types[place] == boolean.class ? (Object) true : types[place] == long.class ? 0L : null;
                };
            }
            return LOOKUP_DATA.getConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    /** The context of the extensible manager: its configuration, and what brokers report of topics. */
    static Object context(ServiceConfiguration conf, Map<String, Long> topics) throws Exception {
        Class<?> store = type(BALANCE + "extensions.store.LoadDataStore");
        Object loads = proxy(store, (self, method, args) -> {
            Long count = topics.get(args[0]);
            if (count == null) {
                return Optional.empty();
            }
            Object data = type(BALANCE + "extensions.data.BrokerLoadData").getDeclaredConstructor().newInstance();
            Class<?> declared = data.getClass().getDeclaredField("topics").getType();
            set(data, "topics", declared == int.class ? (Object) count.intValue() : count);
            return Optional.of(data);
        });
        return proxy(type(BALANCE + "extensions.LoadManagerContext"), (self, method, args) ->
                method.getName().equals("brokerConfiguration") ? conf : loads);
    }

    static Object proxy(Class<?> type, java.lang.reflect.InvocationHandler answers) {
        return Proxy.newProxyInstance(FiltersOracle.class.getClassLoader(), new Class<?>[] {type}, answers);
    }
}
