package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.LeaderResponse.NotLeader;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.common.OperationException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the metadata leader, which can be this node, and sends requests to it. A node that is not
 * in the metadata group yet, or no longer, does not learn who leads. It tries one known replica
 * after another, and then every other node whose address is known: all replicas that it knows may
 * have been removed in the meantime, but every member has a replica. Thread-safe.
 */
final class LeaderCalls {
  static final String SERVICE = "metadata";

  private final NodeId self;
  private final MetadataGroup metadata;
  private final PeerCalls peers;
  private final NodeAddresses addresses;
  private final Function<LeaderRequest, CompletableFuture<LeaderResponse>> localHandler;
  private final AtomicInteger nextCandidate = new AtomicInteger();
  private volatile @Nullable NodeId hint;

  /**
   * The last node contacted, if it did not respond as the leader; Raft may still consider it the
   * leader.
   */
  private volatile @Nullable NodeId rejectedLeader;

  /**
   * @param localHandler handles requests locally if this node may be the leader
   */
  LeaderCalls(
      NodeId self,
      MetadataGroup metadata,
      PeerCalls peers,
      NodeAddresses addresses,
      Function<LeaderRequest, CompletableFuture<LeaderResponse>> localHandler) {
    this.self = self;
    this.metadata = metadata;
    this.peers = peers;
    this.addresses = addresses;
    this.localHandler = localHandler;
  }

  /** Sends a request. Fails with {@link PeerException}; the response may be {@link NotLeader}. */
  CompletableFuture<LeaderResponse> call(LeaderRequest request, Duration timeout) {
    NodeId target = target();
    if (target == null || target.equals(self)) {
      return localHandler.apply(request);
    }
    return peers
        .call(target, SERVICE, request.encode(), timeout)
        .thenApply(LeaderResponse::decode)
        .whenComplete((response, failure) -> updateHint(target, response, failure));
  }

  /** Describes why a request was not fulfilled, for operators. */
  static String failureReason(@Nullable LeaderResponse response, @Nullable Throwable failure) {
    if (failure == null) {
      return response instanceof LeaderResponse.Failed failed
          ? failed.reason()
          : "the metadata leader is unknown";
    }
    return String.valueOf(OperationException.unwrap(failure).getMessage());
  }

  /** Returns the exception for a write that failed or whose outcome is unknown. */
  static ConsensusException writeFailure(
      @Nullable LeaderResponse response, @Nullable Throwable failure) {
    if (response instanceof LeaderResponse.Failed failed) {
      return new ConsensusException(failed.kind(), failed.reason());
    }
    if (response != null) {
      return new ConsensusException(Kind.NOT_LEADER, "the metadata leader is currently unknown");
    }
    boolean unsent = OperationException.isAny(failure, PeerException.Kind.NOT_SENT);
    return new ConsensusException(
        unsent ? Kind.NOT_LEADER : Kind.OUTCOME_UNKNOWN,
        "the metadata leader did not respond: " + failureReason(null, failure));
  }

  /**
   * Follows the hint of a node, but not the next hint of the node that it named, because two nodes
   * may name each other.
   */
  private void updateHint(
      NodeId target, @Nullable LeaderResponse response, @Nullable Throwable failure) {
    if (failure == null && !(response instanceof NotLeader)) {
      rejectedLeader = null;
      return;
    }
    NodeId reportedLeader = response instanceof NotLeader notLeader ? notLeader.leader() : null;
    boolean follow = reportedLeader != null && !reportedLeader.equals(self) && !target.equals(hint);
    hint = follow ? reportedLeader : null;
    rejectedLeader = target;
  }

  private @Nullable NodeId target() {
    NodeId leader = metadata.leadership().leader();
    if (leader != null && !leader.equals(rejectedLeader)) {
      return leader;
    }
    NodeId hinted = hint;
    if (hinted != null) {
      return hinted;
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
