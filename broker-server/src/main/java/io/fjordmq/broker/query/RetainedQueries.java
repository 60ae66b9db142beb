package io.fjordmq.broker.query;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainVersion;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Lists, shows and deletes retained messages. Thread-safe; does not block. */
public final class RetainedQueries {
  /** Messages and bytes that are read at once. */
  private static final int MESSAGES_AT_ONCE = 1_000;

  private static final int BYTES_AT_ONCE = 1 << 20;

  /** Messages that are deleted at the same time. */
  private static final int DELETES_AT_ONCE = 64;

  private static final byte[] EMPTY = {};

  /**
   * A retained message without its payload.
   *
   * @param publisher client identifier of the publisher; empty for messages from the broker
   * @param publishedAtMillis in epoch milliseconds
   * @param expiresAtMillis in epoch milliseconds; {@link Message#NEVER} if it does not expire
   */
  public record Retained(
      String topic,
      Qos qos,
      String publisher,
      long publishedAtMillis,
      long expiresAtMillis,
      int payloadBytes) {
    static Retained of(Message message) {
      return new Retained(
          message.topic().name(),
          message.qos(),
          message.publisher(),
          message.acceptedAtMillis(),
          message.expiresAtMillis(),
          message.payload().length);
    }
  }

  /**
   * A page of retained messages, in the order of the store.
   *
   * @param next where the next page starts; null if this is the last page
   * @param complete false if the time ran out before the page was full
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Page(List<Retained> messages, byte @Nullable [] next, boolean complete) {}

  private final RetainStore store;
  private final InstantSource clock;
  private final Executor queryThreads;

  RetainedQueries(RetainStore store, InstantSource clock, Executor queryThreads) {
    this.store = store;
    this.clock = clock;
    this.queryThreads = queryThreads;
  }

  /**
   * Lists the retained messages of a tenant that match a filter.
   *
   * @param cursor null, or {@link Page#next} of the previous page
   * @param skip number of messages to skip first
   * @param limit maximum number of messages; &gt; 0
   * @return fails with {@link QueryException} if a range is unavailable
   */
  public CompletableFuture<Page> list(
      String tenant, TopicFilter filter, byte @Nullable [] cursor, int skip, int limit) {
    return new Listing(tenant, filter, skip, limit).read(cursor);
  }

  /** Reads a page in several steps. */
  private final class Listing {
    private final String tenant;
    private final TopicFilter filter;
    private final int limit;
    private final List<Retained> found = new ArrayList<>();
    private final BooleanSupplier timeIsUp = QueryNodes.pageTimer();
    private int skip;

    Listing(String tenant, TopicFilter filter, int skip, int limit) {
      this.tenant = tenant;
      this.filter = filter;
      this.skip = skip;
      this.limit = limit;
    }

    CompletableFuture<Page> read(byte @Nullable [] cursor) {
      int wanted = Math.min(MESSAGES_AT_ONCE, skip + limit - found.size());
      return QueryNodes.inTime(store.match(tenant, filter, cursor, wanted, BYTES_AT_ONCE))
          .exceptionallyCompose(QueryException::ofStore)
          .thenComposeAsync(this::add, queryThreads);
    }

    private CompletableFuture<Page> add(RetainStore.Page page) {
      for (Message message : page.messages()) {
        if (skip > 0) {
          skip--;
        } else {
          found.add(Retained.of(message));
        }
      }
      byte[] next = page.cursor();
      if (next == null || found.size() >= limit) {
        return CompletableFuture.completedFuture(new Page(found, next, true));
      }
      return timeIsUp.getAsBoolean()
          ? CompletableFuture.completedFuture(new Page(found, next, false))
          : read(next);
    }
  }

  /** Reads the retained message of a topic; empty if there is none. */
  public CompletableFuture<Optional<Message>> find(String tenant, Topic topic) {
    TopicFilter filter = TopicFilter.parse(topic.name());
    return QueryNodes.inTime(store.match(tenant, filter, null, 1, BYTES_AT_ONCE))
        .exceptionallyCompose(QueryException::ofStore)
        .thenApply(page -> page.messages().stream().findFirst());
  }

  /**
   * Deletes the retained message of a topic. Subscribers are not notified. Completes when the
   * deletion is durable, with false if there was no message.
   */
  public CompletableFuture<Boolean> delete(String tenant, Topic topic) {
    return find(tenant, topic)
        .thenCompose(
            message ->
                message.isEmpty()
                    ? CompletableFuture.completedFuture(false)
                    : clear(tenant, topic).thenApply(cleared -> true));
  }

  private CompletableFuture<?> clear(String tenant, Topic topic) {
    Message nothing =
        new Message(
            topic,
            EMPTY,
            Qos.AT_LEAST_ONCE,
            true,
            MessageProperties.NONE,
            "",
            clock.millis(),
            Message.NEVER);
    return store
        .put(tenant, nothing, RetainVersion.NONE)
        .orTimeout(QueryNodes.ACT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionallyCompose(QueryException::ofStore);
  }

  /**
   * Deletes the retained messages that match a filter, until none is left or the time is up.
   * Subscribers are not notified.
   */
  public CompletableFuture<Deleted> deleteAll(String tenant, TopicFilter filter) {
    return deleteAll(tenant, filter, null, 0, QueryNodes.actTimer());
  }

  /**
   * The result of {@link #deleteAll}.
   *
   * @param complete false if the time ran out; call again to continue
   */
  public record Deleted(long messages, boolean complete) {}

  private CompletableFuture<Deleted> deleteAll(
      String tenant,
      TopicFilter filter,
      byte @Nullable [] cursor,
      long deleted,
      BooleanSupplier timeIsUp) {
    return QueryNodes.inTime(store.match(tenant, filter, cursor, DELETES_AT_ONCE, BYTES_AT_ONCE))
        .exceptionallyCompose(QueryException::ofStore)
        .thenCompose(page -> clearAll(tenant, page).thenApply(cleared -> page))
        .thenComposeAsync(
            page -> {
              byte[] next = page.cursor();
              long total = deleted + page.messages().size();
              if (next == null || timeIsUp.getAsBoolean()) {
                return CompletableFuture.completedFuture(new Deleted(total, next == null));
              }
              return deleteAll(tenant, filter, next, total, timeIsUp);
            },
            queryThreads);
  }

  private CompletableFuture<Void> clearAll(String tenant, RetainStore.Page page) {
    return CompletableFuture.allOf(
        page.messages().stream()
            .map(message -> clear(tenant, message.topic()))
            .toArray(CompletableFuture<?>[]::new));
  }
}
