package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The one transfer of leadership a leader may have under way. Thread-safe. */
final class LeadershipTransfer {
  private record Request(NodeId target, CompletableFuture<Void> done) {}

  private @Nullable Request request;

  /** False if one is under way. */
  synchronized boolean begin(NodeId target, CompletableFuture<Void> done) {
    if (request != null) {
      return false;
    }
    request = new Request(target, done);
    return true;
  }

  /** Another node is known to lead. */
  void leaderIs(NodeId leader) {
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
