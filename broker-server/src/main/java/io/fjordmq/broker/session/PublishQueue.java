package io.fjordmq.broker.session;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The client's QoS 1 and 2 publishes that are not acknowledged yet, in the order of their packets.
 * They are published and acknowledged in this order. Only used on the event loop.
 */
final class PublishQueue {
  private final ArrayDeque<PendingPublish> entries = new ArrayDeque<>(8);
  private int bytes;

  void add(PendingPublish last) {
    entries.add(last);
    bytes += last.message.payload().length;
  }

  /** Returns the publish that is acknowledged next; null if there is none. */
  @Nullable PendingPublish head() {
    return entries.peek();
  }

  void removeHead() {
    bytes -= entries.remove().message.payload().length;
  }

  /** Ends the spans of all entries because their connection has ended. */
  void endSpans(String error) {
    for (PendingPublish entry : entries) {
      if (entry.span != null) {
        entry.span.end(error);
      }
    }
  }

  int size() {
    return entries.size();
  }

  /** The payload bytes of all entries. */
  int bytes() {
    return bytes;
  }

  /** Publishes entries on behalf of the queue. */
  interface EntryPublisher {
    /** Whether publishes must wait because this node has no valid lease. */
    boolean isParked();

    void publish(PendingPublish entry);
  }

  /**
   * Publishes the entries that have not been published yet, up to the first entry that must wait
   * because it is not recorded yet or because publishing is parked.
   *
   * @return whether any entry was published
   */
  boolean publishReady(EntryPublisher publishing) {
    boolean any = false;
    for (PendingPublish entry : entries) {
      if (!entry.published && (publishing.isParked() || !entry.isRecorded())) {
        break;
      }
      if (!entry.published) {
        publishing.publish(entry);
        any = true;
      }
    }
    return any;
  }
}
