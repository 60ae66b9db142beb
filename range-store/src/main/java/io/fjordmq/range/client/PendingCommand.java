package io.fjordmq.range.client;

import io.fjordmq.range.RangeException;
import java.util.concurrent.CompletableFuture;

/** A command that has not completed, and the future or call that waits for it. */
sealed interface PendingCommand {
  byte[] bytes();

  /** Returns the deadline in the time of the client's timers. */
  long deadlineMillis();

  void complete(byte[] response);

  void fail(RangeException cause);

  /** A command for one key. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Single(byte[] key, byte[] bytes, long deadlineMillis, CompletableFuture<byte[]> future)
      implements PendingCommand {
    @Override
    public void complete(byte[] response) {
      future.complete(response);
    }

    @Override
    public void fail(RangeException cause) {
      future.completeExceptionally(cause);
    }
  }

  /** A command for some of the keys of a grouped call. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Part(GroupedCall call, int[] positions, byte[] bytes) implements PendingCommand {
    @Override
    public long deadlineMillis() {
      return call.deadlineMillis();
    }

    @Override
    public void complete(byte[] response) {
      call.onResponse(positions, response);
    }

    @Override
    public void fail(RangeException cause) {
      call.fail(cause);
    }
  }
}
