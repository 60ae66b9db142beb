package io.fjordmq.broker.delivery;

import java.util.Arrays;

/**
 * Deliveries for one event loop, collected by one source thread, handed over once, then taken on
 * the event loop in as many turns as it needs.
 */
final class Batch {
  private final Mailbox target;
  private Delivery[] deliveries = new Delivery[4];
  private Recipients[] recipients = new Recipients[4];
  private int size;
  private long copies;
  private long bytes;

  // Where the event loop is.
  private int next;
  private int nextMember;

  Batch(Mailbox target) {
    this.target = target;
  }

  Mailbox target() {
    return target;
  }

  int size() {
    return size;
  }

  long copies() {
    return copies;
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
    copies += to.size();
    bytes += delivery.message().payload().length;
  }

  boolean isDone() {
    return next == size;
  }

  /** Hands out at most that many copies; returns how many. On the event loop. */
  int deliver(int budget, Outbox here) {
    int done = 0;
    while (next < size && done < budget) {
      Recipients to = recipients[next];
      Delivery delivery = deliveries[next];
      int end = Math.min(to.size(), nextMember + budget - done);
      done += end - nextMember;
      here.deliver(delivery, to, nextMember, end);
      nextMember = end;
      if (end == to.size()) {
        next++;
        nextMember = 0;
      }
    }
    return done;
  }
}
