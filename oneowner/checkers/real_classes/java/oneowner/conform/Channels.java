package oneowner.conform;

import java.lang.reflect.Field;
import java.util.function.BiConsumer;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.loadbalance.LeaderElectionService;
import org.apache.pulsar.broker.loadbalance.extensions.BrokerRegistry;
import org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl;
import org.apache.pulsar.broker.loadbalance.extensions.LoadManagerContext;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateTableView;

/**
 * The start of a channel, by the shape of the release: with table views of its own (4.x and later), or with a producer
 * and the client's table view (3.x).
 *
 * <p>It sets what ServiceUnitStateChannelImpl.start sets, and leaves out the tenant and the namespace that it creates.
 */
final class Channels {
    private static final String VIEW = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitState";
    static final boolean HAS_OWN_VIEWS =
            Channels.class.getClassLoader().getResource(VIEW.replace('.', '/') + "TableViewImpl.class") != null;

    private Channels() { }

    /** The entry of a unit by its key, or null. */
    interface View {
        ServiceUnitStateData get(String key);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static View start(Broker broker, PulsarService pulsar, BrokerRegistry registry, LeaderElectionService election,
                      LoadManagerContext context) {
        ServiceUnitStateChannelImpl channel = broker.channel;
        for (Field field : ServiceUnitStateChannelImpl.class.getDeclaredFields()) {
            if (field.getType() == ExtensibleLoadManagerImpl.class) {
                Reflect.set(channel, field.getName(), broker.manager);
            } else if (field.getType() == LoadManagerContext.class) {
                Reflect.set(channel, field.getName(), context);
            }
        }
        Reflect.set(channel, "brokerRegistry", registry);
        Reflect.set(channel, "leaderElectionService", election);
        Class<?> states = Reflect.field(ServiceUnitStateChannelImpl.class, "channelState").getType();
        Reflect.set(channel, "channelState", Enum.valueOf((Class) states, "Started"));
        return HAS_OWN_VIEWS ? ownView(broker, pulsar) : clientsView(broker);
    }

    private static View clientsView(Broker broker) {
        Reflect.set(broker.channel, "producer", broker.topic.producer());
        Reflect.set(broker.channel, "tableview", broker.topic.tableView());
        broker.topic.listen(broker.accepted());
        return broker.topic.held::get;
    }

    private static View ownView(Broker broker, PulsarService pulsar) {
        String name = Cluster.isInStore ? "MetadataStoreTableViewImpl" : "TableViewImpl";
        try {
            var real = (ServiceUnitStateTableView) Class.forName(VIEW + name).getConstructor().newInstance();
            var view = Cluster.isInStore ? StoreView.of(real, broker) : real;
            Reflect.set(broker.channel, "tableview", view);
            BiConsumer<String, ServiceUnitStateData> tail = broker.accepted();
            BiConsumer<String, ServiceUnitStateData> existing = broker.existing();
            BiConsumer<String, ServiceUnitStateData> invalid =
                    (key, value) -> broker.handle("handleInvalidate", key, value);
            if (Reflect.method(real.getClass(), "start", 4) == null) { // before 4.0.6
                Reflect.call(real, "start", pulsar, tail, existing);
            } else {
                Reflect.call(real, "start", pulsar, tail, existing, invalid);
            }
            return real::get;
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }
}
