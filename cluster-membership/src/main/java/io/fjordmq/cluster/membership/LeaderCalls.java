package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the leader of the metadata and asks it; it may be this node. A node that the group does not
 * hold yet does not hear who leads, so it asks one holder after the other: its voters may all have
 * gone meanwhile. Thread-safe.
 */
final class LeaderCalls {
  static final String SERVICE = "metadata";

  private final NodeId self;
  private final MetadataGroup metadata;
  private final PeerCalls peers;
  private final Function<LeaderRequest, CompletableFuture<LeaderAnswer>> here;
  private final AtomicInteger turn = new AtomicInteger();
  private volatile @Nullable NodeId hint;

  /**
   * @param here handles a request of this node itself
   */
  LeaderCalls(
      NodeId self,
      MetadataGroup metadata,
      PeerCalls peers,
      Function<LeaderRequest, CompletableFuture<LeaderAnswer>> here) {
    this.self = self;
    this.metadata = metadata;
    this.peers = peers;
    this.here = here;
  }

  /** Fails with {@link PeerException}; an answer may be {@link LeaderAnswer.NotLeader}. */
  CompletableFuture<LeaderAnswer> ask(LeaderRequest request, Duration timeout) {
    NodeId target = target();
    if (target == null || target.equals(self)) {
      return here.apply(request);
    }
    return peers
        .ask(target, SERVICE, request.encode(), timeout)
        .thenApply(LeaderAnswer::decode)
        .whenComplete((answer, failure) -> hint = hint(target, answer, failure));
  }

  /** Why it did not do what it was asked for, for people. */
  static String whyNot(@Nullable LeaderAnswer answer, @Nullable Throwable failure) {
    if (failure == null) {
      return answer instanceof LeaderAnswer.Failed failed
          ? failed.why()
          : "no leader of the metadata is known";
    }
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return String.valueOf(cause.getMessage());
  }

  /** Who was named is asked next, but not whom that one names: they may name each other. */
  private @Nullable NodeId hint(
      NodeId asked, @Nullable LeaderAnswer answer, @Nullable Throwable failure) {
    if (failure != null || answer instanceof LeaderAnswer.NotLeader && asked.equals(hint)) {
      return null;
    }
    return answer instanceof LeaderAnswer.NotLeader not ? not.leader() : hint;
  }

  private @Nullable NodeId target() {
    NodeId known = metadata.leadership().leader();
    NodeId told = hint;
    if (known != null || told != null) {
      return known != null ? known : told;
    }
    ReplicaSet replicas = metadata.status().replicas();
    Comparator<NodeId> votersFirst =
        Comparator.comparing(node -> !replicas.voters().contains(node));
    List<NodeId> holders =
        Stream.concat(replicas.voters().stream(), replicas.learners().stream())
            .filter(node -> !node.equals(self))
            .sorted(votersFirst.thenComparing(NodeId::value))
            .toList();
    return holders.isEmpty()
        ? null
        : holders.get(Math.floorMod(turn.getAndIncrement(), holders.size()));
  }
}
