package io.fjordmq.retain;

import io.fjordmq.api.Message;
import io.fjordmq.api.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Retained messages. Thread-safe; nothing here blocks. Futures fail with {@link
 * io.fjordmq.range.RangeException}.
 */
public interface RetainStore {

  /**
   * Keeps the message as its topic's retained one, or clears the topic's if the payload is empty.
   * Completes when that is on stable storage at a majority of the range's replicas.
   *
   * @param turn of the connection that published it. What the same publisher has put or cleared in
   *     a later turn stays, for as long as it is the last at this topic; that it was cleared is
   *     remembered for some minutes. {@link RetainVersion#NONE}: comes after everything
   */
  CompletableFuture<PutOutcome> put(String tenant, Message message, RetainVersion retainVersion);

  /** What became of a retained publish. */
  enum PutOutcome {
    KEPT,
    CLEARED,
    /** A limit on the number of retained messages stands against it. */
    REFUSED_FULL,
    /** A limit on their bytes stands against it. */
    REFUSED_BYTES,
    /** It is late: its publisher has retained or cleared something in a later turn. */
    SUPERSEDED
  }

  /**
   * Reads the retained messages a filter matches, page by page; each exactly once, in no order that
   * means anything. Expired ones are left out.
   *
   * @param cursor null for the first page, then what the last page said
   * @param maxMessages per page, ≥ 1
   * @param maxBytes of payload per page; a page has at least one message if any is left
   */
  CompletableFuture<Page> match(
      String tenant, TopicFilter filter, byte @Nullable [] cursor, int maxMessages, int maxBytes);

  /**
   * Some retained messages.
   *
   * @param messages may be empty even if there are more
   * @param cursor where to go on; null at the end
   */
  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  record Page(List<Message> messages, byte @Nullable [] cursor) {}

  /** Retained messages in the replicas this node leads; for metrics. */
  long count();
}
