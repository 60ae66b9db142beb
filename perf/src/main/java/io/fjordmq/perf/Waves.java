package io.fjordmq.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Starts operations in waves, so that concurrent connects fit the broker's backlog. */
final class Waves {
  private static final int USUAL_SIZE = 64;

  private final int size;
  private final List<CompletableFuture<?>> begun = new ArrayList<>();

  Waves() {
    this(USUAL_SIZE);
  }

  Waves(int size) {
    this.size = size;
  }

  /** Adds a started operation; waits for all when the wave is full. */
  void add(CompletableFuture<?> one)
      throws InterruptedException, ExecutionException, TimeoutException {
    begun.add(one);
    if (begun.size() >= size) {
      await();
    }
  }

  /** Waits for all started operations. */
  void await() throws InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture.allOf(begun.toArray(CompletableFuture[]::new))
        .get(ClientLoops.PATIENCE_SECONDS, TimeUnit.SECONDS);
    begun.clear();
  }
}
