package oneowner.conform;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.loadbalance.LoadManager;
import org.apache.pulsar.broker.loadbalance.extensions.BrokerRegistry;
import org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl;
import org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerWrapper;
import org.apache.pulsar.broker.loadbalance.extensions.LoadManagerContext;
import org.apache.pulsar.broker.loadbalance.extensions.LoadManagerContextImpl;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.broker.loadbalance.extensions.store.LoadDataStore;
import org.apache.pulsar.broker.namespace.NamespaceService;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.common.naming.NamespaceBundleFactory;
import org.apache.pulsar.metadata.api.coordination.CoordinationService;

/** One process of a broker: the real channel and load manager, and what the script holds around them. */
final class Broker {
    final int number;
    final String id;
    final Outbox outbox;
    boolean isAlive = true;
    final HealthChecks checks = new HealthChecks();
    final Lookups lookups = new Lookups();
    final Boundaries boundaries;
    final Topics topics;
    final ScheduledExecutorService executor, loadManagerExecutor;
    final PulsarAdmin admin = Health.admin(this);
    final NamespaceService namespaces;
    final BrokerService service;
    final AtomicReference<LoadManager> loadManager;
    final PulsarClient client;
    final Topic topic;
    final Store store;
    final Ephemerals ephemerals;
    final Membership membership;
    CoordinationService coordination;
    final ServiceUnitStateChannelImpl channel;
    final Listener listener;
    final ExtensibleLoadManagerImpl manager;
    private final Channels.View view;
    boolean isPaused;
    private final List<Runnable> unheard = new ArrayList<>();
    /** What a job sees of the view's entries. */
    private UnaryOperator<Set<Map.Entry<String, ServiceUnitStateData>>> seen = UnaryOperator.identity();
    /** The entry of a system bundle that a shutdown has put off, or null. */
    ServiceUnitStateData setAside;
    /** The number of the newest publish when that job began. */
    private long publishedBefore = -1;

    Broker(int number, Outbox outbox) {
        this.number = number;
        this.outbox = outbox;
        id = "b" + number;
        listener = new Listener(id);
        boundaries = new Boundaries(this);
        topics = new Topics(this);
        executor = new ScriptedExecutor("executor");
        loadManagerExecutor = new ScriptedExecutor("load manager");
        PulsarService pulsar = Seams.bind(Reflect.blank(PulsarService.class), this);
        namespaces = Seams.bind(Reflect.blank(NamespaceService.class), this);
        NamespaceBundleFactory factory = Seams.bind(Reflect.blank(NamespaceBundleFactory.class), this);
        Reflect.set(factory, "bundlesCache", boundaries.cache(factory));
        Reflect.set(namespaces, "bundleFactory", factory);
        Reflect.set(namespaces, "pulsar", pulsar);
        Reflect.set(namespaces, "config", Cluster.configuration);
        service = Seams.bind(Reflect.blank(BrokerService.class), this);
        store = new Store(this);
        ephemerals = new Ephemerals(this);
        topic = Cluster.isInStore ? null : new Topic(this);
        client = topic == null ? null : topic.client();
        manager = Seams.bind(new ExtensibleLoadManagerImpl(), this);
        loadManager = new AtomicReference<>(new ExtensibleLoadManagerWrapper(manager));
        channel = new ServiceUnitStateChannelImpl(pulsar);
        channel.listen(listener);
        membership = new Membership(this, pulsar, store.real);
        BrokerRegistry registry = membership.registry;
        LoadDataStore<?> loads = Reflect.proxy(LoadDataStore.class,
                (method, given) -> CompletableFuture.completedFuture(null));
        LoadManagerContext context = context(registry, loads);
        Map<String, Object> parts = Map.of("pulsar", pulsar, "conf", Cluster.configuration, "brokerRegistry", registry,
                "serviceUnitStateChannel", channel, "leaderElectionService", membership.election, "context", context,
                "brokerLoadDataStore", loads, "topBundlesLoadDataStore", loads);
        parts.forEach((name, part) -> Reflect.set(manager, name, part));
        view = Channels.start(this, pulsar, registry, membership.election, context);
        Time.run(id, 0, membership::start);
    }

    private static LoadManagerContext context(BrokerRegistry registry, LoadDataStore<?> loads) {
        LoadManagerContextImpl context = LoadManagerContextImpl.builder().build();
        Reflect.set(context, "brokerLoadDataStore", loads);
        Reflect.set(context, "topBundleLoadDataStore", loads);
        context.setBrokerRegistry(registry);
        context.setConfiguration(Cluster.configuration);
        return context;
    }

    ServiceUnitStateData entry(int unit) {
        return view.get(Cluster.name(unit));
    }

    /** Let the channel take an item that its view holds from the start. */
    BiConsumer<String, ServiceUnitStateData> existing() {
        return (key, value) -> listener.taking(key, value, true, () -> handle("handleExisting", key, value));
    }

    /** Let the channel take an item that its view has accepted. */
    BiConsumer<String, ServiceUnitStateData> accepted() {
        boolean isOlder = Reflect.method(ServiceUnitStateChannelImpl.class, "handleEvent", 2) == null;
        String name = isOlder ? "handle" : "handleEvent";
        return (key, value) -> listener.taking(key, value, false, () -> handle(name, key, value));
    }

    /** Call a handler of the channel; what it throws, the view's thread would log. */
    void handle(String name, String key, ServiceUnitStateData value) {
        try {
            Reflect.call(channel, name, key, value);
        } catch (Exception error) {
            Cluster.complain(name + " threw " + error);
            Trace.note(name + " threw " + error, error);
        }
    }

    /**
     * Return the entries of the view that the job which runs is to see.
     *
     * <p>A clean-up that would override again finds that the entry has changed; *override* runs its wait by itself.
     */
    Set<Map.Entry<String, ServiceUnitStateData>> seen(Set<Map.Entry<String, ServiceUnitStateData>> all) {
        if (Cluster.overridesAgain && publishedBefore >= 0 && outbox.added() > publishedBefore) {
            return Set.of();
        }
        return seen.apply(all);
    }

    /** Run a job that sees one unit alone. */
    void seeing(int unit, Runnable job) {
        String name = Cluster.name(unit);
        seeing(only(entry -> entry.getKey().equals(name)), job);
    }

    static UnaryOperator<Set<Map.Entry<String, ServiceUnitStateData>>> only(
            Predicate<Map.Entry<String, ServiceUnitStateData>> wanted) {
        return all -> all.stream().filter(wanted).collect(Collectors.toSet());
    }

    /** Run a job that sees what *entries* makes of the view's. */
    void seeing(UnaryOperator<Set<Map.Entry<String, ServiceUnitStateData>>> entries, Runnable job) {
        seen = entries;
        publishedBefore = outbox.added();
        try {
            job.run();
        } finally {
            seen = UnaryOperator.identity();
            publishedBefore = -1;
        }
    }

    boolean isInJob() {
        return publishedBefore >= 0;
    }

    /** Let the broker hear of an end: at once, or when its process goes on; never if that is gone. */
    void hear(Runnable end) {
        if (isPaused) {
            unheard.add(end);
        } else if (isAlive) {
            end.run();
        }
    }

    void pause() {
        isPaused = true;
    }

    void resume() {
        isPaused = false;
        List<Runnable> late = List.copyOf(unheard);
        unheard.clear();
        late.forEach(Runnable::run);
    }

    void crash() {
        if (Ephemerals.leader().filter(node -> node.session().of() == this).isPresent()) {
            Compaction.load(); // it hosted the topic
        }
        isAlive = false;
        isPaused = false;
        Time.forget(id);
    }
}
