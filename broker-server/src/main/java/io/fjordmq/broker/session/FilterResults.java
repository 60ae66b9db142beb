package io.fjordmq.broker.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The results for the filters of one SUBSCRIBE or UNSUBSCRIBE, in the order of the filters. Pending
 * results are collected as they are added, because searching up to 200,000 results for them would
 * delay other connections. Only used on the event loop.
 */
final class FilterResults {
  static final int UNSPECIFIED_ERROR = 0x80;

  /** The result for one filter: a reason code, and whether the subscription is new. */
  record Result(int code, boolean isNew) {
    static final Result FAILED = new Result(UNSPECIFIED_ERROR, false);
  }

  private final List<CompletableFuture<Result>> results;
  private final List<CompletableFuture<Result>> pending = new ArrayList<>();

  FilterResults(int filters) {
    this.results = new ArrayList<>(filters);
  }

  void add(CompletableFuture<Result> result) {
    results.add(result);
    if (!result.isDone()) {
      pending.add(result);
    }
  }

  /** Returns a future that completes when all results are known, and fails if any has failed. */
  CompletableFuture<Void> allDone() {
    return CompletableFuture.allOf(pending.toArray(CompletableFuture<?>[]::new));
  }

  /** Returns the result for a filter; {@link Result#FAILED} if the result is not known. */
  Result get(int filter) {
    return results.get(filter).getNow(Result.FAILED);
  }
}
