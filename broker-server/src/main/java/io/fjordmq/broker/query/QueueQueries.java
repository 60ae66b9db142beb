package io.fjordmq.broker.query;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.query.QueryException.Kind;
import io.fjordmq.broker.query.QueryNodes.Node;
import io.fjordmq.broker.session.ClientQueue;
import io.fjordmq.broker.session.ClientQueue.InFlight;
import io.fjordmq.broker.session.ClientQueue.Selection;
import io.fjordmq.inbox.SessionQueries;
import io.fjordmq.inbox.SessionQueries.EntryPage;
import io.fjordmq.inbox.SessionQueries.PeekedEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads queued and in-flight messages without side effects. Thread-safe; does not block. */
public final class QueueQueries {
  /** Maximum number of messages per page. */
  public static final int MAX_MESSAGES = 1_000;

  /**
   * A message for a client.
   *
   * @param message the message, whose payload may be truncated; null if it is not kept, as those in
   *     flight to a transient session
   * @param payloadBytes size of the whole payload
   * @param packetId packet identifier; 0 unless the message is in flight
   * @param awaits the packet that a message in flight waits for: puback, pubrec or pubcomp; null
   *     for others
   */
  public record Peeked(
      @Nullable Message message,
      @Nullable Qos qos,
      boolean retain,
      int payloadBytes,
      int packetId,
      @Nullable String awaits) {
    static Peeked of(PeekedEntry entry) {
      return new Peeked(
          entry.message(), entry.qos(), entry.retain(), entry.payloadBytes(), 0, null);
    }

    static Peeked of(ClientQueue.Queued queued) {
      return new Peeked(
          queued.message(), queued.qos(), queued.retain(), queued.payloadBytes(), 0, null);
    }

    static Peeked of(InFlight inflight, @Nullable PeekedEntry entry) {
      String awaits = inflight.awaited().name().toLowerCase(Locale.ROOT);
      return entry == null
          ? new Peeked(null, null, false, 0, inflight.packetId(), awaits)
          : new Peeked(
              entry.message(),
              entry.qos(),
              entry.retain(),
              entry.payloadBytes(),
              inflight.packetId(),
              awaits);
    }
  }

  /**
   * A page of messages.
   *
   * @param next where the next page starts; null if this is the last page
   */
  public record Page(List<Peeked> messages, @Nullable QueuePosition next) {}

  /**
   * A position in the messages for a client. Messages that arrive or leave meanwhile can make a
   * page miss or repeat some of those in memory.
   *
   * @param inMemory number of messages in memory before it
   * @param sequence sequence in the inbox, or in flight
   */
  public record QueuePosition(int inMemory, long sequence) {
    /** Before all messages. */
    public static final QueuePosition START = new QueuePosition(0, 0);
  }

  private final QueryNodes nodes;
  private final SessionQueries sessions;

  QueueQueries(QueryNodes nodes, SessionQueries sessions) {
    this.nodes = nodes;
    this.sessions = sessions;
  }

  /**
   * Reads messages waiting to be sent: first those in memory, then those in the inbox.
   *
   * @param limit 1 to {@link #MAX_MESSAGES}
   * @param maxPayloadBytes size to which payloads are truncated
   * @return fails with {@link QueryException} if the node or range is unavailable
   */
  public CompletableFuture<Page> queued(
      ClientRow client, QueuePosition from, int limit, int maxPayloadBytes) {
    if (client.node() == null) {
      return stored(client, from, from.sequence(), limit, maxPayloadBytes, List.of());
    }
    Selection selection = new Selection(0, 0, from.inMemory(), limit, maxPayloadBytes);
    return ofNode(client, client.node(), selection)
        .thenCompose(
            found -> {
              List<Peeked> inMemory =
                  found
                      .map(queue -> queue.queued().stream().map(Peeked::of).toList())
                      .orElse(List.of());
              QueuePosition next =
                  new QueuePosition(from.inMemory() + inMemory.size(), from.sequence());
              if (inMemory.size() == limit) {
                return CompletableFuture.completedFuture(new Page(inMemory, next));
              }
              long unsent = found.map(ClientQueue::sentBelow).orElse(0L);
              return isPersistent(client)
                  ? stored(
                      client,
                      next,
                      Math.max(from.sequence(), unsent),
                      limit,
                      maxPayloadBytes,
                      inMemory)
                  : CompletableFuture.completedFuture(new Page(inMemory, null));
            });
  }

  private static boolean isPersistent(ClientRow client) {
    LiveClient live = client.live();
    return live == null || live.attributes().persistent();
  }

  private CompletableFuture<Page> stored(
      ClientRow client,
      QueuePosition from,
      long sequence,
      int limit,
      int maxPayloadBytes,
      List<Peeked> before) {
    return peek(client, sequence, limit - before.size(), maxPayloadBytes)
        .thenApply(
            page -> {
              List<Peeked> all = new ArrayList<>(before);
              page.entries().stream().map(Peeked::of).forEach(all::add);
              return new Page(
                  all, page.next() == 0 ? null : new QueuePosition(from.inMemory(), page.next()));
            });
  }

  private CompletableFuture<EntryPage> peek(
      ClientRow client, long sequence, int limit, int maxPayloadBytes) {
    return QueryNodes.inTime(sessions.peek(client.id(), sequence, limit, maxPayloadBytes))
        .exceptionallyCompose(QueryException::ofStore)
        .thenApply(page -> page.orElse(new EntryPage(List.of(), 0)));
  }

  private CompletableFuture<Optional<ClientQueue>> ofNode(
      ClientRow client, String name, Selection selection) {
    for (Node node : nodes.alive()) {
      if (node.name().equals(name)) {
        return QueryNodes.inTime(node.clients().queue(client.id(), selection))
            .exceptionallyCompose(failure -> QueryException.ofNode(name, failure));
      }
    }
    return CompletableFuture.failedFuture(
        new QueryException(Kind.UNAVAILABLE, "node " + name + " is down"));
  }

  /**
   * Reads messages that the client has not acknowledged. An offline client has none in flight: its
   * messages wait to be sent again.
   *
   * @param limit 1 to {@link #MAX_MESSAGES}
   * @param maxPayloadBytes size to which payloads are truncated
   * @return fails with {@link QueryException} if the node or range is unavailable
   */
  public CompletableFuture<Page> inflight(
      ClientRow client, QueuePosition from, int limit, int maxPayloadBytes) {
    if (client.node() == null) {
      return CompletableFuture.completedFuture(new Page(List.of(), null));
    }
    Selection selection = new Selection(from.sequence(), limit + 1, 0, 0, 0);
    return ofNode(client, client.node(), selection)
        .thenCompose(
            found -> {
              List<InFlight> all = found.map(ClientQueue::inflight).orElse(List.of());
              boolean isLast = all.size() <= limit;
              List<InFlight> page = isLast ? all : all.subList(0, limit);
              QueuePosition next = isLast ? null : new QueuePosition(0, all.get(limit).sequence());
              return isPersistent(client) && !page.isEmpty()
                  ? peek(client, page.get(0).sequence(), limit, maxPayloadBytes)
                      .thenApply(entries -> new Page(join(page, entries), next))
                  : CompletableFuture.completedFuture(
                      new Page(join(page, new EntryPage(List.of(), 0)), next));
            });
  }

  private static List<Peeked> join(List<InFlight> inflight, EntryPage entries) {
    Map<Long, PeekedEntry> bySequence = new HashMap<>();
    entries.entries().forEach(entry -> bySequence.put(entry.sequence(), entry));
    return inflight.stream()
        .map(message -> Peeked.of(message, bySequence.get(message.sequence())))
        .toList();
  }
}
