package io.fjordmq.broker;

import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Watches the replicas of routes, which every node needs to serve clients. */
final class HaltedRoutes implements RouteTrouble.Node {
  static final Duration PERIOD = Duration.ofSeconds(1);

  private static final String WHO = "routes";

  private final ClusterNode node;
  private final RangeStore ranges;
  private final Set<String> onEveryNode;
  private volatile Supplier<@Nullable String> overdue = () -> null;

  HaltedRoutes(ClusterNode node, RangeStore ranges, List<StorePlacement> stores) {
    this.node = node;
    this.ranges = ranges;
    this.onEveryNode =
        stores.stream()
            .filter(StorePlacement::onEveryNode)
            .map(StorePlacement::store)
            .collect(Collectors.toSet());
  }

  /** Whether other nodes have been waiting for too long is asked there from now on. */
  void follow(Supplier<@Nullable String> question) {
    overdue = question;
  }

  private Stream<ReplicaStatus> replicas() {
    return ranges.status().stream()
        .filter(replica -> onEveryNode.contains(replica.descriptor().id().store()))
        .filter(replica -> replica.failure() != null);
  }

  @Override
  public @Nullable String halted() {
    return replicas()
        .findFirst()
        .map(one -> "range " + one.descriptor().id() + " is halted on this node: " + one.failure())
        .orElse(null);
  }

  @Override
  public @Nullable String behind() {
    return overdue.get();
  }

  @Override
  public boolean isCounted() {
    Member self = node.membership().members().find(node.self());
    return self != null && self.isAlive() && self.state() != Member.State.STARTING;
  }

  @Override
  public boolean othersServe() {
    Members members = node.membership().members();
    return members.byNode().values().stream()
        .anyMatch(
            member -> member.state() == Member.State.UP && !member.node().equals(node.self()));
  }

  @Override
  public void rest(String why) {
    node.rests().rest(WHO, why);
  }

  @Override
  public void resume() {
    node.rests().resume(WHO);
  }
}
