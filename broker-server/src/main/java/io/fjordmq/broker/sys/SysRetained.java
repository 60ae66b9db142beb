package io.fjordmq.broker.sys;

import io.fjordmq.api.Message;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The retain store as seen by new subscriptions. It serves filters under {@code $SYS} from this
 * node's values, and all other filters from the actual store. No other filter matches {@code $SYS}
 * topics (MQTT 5.0 §4.7.2).
 */
public final class SysRetained implements RetainStore {
  private static final String FIRST_LEVEL = "$SYS/";

  private final RetainStore store;
  private final SysTopics topics;

  /**
   * @param store the store for all other filters
   */
  public SysRetained(RetainStore store, SysTopics topics) {
    this.store = store;
    this.topics = topics;
  }

  @Override
  public CompletableFuture<Page> match(
      String tenant, TopicFilter filter, byte @Nullable [] cursor, int maxMessages, int maxBytes) {
    if (!filter.pattern().startsWith(FIRST_LEVEL)) {
      return store.match(tenant, filter, cursor, maxMessages, maxBytes);
    }
    if (!tenant.equals(topics.tenant())) {
      return CompletableFuture.completedFuture(new Page(List.of(), null));
    }
    NavigableMap<String, Message> from = topics.values();
    if (cursor != null) {
      from = from.tailMap(new String(cursor, StandardCharsets.UTF_8), true);
    }
    return CompletableFuture.completedFuture(page(from, filter, maxMessages, maxBytes));
  }

  private static Page page(
      NavigableMap<String, Message> from, TopicFilter filter, int maxMessages, int maxBytes) {
    List<Message> found = new ArrayList<>();
    int bytes = 0;
    for (Message message : from.values()) {
      if (filter.matches(message.topic())) {
        if (found.size() >= maxMessages || bytes >= maxBytes) {
          return new Page(found, message.topic().name().getBytes(StandardCharsets.UTF_8));
        }
        found.add(message);
        bytes += message.payload().length;
      }
    }
    return new Page(found, null);
  }

  @Override
  public CompletableFuture<PutOutcome> put(
      String tenant, Message message, RetainVersion retainVersion) {
    return store.put(tenant, message, retainVersion);
  }

  @Override
  public long count() {
    return store.count();
  }
}
