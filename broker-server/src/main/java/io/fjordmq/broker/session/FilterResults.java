package io.fjordmq.broker.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The results of the filters of one SUBSCRIBE or UNSUBSCRIBE, in their order. Those that are
 * pending are collected one by one, because looking for them among 200,000 would delay other
 * connections. Event loop only.
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

  /** Completes when all results are known; fails if one has failed. */
  CompletableFuture<Void> allDone() {
    return CompletableFuture.allOf(pending.toArray(CompletableFuture<?>[]::new));
  }

  /** The result of a filter; a failure if it is not known. */
  Result get(int filter) {
    return results.get(filter).getNow(Result.FAILED);
  }
}
