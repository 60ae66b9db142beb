package io.fjordmq.broker.session;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainStore.Page;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Counts the subscriptions for which not all retained messages were sent before the connection
 * ended. If the first page for a filter was not read, it is unknown whether the filter matches any
 * retained message. Such filters are looked up, one at a time. Only used on the event loop.
 */
final class UnsentRetainedCount {
  /** The client that did not receive the messages. */
  interface Client extends ResultCallback.Receiver {
    String tenant();

    RetainStore retained();

    /** Counts dropped messages. */
    void recordDropped(DropReason reason, long count);
  }

  /** The maximum number of pages that are read. Further filters are counted without a lookup. */
  private static final int MAX_LOOKUPS = 64;

  private final Client client;
  private final ArrayDeque<TopicFilter> toLookUp = new ArrayDeque<>();
  private int knownCount;
  private int lookups;

  UnsentRetainedCount(Client client) {
    this.client = client;
  }

  /**
   * @param isCertain whether messages are known to remain
   */
  void add(TopicFilter filter, boolean isCertain) {
    if (isCertain) {
      knownCount++;
    } else {
      toLookUp.add(filter);
    }
  }

  void count() {
    recordDropped(knownCount);
    lookUpNext();
  }

  private void lookUpNext() {
    TopicFilter filter = toLookUp.poll();
    if (filter != null) {
      lookUp(filter, null);
    }
  }

  private void lookUp(TopicFilter filter, byte @Nullable [] cursor) {
    if (lookups++ == MAX_LOOKUPS) {
      recordDropped(1 + toLookUp.size());
      return;
    }
    client.whenDone(
        client.retained().match(client.tenant(), filter, cursor, 1, 1),
        (page, error) -> onPage(filter, page));
  }

  private void onPage(TopicFilter filter, @Nullable Page page) {
    if (page != null && page.messages().isEmpty() && page.cursor() != null) {
      lookUp(filter, page.cursor());
      return;
    }
    if (page == null || !page.messages().isEmpty()) {
      recordDropped(1);
    }
    lookUpNext();
  }

  private void recordDropped(int subscriptions) {
    if (subscriptions > 0) {
      client.recordDropped(DropReason.RETAINED_UNAVAILABLE, subscriptions);
    }
  }
}
