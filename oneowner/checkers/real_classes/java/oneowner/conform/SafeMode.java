package oneowner.conform;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.metadata.api.extended.SessionEvent;

/** A broker's session events, and its clean-ups as jobs: scheduled, at work for one unit, ended. */
final class SafeMode {
    private static final long GRACE = 180_000;

    private SafeMode() { }

    static void loseSession(Broker broker) {
        broker.ephemerals.disconnect();
        hear(broker, SessionEvent.SessionLost);
    }

    static void reconnect(Broker broker) {
        var before = Time.timersOf(broker.id);
        broker.ephemerals.reconnect();
        hear(broker, SessionEvent.SessionReestablished);
        Time.timersOf(broker.id).stream() // a registration in the new session, since 4.0.8
                .filter(timer -> timer.label().equals("executor") && !before.contains(timer)).forEach(Time::fire);
    }

    private static void hear(Broker broker, SessionEvent event) {
        Reflect.call(broker.channel, "handleMetadataSessionEvent", event);
    }

    /** Make the last session event older than the grace after it. */
    static void settle(Broker broker) {
        Reflect.set(broker.channel, "lastMetadataSessionEventTimestamp", Time.currentTimeMillis() - GRACE - 1);
    }

    /** Let the first clean-up that publishes about *unit* do so; it goes on, as a job has several units. */
    static void override(Broker broker, int unit, Optional<String> destination) {
        Steps.publishing(broker, unit, destination, () -> {
            int before = broker.outbox.size();
            for (Time.Timer timer : Time.timersOf(broker.id)) {
                if (broker.outbox.size() == before && timer.label().startsWith("b")) {
                    Time.begin(timer);
                }
            }
        });
    }

    /** Run the monitor on the entries that name *gone*. */
    static void monitor(Broker broker, int gone) {
        broker.seeing(Broker.only(entry -> names(entry.getValue(), "b" + gone)), () -> Steps.runMonitor(broker, 0));
        if (!scheduled(broker).contains(String.valueOf(gone))) {
            Cluster.complain("the monitor schedules no clean-up of broker " + gone);
        }
    }

    private static boolean names(ServiceUnitStateData value, String id) {
        return id.equals(value.dstBroker()) || id.equals(value.sourceBroker());
    }

    /** Fire the clean-up of *gone*, which must publish nothing; without a session it selects nobody, and gives up. */
    static void end(Broker broker, int gone) {
        int before = broker.outbox.size();
        Runnable cleanUp = () -> Time.timersOf(broker.id).stream()
                .filter(timer -> timer.label().equals("b" + gone)).forEach(Time::fire);
        if (broker.ephemerals.hasSession()) {
            cleanUp.run();
        } else {
            broker.lookups.failing(cleanUp);
        }
        if (broker.outbox.size() != before) {
            Cluster.complain("the clean-up publishes " + (broker.outbox.size() - before) + " records");
        }
    }

    /** Return the brokers whose clean-up is scheduled. */
    static String scheduled(Broker broker) {
        var jobs = (Map<?, ?>) Reflect.get(Reflect.field(broker.channel.getClass(), "cleanupJobs"), broker.channel);
        return jobs.keySet().stream().map(id -> id.toString().substring(1)).sorted().collect(Collectors.joining(" "));
    }

    static String trust(Broker broker) {
        return Reflect.call(broker.channel, "getMetadataState").toString();
    }

    /** Return the units that a broker lists as its own. */
    static String listed(Broker broker) {
        String all = broker.channel.getOwnedServiceUnits().toString();
        StringBuilder units = new StringBuilder();
        for (int unit = 1; unit <= Cluster.units; unit++) {
            units.append(all.contains(Cluster.name(unit)) ? units.isEmpty() ? "" + unit : " " + unit : "");
        }
        return units.toString();
    }
}
