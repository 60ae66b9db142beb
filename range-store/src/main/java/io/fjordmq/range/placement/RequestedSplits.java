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

/** Requested splits that are waiting, one for each range. Thread-safe. */
final class RequestedSplits {
  private final Map<RangeId, Wanted> waiting = new LinkedHashMap<>();

  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  private record Wanted(byte[] key, CompletableFuture<Void> done) {}

  /** Replaces a waiting request for the same range. */
  CompletableFuture<Void> add(RangeId range, byte[] key) {
    Wanted wanted = new Wanted(key, new CompletableFuture<>());
    Wanted replaced;
    synchronized (this) {
      replaced = waiting.put(range, wanted);
    }
    if (replaced != null) {
      replaced.done.completeExceptionally(
          new IllegalStateException("replaced by a later request to split the same range"));
    }
    return wanted.done;
  }

  /** The requested split key of each range, in the order of the requests. */
  synchronized Map<RangeId, byte[]> keys() {
    Map<RangeId, byte[]> keys = new LinkedHashMap<>();
    waiting.forEach((range, wanted) -> keys.put(range, wanted.key));
    return keys;
  }

  /** A step has ended, which may be a requested split. */
  void ended(Step step, @Nullable Throwable failure) {
    if (step instanceof Step.Split split) {
      Wanted wanted;
      synchronized (this) {
        wanted = waiting.get(split.range());
        if (wanted == null || wanted.key != split.key()) {
          return;
        }
        waiting.remove(split.range());
      }
      if (failure == null) {
        wanted.done.complete(null);
      } else {
        wanted.done.completeExceptionally(failure);
      }
    }
  }

  /** Gives up splits of ranges that are not published. */
  void keepOnly(Set<RangeId> published) {
    giveUp(range -> !published.contains(range), "there is no such range");
  }

  void giveUpAll(String why) {
    giveUp(range -> true, why);
  }

  private void giveUp(Predicate<RangeId> which, String why) {
    List<Wanted> givenUp = new ArrayList<>();
    synchronized (this) {
      waiting
          .entrySet()
          .removeIf(
              entry -> {
                boolean gone = which.test(entry.getKey());
                if (gone) {
                  givenUp.add(entry.getValue());
                }
                return gone;
              });
    }
    givenUp.forEach(wanted -> wanted.done.completeExceptionally(new IllegalStateException(why)));
  }
}
