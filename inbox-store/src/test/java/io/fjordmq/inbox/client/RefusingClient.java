package io.fjordmq.inbox.client;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rejects a number of mutations as if the queue were full; of others, loses either the command or
 * the response, so that their outcome is unknown.
 *
 * @param refusals remaining mutations to reject
 * @param lostResponses remaining mutations that are applied but whose response is lost
 * @param lostCommands remaining mutations that are not applied
 */
record RefusingClient(
    RangeClient client,
    AtomicInteger refusals,
    AtomicInteger lostResponses,
    AtomicInteger lostCommands)
    implements RangeClient {

  private boolean refuses() {
    return decrementIfPositive(refusals);
  }

  private static boolean decrementIfPositive(AtomicInteger remaining) {
    return remaining.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
  }

  private static RangeException busy() {
    return new RangeException(RangeException.Kind.BUSY, "too many commands are queued");
  }

  @Override
  public CompletableFuture<byte[]> mutate(byte[] key, byte[] command) {
    if (refuses()) {
      return CompletableFuture.failedFuture(busy());
    }
    boolean isLost = decrementIfPositive(lostCommands);
    boolean isUnanswered = !isLost && decrementIfPositive(lostResponses);
    CompletableFuture<byte[]> response =
        isLost ? new CompletableFuture<>() : client.mutate(key, command);
    return isLost || isUnanswered
        ? CompletableFuture.failedFuture(
            new RangeException(RangeException.Kind.UNAVAILABLE, "no response in time"))
        : response;
  }

  @Override
  public CompletableFuture<List<GroupResponse>> mutateGrouped(
      List<byte[]> keys, GroupEncoder encoder) {
    if (!refuses()) {
      return client.mutateGrouped(keys, encoder);
    }
    // As if another range had accepted its part.
    return CompletableFuture.failedFuture(
        new RangeException(RangeException.Kind.UNAVAILABLE, "some of the ranges", busy()));
  }

  @Override
  public CompletableFuture<byte[]> query(byte[] key, byte[] query) {
    return client.query(key, query);
  }

  @Override
  public List<KeyInterval> locate(KeyInterval interval) {
    return client.locate(interval);
  }
}
