package org.apache.pulsar.broker.loadbalance;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A stub: somebody leads. */
public class LeaderElectionService {
    public static String leader = "c";

    public CompletableFuture<Optional<LeaderBroker>> readCurrentLeader() {
        return CompletableFuture.completedFuture(Optional.of(new LeaderBroker(leader, leader)));
    }
}
