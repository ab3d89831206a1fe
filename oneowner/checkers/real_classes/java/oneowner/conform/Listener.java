package oneowner.conform;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitState;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.broker.loadbalance.extensions.manager.StateChangeListener;

/**
 * The listeners of a broker, and the rule by which they must be notified, which no state of the model shows.
 *
 * <p>A listener of the channel hears once of each record that the channel accepts, in the step in which the work is over
 * that the record began at this broker: a close of topics, a publish of the same unit after that, a split. A record in
 * flight between others begins none, and none hears of it. Listeners of bundles hear of each unit that the broker comes
 * to own, of the end of each close, and of each split. The rule is that of the classes since 4.0.
 */
final class Listener implements StateChangeListener {
    private record Message(String key, ServiceUnitStateData value) {
        @Override
        public String toString() {
            return "unit " + Cluster.unit(key) + ", " + Projection.record(value);
        }
    }

    private final String id;
    /** The record whose work each close, publish or split is. */
    private final Map<Object, Message> working = new IdentityHashMap<>();
    private final List<String> due = new ArrayList<>(), heard = new ArrayList<>();
    /** The record on whose behalf the channel acts now. */
    private Message acting;

    Listener(String id) {
        this.id = id;
    }

    @Override
    public void handleEvent(String key, ServiceUnitStateData value, Throwable error) {
        heard.add(new Message(key, value) + (error == null ? "" : ", failed"));
    }

    /** Take note of a notification about a bundle. */
    void hears(String event, Object bundle) {
        heard.add(event + " of unit " + Cluster.unit(bundle.toString()));
    }

    /** Demand a notification about a bundle in this step. */
    void must(String event, int unit) {
        due.add(event + " of unit " + unit);
    }

    /** Let the channel take a record that the broker's view holds from the start, or has accepted. */
    void taking(String key, ServiceUnitStateData value, boolean isExisting, Runnable handler) {
        if (value != null && value.state() == ServiceUnitState.Owned && id.equals(value.dstBroker())) {
            must("onNamespaceBundleOwned", Cluster.unit(key));
        }
        boolean isOthers = value != null && switch (value.state()) {
            case Assigning -> !id.equals(value.dstBroker());
            case Releasing, Splitting -> !id.equals(value.sourceBroker());
            default -> false;
        };
        if (isOthers) {
            handler.run();
        } else if (isExisting) { // since #25379 a start answers an Assigning, and its publish is work; else none begins
            during(new Message(key, value), handler);
        } else {
            acting(new Message(key, value), "", handler);
        }
    }

    /** Note work that begins now: a close, or a publish of *key*. */
    void begins(Object work, String key) {
        boolean isSplit = acting != null && acting.value != null && acting.value.state() == ServiceUnitState.Splitting;
        if (acting != null && !isSplit && acting.key.equals(key)) {
            working.put(work, acting);
        }
    }

    /** Note a split that begins now. */
    void beginsSplit(Object work) {
        if (acting != null) {
            working.put(work, acting);
        }
    }

    /** Return the unit of the record that has begun some work. */
    int unitOf(Object work) {
        return Cluster.unit(working.get(work).key);
    }

    /** Let the end of some work reach the channel; *outcome* is empty, or words for a failure. */
    void ending(Object work, String outcome, Runnable end) {
        Message message = working.remove(work);
        if (message == null) {
            end.run();
        } else {
            acting(message, outcome, end);
        }
    }

    private void acting(Message message, String outcome, Runnable act) {
        during(message, act);
        if (working.values().stream().noneMatch(one -> one == message)) {
            due.add(message + outcome);
        }
    }

    private void during(Message message, Runnable act) {
        Message before = acting;
        acting = message;
        try {
            act.run();
        } finally {
            acting = before;
        }
    }

    /** End a step: what was due in it must have been heard, and nothing else. */
    void endStep() {
        due.sort(null);
        heard.sort(null);
        if (!due.equals(heard) && Channels.HAS_OWN_VIEWS && Cluster.isHeldToRules) {
            Cluster.complain("listeners of " + id + " hear of " + heard + ", and should hear of " + due);
        }
        due.clear();
        heard.clear();
    }
}
