package io.fjordmq.broker.query;

import io.fjordmq.api.Message;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainStore.PutOutcome;
import io.fjordmq.retain.RetainVersion;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Exports retained messages with their payloads, and stores messages that another cluster has
 * exported. Thread-safe; does not block.
 */
public final class RetainedTransfer {
  private static final TopicFilter ALL = TopicFilter.parse("#");
  private static final int BYTES_PER_PAGE = 256 << 10;

  private final RetainStore store;

  RetainedTransfer(RetainStore store) {
    this.store = store;
  }

  /**
   * A page of messages.
   *
   * @param next where the next page starts; null if this is the last page
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Page(List<Message> messages, byte @Nullable [] next) {}

  /**
   * Reads messages of a tenant, outside of topics that begin with {@code $}. A page has at most 256
   * KiB and one more message.
   *
   * @param cursor null, or {@link Page#next} of the previous page
   * @param limit maximum number of messages; &gt; 0
   * @return fails with {@link QueryException} if a range is unavailable
   */
  public CompletableFuture<Page> export(String tenant, byte @Nullable [] cursor, int limit) {
    return QueryNodes.inTime(store.match(tenant, ALL, cursor, limit, BYTES_PER_PAGE))
        .exceptionallyCompose(QueryException::ofStore)
        .thenApply(page -> new Page(page.messages(), page.cursor()));
  }

  /** The outcome of {@link #create}. */
  public enum Created {
    /** The message is retained. */
    CREATED,
    /** The topic has a message, which is left unchanged. */
    EXISTS,
    /** The message would exceed a limit of its tenant. */
    REFUSED
  }

  /**
   * Retains a message unless its topic has one. Subscribers are not notified.
   *
   * @return fails with {@link QueryException} if a range is unavailable
   */
  public CompletableFuture<Created> create(String tenant, Message message) {
    TopicFilter topic = TopicFilter.parse(message.topic().name());
    return QueryNodes.inTime(store.match(tenant, topic, null, 1, 1))
        .thenCompose(
            page ->
                page.messages().isEmpty()
                    ? QueryNodes.inTime(store.put(tenant, message, RetainVersion.NONE))
                        .thenApply(RetainedTransfer::created)
                    : CompletableFuture.completedFuture(Created.EXISTS))
        .exceptionallyCompose(QueryException::ofStore);
  }

  private static Created created(PutOutcome outcome) {
    return switch (outcome) {
      case RETAINED, CLEARED -> Created.CREATED;
      case SUPERSEDED -> Created.EXISTS;
      case REFUSED_FULL, REFUSED_BYTES -> Created.REFUSED;
    };
  }
}
