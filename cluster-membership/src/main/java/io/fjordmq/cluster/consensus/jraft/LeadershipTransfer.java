package io.fjordmq.cluster.consensus.jraft;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Tracks the one leadership transfer that a leader may have in progress. Thread-safe. */
final class LeadershipTransfer {
  private record Request(NodeId target, CompletableFuture<Void> done) {}

  private @Nullable Request request;

  /** Returns false if another transfer is in progress. */
  synchronized boolean begin(NodeId target, CompletableFuture<Void> done) {
    if (request != null) {
      return false;
    }
    request = new Request(target, done);
    return true;
  }

  /** Completes the transfer once another node is known to lead. */
  void onLeaderKnown(NodeId leader) {
    Request ended = end();
    if (ended == null) {
      return;
    }
    if (leader.equals(ended.target())) {
      ended.done().complete(null);
    } else {
      ended
          .done()
          .completeExceptionally(
              new ConsensusException(
                  Kind.NOT_LEADER, leader + " was elected instead of " + ended.target()));
    }
  }

  void fail(ConsensusException cause) {
    Request ended = end();
    if (ended != null) {
      ended.done().completeExceptionally(cause);
    }
  }

  private synchronized @Nullable Request end() {
    Request ended = request;
    request = null;
    return ended;
  }
}
