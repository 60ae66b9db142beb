package io.fjordmq.broker.records;

import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.cluster.metadata.MetadataClientException;
import io.fjordmq.cluster.metadata.MetadataListener;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.OperationException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of one type. Reads and writes them on any node and follows their changes.
 *
 * <p>Thread-safe; does not block. Futures complete on a thread of the metadata group or of the
 * network, which must not be blocked, and fail with {@link RecordException}.
 *
 * @param <T> the value of a record
 */
public final class ReplicatedRecords<T> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicatedRecords.class);

  /** With {@link #MAX_BATCH_BYTES}, bounds a write well below the limit of the metadata. */
  private static final int MAX_BATCH = 500;

  private static final int MAX_BATCH_BYTES = 256 << 10;

  private final MetadataClient metadata;
  private final RecordType<T> type;
  private final List<MetadataListener> followers = new CopyOnWriteArrayList<>();

  public ReplicatedRecords(MetadataClient metadata, RecordType<T> type) {
    this.metadata = metadata;
    this.type = type;
  }

  /**
   * Passes all records to the listener, now if there are any and again after each change, until
   * these records are closed.
   *
   * @param check returns a decoded value, or throws an unchecked exception if this node cannot use
   *     it; such a record is left out and logged
   * @param consequence what follows if this node cannot read a record, for the log
   */
  public void follow(UnaryOperator<T> check, String consequence, RecordListener<T> listener) {
    RecordFollower<T> follower =
        new RecordFollower<>(
            type.prefix(),
            bytes -> check.apply(type.decoder().apply(bytes)),
            consequence,
            listener);
    followers.add(follower);
    metadata.watch(follower);
  }

  /** Returns a view that includes every write that completed on any node before this call. */
  public CompletableFuture<MetadataView> read() {
    return metadata.read().exceptionally(this::rethrow);
  }

  /** Returns the number of records in the view. */
  public int count(MetadataView view) {
    return view.withPrefix(type.prefix()).size();
  }

  /**
   * Returns the value of a record.
   *
   * @throws RecordException UNAVAILABLE if this node cannot read it
   */
  public T decode(MetadataRecord record) {
    return type.decode(record);
  }

  /** Returns the records of the view that match, without those that this node cannot read. */
  public List<MetadataRecord> select(MetadataView view, Predicate<T> condition) {
    List<MetadataRecord> selected = new ArrayList<>();
    for (MetadataRecord record : view.withPrefix(type.prefix())) {
      try {
        if (condition.test(type.decoder().apply(record.value()))) {
          selected.add(record);
        }
      } catch (MalformedBytesException e) {
        LOG.debug("Skipped a record that this node cannot read record={}", record.key());
      }
    }
    return selected;
  }

  /**
   * Writes a change. When the future completes, this node has applied the write, unless it has lost
   * contact with the leader in the meantime.
   */
  public CompletableFuture<Void> write(Change change) {
    return writeBatch(List.of(change));
  }

  /** Writes the changes in batches; a failure ends this and leaves earlier batches in effect. */
  public CompletableFuture<Void> writeAll(List<Change> changes) {
    if (changes.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    int size = batchSize(changes);
    return writeBatch(changes.subList(0, size))
        .thenCompose(written -> writeAll(changes.subList(size, changes.size())));
  }

  private static int batchSize(List<Change> changes) {
    int size = 0;
    int bytes = 0;
    while (size < Math.min(MAX_BATCH, changes.size())) {
      Change next = changes.get(size);
      byte[] value = next.value();
      bytes += next.key().length() + (value == null ? 0 : value.length);
      if (size > 0 && bytes > MAX_BATCH_BYTES) {
        break;
      }
      size++;
    }
    return size;
  }

  private CompletableFuture<Void> writeBatch(List<Change> batch) {
    return metadata.write(batch).exceptionally(this::rethrow);
  }

  /**
   * Writes a new record. Fails with EXISTS if the key is in use.
   *
   * @param exists the message of this failure
   */
  public CompletableFuture<Void> create(String key, byte[] value, String exists) {
    return write(Change.put(key, value, Change.ABSENT))
        .exceptionally(
            failure -> {
              throw OperationException.isAny(failure, Kind.CHANGED)
                  ? new RecordException(Kind.EXISTS, exists)
                  : new CompletionException(OperationException.unwrap(failure));
            });
  }

  /** Removes all records that match. Fails with UNAVAILABLE. */
  public CompletableFuture<Void> removeAll(Predicate<T> condition) {
    return read()
        .thenCompose(
            view ->
                writeAll(
                    select(view, condition).stream()
                        .map(record -> Change.remove(record.key(), Change.ANY))
                        .toList()));
  }

  /**
   * Removes obsolete records if this node leads the metadata group; the leader does so for the
   * whole cluster. Never throws, and logs failures at DEBUG, because the next call tries again.
   */
  public void removeObsolete(Predicate<T> condition) {
    if (!metadata.isLeader()) {
      return;
    }
    try {
      List<Change> removals =
          select(metadata.view(), condition).stream()
              .map(record -> Change.remove(record.key(), record.version()))
              .toList();
      writeAll(removals)
          .exceptionally(
              failure -> {
                LOG.debug(
                    "Cannot remove obsolete records; retrying later prefix={}",
                    type.prefix(),
                    failure);
                return null;
              });
    } catch (RuntimeException e) { // would end the schedule of the caller
      LOG.error(
          "Cannot remove obsolete records; please report this bug prefix={}", type.prefix(), e);
    }
  }

  private <R> R rethrow(Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    if (!(cause instanceof MetadataClientException known)) {
      throw new CompletionException(cause);
    }
    throw switch (known.kind()) {
      case CHANGED ->
          new RecordException(
              Kind.CHANGED,
              "another request changed " + type.subject() + " at the same time; try again");
      case UNAVAILABLE -> new RecordException(Kind.UNAVAILABLE, String.valueOf(known.getMessage()));
    };
  }

  /** Stops following the records. */
  @Override
  public void close() {
    followers.forEach(metadata::unwatch);
  }
}
