package io.fjordmq.broker.accounts;

import io.fjordmq.broker.accounts.AccountException.Kind;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.common.OperationException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the records of accounts in the metadata. Thread-safe; does not block. Futures
 * complete on a thread of the metadata group or of the network and fail with {@link
 * AccountException}.
 */
final class AccountRecords {
  /** Retries end after this time, which is longer than an election of a metadata leader takes. */
  private static final Duration RETRY_LIMIT = Duration.ofSeconds(5);

  private static final long RETRY_MILLIS = 100;

  private final MetadataGroup metadata;
  private final Function<List<Change>, CompletableFuture<WriteResult>> writer;

  /**
   * @param writer writes through the metadata leader, whichever node that is
   */
  AccountRecords(
      MetadataGroup metadata, Function<List<Change>, CompletableFuture<WriteResult>> writer) {
    this.metadata = metadata;
    this.writer = writer;
  }

  /** Returns a view that includes every write that completed on any node before this call. */
  CompletableFuture<MetadataView> read() {
    return retry(metadata::readView, deadline())
        .exceptionally(
            failure -> {
              throw unavailable(failure);
            });
  }

  /**
   * Writes a record. When the future completes, this node has applied the write, unless it has lost
   * contact with the leader in the meantime.
   */
  CompletableFuture<Void> write(Change change) {
    return retry(() -> writer.apply(List.of(change)), deadline())
        .handle((result, failure) -> outcome(change, result, failure))
        .thenCompose(Function.identity())
        .thenCompose(written -> metadata.readView().handle((view, failure) -> null));
  }

  /**
   * Writes a new record.
   *
   * @param exists the failure if there is a record with this key
   */
  CompletableFuture<Void> create(String key, byte[] value, AccountException exists) {
    return write(Change.put(key, value, Change.ABSENT))
        .exceptionally(
            failure -> {
              throw OperationException.isAny(failure, Kind.CHANGED)
                  ? exists
                  : new CompletionException(OperationException.unwrap(failure));
            });
  }

  private CompletableFuture<Void> outcome(
      Change change, @Nullable WriteResult result, @Nullable Throwable failure) {
    if (result instanceof WriteResult.Applied) {
      return CompletableFuture.completedFuture(null);
    }
    if (result instanceof WriteResult.Conflict) {
      return CompletableFuture.failedFuture(
          new AccountException(
              Kind.CHANGED, "another request changed this account at the same time; try again"));
    }
    return OperationException.isAny(failure, ConsensusException.Kind.OUTCOME_UNKNOWN)
        ? read().thenAccept(view -> requireWritten(change, view))
        : CompletableFuture.failedFuture(unavailable(failure));
  }

  /** If the record has the new value, it does not matter which write gave it that value. */
  private static void requireWritten(Change change, MetadataView view) {
    MetadataRecord record = view.get(change.key());
    byte[] value = change.value();
    boolean written =
        value == null ? record == null : record != null && Arrays.equals(value, record.value());
    if (!written) {
      throw new AccountException(
          Kind.UNAVAILABLE,
          "the change was not confirmed and may still take effect: the metadata leader changed");
    }
  }

  private interface Attempt<T> {
    CompletableFuture<T> start();
  }

  private <T> CompletableFuture<T> retry(Attempt<T> attempt, long deadline) {
    return attempt
        .start()
        .handle(
            (result, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(result);
              }
              boolean again =
                  OperationException.isAny(
                          failure, ConsensusException.Kind.NOT_LEADER, ConsensusException.Kind.BUSY)
                      && System.nanoTime() - deadline < 0;
              if (!again) {
                return CompletableFuture.<T>failedFuture(OperationException.unwrap(failure));
              }
              return CompletableFuture.supplyAsync(
                      () -> retry(attempt, deadline),
                      CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS))
                  .thenCompose(Function.identity());
            })
        .thenCompose(Function.identity());
  }

  private static long deadline() {
    return System.nanoTime() + RETRY_LIMIT.toNanos();
  }

  private static AccountException unavailable(@Nullable Throwable failure) {
    return new AccountException(
        Kind.UNAVAILABLE,
        "the metadata is not available at the moment; try again: "
            + (failure == null ? "unknown" : OperationException.unwrap(failure).getMessage()));
  }
}
