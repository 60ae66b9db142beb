package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.RangeMerges;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.testing.Simulation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Merges ranges like a stateless driver that abandons merges at random and whose orders arrive late
 * and twice.
 */
final class RandomMergeDriver {
  private static final int REMEMBERED_ORDERS = 6;

  private final Simulation simulation;
  private final Nodes nodes;
  private final SimCounts counts;
  private final boolean absorbsEarly;

  /** The nodes; every node has a replica of every range. */
  interface Nodes {
    List<NodeId> ids();

    /** Null while the node is down. */
    @Nullable RangeStore store(NodeId node);
  }

  /** Earlier absorb orders, each valid when it was sent. */
  private final List<Order> earlierOrders = new ArrayList<>();

  private record Order(
      NodeId to, RangeDescriptor left, RangeDescriptor right, ReplicaSet replicas) {}

  /**
   * @param absorbsEarly a defect: it is sufficient that one replica is frozen
   */
  RandomMergeDriver(Simulation simulation, Nodes nodes, SimCounts counts, boolean absorbsEarly) {
    this.absorbsEarly = absorbsEarly;
    this.simulation = simulation;
    this.nodes = nodes;
    this.counts = counts;
  }

  /** Takes the next step of a merge in progress, or the first step of another one. */
  void takeStep() {
    List<RangeId> frozen = frozen();
    if (frozen.isEmpty()) {
      freezeRandomRange();
    } else {
      continueMerge(frozen.get((int) simulation.between(0, frozen.size() - 1)));
    }
    if (!earlierOrders.isEmpty() && simulation.chance(20)) {
      absorb(earlierOrders.get((int) simulation.between(0, earlierOrders.size() - 1)));
    }
  }

  /** The leader of a range for which another one is frozen; null if there is none. */
  @Nullable NodeId leaderOfLeft() {
    return statuses().stream()
        .map(ReplicaStatus::merging)
        .filter(Objects::nonNull)
        .map(merging -> leader(merging.left()))
        .filter(Objects::nonNull)
        .map(ReplicaStatus::node)
        .findFirst()
        .orElse(null);
  }

  /** Ends merges in progress; call it until it returns that there is none. */
  boolean endMerges() {
    if (simulation.chance(5)) {
      frozen().forEach(this::continueMerge);
    }
    return frozen().isEmpty() && statuses().stream().noneMatch(this::isSuperseded);
  }

  /**
   * Whether another range of this node holds the keys, so that the replica is about to be closed.
   */
  private boolean isSuperseded(ReplicaStatus replica) {
    return statuses().stream()
        .anyMatch(
            other ->
                other.node().equals(replica.node())
                    && !other.descriptor().id().equals(replica.descriptor().id())
                    && other.descriptor().interval().overlaps(replica.descriptor().interval()));
  }

  private List<ReplicaStatus> statuses() {
    List<ReplicaStatus> all = new ArrayList<>();
    nodes.ids().forEach(node -> all.addAll(statuses(node)));
    return all;
  }

  private List<ReplicaStatus> statuses(NodeId node) {
    RangeStore store = nodes.store(node);
    return store == null ? List.of() : store.status();
  }

  private List<RangeId> frozen() {
    return statuses().stream()
        .filter(replica -> replica.merging() != null)
        .map(RandomMergeDriver::idOf)
        .distinct()
        .sorted(Comparator.comparingLong(RangeId::number))
        .toList();
  }

  private @Nullable ReplicaStatus leader(RangeId range) {
    ReplicaStatus latest = null;
    for (ReplicaStatus replica : statuses()) {
      if (replica.descriptor().id().equals(range)
          && replica.leading()
          && (latest == null || term(replica) > term(latest))) {
        latest = replica;
      }
    }
    return latest;
  }

  private static long term(ReplicaStatus replica) {
    GroupStatus group = replica.group();
    return group == null ? 0 : group.leadership().term();
  }

  private void freezeRandomRange() {
    List<ReplicaStatus> leaders =
        statuses().stream().filter(replica -> replica.equals(leader(idOf(replica)))).toList();
    for (ReplicaStatus left : leaders) {
      for (ReplicaStatus right : leaders) {
        byte[] end = left.descriptor().interval().end();
        if (end != null
            && Arrays.equals(end, right.descriptor().interval().start())
            && simulation.chance(50)) {
          sendOrder(right.node(), merges -> merges.freeze(right.descriptor(), left.descriptor()));
          return;
        }
      }
    }
  }

  private static RangeId idOf(ReplicaStatus replica) {
    return replica.descriptor().id();
  }

  private void continueMerge(RangeId frozen) {
    ReplicaStatus right = leader(frozen);
    ReplicaStatus.Merging merging =
        statuses().stream()
            .filter(replica -> idOf(replica).equals(frozen) && replica.merging() != null)
            .map(ReplicaStatus::merging)
            .findFirst()
            .orElse(null);
    if (merging == null) {
      return;
    }
    ReplicaStatus left = leader(merging.left());
    boolean unchanged =
        left != null && left.descriptor().epoch().version() == merging.leftVersion();
    if (left != null
        && unchanged
        && (absorbsEarly || isFrozenEverywhere(frozen, merging))
        && simulation.chance(70)) {
      RangeDescriptor rightDescriptor =
          statuses().stream()
              .filter(replica -> idOf(replica).equals(frozen))
              .map(ReplicaStatus::descriptor)
              .findFirst()
              .orElseThrow();
      ReplicaSet all = ReplicaSet.ofVoters(nodes.ids().toArray(NodeId[]::new));
      Order order = new Order(left.node(), left.descriptor(), rightDescriptor, all);
      earlierOrders.add(order);
      if (earlierOrders.size() > REMEMBERED_ORDERS) {
        earlierOrders.remove(0);
      }
      absorb(order);
    } else if (left != null && unchanged && simulation.chance(20)) {
      sendOrder(left.node(), merges -> merges.bumpEpoch(left.descriptor()));
    } else if (right != null && simulation.chance(50)) {
      sendOrder(right.node(), merges -> merges.unfreeze(frozen).thenRun(() -> counts.unfreezes++));
    }
  }

  private boolean isFrozenEverywhere(RangeId right, ReplicaStatus.Merging merging) {
    return nodes.ids().stream()
        .allMatch(
            node ->
                statuses(node).stream()
                        .anyMatch(
                            replica -> idOf(replica).equals(right) && belongsTo(merging, replica))
                    && statuses(node).stream()
                        .anyMatch(replica -> idOf(replica).equals(merging.left())));
  }

  private static boolean belongsTo(ReplicaStatus.Merging merging, ReplicaStatus replica) {
    ReplicaStatus.Merging here = replica.merging();
    return here != null
        && here.durable()
        && here.left().equals(merging.left())
        && here.leftVersion() == merging.leftVersion();
  }

  private void absorb(Order order) {
    sendOrder(order.to(), merges -> merges.absorb(order.left(), order.right(), order.replicas()));
  }

  private void sendOrder(NodeId to, Function<RangeMerges, CompletableFuture<Void>> order) {
    RangeStore store = nodes.store(to);
    if (store != null) {
      Objects.requireNonNull(order.apply(store.merges()));
    }
  }
}
