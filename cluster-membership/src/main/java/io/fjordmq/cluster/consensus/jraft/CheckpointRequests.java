package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import io.fjordmq.cluster.consensus.ReplicatedState.CheckpointRequest;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the one checkpoint that a replica may have in progress. Completes jraft's closure exactly
 * once, even if the state reports the outcome twice, or never because the replica is closing.
 */
final class CheckpointRequests {
  private @Nullable Closure waiting;
  private boolean closed;

  CheckpointRequest begin(Closure done) {
    boolean refused;
    synchronized (this) {
      refused = closed;
      waiting = refused ? null : done;
    }
    if (refused) {
      done.run(closingStatus());
    }
    return new CheckpointRequest() {
      @Override
      public void onDurable() {
        complete(done, Status.OK());
      }

      @Override
      public void onFailed(Exception cause) {
        // Not EIO, which would halt the replica although it can continue with a longer log.
        complete(done, new Status(RaftError.EINTERNAL, "checkpoint failed: %s", cause));
      }
    };
  }

  void close() {
    Closure last;
    synchronized (this) {
      closed = true;
      last = waiting;
    }
    if (last != null) {
      complete(last, closingStatus());
    }
  }

  private static Status closingStatus() {
    return new Status(RaftError.ENODESHUTDOWN, "replica is closing");
  }

  private void complete(Closure done, Status status) {
    synchronized (this) {
      if (waiting != done) {
        return;
      }
      waiting = null;
    }
    done.run(status);
  }
}
