package oneowner.conform;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitState;
import org.apache.pulsar.broker.loadbalance.extensions.models.Split;
import org.apache.pulsar.broker.loadbalance.extensions.models.Unload;
import org.apache.pulsar.broker.namespace.LookupOptions;

/** The call or the delivery that each action of the model is; steps.py describes them. */
final class Steps {
    private static final long FLIGHT_ENDS = 31_000, TOMBSTONE_IS_DUE = 3_601_000;
    private static final int WAIT = 5_000;
    private static final String NO_MONITOR = "no monitor is scheduled";

    private Steps() { }

    /** Take a step of the broker *words[1]*; numbers that follow are those of the action's other parameters. */
    static void take(String[] words) {
        if (words.length == 1) {
            take(words[0]);
            return;
        }
        Broker broker = Cluster.broker(Integer.parseInt(words[1]));
        int first = words.length > 2 ? Integer.parseInt(words[2]) : 0;
        int second = words.length > 3 ? Integer.parseInt(words[3]) : 0;
        Time.beginStep();
        Time.run(broker.id, 0, () -> take(words[0], broker, first, second));
        Ephemerals.settle();
        Time.endStep();
        broker.boundaries.endStep();
        Broker now = Cluster.broker(broker.number); // restarted, it is another process
        if (now.isAlive) {
            now.listener.endStep();
            Answers.check(now);
        }
    }

    /** Take a step of no broker. */
    private static void take(String action) {
        switch (action) {
            case "stop_zookeeper" -> Ephemerals.isDown = true;
            case "start_zookeeper" -> Ephemerals.isDown = false;
            default -> throw new IllegalArgumentException(action);
        }
    }

    private static void take(String action, Broker broker, int first, int second) {
        switch (action) {
            case "append" -> broker.outbox.append();
            case "lose" -> broker.outbox.lose();
            case "consume" -> broker.topic.consume();
            case "notify" -> broker.store.tell(first);
            case "close" -> broker.topics.end(first);
            case "open" -> open(broker, first);
            case "unload" -> unload(broker, first, Optional.empty(), false);
            case "transfer" -> unload(broker, first, Optional.of("b" + second), false);
            case "remove" -> unload(broker, first, Optional.empty(), true);
            case "look_up" -> lookUp(broker, first);
            case "open_lookup" -> assign(broker, first);
            case "assign", "select" -> broker.lookups.end(first, "b" + second);
            case "time_out" -> timeOut(broker, true);
            case "notice" -> broker.checks.holding(() -> broker.ephemerals.hear(Ephemerals.path(first)));
            case "expire" -> Ephemerals.end(broker.number);
            case "reestablish" -> broker.membership.reestablish();
            case "register" -> broker.membership.register();
            case "elect" -> elect(broker);
            case "read_leader" -> broker.ephemerals.hearElection();
            case "play_leader", "play_follower" -> broker.membership.play();
            case "lose_session" -> SafeMode.loseSession(broker);
            case "reconnect" -> SafeMode.reconnect(broker);
            case "settle" -> SafeMode.settle(broker);
            case "fill" -> broker.store.fill(first);
            case "fail", "fail_publish" -> broker.outbox.fail();
            case "monitor" -> SafeMode.monitor(broker, first);
            case "call_off" -> broker.checks.end("b" + first);
            case "end_clean_up" -> SafeMode.end(broker, first);
            case "append_unacknowledged" -> broker.outbox.appendUnacknowledged();
            case "overtake" -> broker.outbox.overtake();
            case "disable" -> Shutdown.disable(broker);
            case "drain" -> Shutdown.drain(broker, first, Optional.of("b" + second), 1);
            case "pass_over" -> Shutdown.drain(broker, first, Optional.empty(), 0);
            case "free_own" -> Shutdown.cleanUp(broker, first, Optional.empty());
            case "set_aside" -> Shutdown.setAside(broker, first);
            case "unload_leftover" -> Shutdown.unload(broker, first);
            case "start_compaction" -> Compaction.start(broker);
            case "write_ledger" -> { }
            case "show_ledger" -> Compaction.show();
            case "save_cursor" -> Compaction.save();
            case "delete_ledger" -> Compaction.load();
            case "jump" -> broker.topic.jump();
            case "pause" -> broker.pause();
            case "resume" -> broker.resume();
            case "unregister" -> Shutdown.unregister(broker);
            case "hurry" -> { }
            case "override" -> override(broker, first, Optional.of("b" + second));
            case "free_orphan", "free_refused" -> override(broker, first, Optional.empty());
            case "end_flight" -> monitor(broker, first, FLIGHT_ENDS, Optional.of("b" + second));
            case "tombstone" -> tombstone(broker, first);
            case "crash", "stop", "stop_registered" -> broker.crash();
            case "restart" -> Cluster.restart(broker.number);
            case "split" -> split(broker, 1);
            case "split_child" -> split(broker, 2);
            case "move_boundaries" -> broker.boundaries.write(Math.max(1, first));
            case "retry_split" -> broker.boundaries.retry(Math.max(1, first));
            case "give_up_split" -> broker.boundaries.giveUp(Math.max(1, first));
            case "delete_parent" -> broker.boundaries.finish(Math.max(1, first));
            case "reload_boundaries" -> broker.boundaries.read();
            case "split_elsewhere" -> broker.boundaries.splitAnother();
            default -> throw new IllegalArgumentException(action);
        }
    }

    /** Open topics; an older lookup that waits, for 30 s at most, has timed out, unless the model follows lookups. */
    private static void open(Broker broker, int unit) {
        if (!isOwner(broker, unit) && !Cluster.followsLookups) {
            timeOut(broker, false);
        }
        if (!isOwner(broker, unit)) {
            Cluster.refuse("isOwner denies that broker " + broker.number + " owns unit " + unit);
            return;
        }
        broker.topics.open[unit] = true;
    }

    private static boolean isOwner(Broker broker, int unit) {
        return (Boolean) Reflect.call(broker.channel, "isOwner", Cluster.name(unit));
    }

    /** Return the owner that the broker's view names. */
    private static String owner(Broker broker, int unit) {
        var entry = broker.entry(unit);
        return entry.state() == ServiceUnitState.Owned ? entry.dstBroker() : entry.sourceBroker();
    }

    private static void unload(Broker broker, int unit, Optional<String> destination, boolean isForced) {
        Unload order = Reflect.make(Unload.class, owner(broker, unit), Cluster.name(unit), destination, isForced);
        broker.outbox.awaits(broker.channel.publishUnloadEventAsync(order));
    }

    private static void split(Broker broker, int unit) {
        Map<String, Optional<String>> children = new LinkedHashMap<>();
        children.put(Bundles.RANGES[2 * unit], Optional.empty());
        children.put(Bundles.RANGES[2 * unit + 1], Optional.empty());
        Split order = new Split(Cluster.name(unit), owner(broker, unit), children);
        broker.outbox.awaits(broker.channel.publishSplitEventAsync(order));
    }

    /** Look a unit up; an older lookup of it has timed out, which this one would join. */
    private static void lookUp(Broker broker, int unit) {
        timeOut(broker, false);
        assign(broker, unit);
        if (!broker.lookups.isSelecting(unit)) {
            Cluster.refuse("the lookup does not select");
        }
    }

    private static void assign(Broker broker, int unit) {
        var bundle = broker.namespaces.getNamespaceBundleFactory();
        String name = Cluster.name(unit);
        int slash = name.lastIndexOf('/');
        var serviceUnit = Bundles.bundle(bundle, name.substring(0, slash), name.substring(slash + 1));
        boolean isOlder = Reflect.method(broker.manager.getClass(), "assign", 3) == null;
        Object lookup = isOlder ? Reflect.call(broker.manager, "assign", Optional.empty(), serviceUnit)
                : Reflect.call(broker.manager, "assign", Optional.empty(), serviceUnit, LookupOptions.builder().build());
        broker.lookups.follow(unit, (CompletableFuture<?>) lookup);
    }

    private static void timeOut(Broker broker, boolean mustWait) {
        var waits = Time.timersOf(broker.id).stream().filter(timer -> timer.label().equals("orTimeout")).toList();
        if (waits.isEmpty() && mustWait) {
            Cluster.refuse("no lookup waits");
        }
        waits.forEach(Time::fire);
    }

    /** Let the broker win the election, of whose last leader it has heard. */
    private static void elect(Broker broker) {
        if (Cluster.haveLeaderCaches) {
            broker.ephemerals.hearElection();
        }
        Compaction.load();
        broker.ephemerals.runForLead(true);
    }

    /**
     * Run the monitor, then, of the clean-ups that are scheduled, the first that publishes; or one that waits.
     *
     * <p>They are one step, for a broker that plays the leader; a clean-up that fires later is a matter of safe mode.
     */
    private static void override(Broker broker, int unit, Optional<String> destination) {
        if (Cluster.hasSafeMode) {
            SafeMode.override(broker, unit, destination);
            return;
        }
        if (!broker.membership.monitors()) {
            Cluster.refuse(NO_MONITOR);
            return;
        }
        publishing(broker, unit, destination, () -> {
            if (waitsForChange(broker, unit)) {
                Reflect.call(broker.channel, "waitForCleanups", broker.entry(unit).dstBroker(), false, WAIT);
                return;
            }
            int before = broker.outbox.size();
            runMonitor(broker, 0);
            for (Time.Timer timer : Time.timersOf(broker.id)) {
                if (broker.outbox.size() == before && timer.label().startsWith("b")) {
                    Time.fire(timer);
                }
            }
        });
    }

    /**
     * Return whether a clean-up has overridden the unit, and waits for the entry to change.
     *
     * <p>It does so for 5 s, even if its broker is back by then, which the script leaves out.
     */
    private static boolean waitsForChange(Broker broker, int unit) {
        var entry = broker.entry(unit);
        if (entry == null || entry.dstBroker() == null || !broker.outbox.holdsOfJob(unit)) {
            return false;
        }
        String gone = entry.dstBroker();
        return !broker.membership.listed().contains(gone) && !Health.isHealthy(Cluster.number(gone));
    }

    /** Run the monitor so many milliseconds from now. */
    private static void monitor(Broker broker, int unit, long later, Optional<String> destination) {
        publishing(broker, unit, destination, () -> runMonitor(broker, later));
    }

    /** Delete an entry that is old; one in flight would have been overridden long before. */
    private static void tombstone(Broker broker, int unit) {
        var entry = broker.entry(unit);
        if (entry != null && ServiceUnitState.isInFlightState(entry.state())) {
            Cluster.refuse("the entry is in flight");
        } else {
            monitor(broker, unit, TOMBSTONE_IS_DUE, Optional.empty());
        }
    }

    static void runMonitor(Broker broker, long later) {
        if (!broker.membership.monitors()) {
            Cluster.refuse(NO_MONITOR);
            return;
        }
        Time.run(broker.id, later, () ->
                Reflect.call(broker.channel, "monitorOwnerships", broker.membership.listed()));
    }

    /** Return whether the jobs of these classes wait for their overrides. */
    private static boolean waitsForOverrides(Broker broker) {
        return Reflect.method(broker.channel.getClass(), "tryWaitForOverrides", 2) != null;
    }

    /** Run a job of the leader that must publish one record about *unit*. */
    static void publishing(Broker broker, int unit, Optional<String> destination, Runnable job) {
        int before = broker.outbox.size();
        broker.seeing(unit, () -> broker.lookups.choosing(destination, job));
        if (broker.outbox.size() != before + 1) {
            Cluster.refuse("the leader's job publishes " + (broker.outbox.size() - before) + " records");
        } else if (waitsForOverrides(broker) && broker.outbox.isOverride() && !broker.outbox.isWaitedFor()) {
            Cluster.complain("the leader's job does not wait for its override");
        }
    }
}
