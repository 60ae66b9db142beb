package io.fjordmq.broker.dispatch;

import java.util.Arrays;

/**
 * Deliveries for one event loop: collected by one source thread, handed over once, then delivered
 * on the event loop in as many slices as needed.
 */
final class DeliveryBatch {
  private final Mailbox target;
  private Delivery[] deliveries = new Delivery[4];
  private Recipients[] recipients = new Recipients[4];
  private int size;
  private long remaining;
  private long bytes;

  // The next copy that the event loop delivers.
  private int next;
  private int nextMember;

  DeliveryBatch(Mailbox target) {
    this.target = target;
  }

  Mailbox target() {
    return target;
  }

  int size() {
    return size;
  }

  long bytes() {
    return bytes;
  }

  void add(Delivery delivery, Recipients to) {
    if (size == deliveries.length) {
      deliveries = Arrays.copyOf(deliveries, 2 * size);
      recipients = Arrays.copyOf(recipients, 2 * size);
    }
    deliveries[size] = delivery;
    recipients[size] = to;
    size++;
    remaining += to.size();
    bytes += delivery.message().payload().length;
  }

  /** Number of copies not delivered yet. */
  long remaining() {
    return remaining;
  }

  boolean isDone() {
    return next == size;
  }

  /**
   * Delivers at most this many copies and returns their number; called on the event loop. A copy
   * counts as delivered before the session is called, so that an exception cannot cause an endless
   * loop.
   */
  int deliver(int budget, Outbox here) {
    int done = 0;
    while (next < size && done < budget) {
      Recipients to = recipients[next];
      Delivery delivery = deliveries[next];
      int from = nextMember;
      int end = Math.min(to.size(), from + budget - done);
      done += end - from;
      remaining -= end - from;
      nextMember = end;
      if (end == to.size()) {
        next++;
        nextMember = 0;
      }
      here.deliver(delivery, to, from, end);
    }
    return done;
  }
}
