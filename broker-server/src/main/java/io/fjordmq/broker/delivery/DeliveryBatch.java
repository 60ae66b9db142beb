package io.fjordmq.broker.delivery;

import java.util.Arrays;

/**
 * Deliveries for one event loop, collected by one source thread, handed over once, then taken on
 * the event loop in as many turns as it needs.
 */
final class DeliveryBatch {
  private final Mailbox target;
  private Delivery[] deliveries = new Delivery[4];
  private Recipients[] recipients = new Recipients[4];
  private int size;
  private long left;
  private long bytes;

  // Where the event loop is.
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
    left += to.size();
    bytes += delivery.message().payload().length;
  }

  /** Copies that have not been handed out. */
  long left() {
    return left;
  }

  boolean isDone() {
    return next == size;
  }

  /**
   * Hands out at most that many copies; returns how many. On the event loop. What is handed out
   * counts as done before it is: an error on the way must not make the event loop try for ever.
   */
  int deliver(int budget, Outbox here) {
    int done = 0;
    while (next < size && done < budget) {
      Recipients to = recipients[next];
      Delivery delivery = deliveries[next];
      int from = nextMember;
      int end = Math.min(to.size(), from + budget - done);
      done += end - from;
      left -= end - from;
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
