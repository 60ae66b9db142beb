package io.fjordmq.broker.drain;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When this node stops without being drained, transfers leadership of its ranges to other nodes.
 * All transfers start at once, without the placement driver. Without this handover, clients on
 * other nodes would wait several seconds until this node's replicas are closed, and then for an
 * election.
 */
public final class LeadershipHandover implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeadershipHandover.class);

  /** About as long as the election that would otherwise follow. */
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final Ranges ranges;
  private final Supplier<Set<NodeId>> counted;
  private final Duration timeout;

  /** The replicas on this node. */
  interface Ranges {
    List<ReplicaStatus> status();

    /** Transfers leadership; fails if the target cannot catch up within the election timeout. */
    CompletableFuture<Void> transferLeadership(RangeId range, NodeId target);
  }

  private record Transfer(RangeId range, NodeId target) {}

  /**
   * @param counted supplies the nodes that are up; queried by {@link #close}
   */
  public LeadershipHandover(RangeStore store, Supplier<Set<NodeId>> counted) {
    this(
        new Ranges() {
          @Override
          public List<ReplicaStatus> status() {
            return store.status();
          }

          @Override
          public CompletableFuture<Void> transferLeadership(RangeId range, NodeId target) {
            return store.leaderOperations().transferLeadership(range, target);
          }
        },
        counted,
        TIMEOUT);
  }

  LeadershipHandover(Ranges ranges, Supplier<Set<NodeId>> counted, Duration timeout) {
    this.ranges = ranges;
    this.counted = counted;
    this.timeout = timeout;
  }

  /**
   * Transfers leadership. Returns when every range that another node can lead has a new leader, or
   * after the timeout.
   */
  @Override
  public void close() {
    List<Transfer> transfers = plan();
    CompletableFuture<?>[] calls =
        transfers.stream().map(this::start).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(calls).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.info(
          "Stopping while this node may still lead ranges; clients of these ranges must wait for "
              + "an election: {} transfers={}",
          e.toString(),
          transfers);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private CompletableFuture<Void> start(Transfer transfer) {
    return ranges.transferLeadership(transfer.range, transfer.target);
  }

  /** Distributes the ranges among the other voters that are up. */
  private List<Transfer> plan() {
    Set<NodeId> up = counted.get();
    Map<NodeId, Integer> assigned = new HashMap<>();
    List<Transfer> transfers = new ArrayList<>();
    for (ReplicaStatus replica : ranges.status()) {
      if (replica.leading()) {
        Optional<NodeId> target =
            replica.voters().stream()
                .filter(voter -> !voter.equals(replica.node()) && up.contains(voter))
                .min(
                    Comparator.<NodeId, Integer>comparing(voter -> assigned.getOrDefault(voter, 0))
                        .thenComparing(NodeId::value));
        target.ifPresent(
            node -> {
              assigned.merge(node, 1, Integer::sum);
              transfers.add(new Transfer(replica.descriptor().id(), node));
            });
      }
    }
    return transfers;
  }
}
