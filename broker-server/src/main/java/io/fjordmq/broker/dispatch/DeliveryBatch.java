package io.fjordmq.broker.dispatch;

import java.util.Arrays;

/**
 * A batch of deliveries for one event loop. One source thread collects the batch and hands it over
 * once; the event loop then delivers it in as many slices as needed.
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

  /** The number of copies not delivered yet. */
  long remaining() {
    return remaining;
  }

  boolean isDone() {
    return next == size;
  }

  /**
   * Delivers copies up to the budget and returns the number delivered. Called on the event loop. A
   * copy counts as delivered before the session is called, so that an exception cannot cause an
   * endless loop.
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
