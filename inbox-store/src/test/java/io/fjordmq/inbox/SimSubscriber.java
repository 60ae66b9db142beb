package io.fjordmq.inbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.cluster.consensus.sim.SimProcess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A client with a persistent session and the connection that serves it. The connection dies and
 * comes back; the client, as MQTT demands of a QoS 2 receiver, keeps the packet identifiers between
 * PUBREC and PUBREL, and so notices a repeated message as long as it is not released.
 */
final class SimSubscriber {
  private static final int WINDOW = 4;
  private static final long PAUSE_MILLIS = 30;

  /** What survives connections: the client's own state. */
  static final class Client {
    final List<Integer> received = new ArrayList<>();
    private final Map<Long, Integer> unreleased = new HashMap<>();

    /** A PUBLISH of QoS 2; passed on unless its identifier is in use. */
    private void publish(InboxEntry entry) {
      int number = Integer.parseInt(new String(entry.message().payload(), UTF_8));
      if (unreleased.putIfAbsent(entry.sequence(), number) == null) {
        received.add(number);
      }
    }

    /** A PUBREL: the identifier is free again. */
    private void release(long sequence) {
      unreleased.remove(sequence);
    }
  }

  private final SimProcess process;
  private final InboxStore store;
  private final InboxId id;
  private final Client client;
  private long next;

  SimSubscriber(SimProcess process, InboxStore store, InboxId id, Client client) {
    this.process = process;
    this.store = store;
    this.id = id;
    this.client = client;
  }

  void start() {
    attach();
  }

  private void attach() {
    store
        .attach(id, new AttachRequest(false, process.node().value(), 1, 3_600, null))
        .whenComplete((found, failure) -> process.execute(() -> attached(found, failure)));
  }

  private void attached(@Nullable Attachment found, @Nullable Throwable failure) {
    if (found == null || failure != null) {
      again(this::attach);
      return;
    }
    next = found.firstUndelivered();
    for (long sequence : found.released()) {
      client.release(sequence);
    }
    if (found.released().isEmpty()) {
      read(found.handle());
    } else {
      commit(found.handle(), found.released());
    }
  }

  private void read(InboxHandle mine) {
    store
        .fetch(mine, next, WINDOW, 1 << 20)
        .whenComplete((page, failure) -> process.execute(() -> got(mine, page, failure)));
  }

  private void got(InboxHandle mine, InboxStore.@Nullable Page page, @Nullable Throwable failure) {
    if (page == null || failure != null || page.entries().isEmpty()) {
      again(failure, () -> read(mine));
      return;
    }
    page.entries().forEach(client::publish);
    receive(mine, page.entries(), 0);
  }

  /** PUBREC of one after the other: recorded, and only then PUBREL. */
  private void receive(InboxHandle mine, List<InboxEntry> entries, int position) {
    if (position == entries.size()) {
      commit(mine, entries.stream().map(InboxEntry::sequence).toList());
      return;
    }
    long sequence = entries.get(position).sequence();
    store
        .release(mine, sequence)
        .whenComplete(
            (done, failure) ->
                process.execute(
                    () -> {
                      if (failure == null) {
                        client.release(sequence);
                        receive(mine, entries, position + 1);
                      } else {
                        again(failure, () -> receive(mine, entries, position));
                      }
                    }));
  }

  private void commit(InboxHandle mine, List<Long> sequences) {
    next = Math.max(next, sequences.get(sequences.size() - 1) + 1);
    // Losing it repeats PUBREL at worst, so nobody waits for it.
    store.commit(mine, next, List.of());
    again(() -> read(mine));
  }

  /**
   * Tries again what failed, unless the inbox is another connection's. That may be one that died
   * long ago and whose attach was late: then the client, whose connection the broker ends, comes
   * back.
   */
  private void again(@Nullable Throwable failure, Runnable step) {
    again(isFenced(failure) ? this::attach : step);
  }

  private static boolean isFenced(@Nullable Throwable failure) {
    return failure instanceof InboxFencedException
        || (failure != null && failure.getCause() instanceof InboxFencedException);
  }

  private void again(Runnable step) {
    process.schedule(process.simulation().between(1, PAUSE_MILLIS), step);
  }
}
