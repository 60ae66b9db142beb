package io.fjordmq.broker.cluster;

import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.placement.PlacementAgent;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches this node's route replicas, without which it cannot serve clients. Refuses to replace a
 * route replica with an empty one while the node is counted, because publishes would miss the
 * routes that the new replica has not received yet. Thread-safe.
 */
public final class HaltedRoutes implements RouteHealthMonitor.Node, PlacementAgent.Consent {
  static final Duration PERIOD = Duration.ofSeconds(1);

  private static final String CAUSE = "routes";

  private final ClusterMembership membership;
  private final Suspensions suspensions;
  private final RangeStore ranges;
  private final Set<String> onEveryNode;
  private volatile Supplier<@Nullable String> overdueCheck = () -> null;

  /**
   * The reason why the replacement by an empty replica was refused; null if none was refused since
   * this node was last suspended.
   */
  private volatile @Nullable String replacementReason;

  /**
   * @param onEveryNode the stores that keep a replica of every range on every node
   */
  public HaltedRoutes(
      ClusterMembership membership,
      Suspensions suspensions,
      RangeStore ranges,
      Set<String> onEveryNode) {
    this.membership = membership;
    this.suspensions = suspensions;
    this.ranges = ranges;
    this.onEveryNode = Set.copyOf(onEveryNode);
  }

  /**
   * Sets the check that detects whether other nodes have waited too long for this node's routes.
   *
   * @param check returns the reason, or null while no node waits too long
   */
  public void setOverdueCheck(Supplier<@Nullable String> check) {
    overdueCheck = check;
  }

  @Override
  public @Nullable String haltedReason() {
    for (ReplicaStatus replica : ranges.status()) {
      RangeId range = replica.descriptor().id();
      if (onEveryNode.contains(range.store()) && replica.failure() != null) {
        return "range " + range + " is halted on this node: " + replica.failure();
      }
    }
    return null;
  }

  @Override
  public @Nullable String replacementReason() {
    return replacementReason;
  }

  @Override
  public @Nullable String overdueReason() {
    return overdueCheck.get();
  }

  @Override
  public @Nullable String refusal(RangeId range) {
    if (!onEveryNode.contains(range.store()) || !isCounted()) {
      return null;
    }
    replacementReason = "the replica of range " + range + " on this node is being replaced";
    return "this node serves clients with its current routes until it is suspended";
  }

  @Override
  public boolean isCounted() {
    Member self = membership.members().find(membership.self());
    return self != null && self.isCounted();
  }

  @Override
  public boolean othersServe() {
    Members members = membership.members();
    return members.byNode().values().stream()
        .anyMatch(member -> canServe(member) && !member.node().equals(membership.self()));
  }

  private static boolean canServe(Member member) {
    return switch (member.state()) {
      case UP, FULL, SLOW -> true;
      case DOWN, DRAINING, LEAVING, STARTING -> false;
    };
  }

  @Override
  public void suspend(String reason) {
    replacementReason = null;
    suspensions.suspend(CAUSE, reason);
  }

  @Override
  public void resume() {
    suspensions.resume(CAUSE);
  }
}
