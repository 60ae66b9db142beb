package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.LeaderAnswer.NotLeader;
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
 * hold yet, or no longer, does not hear who leads, so it asks one holder after the other, then who
 * else is known by address: all that held the metadata when it last heard of them may have gone
 * meanwhile, and each member holds them. Thread-safe.
 */
final class LeaderCalls {
  static final String SERVICE = "metadata";

  private final NodeId self;
  private final MetadataGroup metadata;
  private final PeerCalls peers;
  private final NodeAddresses addresses;
  private final Function<LeaderRequest, CompletableFuture<LeaderAnswer>> here;
  private final AtomicInteger turn = new AtomicInteger();
  private volatile @Nullable NodeId hint;

  /** Who was asked last, if it did not answer as the leader: Raft may have heard of none since. */
  private volatile @Nullable NodeId doubted;

  /**
   * @param here handles a request of this node itself
   */
  LeaderCalls(
      NodeId self,
      MetadataGroup metadata,
      PeerCalls peers,
      NodeAddresses addresses,
      Function<LeaderRequest, CompletableFuture<LeaderAnswer>> here) {
    this.self = self;
    this.metadata = metadata;
    this.peers = peers;
    this.addresses = addresses;
    this.here = here;
  }

  /** Fails with {@link PeerException}; an answer may be {@link NotLeader}. */
  CompletableFuture<LeaderAnswer> ask(LeaderRequest request, Duration timeout) {
    NodeId target = target();
    if (target == null || target.equals(self)) {
      return here.apply(request);
    }
    return peers
        .ask(target, SERVICE, request.encode(), timeout)
        .thenApply(LeaderAnswer::decode)
        .whenComplete((answer, failure) -> learn(target, answer, failure));
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

  /** Why a write was not done, or that it is not known. */
  static ConsensusException whyNotWritten(
      @Nullable LeaderAnswer answer, @Nullable Throwable failure) {
    if (answer instanceof LeaderAnswer.Failed failed) {
      return new ConsensusException(failed.kind(), failed.why());
    }
    if (answer != null) {
      return new ConsensusException(
          Kind.NOT_LEADER, "no leader of the metadata is known at the moment");
    }
    boolean unsent =
        failure instanceof PeerException peer && peer.kind() == PeerException.Kind.NOT_SENT;
    return new ConsensusException(
        unsent ? Kind.NOT_LEADER : Kind.OUTCOME_UNKNOWN,
        "the leader of the metadata did not answer: " + failure);
  }

  /** Who was named is asked next, but not whom that one names: they may name each other. */
  private void learn(NodeId asked, @Nullable LeaderAnswer answer, @Nullable Throwable failure) {
    if (failure == null && !(answer instanceof NotLeader)) {
      doubted = null;
      return;
    }
    NodeId named = answer instanceof NotLeader not ? not.leader() : null;
    boolean isNews = named != null && !named.equals(self) && !asked.equals(hint);
    hint = isNews ? named : null;
    doubted = asked;
  }

  private @Nullable NodeId target() {
    NodeId leader = metadata.leadership().leader();
    if (leader != null && !leader.equals(doubted)) {
      return leader;
    }
    NodeId told = hint;
    if (told != null) {
      return told;
    }
    ReplicaSet replicas = metadata.status().replicas();
    List<NodeId> turns =
        Stream.of(replicas.voters(), replicas.learners(), addresses.all().keySet())
            .flatMap(nodes -> nodes.stream().sorted(Comparator.comparing(NodeId::value)))
            .distinct()
            .filter(node -> !node.equals(self))
            .toList();
    return turns.isEmpty() ? null : turns.get(Math.floorMod(turn.getAndIncrement(), turns.size()));
  }
}
