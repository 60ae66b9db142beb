package io.fjordmq.broker.admin;

import io.fjordmq.cluster.consensus.ConsensusException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes metadata changes on behalf of operator commands, and waits for them. */
final class MetadataChange {
  static final long TIMEOUT_SECONDS = 10;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private MetadataChange() {}

  /**
   * Makes a metadata change and waits until it is committed. Retries while the metadata group has
   * no leader, so the change may be made twice. Returns null on success, otherwise the reason for
   * the failure.
   */
  static @Nullable String await(Supplier<CompletableFuture<?>> change) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    while (true) {
      Throwable failure;
      try {
        change.get().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        return null;
      } catch (ExecutionException e) {
        failure = e.getCause() == null ? e : e.getCause();
      } catch (TimeoutException e) {
        return "no response within " + TIMEOUT_SECONDS + " s";
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return "the node is stopping";
      }
      if (!(failure instanceof ConsensusException) || System.nanoTime() > deadline) {
        return String.valueOf(failure.getMessage());
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }
}
