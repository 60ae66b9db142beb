package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import io.fjordmq.cluster.consensus.ReplicatedState.CheckpointRequest;
import org.jspecify.annotations.Nullable;

/**
 * The one checkpoint a replica may have under way. Answers jraft exactly once, also when the state
 * answers twice or, because the replica closes, never.
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
      done.run(closing());
    }
    return new CheckpointRequest() {
      @Override
      public void durable() {
        answer(done, Status.OK());
      }

      @Override
      public void failed(Exception cause) {
        // Not EIO: that would halt the replica, which can go on with a longer log.
        answer(done, new Status(RaftError.EINTERNAL, "checkpoint failed: %s", cause));
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
      answer(last, closing());
    }
  }

  private static Status closing() {
    return new Status(RaftError.ENODESHUTDOWN, "the replica is closing");
  }

  private void answer(Closure done, Status status) {
    synchronized (this) {
      if (waiting != done) {
        return;
      }
      waiting = null;
    }
    done.run(status);
  }
}
