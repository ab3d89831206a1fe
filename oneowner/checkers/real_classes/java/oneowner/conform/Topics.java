package oneowner.conform;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The topics of a broker, by unit: open, being closed, or closed with their clients kept.
 *
 * <p>It stands for BrokerService.topics with the model's rule for what a close finds (model/channel/topics.py): a close
 * that finds something ends when the script says so.
 */
final class Topics {
    record Close(int unit, boolean disconnects, CompletableFuture<Integer> end) { }

    final boolean[] open = new boolean[Cluster.units + 1];
    final List<Close> closing = new ArrayList<>();
    private final boolean[] kept = new boolean[Cluster.units + 1];
    private final Broker broker;

    Topics(Broker broker) {
        this.broker = broker;
    }

    CompletableFuture<Integer> close(int unit, boolean disconnects) {
        boolean isFound = Cluster.isMultiPhase && kept[unit] && disconnects;
        for (int other = 1; other <= Cluster.units; other++) {
            isFound |= open[other] && shareTopics(other, unit);
        }
        for (Close close : closing) {
            boolean hasLedger = !Cluster.isMultiPhase || kept[close.unit] != close.disconnects;
            isFound |= hasLedger && shareTopics(close.unit, unit);
        }
        if (!isFound) {
            ended(unit, disconnects);
            return CompletableFuture.completedFuture(0);
        }
        kept[unit] |= Cluster.isMultiPhase && open[unit] && !disconnects;
        for (int other = 1; other <= Cluster.units; other++) {
            open[other] &= !shareTopics(other, unit);
        }
        Close close = new Close(unit, disconnects, new CompletableFuture<>());
        closing.add(close);
        broker.listener.begins(close, Cluster.name(unit));
        Trace.note("a close of topics begins: unit " + unit);
        return close.end;
    }

    /** End the *number*-th close that is under way. */
    void end(int number) {
        Close close = closing.remove(number - 1);
        if (close.disconnects) {
            kept[close.unit] = false;
        }
        ended(close.unit, close.disconnects);
        broker.listener.ending(close, "", () -> close.end.complete(1));
    }

    /** Demand what follows the end of a close. */
    private void ended(int unit, boolean disconnects) {
        broker.listener.must("onNamespaceBundleUnload", unit);
        if (disconnects) {
            broker.listener.must("cleanUnloadedTopicFromCache", unit);
        }
    }

    /** Book the topic, if it is open through *parent*, under the unit that the broker's boundaries have for it. */
    Object book(int parent) {
        if (open[parent]) {
            open[parent] = false;
            boolean isNested = Cluster.units == 5 && (parent == 2 || broker.boundaries.known.isNested());
            open[isNested ? 4 : 2] = true;
        }
        return null;
    }

    private static boolean shareTopics(int one, int other) {
        return Cluster.haveSplits ? hasTopic(one) && hasTopic(other) : one == other;
    }

    /** Of a split's units, only those in the first part of a range have a topic. */
    private static boolean hasTopic(int unit) {
        return unit != 3 && unit != 5;
    }
}
