package oneowner.conform;

import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.lang3.tuple.Pair;
import org.apache.pulsar.common.naming.NamespaceBundleFactory;
import org.apache.pulsar.common.naming.NamespaceBundles;
import org.apache.pulsar.common.naming.NamespaceName;
import org.apache.pulsar.common.policies.data.BundlesData;
import org.apache.pulsar.common.policies.data.LocalPolicies;
import org.apache.pulsar.metadata.api.MetadataStoreException;

/** The boundaries of the namespace as one broker has read them, and its splits that are about to move them. */
final class Boundaries {
    private static final String PARENTS_MIDDLE = "0x7fffffff", CHILDS_MIDDLE = "0x3fffffff";
    private static final int TRIES = 7;
    private static final long UNTIL_RETRY = 1_000;
    /** The tries that a split counts at its next refusal; 0: it counts itself. */
    private static int tries;

    /** The boundaries at some version; *others* counts the splits of other bundles of the namespace. */
    record Ring(boolean isSplit, int others, boolean isNested, long version) {
        private Ring with(List<String> boundaries) {
            return new Ring(boundaries.contains(PARENTS_MIDDLE), others, boundaries.contains(CHILDS_MIDDLE),
                    version + 1);
        }

        private List<String> boundaries() {
            List<String> found = new ArrayList<>(List.of("0x00000000"));
            if (isNested) {
                found.add(CHILDS_MIDDLE);
            }
            if (isSplit) {
                found.add(PARENTS_MIDDLE);
            }
            found.add("0xffffffff");
            return found;
        }
    }

    private static final class Job {
        private NamespaceBundles wanted;
        private CompletableFuture<Void> move, moveForPolicies;
        private boolean isMoved;
        /** The number of the last publish of a child that it waits for. */
        private long awaited;
    }

    /** What the metadata store holds. */
    static Ring stored;
    Ring known = stored;
    private final List<Job> jobs = new ArrayList<>();
    private final Outbox outbox;
    private final Listener listener;
    /** The split that has begun, or begun again, in this step. */
    private Job beginning;

    Boundaries(Broker broker) {
        outbox = broker.outbox;
        listener = broker.listener;
    }

    static void reset() {
        stored = new Ring(false, 0, false, 0);
    }

    /** Return the cache of boundaries of a factory, which loads what this broker knows. */
    AsyncLoadingCache<?, ?> cache(NamespaceBundleFactory factory) {
        LoadingCache<?, ?> waiting = Reflect.proxy(LoadingCache.class, (method, given) -> {
            if (!method.equals("get")) {
                throw Reflect.unknown("LoadingCache", method);
            }
            return bundles((NamespaceName) given[0], factory);
        });
        return Reflect.proxy(AsyncLoadingCache.class, (method, given) -> switch (method) {
            case "get" -> CompletableFuture.completedFuture(bundles((NamespaceName) given[0], factory));
            case "synchronous" -> waiting;
            default -> throw Reflect.unknown("AsyncLoadingCache", method);
        });
    }

    private NamespaceBundles bundles(NamespaceName namespace, NamespaceBundleFactory factory) {
        List<String> boundaries = known.boundaries();
        LocalPolicies policies = new LocalPolicies(BundlesData.builder().boundaries(boundaries)
                .numBundles(boundaries.size() - 1).build(), null, null);
        return new NamespaceBundles(namespace, factory, Optional.of(Pair.of(policies, known.version)));
    }

    /** Take note of a split that begins. */
    void begin() {
        beginning = new Job();
        jobs.add(beginning);
        listener.beginsSplit(beginning);
    }

    /** Take note of the broker's newest publish: a split that has begun in this step waits for it. */
    void published() {
        if (beginning != null) {
            beginning.awaited = outbox.added();
        }
    }

    /** End a step. */
    void endStep() {
        beginning = null;
    }

    CompletableFuture<Void> move(NamespaceBundles wanted) {
        Job job = jobs.stream().filter(one -> (one.move == null || one.move.isDone()) && !one.isMoved)
                .filter(one -> one.awaited <= outbox.arrived()).findFirst().orElseThrow();
        job.wanted = wanted;
        job.move = new CompletableFuture<>();
        Trace.note("the boundaries are to be moved");
        return job.move;
    }

    CompletableFuture<Void> moveForPolicies(NamespaceBundles wanted) {
        Job job = jobs.stream().filter(one -> one.wanted == wanted).findFirst().orElseThrow();
        return job.moveForPolicies = new CompletableFuture<>();
    }

    /** Return the tries that a split counts: as many as the script wants, or its own number. */
    static int counted(AtomicInteger counter) {
        return tries > 0 ? tries : counter.incrementAndGet();
    }

    /** Write the boundaries of the *number*-th split. */
    void write(int number) {
        Job job = jobs.get(number - 1);
        if (isStale(job)) {
            Cluster.refuse("the boundaries are stale");
            return;
        }
        stored = known = known.with(job.wanted.getBundlesData().getBoundaries());
        job.isMoved = true;
        jobs.remove(job);
        jobs.add(job);
        job.move.complete(null);
    }

    private static boolean isStale(Job job) {
        return job.wanted.getVersion().orElse(-1L) != stored.version;
    }

    /** Refuse the write of the *number*-th split, as it must be, for the last time but one; it must try again. */
    void retry(int number) {
        beginning = jobs.get(number - 1);
        CompletableFuture<Void> move = beginning.move;
        int before = outbox.size();
        refuse(beginning, TRIES - 1);
        if (!Time.pump(() -> beginning.move != move || outbox.size() > before, UNTIL_RETRY)) {
            Cluster.refuse("the split does not begin again");
        }
    }

    /** Refuse the write of the *number*-th split, as it must be, for the last time; it must give up. */
    void giveUp(int number) {
        Job job = jobs.remove(number - 1);
        listener.ending(job, ", failed", () -> refuse(job, TRIES));
        int before = outbox.size();
        if (Time.pump(() -> outbox.size() > before, UNTIL_RETRY)) {
            Cluster.refuse("the split tries again");
        }
    }

    private static void refuse(Job job, int counted) {
        if (!isStale(job)) {
            Cluster.refuse("the boundaries are not stale");
        }
        tries = counted;
        job.move.completeExceptionally(new MetadataStoreException.BadVersionException("stale"));
        tries = 0;
    }

    /** Complete the second write of the *number*-th split, after which it deletes its parent. */
    void finish(int number) {
        Job job = jobs.get(number - 1);
        if (job.moveForPolicies == null) {
            Cluster.refuse("the split has not moved the boundaries");
        } else {
            jobs.remove(job);
            listener.must("onNamespaceBundleSplit", listener.unitOf(job));
            listener.must("refreshTopicToStatsMaps", listener.unitOf(job));
            listener.ending(job, "", () -> job.moveForPolicies.complete(null));
        }
    }

    void splitAnother() {
        stored = known = new Ring(stored.isSplit, stored.others + 1, stored.isNested, stored.version + 1);
    }

    void read() {
        known = stored;
    }
}
