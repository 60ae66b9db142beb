package io.fjordmq.broker.session;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The client's publishes whose outcome is pending, of any QoS, in the order of their packets: they
 * are published and acknowledged in this order. Event loop only.
 */
final class PublishQueue {
  private final ArrayDeque<PendingPublish> entries = new ArrayDeque<>(8);
  private int bytes;

  void add(PendingPublish last) {
    entries.add(last);
    bytes += last.message.payload().length;
  }

  /** The publish that is acknowledged next; null if there is none. */
  @Nullable PendingPublish head() {
    return entries.peek();
  }

  void removeHead() {
    bytes -= entries.remove().message.payload().length;
  }

  int size() {
    return entries.size();
  }

  /** Payload bytes of all entries. */
  int bytes() {
    return bytes;
  }

  /** Publishes entries on behalf of the queue. */
  interface EntryPublisher {
    /** True if publishes have to wait. */
    boolean isParked();

    void publish(PendingPublish entry);
  }

  /**
   * Publishes the entries that are not published yet, up to the first one that must wait for its
   * record or because publishing is parked.
   *
   * @return whether it published any
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
