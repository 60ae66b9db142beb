package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.Delivery;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxStore;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The undelivered messages of a persistent session.
 *
 * <p>The store pushes what is appended while the client is connected; the buffer takes it as long
 * as it continues what is there and fits. Everything else (messages from before, a push that was
 * lost, a client too slow for the buffer) is fetched when the client gets to it. One rule decides:
 * the source is behind while {@code readPosition <= highestKnown}, or while it was told that it may
 * not know.
 *
 * <p>Acknowledgements go to the store one commit at a time, each with all that came meanwhile.
 */
final class InboxSource implements DeliverySource {
  private final Connection connection;
  private final OutboundPublishes outbound;
  private final InboxStore store;
  private final InboxHandle handle;
  private final ArrayDeque<InboxEntry> buffer = new ArrayDeque<>(4);
  private final List<Long> releasedBefore;
  // Below this an earlier connection may have sent entries: DUP (MQTT 5.0 §3.3.1.1).
  private final long sentBelow;
  private @Nullable Delivery head;
  private int bufferedBytes;
  // Entries below this are in the buffer or were taken from it.
  private long readPosition;
  private long highestKnown;
  private @Nullable CompletableFuture<InboxStore.Page> fetch;
  private Runnable emptied = () -> {};
  // There may be entries above highestKnown.
  private boolean unsure;
  private boolean committing;
  private boolean ended;
  private long committedUpTo;
  private int committedBeyond;

  InboxSource(Connection connection, OutboundPublishes outbound, Attachment attachment) {
    this.connection = connection;
    this.outbound = outbound;
    this.store = connection.services().inboxes();
    this.handle = attachment.handle();
    this.readPosition = attachment.firstUndelivered();
    this.committedUpTo = attachment.firstUndelivered();
    this.highestKnown = attachment.nextSequence() - 1;
    this.releasedBefore = attachment.released();
    this.sentBelow = attachment.sentBelow();
    InflightWindow window = outbound.window();
    for (long sequence : attachment.released()) {
      window.restore(sequence, InflightWindow.AWAITING_PUBCOMP);
    }
    for (long sequence : attachment.acknowledged()) {
      window.restore(sequence, InflightWindow.SETTLED);
    }
    committedBeyond = attachment.acknowledged().size();
  }

  /** Who is told when the store holds less for the client than before; on the event loop. */
  void whenEmptied(Runnable then) {
    emptied = then;
  }

  /** Sends the PUBRELs that are owed since an earlier connection, in their order. */
  void resendReleases() {
    for (long sequence : releasedBefore) {
      outbound.sendRelease(sequence);
    }
  }

  /** The store pushes what it has just appended. */
  void appended(List<InboxEntry> entries) {
    for (InboxEntry entry : entries) {
      highestKnown = Math.max(highestKnown, entry.sequence());
      if (fetch == null && entry.sequence() == readPosition && hasRoom()) {
        add(entry);
      }
    }
    outbound.pump();
    settled();
  }

  /**
   * Entries may have come without a push: reads on, once it can, until nothing is left.
   *
   * @return completes with the page that is being read; at once if none is
   */
  CompletableFuture<?> refetch() {
    unsure = true;
    outbound.pump();
    return fetch == null ? CompletableFuture.completedFuture(null) : fetch;
  }

  /** True if messages are at hand. */
  boolean hasBuffered() {
    return !buffer.isEmpty();
  }

  private boolean hasRoom() {
    SessionSettings settings = connection.settings();
    return buffer.size() < settings.inboxBufferMessages()
        && bufferedBytes < settings.inboxBufferBytes();
  }

  private void add(InboxEntry entry) {
    buffer.add(entry);
    account(1, entry.message().payload().length);
    readPosition = entry.sequence() + 1;
  }

  private void account(int messages, int bytes) {
    bufferedBytes += bytes;
    connection.observer().queued(messages, bytes);
  }

  @Override
  public @Nullable Delivery peek() {
    if (buffer.size() <= connection.settings().inboxBufferMessages() / 2) {
      fetchIfBehind();
    }
    InboxEntry entry = buffer.peek();
    if (entry != null && head == null) {
      head =
          new Delivery(
              entry.message(), entry.qos(), entry.retain(), entry.subscriptionIdentifiers(), null);
    }
    return head;
  }

  private void fetchIfBehind() {
    boolean behind = unsure || readPosition <= highestKnown;
    if (fetch != null || ended || !behind || !hasRoom()) {
      return;
    }
    SessionSettings settings = connection.settings();
    CompletableFuture<InboxStore.Page> page =
        store.fetch(
            handle,
            readPosition,
            settings.inboxBufferMessages() - buffer.size(),
            settings.inboxBufferBytes() - bufferedBytes);
    fetch = page;
    Answered<InboxStore.Page> then = fetchedUpTo(highestKnown, unsure);
    unsure = false;
    connection.whileOpen(page, then);
  }

  /** What to do with a page that was asked for when entries up to a sequence were known. */
  private Answered<InboxStore.Page> fetchedUpTo(long known, boolean mayBeMore) {
    return (page, error) -> {
      fetch = null;
      if (page == null) {
        Throwable cause = error == null ? new IllegalStateException("no page") : error;
        StoreFailure.end(connection, cause, "reading an inbox");
        return;
      }
      take(page, known);
      unsure |= mayBeMore && !page.entries().isEmpty();
      outbound.pump();
      settled();
      connection.writer().flush();
    };
  }

  private void take(InboxStore.Page page, long known) {
    for (InboxEntry entry : page.entries()) {
      if (entry.sequence() >= readPosition) {
        add(entry);
      }
    }
    readPosition = Math.max(readPosition, page.nextSequence());
    if (page.entries().isEmpty()) {
      // Nothing is left of what was known: acknowledged, released or dropped in the meantime.
      readPosition = Math.max(readPosition, known + 1);
    }
  }

  @Override
  public long sequence() {
    InboxEntry entry = buffer.peek();
    if (entry == null) {
      throw new IllegalStateException("nothing was shown");
    }
    return entry.sequence();
  }

  @Override
  public boolean mayBeRepeated() {
    return sequence() < sentBelow;
  }

  @Override
  public void remove() {
    InboxEntry entry = buffer.remove();
    head = null;
    account(-1, -entry.message().payload().length);
  }

  @Override
  public void received(long sequence) {
    connection.whileOpen(
        store.release(handle, sequence),
        (done, error) -> {
          if (error != null) {
            StoreFailure.end(connection, error, "recording a PUBREC");
            return;
          }
          outbound.sendRelease(sequence);
          connection.writer().flush();
          emptied.run();
        });
  }

  @Override
  public void settled() {
    if (committing || ended) {
      return;
    }
    InflightWindow window = outbound.window();
    List<Long> beyond = window.settledBeyond(InflightWindow.IDENTIFIERS);
    if (window.base() == committedUpTo && beyond.size() == committedBeyond) {
      return;
    }
    committing = true;
    committedUpTo = window.base();
    committedBeyond = beyond.size();
    connection.whileOpen(store.commit(handle, committedUpTo, beyond), this::committed);
  }

  private void committed(@Nullable Void done, @Nullable Throwable error) {
    committing = false;
    if (error != null) {
      StoreFailure.end(connection, error, "acknowledging messages");
    } else {
      settled();
      emptied.run();
    }
  }

  /** True if what an own retained replay appends is not piling up in the store. */
  boolean hasRoomForPage() {
    return readPosition > highestKnown
        && buffer.size() <= connection.settings().inboxBufferMessages() / 2;
  }

  /** The connection has ended: says what was acknowledged and not said yet. */
  void end() {
    if (ended) {
      return;
    }
    committing = false;
    settled();
    ended = true;
    if (!buffer.isEmpty()) {
      connection.observer().queued(-buffer.size(), -bufferedBytes);
    }
    buffer.clear();
  }
}
