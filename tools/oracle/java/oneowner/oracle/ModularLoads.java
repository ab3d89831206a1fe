package oneowner.oracle;

import static oneowner.oracle.Rows.set;
import static oneowner.oracle.Rows.texts;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Map;
import org.apache.pulsar.broker.loadbalance.LoadData;
import org.apache.pulsar.policies.data.loadbalancer.LocalBrokerData;
import org.apache.pulsar.policies.data.loadbalancer.ResourceUsage;

/** What the leader of the modular load manager knows, as a line tells it. */
public class ModularLoads {
    static final String[] TRAFFIC = {"msgThroughputIn", "msgThroughputOut", "msgRateIn", "msgRateOut"};
    static final String[] RESOURCES = {"cpu", "memory", "directMemory", "bandwidthIn", "bandwidthOut"};

    /** The class of what a map of LoadData has, of whatever package it is in this release. */
    static Class<?> type(String getter) throws Exception {
        Type map = LoadData.class.getMethod(getter).getGenericReturnType();
        return (Class<?>) ((ParameterizedType) map).getActualTypeArguments()[1];
    }

    @SuppressWarnings("unchecked")
    public static LoadData of(JsonNode told) throws Exception {
        LoadData loads = new LoadData();
        for (JsonNode broker : told.get("brokers")) {
            Object data = broker(broker);
            ((Map<String, Object>) (Map<?, ?>) loads.getBrokerData()).put(broker.get("id").asText(), data);
        }
        for (JsonNode bundle : told.path("bundles")) {
            ((Map<String, Object>) (Map<?, ?>) loads.getBundleData()).put(bundle.get("name").asText(), bundle(bundle));
        }
        texts(told.get("recent")).forEach(name -> loads.getRecentlyUnloadedBundles().put(name, 1L));
        return loads;
    }

    @SuppressWarnings("unchecked")
    static Object broker(JsonNode told) throws Exception {
        LocalBrokerData local = new LocalBrokerData();
        for (String name : RESOURCES) {
            JsonNode pair = told.get(name);
            set(local, name, pair == null ? new ResourceUsage()
                    : new ResourceUsage(pair.get(0).asDouble(), pair.get(1).asDouble()));
        }
        for (String name : TRAFFIC) {
            set(local, name, told.path(name).asDouble(0));
        }
        set(local, "bundles", new HashSet<>(texts(told.get("bundles"))));
        Object data = type("getBrokerData").getConstructor(LocalBrokerData.class).newInstance(local);
        Object average = Rows.get(data, "timeAverageData");
        for (String name : TRAFFIC) {
            String field = "longTerm" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
            set(average, field, told.path("timeAverage").path(field).asDouble(0));
        }
        for (JsonNode one : told.path("preallocated")) {
            ((Map<String, Object>) Rows.get(data, "preallocatedBundleData")).put(one.get("name").asText(), bundle(one));
        }
        return data;
    }

    static Object bundle(JsonNode told) throws Exception {
        Object data = type("getBundleData").getConstructor(int.class, int.class).newInstance(10, 1000);
        for (String term : new String[] {"shortTerm", "longTerm"}) {
            for (String name : TRAFFIC) {
                set(Rows.get(data, term + "Data"), name, told.path(term).path(name).asDouble(0));
            }
        }
        return data;
    }
}
