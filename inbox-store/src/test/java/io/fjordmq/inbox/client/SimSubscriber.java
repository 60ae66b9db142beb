package io.fjordmq.inbox.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxFencedException;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A client with a persistent session and the connection that serves it. The connection breaks and
 * is re-established; the client, as MQTT requires of a QoS 2 receiver, keeps the packet identifiers
 * between PUBREC and PUBREL, and thus recognizes a repeated message until it is released.
 */
final class SimSubscriber {
  private static final int WINDOW = 4;
  private static final long PAUSE_MILLIS = 30;

  /** The client's own state, which survives connections. */
  static final class Client {
    final List<Integer> receivedNumbers = new ArrayList<>();
    private final Map<Long, Integer> unreleased = new HashMap<>();

    /** Handles a QoS 2 PUBLISH; delivered unless its identifier is in use. */
    private void onPublish(InboxEntry entry) {
      int number = Integer.parseInt(new String(entry.message().payload(), UTF_8));
      if (unreleased.putIfAbsent(entry.sequence(), number) == null) {
        receivedNumbers.add(number);
      }
    }

    /** Handles a PUBREL: the identifier is free again. */
    private void onPubrel(long sequence) {
      unreleased.remove(sequence);
    }
  }

  private final SimProcess process;
  private final InboxStore store;
  private final InboxId id;
  private final Client client;
  private long nextSequence;

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
        .whenComplete((found, failure) -> process.execute(() -> onAttached(found, failure)));
  }

  private void onAttached(@Nullable Attachment found, @Nullable Throwable failure) {
    if (found == null || failure != null) {
      retry(this::attach);
      return;
    }
    nextSequence = found.firstUndelivered();
    for (long sequence : found.released()) {
      client.onPubrel(sequence);
    }
    if (found.released().isEmpty()) {
      read(found.handle());
    } else {
      commit(found.handle(), found.released());
    }
  }

  private void read(InboxHandle handle) {
    store
        .fetch(handle, nextSequence, WINDOW, 1 << 20)
        .whenComplete((page, failure) -> process.execute(() -> onPage(handle, page, failure)));
  }

  private void onPage(
      InboxHandle handle, InboxStore.@Nullable Page page, @Nullable Throwable failure) {
    if (page == null || failure != null || page.entries().isEmpty()) {
      retry(failure, () -> read(handle));
      return;
    }
    page.entries().forEach(client::onPublish);
    receive(handle, page.entries(), 0);
  }

  /** Records the PUBREC of each entry, one after the other, and then sends its PUBREL. */
  private void receive(InboxHandle handle, List<InboxEntry> entries, int position) {
    if (position == entries.size()) {
      commit(handle, entries.stream().map(InboxEntry::sequence).toList());
      return;
    }
    long sequence = entries.get(position).sequence();
    store
        .release(handle, sequence)
        .whenComplete(
            (done, failure) ->
                process.execute(
                    () -> {
                      if (failure == null) {
                        client.onPubrel(sequence);
                        receive(handle, entries, position + 1);
                      } else {
                        retry(failure, () -> receive(handle, entries, position));
                      }
                    }));
  }

  private void commit(InboxHandle handle, List<Long> sequences) {
    nextSequence = Math.max(nextSequence, sequences.get(sequences.size() - 1) + 1);
    // At worst, losing it repeats PUBREL, so the caller does not wait for it.
    store.commit(handle, nextSequence, List.of());
    retry(() -> read(handle));
  }

  /**
   * Retries a failed step, unless the inbox belongs to another connection. That may be one that
   * broke long ago and whose attach was delayed: the broker then closes the client's connection,
   * and the client reconnects.
   */
  private void retry(@Nullable Throwable failure, Runnable step) {
    retry(isFenced(failure) ? this::attach : step);
  }

  private static boolean isFenced(@Nullable Throwable failure) {
    return failure instanceof InboxFencedException
        || (failure != null && failure.getCause() instanceof InboxFencedException);
  }

  private void retry(Runnable step) {
    process.schedule(process.simulation().between(1, PAUSE_MILLIS), step);
  }
}
