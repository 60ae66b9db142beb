package io.fjordmq.range.client;

import io.fjordmq.range.RangeClient.GroupEncoder;
import io.fjordmq.range.RangeClient.GroupResponse;
import io.fjordmq.range.RangeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A call of {@link io.fjordmq.range.RangeClient#mutateGrouped}: its keys and their responses. */
final class GroupedCall {
  private final List<byte[]> keys;
  private final GroupEncoder encoder;
  private final long deadlineMillis;
  private final CompletableFuture<List<GroupResponse>> future = new CompletableFuture<>();

  /** Guarded by this. */
  private final List<GroupResponse> responses = new ArrayList<>();

  private int unanswered;
  private boolean partlySent;

  GroupedCall(List<byte[]> keys, GroupEncoder encoder, long deadlineMillis) {
    this.keys = keys;
    this.encoder = encoder;
    this.deadlineMillis = deadlineMillis;
    this.unanswered = keys.size();
  }

  CompletableFuture<List<GroupResponse>> future() {
    return future;
  }

  long deadlineMillis() {
    return deadlineMillis;
  }

  int[] allPositions() {
    int[] all = new int[keys.size()];
    Arrays.setAll(all, i -> i);
    return all;
  }

  byte[] key(int position) {
    return keys.get(position);
  }

  /** Returns the command for the keys of these positions. */
  PendingCommand.Part part(int[] positions) {
    return new PendingCommand.Part(this, positions, encoder.encode(positions));
  }

  /** Records that a part was sent: a later rejection must not claim that nothing was sent. */
  synchronized void onPartSent() {
    partlySent = true;
  }

  void onResponse(int[] positions, byte[] response) {
    List<GroupResponse> all;
    synchronized (this) {
      responses.add(new GroupResponse(positions, response));
      unanswered -= positions.length;
      if (unanswered > 0) {
        return;
      }
      all = List.copyOf(responses);
    }
    future.complete(all);
  }

  void fail(RangeException cause) {
    boolean sentPartly;
    synchronized (this) {
      sentPartly = cause.kind() == RangeException.Kind.BUSY && partlySent;
    }
    future.completeExceptionally(
        sentPartly
            ? new RangeException(
                RangeException.Kind.UNAVAILABLE,
                "command was sent to only some of its ranges: " + cause.getMessage(),
                cause)
            : cause);
  }
}
