package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.LoadClient;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** Runs client operations in waves and waits for them. */
final class Waves {
  /** Number of concurrent connection attempts that fits the accept backlog of every broker. */
  static final int DEFAULT_SIZE = 64;

  private static final int TIMEOUT_SECONDS = 300;

  private Waves() {}

  /**
   * Runs operations 0 to {@code count - 1}. Blocks until all have completed.
   *
   * @param size number of operations per wave
   */
  static void run(int size, int count, IntFunction<CompletableFuture<?>> operation)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<CompletableFuture<?>> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(operation.apply(i));
      if (started.size() == size || i == count - 1) {
        await(started);
        started.clear();
      }
    }
  }

  /** Blocks until all operations have completed. */
  static void await(Collection<? extends CompletableFuture<?>> started)
      throws InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture.allOf(started.toArray(CompletableFuture[]::new))
        .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  /** Disconnects the clients that are connected. */
  static void close(Collection<LoadClient> clients) {
    clients.stream().filter(LoadClient::isAccepted).forEach(LoadClient::close);
  }
}
