package io.fjordmq.broker.admin;

import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.cluster.Stores;
import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Splits, merges and rebuilds ranges, cancels their pending changes, and sets back range clocks
 * that are ahead of cluster time (decision 0037). Not thread-safe; each command blocks until the
 * change has been made or has timed out.
 */
final class RangeCommands {
  private static final long CHANGE_TIMEOUT_SECONDS = 100;

  private final ClusterNode node;
  private final Stores stores;

  RangeCommands(ClusterNode node, Stores stores) {
    this.node = node;
    this.stores = stores;
  }

  CommandResult split(String name) {
    return changeRange(
        name,
        "split",
        range ->
            stores
                .operations()
                .splits()
                .split(range)
                .thenApply(
                    key ->
                        "range %s was split at key %s; 'status' will list the new ranges shortly"
                            .formatted(name, HexFormat.of().formatHex(key))));
  }

  CommandResult merge(String name) {
    return changeRange(
        name,
        "merged",
        range ->
            stores
                .operations()
                .merges()
                .merge(range)
                .thenApply(done -> "range %s has absorbed its right neighbor".formatted(name)));
  }

  CommandResult cancel(String name) {
    return changeRange(
        name,
        "cleared of pending changes",
        range ->
            stores
                .operations()
                .pending()
                .cancel(range)
                .thenApply(
                    done ->
                        ("canceled the pending changes of range %s; a step already in progress will"
                                + " complete, and a merge already in progress will be rolled back"
                                + " (see 'status'); placement retries a change after"
                                + " placementConfig.mergeCooldown if its cause remains, for example"
                                + " a voter count set with 'voters'")
                            .formatted(name)));
  }

  /**
   * Requests a rebuild of this node's replica, which the placement driver carries out step by step.
   */
  CommandResult rebuild(String name) {
    ReplicaStatus replica =
        stores.ranges().status().stream()
            .filter(one -> one.descriptor().id().toString().equals(name))
            .findFirst()
            .orElse(null);
    RangeDescriptor range = published(name);
    if (replica == null || range == null) {
      return CommandResult.failed(
          "cannot rebuild range '%s': this node has no replica of it; see 'status'"
              .formatted(name));
    }
    Members members = node.membership().members();
    Set<NodeId> voters = range.replicas().voters();
    List<String> others =
        voters.stream()
            .filter(voter -> !voter.equals(node.self()) && members.alive().contains(voter))
            .map(NodeId::value)
            .sorted()
            .toList();
    if (2 * others.size() <= voters.size()) {
      return CommandResult.failed(
          ("cannot rebuild range %s: without this node it has no majority, so entries that only"
                  + " this replica holds would be lost; voters: %s, other voters that are up: %s")
              .formatted(name, voters.stream().map(NodeId::value).sorted().toList(), others));
    }
    stores.ranges().rebuildLimit().request(replica.descriptor().id());
    return CommandResult.done(
        ("rebuilding this node's replica of range %s: the Raft group removes it, then an empty"
                    + " replica fetches a snapshot; see 'status'")
                .formatted(name)
            + NodeCommands.downNodes(members));
  }

  private @Nullable RangeDescriptor published(String name) {
    return stores.publishedRanges().stream()
        .filter(one -> one.id().toString().equals(name))
        .findFirst()
        .orElse(null);
  }

  CommandResult lowerClock(String name) {
    return changeRange(
        name,
        "set back to cluster time",
        range ->
            stores
                .operations()
                .clocks()
                .resetClock(range)
                .thenApply(
                    ahead ->
                        "set back the clock of range %s, which was %d s ahead of cluster time"
                            .formatted(name, ahead.toSeconds())));
  }

  private CommandResult changeRange(
      String name, String participle, Function<RangeId, CompletableFuture<String>> change) {
    RangeDescriptor range = published(name);
    if (range == null) {
      return CommandResult.failed(
          "unknown range '" + name + "'; 'bin/standalone.sh status' lists the ranges");
    }
    String reason;
    try {
      return CommandResult.done(
          change.apply(range.id()).get(CHANGE_TIMEOUT_SECONDS, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      reason = String.valueOf((e.getCause() == null ? e : e.getCause()).getMessage());
    } catch (TimeoutException e) {
      return CommandResult.failed(
          "range %s was not %s within %d s; the change may still complete; see 'status'"
              .formatted(name, participle, CHANGE_TIMEOUT_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reason = "the node is stopping";
    }
    return CommandResult.failed("range %s was not %s: %s".formatted(name, participle, reason));
  }
}
