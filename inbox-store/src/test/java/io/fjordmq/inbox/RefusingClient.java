package io.fjordmq.inbox;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Refuses as many mutations as it is told, as one does whose queue is full; of others it loses the
 * answer, or never has them applied, and nobody knows which.
 *
 * @param refusals left
 * @param unanswered mutations left that are applied, and their answer is lost
 * @param lost mutations left that are not applied
 */
record RefusingClient(
    RangeClient client, AtomicInteger refusals, AtomicInteger unanswered, AtomicInteger lost)
    implements RangeClient {

  private boolean refuses() {
    return takesOne(refusals);
  }

  private static boolean takesOne(AtomicInteger some) {
    return some.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
  }

  private static RangeException busy() {
    return new RangeException(RangeException.Kind.BUSY, "too much waits");
  }

  @Override
  public CompletableFuture<byte[]> mutate(byte[] key, byte[] command) {
    if (refuses()) {
      return CompletableFuture.failedFuture(busy());
    }
    boolean isLost = takesOne(lost);
    boolean isUnanswered = !isLost && takesOne(unanswered);
    CompletableFuture<byte[]> answer =
        isLost ? new CompletableFuture<>() : client.mutate(key, command);
    return isLost || isUnanswered
        ? CompletableFuture.failedFuture(
            new RangeException(RangeException.Kind.UNAVAILABLE, "no answer in time"))
        : answer;
  }

  @Override
  public CompletableFuture<List<GroupAnswer>> mutateGrouped(
      List<byte[]> keys, GroupEncoder encoder) {
    if (!refuses()) {
      return client.mutateGrouped(keys, encoder);
    }
    // As if another range had taken its part.
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
