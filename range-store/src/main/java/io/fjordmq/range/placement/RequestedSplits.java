package io.fjordmq.range.placement;

import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Tracks requested splits that are waiting, one for each range. Thread-safe. */
final class RequestedSplits {
  private final Map<RangeId, RequestedSplit> waiting = new LinkedHashMap<>();

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record RequestedSplit(byte[] key, CompletableFuture<Void> done) {}

  /** Requests a split. Replaces a waiting request for the same range. */
  CompletableFuture<Void> add(RangeId range, byte[] key) {
    RequestedSplit request = new RequestedSplit(key, new CompletableFuture<>());
    RequestedSplit previous;
    synchronized (this) {
      previous = waiting.put(range, request);
    }
    if (previous != null) {
      previous.done.completeExceptionally(
          new IllegalStateException("superseded by a later request to split the same range"));
    }
    return request.done;
  }

  /** Returns the requested split key of each range, in the order of the requests. */
  synchronized Map<RangeId, byte[]> keys() {
    Map<RangeId, byte[]> keys = new LinkedHashMap<>();
    waiting.forEach((range, request) -> keys.put(range, request.key));
    return keys;
  }

  /** Must be called when a step has ended, because it may be a requested split. */
  void onStepFinished(Step step, @Nullable Throwable failure) {
    if (step instanceof Step.Split split) {
      RequestedSplit request;
      synchronized (this) {
        request = waiting.get(split.range());
        if (request == null || request.key != split.key()) {
          return;
        }
        waiting.remove(split.range());
      }
      if (failure == null) {
        request.done.complete(null);
      } else {
        request.done.completeExceptionally(failure);
      }
    }
  }

  /** Abandons the splits of ranges that are not published. */
  void keepOnly(Set<RangeId> published) {
    abandon(range -> !published.contains(range), "the range does not exist");
  }

  void abandonAll(String reason) {
    abandon(range -> true, reason);
  }

  private void abandon(Predicate<RangeId> predicate, String reason) {
    List<RequestedSplit> abandoned = new ArrayList<>();
    synchronized (this) {
      waiting
          .entrySet()
          .removeIf(
              entry -> {
                boolean matches = predicate.test(entry.getKey());
                if (matches) {
                  abandoned.add(entry.getValue());
                }
                return matches;
              });
    }
    abandoned.forEach(
        request -> request.done.completeExceptionally(new IllegalStateException(reason)));
  }
}
