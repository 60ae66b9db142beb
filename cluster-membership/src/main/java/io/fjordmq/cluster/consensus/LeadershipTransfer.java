package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The one transfer of leadership a leader may have under way. Thread-safe. */
final class LeadershipTransfer {
  private record Wish(NodeId target, CompletableFuture<Void> done) {}

  private @Nullable Wish wish;

  /** False if one is under way. */
  synchronized boolean begin(NodeId target, CompletableFuture<Void> done) {
    if (wish != null) {
      return false;
    }
    wish = new Wish(target, done);
    return true;
  }

  /** Another node is known to lead. */
  void leaderIs(NodeId leader) {
    Wish ended = end();
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
    Wish ended = end();
    if (ended != null) {
      ended.done().completeExceptionally(cause);
    }
  }

  private synchronized @Nullable Wish end() {
    Wish ended = wish;
    wish = null;
    return ended;
  }
}
