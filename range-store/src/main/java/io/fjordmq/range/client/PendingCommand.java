package io.fjordmq.range.client;

import io.fjordmq.range.RangeException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A command that has not completed, and the future or call that waits for it. */
sealed interface PendingCommand {
  byte[] bytes();

  /** Deadline in the time of the client's timers. */
  long deadlineMillis();

  void complete(byte[] answer);

  void fail(RangeException cause);

  /** Routes the command again: one command for each range that holds any of its keys now. */
  List<Routed> route(RangeRouteTable table);

  /** A command and the range it goes to. */
  record Routed(RangeRoute route, PendingCommand command) {}

  /** A command for one key. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Single(byte[] key, byte[] bytes, long deadlineMillis, CompletableFuture<byte[]> future)
      implements PendingCommand {
    @Override
    public void complete(byte[] answer) {
      future.complete(answer);
    }

    @Override
    public void fail(RangeException cause) {
      future.completeExceptionally(cause);
    }

    @Override
    public List<Routed> route(RangeRouteTable table) {
      return List.of(new Routed(table.find(key), this));
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
    public void complete(byte[] answer) {
      call.answered(positions, answer);
    }

    @Override
    public void fail(RangeException cause) {
      call.failed(cause);
    }

    @Override
    public List<Routed> route(RangeRouteTable table) {
      return call.group(positions, table);
    }
  }
}
