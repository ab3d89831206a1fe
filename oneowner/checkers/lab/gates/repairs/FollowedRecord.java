package oneowner;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.client.api.Message;

/**
 * A wait for an unload or a split fails when the broker's view refuses its record, and ends only once that is accepted.
 *
 * <p>Two who ask one broker for the same share a wait, and a refusal that is read before the wait is listed is lost: a
 * patch would give each its record, and list it before publishing. The rule finds the manager by its field.
 */
public class FollowedRecord {
    static final Map<String, String> MANAGERS = Map.of("Releasing", "unloadManager", "Splitting", "splitManager");
    static final Map<String, ServiceUnitStateData> UNDECIDED = new ConcurrentHashMap<>();
    static final ThreadLocal<Message<?>> READ = new ThreadLocal<>();

    public void sends(String unit, ServiceUnitStateData data) {
        if (data != null && MANAGERS.containsKey(data.state().name())) UNDECIDED.put(data.state() + " " + unit, data);
    }

    public void reads(Message<?> message) {
        READ.set(message);
    }

    /** The view has compared a record; the compactor, which compares too, has read nothing here. */
    public void decided(Object record, boolean refused) throws Exception {
        Message<?> message = READ.get();
        READ.remove();
        if (message == null || !(record instanceof ServiceUnitStateData data)) return;
        String key = data.state() + " " + message.getKey();
        if (!isSame(UNDECIDED.get(key), data)) return;
        UNDECIDED.remove(key);
        if (refused) {
            Object balancer = ExtensibleLoadManagerImpl.get((PulsarService) Gates.pulsar);
            Object manager = Gates.read(balancer, MANAGERS.get(data.state().name()));
            Gates.call(manager, "complete", message.getKey(), new IllegalStateException("refused: " + data));
        }
    }

    public boolean isUndecided(String state, String unit) {
        return UNDECIDED.containsKey(state + " " + unit);
    }

    /** Read back from the topic, a record is another object; its time of making tells it from one of another broker. */
    static boolean isSame(ServiceUnitStateData sent, ServiceUnitStateData read) {
        return sent != null && sent.versionId() == read.versionId() && sent.timestamp() == read.timestamp()
                && Objects.equals(sent.dstBroker(), read.dstBroker());
    }
}
