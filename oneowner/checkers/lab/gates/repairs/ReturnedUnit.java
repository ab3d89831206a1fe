package oneowner;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitState;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.broker.loadbalance.impl.LoadManagerShared;
import org.apache.pulsar.broker.service.Topic;
import org.apache.pulsar.common.naming.NamespaceBundle;
import org.apache.pulsar.common.naming.TopicName;

/** At the end of a record's handling: who keeps clients of what it closed, and hands it over no more, closes it whole. */
public class ReturnedUnit {
    public void handled(Object channel, String unit, ServiceUnitStateData data) throws Exception {
        PulsarService broker = (PulsarService) Gates.pulsar;
        if (!handsOver(data, broker.getBrokerId()) && keeps(broker, LoadManagerShared.getNamespaceBundle(broker, unit))) {
            Gates.call(channel, "closeServiceUnit", unit, true);
        }
    }

    /** Say whether the bundle is on its way from this broker, or has just gone: then the channel itself closes it. */
    static boolean handsOver(ServiceUnitStateData data, String broker) {
        if (data == null || !broker.equals(data.sourceBroker()) || broker.equals(data.dstBroker())) return false;
        ServiceUnitState state = data.state();
        return state == ServiceUnitState.Releasing || state == ServiceUnitState.Assigning
                || state == ServiceUnitState.Owned;
    }

    static boolean keeps(PulsarService broker, NamespaceBundle bundle) {
        boolean[] found = {false};
        broker.getBrokerService().getTopics().forEach((name, future) -> {
            Optional<Topic> topic = there(future);
            found[0] |= topic.isPresent() && topic.get().isTransferring() && bundle.includes(TopicName.get(name));
        });
        return found[0];
    }

    static Optional<Topic> there(CompletableFuture<Optional<Topic>> future) {
        return future.isCompletedExceptionally() ? Optional.empty() : future.getNow(Optional.empty());
    }
}
