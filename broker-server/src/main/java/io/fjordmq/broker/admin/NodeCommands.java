package io.fjordmq.broker.admin;

import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.cluster.Stores;
import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.cluster.membership.LevelStatus;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.range.RangeDescriptor;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Removes and decommissions nodes (decision 0024), advances cluster time to the median of the
 * nodes' wall clocks (decision 0037), and raises the cluster level (decision 0101). Not
 * thread-safe; each command blocks until the change has been made or has timed out.
 */
final class NodeCommands {
  private final ClusterNode node;
  private final Stores stores;

  NodeCommands(ClusterNode node, Stores stores) {
    this.node = node;
    this.stores = stores;
  }

  /** Removes a node that is down. */
  CommandResult remove(String id) {
    if (!id.matches("[A-Za-z0-9._-]{1,64}")) {
      return CommandResult.usageError(
          "invalid node id '" + id + "'; 'bin/standalone.sh status' lists the nodes");
    }
    NodeId removed = new NodeId(id);
    Members members = node.membership().members();
    for (RangeDescriptor range : stores.publishedRanges()) {
      Set<NodeId> voters = range.replicas().voters();
      long others =
          voters.stream()
              .filter(voter -> !voter.equals(removed) && members.alive().contains(voter))
              .count();
      Member member = members.find(removed);
      if (voters.contains(removed)
          && 2 * others <= voters.size()
          && member != null
          && !member.isAlive()) {
        return CommandResult.failed(
            ("cannot remove node %s: range %s would lose its majority and its data; first bring"
                    + " back one of its voters %s")
                .formatted(id, range.id(), voters));
      }
    }
    String failure = MetadataChange.await(() -> node.membership().remove(removed));
    return failure == null
        ? CommandResult.done(
            "removed node %s; its replicas move to other nodes, and its id cannot be used again"
                .formatted(id))
        : CommandResult.failed("cannot remove node " + id + ": " + failure);
  }

  /**
   * Decommissions this node. The caller repeats the command until it reports completion; replicas
   * and clients move to other nodes in the meantime.
   */
  CommandResult leave() {
    ClusterMembership membership = node.membership();
    Members members = membership.members();
    boolean others =
        members.byNode().values().stream()
            .anyMatch(
                member ->
                    member.state() == Member.State.UP && !member.node().equals(membership.self()));
    if (!others) {
      return CommandResult.failed(
          "cannot decommission this node: no other node is up to take over its replicas");
    }
    Member self = members.find(membership.self());
    if (self == null || self.state() != Member.State.LEAVING) {
      String failure = MetadataChange.await(membership::decommission);
      if (failure != null) {
        return CommandResult.failed("cannot mark this node as leaving: " + failure);
      }
    }
    long votes = stores.publishedRanges().stream().filter(this::isVoterOf).count();
    boolean isMetadataVoter =
        node.metadata().status().replicas().voters().contains(membership.self());
    if (votes > 0 || isMetadataVoter) {
      return CommandResult.inProgress(
          "moving replicas to other nodes; this node is still a voter in %d ranges%s"
                  .formatted(votes, isMetadataVoter ? " and in the metadata group" : "")
              + downNodes(members));
    }
    membership.removeOnClose();
    return CommandResult.done("this node is no longer a voter in any range");
  }

  private boolean isVoterOf(RangeDescriptor range) {
    return range.replicas().voters().contains(node.self());
  }

  /**
   * Advances cluster time to the median wall clock. A failed attempt is not retried, because the
   * operator should check the clocks again first.
   */
  CommandResult acceptClock() {
    String reason;
    try {
      Duration advance =
          node.membership().acceptClock().get(MetadataChange.TIMEOUT_SECONDS, TimeUnit.SECONDS);
      return CommandResult.done(
          "cluster time has advanced by %d s to the median wall clock"
              .formatted(advance.toSeconds()));
    } catch (ExecutionException e) {
      reason = String.valueOf((e.getCause() == null ? e : e.getCause()).getMessage());
    } catch (TimeoutException e) {
      reason =
          "no response within "
              + MetadataChange.TIMEOUT_SECONDS
              + " s; see the metric fjordmq_clock_difference_seconds";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reason = "the node is stopping";
    }
    return CommandResult.failed("cluster time was not advanced: " + reason);
  }

  /** Raises the cluster level to the highest that all members support. */
  CommandResult upgrade() {
    ClusterMembership membership = node.membership();
    int before = membership.levelStatus().record().level();
    AtomicInteger level = new AtomicInteger();
    String failure = MetadataChange.await(() -> membership.raiseLevel(0).thenAccept(level::set));
    if (failure != null) {
      return CommandResult.failed("the cluster level was not raised: " + failure);
    }
    LevelStatus status = membership.levelStatus();
    if (level.get() > before) {
      return CommandResult.done(
          "the cluster level was raised from %d to %d; versions that do not support it can no longer join"
              .formatted(before, level.get()));
    }
    return status.highest() > level.get()
        ? CommandResult.failed(
            "the cluster stays at level %d, because not all nodes support level %d; upgrade and start these nodes, or remove those that will not return: %s"
                .formatted(
                    level.get(),
                    status.highest(),
                    status.lagging().stream().map(NodeId::value).collect(Collectors.joining(", "))))
        : CommandResult.done(
            "the cluster is at level %d, the highest that its nodes support"
                .formatted(level.get()));
  }

  /**
   * Returns a message suffix that lists the nodes that are down and block progress; empty if all
   * nodes are up.
   */
  static String downNodes(Members members) {
    String down =
        members.byNode().values().stream()
            .filter(member -> !member.isAlive())
            .map(member -> member.node().value())
            .sorted()
            .collect(Collectors.joining(", "));
    return down.isEmpty()
        ? ""
        : "; waiting for nodes that are down (" + down + "): restart or remove them";
  }
}
