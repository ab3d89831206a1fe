package oneowner.conform;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.loadbalance.LeaderBroker;
import org.apache.pulsar.broker.loadbalance.LeaderElectionService;
import org.apache.pulsar.broker.loadbalance.extensions.BrokerRegistryImpl;
import org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl;
import org.apache.pulsar.broker.loadbalance.extensions.reporter.BrokerLoadDataReporter;
import org.apache.pulsar.broker.loadbalance.extensions.reporter.TopBundleLoadDataReporter;
import org.apache.pulsar.broker.loadbalance.extensions.scheduler.LoadManagerScheduler;
import org.apache.pulsar.metadata.api.NotificationType;
import org.apache.pulsar.metadata.api.coordination.CoordinationService;
import org.apache.pulsar.metadata.api.coordination.LeaderElection;
import org.apache.pulsar.metadata.api.coordination.LeaderElectionState;
import org.apache.pulsar.metadata.api.extended.MetadataStoreExtended;
import org.apache.pulsar.metadata.coordination.impl.CoordinationServiceImpl;

/** The real registry, election and role of a broker, started and stepped as its load manager does. */
final class Membership {
    final CoordinationService coordination;
    final BrokerRegistryImpl registry;
    final LeaderElectionService election;
    private final Broker broker;
    /** Where roles are steps of their own: changes of the role that wait for the load manager's thread. */
    private final List<Runnable> roles = new ArrayList<>();

    Membership(Broker broker, PulsarService pulsar, MetadataStoreExtended store) {
        this.broker = broker;
        coordination = new CoordinationServiceImpl(store);
        Reflect.set(coordination, "executor", new ScriptedExecutor("coordination"));
        broker.coordination = coordination;
        registry = new BrokerRegistryImpl(pulsar);
        Consumer<LeaderElectionState> listener = this::changeRole;
        String root = (String) Reflect.get(Reflect.field(ExtensibleLoadManagerImpl.class, "ELECTION_ROOT"), null);
        Ephemerals.elects(root);
        String url = "http://" + broker.id;
        boolean hasIds = Arrays.stream(LeaderElectionService.class.getConstructors())
                .anyMatch(one -> one.getParameterCount() == 5);
        election = hasIds ? Reflect.make(LeaderElectionService.class, coordination, broker.id, url, root, listener)
                : Reflect.make(LeaderElectionService.class, coordination, url, root, listener);
    }

    /** Do what ExtensibleLoadManagerImpl.start does; only, it does not wait for an election. */
    void start() {
        ready();
        try {
            registry.start();
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
        registry.addListener(this::notice);
        Object value = Reflect.get(Reflect.field(LeaderElectionService.class, "localValue"), election);
        Reflect.call(candidate(), "elect", value);
    }

    private LeaderElection<?> candidate() {
        return (LeaderElection<?>) Reflect.get(Reflect.field(LeaderElectionService.class, "leaderElection"), election);
    }

    /** Let the load manager's changes of role find it started; what they start is not under test. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private void ready() {
        Object waiter = Reflect.get(Reflect.field(ExtensibleLoadManagerImpl.class, "initWaiter"), broker.manager);
        if (waiter instanceof CompletableFuture future) {
            future.complete(true);
        } else {
            ((CountDownLatch) waiter).countDown();
        }
        var state = Reflect.field(ExtensibleLoadManagerImpl.class, "state");
        if (state == null) {
            Reflect.set(broker.manager, "started", true);
        } else {
            AtomicReference reference = (AtomicReference) Reflect.get(state, broker.manager);
            reference.set(Enum.valueOf((Class) reference.get().getClass(), "RUNNING"));
        }
        Map<String, Object> parts = Map.of(
                "unloadScheduler", Reflect.proxy(LoadManagerScheduler.class, (method, given) -> null),
                "brokerLoadDataReporter", Seams.bind(Reflect.blank(BrokerLoadDataReporter.class), broker),
                "topBundleLoadDataReporter", Seams.bind(Reflect.blank(TopBundleLoadDataReporter.class), broker));
        parts.forEach((name, part) -> Reflect.set(broker.manager, name, part));
        var syncer = Reflect.field(ExtensibleLoadManagerImpl.class, "serviceUnitStateTableViewSyncer"); // since 4.0
        if (syncer != null) {
            Reflect.set(broker.manager, syncer.getName(), Reflect.blank(syncer.getType()));
        }
    }

    /** Take the outcome of an election, as the listener does that ExtensibleLoadManagerImpl.start gives it. */
    private void changeRole(LeaderElectionState outcome) {
        Trace.note("the election has an outcome for broker " + broker.number + ": " + outcome);
        boolean leads = outcome == LeaderElectionState.Leading;
        Runnable change = () -> Reflect.call(broker.manager, leads ? "playLeader" : "playFollower");
        if (Cluster.haveRoles && !Cluster.isStarting) {
            roles.add(change);
        } else {
            change.run();
        }
    }

    /** Play the role that is due, or the one that the monitor finds wrong. */
    void play() {
        List<Runnable> due = List.copyOf(roles);
        roles.clear();
        due.forEach(Runnable::run);
        if (due.isEmpty()) {
            monitor();
        }
    }

    private void monitor() {
        Reflect.call(broker.manager, "monitor");
    }

    /** Let the channel's listener of the registry act; what it throws, the registry's thread would log. */
    private void notice(String other, NotificationType type) {
        try {
            Reflect.call(broker.channel, "handleBrokerRegistrationEvent", other, type);
        } catch (Exception error) {
            Trace.note("handleBrokerRegistrationEvent threw " + error, error);
        }
    }

    /** Have a new session; what the registry schedules at that (#24932) is due at once. */
    void reestablish() {
        var before = Time.timersOf(broker.id);
        broker.ephemerals.begin();
        Time.timersOf(broker.id).stream()
                .filter(timer -> !before.contains(timer) && timer.label().equals("executor"))
                .forEach(Time::fire);
    }

    /** Register again: by the task that the registry has scheduled for that, or else by the monitor. */
    void register() {
        var due = Time.timersOf(broker.id).stream().filter(timer -> timer.label().equals("executor")).findFirst();
        if (due.isPresent()) {
            Time.fire(due.get());
        } else if (Cluster.haveRoles) {
            Reflect.call(broker.manager, "validateBrokerRegistry"); // of monitor, which sees to the role then
        } else {
            monitor();
        }
    }

    // What the registry and the election answer.

    List<String> listed() {
        return registry.getAvailableBrokersAsync().join();
    }

    boolean finds(String id) {
        return registry.lookupAsync(id).join().isPresent();
    }

    boolean isRegistered() {
        Object state = Reflect.get(Reflect.field(BrokerRegistryImpl.class, "state"), registry);
        return "Registered".equals(String.valueOf(state));
    }

    /** Return the number of the leader that the broker reads; 0 for nobody, or while an answer waits for an election. */
    int leader() {
        return election.readCurrentLeader().getNow(Optional.empty()).map(Membership::number).orElse(0);
    }

    private static int number(LeaderBroker leader) {
        String url = leader.getServiceUrl();
        return Cluster.number(url.substring(url.lastIndexOf('/') + 1));
    }

    /** Return whether the channel's monitor is scheduled, as playLeader does; without roles, who leads has played it. */
    boolean monitors() {
        return !Cluster.haveRoles
                || Reflect.get(Reflect.field(broker.channel.getClass(), "monitorTask"), broker.channel) != null;
    }

    String role() {
        return String.valueOf(Reflect.get(Reflect.field(ExtensibleLoadManagerImpl.class, "role"), broker.manager));
    }
}
