package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.NodeId;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The one transfer of leadership a leader may have under way. */
final class LeadershipTransfer {
  private @Nullable NodeId target;
  private CompletableFuture<Void> done = CompletableFuture.completedFuture(null);

  synchronized CompletableFuture<Void> await(NodeId node) {
    if (target != null) {
      return CompletableFuture.failedFuture(
          new ConsensusException(
              ConsensusException.Kind.BUSY, "leadership is being transferred to " + target));
    }
    target = node;
    done = new CompletableFuture<>();
    return done;
  }

  void leaderIs(NodeId leader) {
    NodeId wanted;
    CompletableFuture<Void> waiting;
    synchronized (this) {
      wanted = target;
      waiting = done;
      target = null;
    }
    if (leader.equals(wanted)) {
      waiting.complete(null);
    } else if (wanted != null) {
      waiting.completeExceptionally(
          new ConsensusException(
              ConsensusException.Kind.NOT_LEADER, leader + " was elected instead of " + wanted));
    }
  }

  void fail(ConsensusException.Kind kind, String why) {
    CompletableFuture<Void> waiting;
    synchronized (this) {
      if (target == null) {
        return;
      }
      waiting = done;
      target = null;
    }
    waiting.completeExceptionally(new ConsensusException(kind, why));
  }
}
