package io.fjordmq.broker.session;

import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.limits.SessionSettings;
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
 * <p>While the client is connected, the store pushes appended entries. The buffer accepts them if
 * they follow the previous entry without a gap and there is space. Other entries (older entries,
 * lost pushes, and entries for which the buffer of a slow client had no space) are fetched when
 * they are next to be sent. The source is behind while {@code readPosition <= highestKnown}, or
 * after a report that it may have missed entries.
 *
 * <p>One commit of acknowledgements at a time is in flight. The next commit contains all
 * acknowledgements that have arrived in the meantime.
 */
final class InboxSource implements DeliverySource {
  /** The client that owns the inbox. */
  interface Client extends ResultCallback.Receiver, StoreFailure.Client {
    SessionSettings settings();

    SessionObserver observer();

    PacketWriter writer();

    InboxStore inboxes();
  }

  /** A PUBREC that is being recorded. */
  private static final class Release {
    final long sequence;
    boolean recorded;

    Release(long sequence) {
      this.sequence = sequence;
    }
  }

  private final Client client;
  private final OutboundPublishes outbound;
  private final InboxStore store;
  private final InboxHandle handle;
  private final ArrayDeque<InboxEntry> buffer = new ArrayDeque<>(4);
  private final List<Long> releasedBefore;
  // An earlier connection may have sent entries below this sequence, so they are sent with DUP
  // (MQTT 5.0 §3.3.1.1).
  private final long sentBelow;
  // Received PUBRECs whose PUBREL has not been sent yet, oldest first; null before the first
  // PUBREC.
  private @Nullable ArrayDeque<Release> releasing;
  private @Nullable Delivery head;
  private int bufferedBytes;
  // Entries below this sequence are in the buffer or have been taken from it.
  private long readPosition;
  private long highestKnown;
  private @Nullable CompletableFuture<InboxStore.Page> fetch;
  private Runnable entriesRemovedCallback = () -> {};
  // Whether there may be entries above highestKnown.
  private boolean mayHaveMissed;
  private boolean committing;
  private boolean ended;
  private long committedUpTo;
  private int committedBeyond;

  InboxSource(Client client, OutboundPublishes outbound, Attachment attachment) {
    this.client = client;
    this.outbound = outbound;
    this.store = client.inboxes();
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

  /**
   * Sets the callback that is called on the event loop when entries of the client have been removed
   * from the store.
   */
  void setEntriesRemovedCallback(Runnable then) {
    entriesRemovedCallback = then;
  }

  /** Resends, in order, the PUBRELs that an earlier connection left unacknowledged. */
  void resendPubRels() {
    for (long sequence : releasedBefore) {
      outbound.sendPubRel(sequence);
    }
  }

  boolean isFor(InboxHandle inbox) {
    return handle.equals(inbox);
  }

  /** Handles entries that the store has appended. */
  void onAppended(List<InboxEntry> entries) {
    for (InboxEntry entry : entries) {
      highestKnown = Math.max(highestKnown, entry.sequence());
      if (fetch == null && entry.sequence() == readPosition && hasCapacity()) {
        add(entry);
      }
    }
    outbound.pump();
    onAcknowledged();
  }

  /**
   * Fetches all remaining entries as buffer space becomes available, because a push may have been
   * lost.
   *
   * @return a future that completes when the page currently being fetched has arrived; immediately
   *     if there is none
   */
  CompletableFuture<?> refetch() {
    mayHaveMissed = true;
    outbound.pump();
    return fetch == null ? CompletableFuture.completedFuture(null) : fetch;
  }

  /** Whether there are messages in memory. */
  boolean hasBuffered() {
    return !buffer.isEmpty();
  }

  private boolean hasCapacity() {
    SessionSettings settings = client.settings();
    return buffer.size() < settings.inboxBufferMessages()
        && bufferedBytes < settings.inboxBufferBytes();
  }

  private void add(InboxEntry entry) {
    buffer.add(entry);
    updateBuffered(1, entry.message().payload().length);
    readPosition = entry.sequence() + 1;
  }

  private void updateBuffered(int messages, int bytes) {
    bufferedBytes += bytes;
    client.observer().addQueued(messages, bytes);
  }

  @Override
  public @Nullable Delivery peek() {
    if (buffer.size() <= client.settings().inboxBufferMessages() / 2) {
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
    boolean behind = mayHaveMissed || readPosition <= highestKnown;
    if (fetch != null || ended || !behind || !hasCapacity()) {
      return;
    }
    SessionSettings settings = client.settings();
    CompletableFuture<InboxStore.Page> page =
        store.fetch(
            handle,
            readPosition,
            settings.inboxBufferMessages() - buffer.size(),
            settings.inboxBufferBytes() - bufferedBytes);
    fetch = page;
    ResultCallback<InboxStore.Page> then = pageCallback(highestKnown, mayHaveMissed);
    mayHaveMissed = false;
    client.whenDoneUnlessEnded(page, then);
  }

  /**
   * Returns the callback that handles a page. {@code known} is the highest sequence that was known
   * when the page was requested.
   */
  private ResultCallback<InboxStore.Page> pageCallback(long known, boolean mayBeMore) {
    return (page, error) -> {
      fetch = null;
      if (page == null) {
        Throwable cause =
            error == null
                ? new IllegalStateException("the inbox store returned neither a page nor an error")
                : error;
        StoreFailure.end(client, cause, "reading the inbox");
        return;
      }
      addPage(page, known);
      mayHaveMissed |= mayBeMore && !page.entries().isEmpty();
      outbound.pump();
      onAcknowledged();
      client.writer().flush();
    };
  }

  private void addPage(InboxStore.Page page, long known) {
    for (InboxEntry entry : page.entries()) {
      if (entry.sequence() >= readPosition) {
        add(entry);
      }
    }
    readPosition = Math.max(readPosition, page.nextSequence());
    if (page.entries().isEmpty()) {
      // All known entries have been acknowledged, released or dropped in the meantime.
      readPosition = Math.max(readPosition, known + 1);
    }
  }

  @Override
  public long sequence() {
    InboxEntry entry = buffer.peek();
    if (entry == null) {
      throw new IllegalStateException("no current message: peek() returned null");
    }
    return entry.sequence();
  }

  @Override
  public boolean mayBeDuplicate() {
    return sequence() < sentBelow;
  }

  @Override
  public void remove() {
    InboxEntry entry = buffer.remove();
    head = null;
    updateBuffered(-1, -entry.message().payload().length);
  }

  /**
   * {@inheritDoc}
   *
   * <p>PUBRELs are sent in the order of the PUBRECs (MQTT 3.1.1 and 5.0 §4.6), even if the store
   * confirms a later PUBREC first.
   */
  @Override
  public void onPubRec(long sequence) {
    Release release = new Release(sequence);
    if (releasing == null) {
      releasing = new ArrayDeque<>(4);
    }
    releasing.add(release);
    client.whenDoneUnlessEnded(
        store.release(handle, sequence),
        (done, error) -> {
          if (error != null) {
            StoreFailure.end(client, error, "recording a PUBREC");
            return;
          }
          release.recorded = true;
          sendRecordedPubRels();
        });
  }

  private void sendRecordedPubRels() {
    boolean sent = false;
    while (releasing != null && !releasing.isEmpty() && releasing.peek().recorded) {
      outbound.sendPubRel(releasing.remove().sequence);
      sent = true;
    }
    if (sent) {
      client.writer().flush();
      entriesRemovedCallback.run();
    }
  }

  @Override
  public void onAcknowledged() {
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
    client.whenDoneUnlessEnded(store.commit(handle, committedUpTo, beyond), this::onCommitted);
  }

  private void onCommitted(@Nullable Void done, @Nullable Throwable error) {
    committing = false;
    if (error != null) {
      StoreFailure.end(client, error, "acknowledging messages");
    } else {
      onAcknowledged();
      entriesRemovedCallback.run();
    }
  }

  /**
   * Whether a page of retained messages may be added, which requires that the client keeps up with
   * its inbox.
   */
  boolean canAcceptPage() {
    return readPosition > highestKnown
        && buffer.size() <= client.settings().inboxBufferMessages() / 2;
  }

  /** Commits the remaining acknowledgements after the connection has ended. */
  void end() {
    if (ended) {
      return;
    }
    committing = false;
    onAcknowledged();
    ended = true;
    if (!buffer.isEmpty()) {
      client.observer().addQueued(-buffer.size(), -bufferedBytes);
    }
    buffer.clear();
  }
}
