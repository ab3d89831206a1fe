package oneowner;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.impl.TypedMessageBuilderImpl;

/** A tombstone of the channel's topic carries the version that it was computed for; another entry is not deleted. */
public class NamedTombstone {
    static final String PROPERTY = "deletes";
    static final Map<String, Long> DELETES = new ConcurrentHashMap<>();
    static final ThreadLocal<Message<?>> READ = new ThreadLocal<>();

    /** Remember for which entry of a bundle a tombstone will be computed. */
    public void deletes(String unit, ServiceUnitStateData data) {
        DELETES.put(unit, data.versionId());
    }

    /** The leader's monitor deletes what its view holds. */
    public void deletesHeld(String unit) throws Exception {
        ServiceUnitStateData held = (ServiceUnitStateData) Gates.call(Gates.table, "get", unit);
        if (held != null) DELETES.putIfAbsent(unit, held.versionId());
    }

    /** A message is about to be sent; whether it is a tombstone is in its metadata only later. */
    public void names(TypedMessageBuilderImpl<?> message) throws Exception {
        Field value = TypedMessageBuilderImpl.class.getDeclaredField("value");
        value.setAccessible(true);
        if (message.getKey() == null || value.get(message) != null) return;
        Long version = DELETES.remove(message.getKey());
        if (version != null) message.property(PROPERTY, version.toString());
    }

    public void reads(Message<?> message) {
        READ.set(message);
    }

    public boolean isOfAnother(Object held, Object next) {
        if (next != null || held == null || READ.get() == null) return false;
        String named = READ.get().getProperty(PROPERTY);
        return named != null && !named.equals(String.valueOf(((ServiceUnitStateData) held).versionId()));
    }
}
