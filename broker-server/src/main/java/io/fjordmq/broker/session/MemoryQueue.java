package io.fjordmq.broker.session;

import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Queues messages in memory for a client that reads too slowly. The queue is bounded in messages
 * and bytes; when it is full, it drops either the oldest or the new message, as configured. Memory
 * is allocated only when the first message has to wait.
 */
final class MemoryQueue implements DeliverySource {
  /** The client for which messages are queued. */
  interface Client {
    SessionSettings settings();

    SessionObserver observer();

    /** Counts that the client reached a limit. */
    void recordLimitReached(Limit limit);

    /** Counts dropped messages. */
    void recordDropped(Drop drop);
  }

  private final Client client;
  private final SessionObserver observer;
  private final OutboundPublishes outbound;
  private @Nullable ArrayDeque<Delivery> waiting;
  private int bytes;

  MemoryQueue(Client client, OutboundPublishes outbound) {
    this.client = client;
    this.observer = client.observer();
    this.outbound = outbound;
  }

  boolean isEmpty() {
    return waiting == null || waiting.isEmpty();
  }

  /** The number of messages; on other threads than the event loop an approximation. */
  int size() {
    ArrayDeque<Delivery> queue = waiting;
    return queue == null ? 0 : queue.size();
  }

  /** Returns some of the messages without removing them. */
  List<Delivery> peek(int skip, int max) {
    return waiting == null ? List.of() : waiting.stream().skip(skip).limit(max).toList();
  }

  /** The total size of their payloads in bytes. */
  int bytes() {
    return bytes;
  }

  /** Whether a page of retained messages may be added without displacing other messages. */
  boolean canAcceptPage() {
    SessionSettings settings = client.settings();
    return waiting == null
        || (waiting.size() <= settings.maxQueuedMessages() / 2
            && bytes <= settings.maxQueuedBytes() / 2);
  }

  /**
   * Whether a {@link Delivery#isKept kept} message may be added, which could also stay in its
   * store.
   */
  boolean canAccept(Delivery delivery) {
    ArrayDeque<Delivery> queue = waiting;
    return queue == null || (canAcceptPage() && fits(queue, delivery.message().payload().length));
  }

  void add(Delivery delivery) {
    ArrayDeque<Delivery> queue = waiting;
    if (queue == null) {
      queue = new ArrayDeque<>(8);
      waiting = queue;
    }
    int size = delivery.message().payload().length;
    SessionSettings settings = client.settings();
    while (!fits(queue, size)) {
      Limit reached =
          queue.size() < settings.maxQueuedMessages() ? Limit.QUEUED_BYTES : Limit.QUEUED_MESSAGES;
      client.recordLimitReached(reached);
      if (!settings.dropOldest() || queue.isEmpty()) {
        drop(delivery, reached);
        return;
      }
      Delivery oldest = queue.remove();
      updateQueued(oldest, -1);
      drop(oldest, reached);
    }
    queue.add(delivery);
    updateQueued(delivery, 1);
  }

  private boolean fits(ArrayDeque<Delivery> queue, int size) {
    // A single message always fits regardless of its size, because the packet size has its own
    // limit.
    SessionSettings settings = client.settings();
    return queue.isEmpty()
        || (queue.size() < settings.maxQueuedMessages()
            && bytes + size <= settings.maxQueuedBytes());
  }

  private void drop(Delivery delivery, Limit reached) {
    DropReason reason =
        delivery.qos().level() == 0 ? DropReason.SLOW_CLIENT : DropReason.QUEUE_FULL;
    client.recordDropped(new Drop(reason, 1, delivery.message().topic(), reached));
  }

  private void updateQueued(Delivery delivery, int sign) {
    int change = sign * delivery.message().payload().length;
    bytes += change;
    observer.addQueued(sign, change);
  }

  @Override
  public @Nullable Delivery peek() {
    return waiting == null ? null : waiting.peek();
  }

  @Override
  public long sequence() {
    return outbound.window().nextSequence();
  }

  @Override
  public boolean mayBeDuplicate() {
    return false;
  }

  @Override
  public void remove() {
    if (waiting != null) {
      updateQueued(waiting.remove(), -1);
    }
  }

  @Override
  public void onPubRec(long sequence) {
    outbound.sendPubRel(sequence);
  }

  @Override
  public void onAcknowledged() {}

  /**
   * Called when the connection has ended. Shared-subscription messages go to other members; all
   * others are dropped.
   */
  void end(List<Delivery> toRedistribute) {
    ArrayDeque<Delivery> queue = waiting;
    if (queue == null || queue.isEmpty()) {
      return;
    }
    int sharedBefore = toRedistribute.size();
    for (Delivery delivery : queue) {
      if (delivery.isShared()) {
        toRedistribute.add(delivery);
      }
    }
    int dropped = queue.size() - (toRedistribute.size() - sharedBefore);
    if (dropped > 0) {
      client.recordDropped(Drop.unknown(DropReason.CONNECTION_ENDED, dropped));
    }
    observer.addQueued(-queue.size(), -bytes);
    waiting = null;
    bytes = 0;
  }
}
