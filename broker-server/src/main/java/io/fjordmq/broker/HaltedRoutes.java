package io.fjordmq.broker;

import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.placement.PlacementAgent;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches the replicas of routes, which every node needs to serve clients. Refuses an empty one
 * while other nodes count on this one: it would match what its clients publish without the routes
 * that the new replica does not have yet. Thread-safe.
 */
public final class HaltedRoutes implements RouteTrouble.Node, PlacementAgent.Consent {
  static final Duration PERIOD = Duration.ofSeconds(1);

  private static final String WHO = "routes";

  private final ClusterMembership membership;
  private final Rests rests;
  private final RangeStore ranges;
  private final Set<String> onEveryNode;
  private volatile Supplier<@Nullable String> overdue = () -> null;

  /**
   * @param onEveryNode the stores of which every node has all replicas
   */
  public HaltedRoutes(
      ClusterMembership membership, Rests rests, RangeStore ranges, Set<String> onEveryNode) {
    this.membership = membership;
    this.rests = rests;
    this.ranges = ranges;
    this.onEveryNode = Set.copyOf(onEveryNode);
  }

  /** Whether other nodes have been waiting for too long is asked there from now on. */
  public void follow(Supplier<@Nullable String> question) {
    overdue = question;
  }

  /** Why a replica of routes is halted; null if none is. */
  @Nullable String halted() {
    for (ReplicaStatus replica : ranges.status()) {
      RangeId range = replica.descriptor().id();
      if (onEveryNode.contains(range.store()) && replica.failure() != null) {
        return "range " + range + " is halted on this node: " + replica.failure();
      }
    }
    return null;
  }

  /** One is missing while it is rebuilt, and for a moment while a range is split. */
  @Override
  public @Nullable String outOfService() {
    String halted = halted();
    if (halted != null) {
      return halted;
    }
    for (String store : onEveryNode) {
      if (!KeyInterval.holdEverything(
          ranges.descriptors(store).stream().map(RangeDescriptor::interval).toList())) {
        return "a replica of store " + store + " is missing on this node";
      }
    }
    return null;
  }

  @Override
  public @Nullable String behind() {
    return overdue.get();
  }

  @Override
  public @Nullable String refusal(RangeId range) {
    return onEveryNode.contains(range.store()) && isCounted()
        ? "this node serves clients with the routes that it has, until it has left service"
        : null;
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
        .anyMatch(
            member ->
                member.state() == Member.State.UP && !member.node().equals(membership.self()));
  }

  @Override
  public void rest(String why) {
    rests.rest(WHO, why);
  }

  @Override
  public void resume() {
    rests.resume(WHO);
  }
}
