package oneowner.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Field;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.policies.data.loadbalancer.NamespaceBundleStats;
import org.mockito.MockMakers;
import org.mockito.Mockito;

/** What all oracles of Pulsar need beside their lines. */
public class Rows extends Lines {
    /** The configuration of a line: its keys of broker.conf; those that the release lacks are passed over. */
    public static ServiceConfiguration configuration(JsonNode row) throws Exception {
        ServiceConfiguration conf = new ServiceConfiguration();
        JsonNode told = row.get("conf");
        if (told != null) {
            var fields = told.fields();
            while (fields.hasNext()) {
                var entry = fields.next();
                Field field;
                try {
                    field = ServiceConfiguration.class.getDeclaredField(entry.getKey());
                } catch (NoSuchFieldException none) {
                    continue;
                }
                field.setAccessible(true);
                field.set(conf, JSON.convertValue(entry.getValue(), JSON.constructType(field.getGenericType())));
            }
        }
        return conf;
    }

    public static void set(Object target, String name, Object value) throws Exception {
        for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                field.set(target, value);
                return;
            } catch (NoSuchFieldException goOn) {
                // a superclass may have it
            }
        }
        throw new NoSuchFieldException(name);
    }

    public static Object get(Object target, String name) throws Exception {
        Field field = target.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(target);
    }

    /** A neighbour of the class that is asked; it answers what it is told to. */
    public static <T> T mocked(Class<T> type) {
        return Mockito.mock(type, Mockito.withSettings().mockMaker(MockMakers.SUBCLASS).stubOnly());
    }

    public static Set<String> texts(JsonNode list) {
        Set<String> found = new LinkedHashSet<>();
        if (list != null) {
            list.forEach(one -> found.add(one.asText()));
        }
        return found;
    }

    /** What a broker reports of a bundle. */
    public static NamespaceBundleStats stats(JsonNode told) {
        NamespaceBundleStats stats = new NamespaceBundleStats();
        stats.topics = told.path("topics").asLong(0);
        stats.consumerCount = told.path("consumerCount").asInt(0);
        stats.producerCount = told.path("producerCount").asInt(0);
        stats.msgRateIn = told.path("msgRateIn").asDouble(0);
        stats.msgRateOut = told.path("msgRateOut").asDouble(0);
        stats.msgThroughputIn = told.path("msgThroughputIn").asDouble(0);
        stats.msgThroughputOut = told.path("msgThroughputOut").asDouble(0);
        stats.cacheSize = told.path("cacheSize").asLong(0);
        return stats;
    }
}
