package io.fjordmq.retain;

import io.fjordmq.api.Message;
import io.fjordmq.api.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Stores and finds retained messages. Thread-safe; no method blocks. Futures fail with {@link
 * io.fjordmq.range.RangeException}.
 */
public interface RetainStore {

  /**
   * Retains the message for its topic, or clears the topic if the payload is empty. Completes when
   * the change is durable on a majority of the range's replicas.
   *
   * @param retainVersion version of the publishing connection. The call is superseded if the last
   *     change to this topic came from the same publisher with a later version. After a clear, the
   *     version is kept for up to five minutes. {@link RetainVersion#NONE} is never superseded
   */
  CompletableFuture<PutOutcome> put(String tenant, Message message, RetainVersion retainVersion);

  /** The outcome of {@link #put}. */
  enum PutOutcome {
    RETAINED,
    CLEARED,
    /** Rejected: it would exceed a limit on the number of retained messages. */
    REFUSED_FULL,
    /** Rejected: it would exceed a limit on the size of retained messages. */
    REFUSED_BYTES,
    /** Ignored: a later connection of the same publisher has already changed this topic. */
    SUPERSEDED
  }

  /**
   * Reads the retained messages that match a filter, page by page. Each message is returned exactly
   * once, in no particular order. Expired messages are omitted.
   *
   * @param filter topic filter; a {@code $share} prefix is ignored
   * @param cursor null for the first page, then the cursor of the previous page
   * @param maxMessages maximum messages per page, at least 1
   * @param maxBytes size at which a page ends, in bytes of encoded messages; the last message may
   *     exceed it
   */
  CompletableFuture<Page> match(
      String tenant, TopicFilter filter, byte @Nullable [] cursor, int maxMessages, int maxBytes);

  /**
   * One page of retained messages.
   *
   * @param messages may be empty even if more pages follow
   * @param cursor where the next page starts; null if this is the last page
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared by value
  record Page(List<Message> messages, byte @Nullable [] cursor) {}

  /** Returns the number of retained messages in the replicas of this node, for metrics. */
  long count();
}
