package io.fjordmq.cluster.metadata;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.metadata.MetadataClientException.Kind;
import io.fjordmq.common.OperationException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads, writes and follows records on any node, for requests of operators: retries while there is
 * no leader, and finds out whether an unconfirmed write took effect. Thread-safe; does not block.
 * Futures complete on a thread of the metadata group or of the network, which must not be blocked,
 * and fail with {@link MetadataClientException}.
 */
public final class MetadataClient {
  /** Retries end after this time, which is longer than an election of a metadata leader takes. */
  private static final Duration RETRY_LIMIT = Duration.ofSeconds(5);

  private static final long RETRY_MILLIS = 100;

  private final MetadataGroup metadata;
  private final Function<List<Change>, CompletableFuture<WriteResult>> writer;

  /**
   * @param metadata this node's replica
   * @param writer writes through the metadata leader, on any node
   */
  public MetadataClient(
      MetadataGroup metadata, Function<List<Change>, CompletableFuture<WriteResult>> writer) {
    this.metadata = metadata;
    this.writer = writer;
  }

  /** Calls the listener after each change of this node's replica; see {@link MetadataGroup}. */
  public void watch(MetadataListener listener) {
    metadata.watch(listener);
  }

  /** Ends the calls to a listener. */
  public void unwatch(MetadataListener listener) {
    metadata.unwatch(listener);
  }

  /** Returns whether this node leads the metadata group, as far as it knows. */
  public boolean isLeader() {
    return metadata.leadership().leading();
  }

  /** Returns the state of this node's replica, which may be behind the leader. */
  public MetadataView view() {
    return metadata.view();
  }

  /** Returns a view that includes every write that completed on any node before this call. */
  public CompletableFuture<MetadataView> read() {
    return retry(metadata::readView, deadline())
        .exceptionally(
            failure -> {
              throw unavailable(failure);
            });
  }

  /**
   * Writes all of the changes or none. When the future completes, this node has applied the write,
   * unless it has lost contact with the leader in the meantime.
   */
  public CompletableFuture<Void> write(List<Change> batch) {
    return retry(() -> writer.apply(batch), deadline())
        .handle((result, failure) -> outcome(batch, result, failure))
        .thenCompose(Function.identity())
        .thenCompose(written -> metadata.readView().handle((view, failure) -> null));
  }

  private CompletableFuture<Void> outcome(
      List<Change> batch, @Nullable WriteResult result, @Nullable Throwable failure) {
    if (result instanceof WriteResult.Applied) {
      return CompletableFuture.completedFuture(null);
    }
    if (result instanceof WriteResult.Conflict conflict) {
      return CompletableFuture.failedFuture(
          new MetadataClientException(
              Kind.CHANGED, "another write changed " + conflict.key() + " at the same time"));
    }
    return OperationException.isAny(failure, ConsensusException.Kind.OUTCOME_UNKNOWN)
        ? read().thenAccept(view -> requireWritten(batch, view))
        : CompletableFuture.failedFuture(unavailable(failure));
  }

  /** If the records have the new values, it does not matter which write gave them these values. */
  private static void requireWritten(List<Change> batch, MetadataView view) {
    if (!batch.stream().allMatch(change -> isWritten(change, view))) {
      throw new MetadataClientException(
          Kind.UNAVAILABLE,
          "the change was not confirmed and may still take effect: the metadata leader changed");
    }
  }

  private static boolean isWritten(Change change, MetadataView view) {
    MetadataRecord record = view.get(change.key());
    byte[] value = change.value();
    return value == null ? record == null : record != null && Arrays.equals(value, record.value());
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

  private static MetadataClientException unavailable(@Nullable Throwable failure) {
    return new MetadataClientException(
        Kind.UNAVAILABLE,
        "the metadata is not available at the moment; try again: "
            + (failure == null ? "unknown" : OperationException.unwrap(failure).getMessage()));
  }
}
