package oneowner.conform;

import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
    }

    /** What the metadata store holds. */
    static Ring stored;
    Ring known = stored;
    private final List<Job> jobs = new ArrayList<>();

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

    CompletableFuture<Void> move(NamespaceBundles wanted) {
        Job job = jobs.stream().filter(one -> one.move.isDone() && !one.isMoved).findFirst().orElse(null);
        if (job == null) {
            jobs.add(job = new Job());
        }
        job.wanted = wanted;
        job.move = new CompletableFuture<>();
        Trace.note("the boundaries are to be moved");
        return job.move;
    }

    CompletableFuture<Void> moveForPolicies(NamespaceBundles wanted) {
        Job job = jobs.stream().filter(one -> one.wanted == wanted).findFirst().orElseThrow();
        return job.moveForPolicies = new CompletableFuture<>();
    }

    /** Write the boundaries of the *number*-th split; where they are stale, it must try again, and be right then. */
    void write(int number) {
        Job job = jobs.get(number - 1);
        if (job.wanted.getVersion().orElse(-1L) != stored.version && !failed(job)) {
            Cluster.complain("the split does not try to move the boundaries again");
            return;
        }
        if (job.wanted.getVersion().orElse(-1L) != stored.version) {
            Cluster.complain("the boundaries are stale once more");
            return;
        }
        stored = known = known.with(job.wanted.getBundlesData().getBoundaries());
        job.isMoved = true;
        jobs.remove(job);
        jobs.add(job);
        job.move.complete(null);
    }

    /** Refuse every write of the *number*-th split, until it gives up. */
    void refuse(int number) {
        Job job = jobs.get(number - 1);
        for (int tried = 1; tried < TRIES; tried++) {
            if (!failed(job)) {
                Cluster.complain("the split gives up after " + tried + " tries");
                return;
            }
        }
        jobs.remove(job);
        job.move.completeExceptionally(new MetadataStoreException.BadVersionException("stale"));
    }

    /** Refuse a write; return whether the job has tried again within a second. */
    private static boolean failed(Job job) {
        CompletableFuture<Void> move = job.move;
        move.completeExceptionally(new MetadataStoreException.BadVersionException("stale"));
        return Time.pump(() -> job.move != move, UNTIL_RETRY);
    }

    /** Complete the second write of the *number*-th split, after which it deletes its parent. */
    void finish(int number) {
        Job job = jobs.remove(number - 1);
        if (job.moveForPolicies == null) {
            Cluster.complain("the split has not moved the boundaries");
        } else {
            job.moveForPolicies.complete(null);
        }
    }

    void splitAnother() {
        stored = known = new Ring(stored.isSplit, stored.others + 1, stored.isNested, stored.version + 1);
    }

    void read() {
        known = stored;
    }
}
