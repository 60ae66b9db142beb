package io.fjordmq.broker.testing;

import io.fjordmq.api.Message;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A retain store in a map; its cursor is the number of topics looked at. */
public final class MemoryRetainStore implements RetainStore {
  private final StoreTasks tasks;

  /** By topic. */
  public final Map<String, Message> messages = new TreeMap<>();

  public int pagesRead;

  /** Of all puts. */
  public final List<RetainVersion> versions = new ArrayList<>();

  /** Runs while a page is read. */
  public Runnable onPageRead = () -> {};

  /** If set, queries fail immediately, as when too many are queued. */
  public boolean busy;

  /** If set, puts are refused. */
  public boolean full;

  /** If set, puts fail. */
  public @Nullable RuntimeException failure;

  public MemoryRetainStore(StoreTasks tasks) {
    this.tasks = tasks;
  }

  @Override
  public CompletableFuture<PutOutcome> put(
      String tenant, Message message, RetainVersion retainVersion) {
    return tasks.call(
        () -> {
          versions.add(retainVersion);
          if (failure != null) {
            throw failure;
          }
          String topic = message.topic().name();
          if (message.payload().length == 0) {
            messages.remove(topic);
            return PutOutcome.CLEARED;
          }
          if (full) {
            return PutOutcome.REFUSED_FULL;
          }
          messages.put(topic, message);
          return PutOutcome.RETAINED;
        });
  }

  @Override
  public CompletableFuture<Page> match(
      String tenant, TopicFilter filter, byte @Nullable [] cursor, int maxMessages, int maxBytes) {
    if (busy) {
      return CompletableFuture.failedFuture(new IllegalStateException("too many queries"));
    }
    return tasks.call(
        () -> {
          pagesRead++;
          onPageRead.run();
          List<Message> all =
              messages.values().stream().filter(one -> filter.matches(one.topic())).toList();
          int from = cursor == null ? 0 : cursor[0];
          List<Message> page =
              new ArrayList<>(all.subList(from, Math.min(all.size(), from + maxMessages)));
          int next = from + page.size();
          return new Page(page, next < all.size() ? new byte[] {(byte) next} : null);
        });
  }

  @Override
  public long count() {
    return messages.size();
  }
}
