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
 * Finds the metadata leader, which can be this node, and sends requests to it. A node that is not
 * in the metadata group yet, or no longer, does not learn who leads. It tries one known replica
 * after the other, and then every other node whose address is known: all replicas that it knows may
 * have been removed in the meantime, but every member has a replica. Thread-safe.
 */
final class LeaderCalls {
  static final String SERVICE = "metadata";

  private final NodeId self;
  private final MetadataGroup metadata;
  private final PeerCalls peers;
  private final NodeAddresses addresses;
  private final Function<LeaderRequest, CompletableFuture<LeaderAnswer>> localHandler;
  private final AtomicInteger nextCandidate = new AtomicInteger();
  private volatile @Nullable NodeId hint;

  /**
   * The last node asked, if it did not respond as the leader; Raft may still consider it the
   * leader.
   */
  private volatile @Nullable NodeId doubted;

  /**
   * @param localHandler handles requests locally if this node may be the leader
   */
  LeaderCalls(
      NodeId self,
      MetadataGroup metadata,
      PeerCalls peers,
      NodeAddresses addresses,
      Function<LeaderRequest, CompletableFuture<LeaderAnswer>> localHandler) {
    this.self = self;
    this.metadata = metadata;
    this.peers = peers;
    this.addresses = addresses;
    this.localHandler = localHandler;
  }

  /** Sends a request. Fails with {@link PeerException}; the response may be {@link NotLeader}. */
  CompletableFuture<LeaderAnswer> ask(LeaderRequest request, Duration timeout) {
    NodeId target = target();
    if (target == null || target.equals(self)) {
      return localHandler.apply(request);
    }
    return peers
        .ask(target, SERVICE, request.encode(), timeout)
        .thenApply(LeaderAnswer::decode)
        .whenComplete((answer, failure) -> learn(target, answer, failure));
  }

  /** Describes why a request was not fulfilled, for operators. */
  static String failureReason(@Nullable LeaderAnswer answer, @Nullable Throwable failure) {
    if (failure == null) {
      return answer instanceof LeaderAnswer.Failed failed
          ? failed.why()
          : "the metadata leader is not known";
    }
    return String.valueOf(causeOf(failure).getMessage());
  }

  /** The failure itself; futures that depend on the call wrap it. */
  private static Throwable causeOf(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** The exception for a write that failed or whose outcome is unknown. */
  static ConsensusException whyNotWritten(
      @Nullable LeaderAnswer answer, @Nullable Throwable failure) {
    if (answer instanceof LeaderAnswer.Failed failed) {
      return new ConsensusException(failed.kind(), failed.why());
    }
    if (answer != null) {
      return new ConsensusException(
          Kind.NOT_LEADER, "the metadata leader is not known at the moment");
    }
    boolean unsent =
        failure != null
            && causeOf(failure) instanceof PeerException peer
            && peer.kind() == PeerException.Kind.NOT_SENT;
    return new ConsensusException(
        unsent ? Kind.NOT_LEADER : Kind.OUTCOME_UNKNOWN,
        "the metadata leader did not respond: " + failureReason(null, failure));
  }

  /**
   * Follows the hint of a node, but not a hint of the hinted node: two nodes may name each other.
   */
  private void learn(NodeId asked, @Nullable LeaderAnswer answer, @Nullable Throwable failure) {
    if (failure == null && !(answer instanceof NotLeader)) {
      doubted = null;
      return;
    }
    NodeId named = answer instanceof NotLeader not ? not.leader() : null;
    boolean follow = named != null && !named.equals(self) && !asked.equals(hint);
    hint = follow ? named : null;
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
    List<NodeId> candidates =
        Stream.of(replicas.voters(), replicas.learners(), addresses.all().keySet())
            .flatMap(nodes -> nodes.stream().sorted(Comparator.comparing(NodeId::value)))
            .distinct()
            .filter(node -> !node.equals(self))
            .toList();
    return candidates.isEmpty()
        ? null
        : candidates.get(Math.floorMod(nextCandidate.getAndIncrement(), candidates.size()));
  }
}
