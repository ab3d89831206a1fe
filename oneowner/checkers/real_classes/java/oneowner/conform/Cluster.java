package oneowner.conform;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitState;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;

/** The brokers of a run, and the bounds of the model within which they run. */
final class Cluster {
    static int size, units;
    static boolean isInStore, haveSplits, isMultiPhase, followsLookups, overridesAgain;
    /** True if steps are held to rules beside the model. */
    static boolean isHeldToRules;
    /** Roles are steps of their own; brokers read the leader from caches; an unversioned put drops its options. */
    static boolean haveRoles, haveLeaderCaches, dropsOptions;
    /** A run begins: whoever starts first is elected, and plays the role, at once. */
    static boolean isStarting;
    /** Session events and clean-ups are steps of their own; health checks wait; views are emptied with a session. */
    static boolean hasSafeMode, holdsHealthChecks, emptiesViews;
    static boolean haveShutdowns, isCompacted;
    /** The unit that is a bundle of pulsar/system; 0: none. */
    static int systemUnit;
    static ServiceConfiguration configuration;
    private static int firstOwner;
    private static long firstVersion;
    private static String[] names;
    private static Broker[] brokers;
    private static final List<String> complaints = new ArrayList<>(), refusals = new ArrayList<>();

    private Cluster() { }

    /** Read bounds such as {@code brokers=3}. */
    static void bound(Map<String, String> bounds) {
        size = Integer.parseInt(bounds.get("brokers"));
        units = Integer.parseInt(bounds.get("units"));
        firstOwner = Integer.parseInt(bounds.get("owner"));
        firstVersion = Long.parseLong(bounds.get("version"));
        isInStore = bounds.get("storage").equals("metadata-store");
        haveSplits = bounds.get("splits").equals("1");
        isMultiPhase = bounds.get("multi_phase").equals("1");
        followsLookups = bounds.get("lookups").equals("1");
        haveRoles = bounds.get("beliefs").equals("1");
        haveLeaderCaches = bounds.get("leader_caches").equals("1");
        dropsOptions = bounds.get("persistent").equals("1");
        isHeldToRules = bounds.get("rules").equals("1");
        overridesAgain = bounds.get("overrides_again").equals("1");
        hasSafeMode = bounds.get("safe_mode").equals("1");
        holdsHealthChecks = bounds.get("late_call_offs").equals("1");
        isCompacted = bounds.get("compactions").equals("1");
        haveShutdowns = bounds.get("shutdowns").equals("1");
        systemUnit = bounds.get("system_units").equals("1") ? units : 0;
        emptiesViews = bounds.get("empties_views").equals("1");
        names = new String[units + 1];
        for (int unit = 1; unit <= units; unit++) {
            names[unit] = unit == systemUnit ? "pulsar/system/" + Bundles.WHOLE : Bundles.name(unit, haveSplits);
        }
        configuration = new ServiceConfiguration();
        configuration.setWebServicePort(Optional.of(8080));
        configuration.setClusterName("c");
    }

    /** Begin a run: every broker is up, and one of them may own the units, or the parent of a split. */
    static void reset() {
        Map<String, ServiceUnitStateData> entries = new HashMap<>();
        int owned = firstOwner == 0 ? 0 : haveSplits ? 1 : units;
        for (int unit = 1; unit <= owned; unit++) {
            entries.put(names[unit], new ServiceUnitStateData(
                    ServiceUnitState.Owned, "b" + firstOwner, null, false, firstVersion));
        }
        Time.reset();
        Seams.reset();
        Topic.reset(entries);
        Store.reset(entries);
        Ephemerals.reset();
        Boundaries.reset();
        Compaction.reset();
        complaints.clear();
        refusals.clear();
        brokers = new Broker[size + 1];
        isStarting = true;
        for (int number = 1; number <= size; number++) {
            brokers[number] = new Broker(number, new Outbox());
            for (int unit = 1; unit <= owned; unit++) {
                brokers[number].topics.open[unit] = number == firstOwner;
            }
        }
        living().forEach(broker -> broker.ephemerals.hearRegistrations());
        isStarting = false;
    }

    static Broker broker(int number) {
        return brokers[number];
    }

    /** Start a new process of a broker; what the old one has published is still on its way. */
    static void restart(int number) {
        Time.pass(); // a registration holds the time of the start
        Broker older = brokers[number];
        brokers[number] = new Broker(number, older.outbox);
        brokers[number].lookups.keep(older.lookups);
    }

    static List<Broker> living() {
        List<Broker> found = new ArrayList<>();
        for (Broker broker : brokers) {
            if (broker != null && broker.isAlive) {
                found.add(broker);
            }
        }
        return found;
    }

    static String name(int unit) {
        return names[unit];
    }

    static int number(String id) {
        return id == null ? 0 : Integer.parseInt(id.substring(1));
    }

    static int unit(String name) {
        for (int unit = 1; unit <= units; unit++) {
            if (names[unit].equals(name)) {
                return unit;
            }
        }
        throw new IllegalArgumentException(name);
    }

    /** Note what no state of the model shows: a difference in any case. */
    static void complain(String words) {
        complaints.add(words.replace('\n', ' ').replace('|', ' '));
    }

    /** Note that the real classes do not take a step: a difference, unless it is tried. */
    static void refuse(String words) {
        refusals.add(words.replace('\n', ' ').replace('|', ' '));
    }

    /** Forget the refusals of a step that was tried. */
    static void forgive() {
        refusals.clear();
    }

    static List<String> complaints() {
        return Stream.concat(complaints.stream(), refusals.stream()).toList();
    }
}
