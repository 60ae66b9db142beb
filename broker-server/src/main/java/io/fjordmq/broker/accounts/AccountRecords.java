package io.fjordmq.broker.accounts;

import io.fjordmq.broker.accounts.AccountException.Kind;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.cluster.metadata.MetadataClientException;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.common.OperationException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * Reads and writes the records of accounts in the metadata. Thread-safe; does not block. Futures
 * complete on a thread of the metadata group or of the network and fail with {@link
 * AccountException}.
 */
final class AccountRecords {
  private final MetadataClient client;

  /**
   * @param writer writes through the metadata leader, on any node
   */
  AccountRecords(
      MetadataGroup metadata, Function<List<Change>, CompletableFuture<WriteResult>> writer) {
    this.client = new MetadataClient(metadata, writer);
  }

  /** Returns a view that includes every write that completed on any node before this call. */
  CompletableFuture<MetadataView> read() {
    return client.read().exceptionally(AccountRecords::rethrow);
  }

  /**
   * Writes a record. When the future completes, this node has applied the write, unless it has lost
   * contact with the leader in the meantime.
   */
  CompletableFuture<Void> write(Change change) {
    return client.write(List.of(change)).exceptionally(AccountRecords::rethrow);
  }

  private static <T> T rethrow(Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    if (!(cause instanceof MetadataClientException known)) {
      throw new CompletionException(cause);
    }
    throw switch (known.kind()) {
      case CHANGED ->
          new AccountException(
              Kind.CHANGED, "another request changed this account at the same time; try again");
      case UNAVAILABLE ->
          new AccountException(Kind.UNAVAILABLE, String.valueOf(known.getMessage()));
    };
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
}
